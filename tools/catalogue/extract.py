"""Keys that a class, a function, a command line or a file of defaults takes, read from its syntax tree."""

import ast
import dataclasses
import re

SCALARS = {"bool": "bool", "int": "int", "float": "float", "str": "str", "Path": "str", "PathLike": "str"}
LISTS = {"list", "List", "tuple", "Tuple", "Sequence", "set", "Set", "Iterable"}
MAPPINGS = {"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict"}
LIMITS = {"PositiveInt": ("int", 1), "NonNegativeInt": ("int", 0), "PositiveFloat": ("float", None),
          "NonNegativeFloat": ("float", 0)}


@dataclasses.dataclass
class Key:
    types: frozenset = frozenset({"any"})
    choices: tuple = ()  # all that it takes; () = not known
    checked: bool = False  # the package raises on another choice
    low: object = None
    high: object = None
    default: object = None
    table: str = ""  # of the class that its mapping is read into
    classes: frozenset = frozenset()  # that its annotation names
    deprecated: bool = False
    now: str = ""  # the key that took its place


@dataclasses.dataclass
class Table:
    file: str = ""
    keys: dict = dataclasses.field(default_factory=dict)
    extends: list = dataclasses.field(default_factory=list)  # tables of other packages
    is_open: bool = False  # it takes keys that it does not name


class Extractor:
    def __init__(self, tree, outside, nested=(), package=""):
        self.tree = tree
        self.outside = outside  # class that has a table elsewhere -> "package/Table"
        self.package = package
        self.nested = dict(nested)  # class -> table of this package
        self.wanted = []  # nested classes that were met

    # -- types ------------------------------------------------------------------------------------

    def annotate(self, path, node, key, depth=0):
        """Adds what an annotation says to `key`."""
        if node is None or depth > 6:
            key.types |= {"any"}
            return
        if isinstance(node, ast.Constant):
            if node.value is None:
                return
            if isinstance(node.value, str):
                try:
                    self.annotate(path, ast.parse(node.value, mode="eval").body, key, depth + 1)
                except SyntaxError:
                    key.types |= {"any"}
            return
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            self.annotate(path, node.left, key, depth + 1)
            self.annotate(path, node.right, key, depth + 1)
            return
        if isinstance(node, ast.Subscript):
            self._subscript(path, node, key, depth)
            return
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        if name in SCALARS:
            key.types |= {SCALARS[name]}
        elif name in LISTS:
            key.types |= {"list"}
        elif name in MAPPINGS:
            key.types |= {"mapping"}
        elif name in LIMITS:
            key.types |= {LIMITS[name][0]}
            key.low = LIMITS[name][1]
        elif name == "None":
            pass
        else:
            self._named(path, name, key, depth)

    def _subscript(self, path, node, key, depth):
        head = ast.unparse(node.value).split(".")[-1]
        inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if head in ("Optional", "Union", "Annotated", "Required", "NotRequired", "SkipValidation"):
            for each in inside[:1] if head == "Annotated" else inside:
                self.annotate(path, each, key, depth + 1)
            for each in inside[1:] if head == "Annotated" else ():
                if isinstance(each, ast.Call):
                    self._limits(path, each, key)
        elif head == "Literal":
            for each in inside:
                if isinstance(each, ast.Constant) and each.value is not None:
                    key.types |= {"choice"}
                    key.choices += (each.value,)
        elif head in LISTS:
            key.types |= {"list"}
        elif head in MAPPINGS:
            key.types |= {"mapping"}
        else:
            key.types |= {"any"}

    def _named(self, path, name, key, depth):
        members = self.tree.members(path, name)
        if members:
            key.types |= {"choice"}
            key.choices += tuple(members.values())
            return
        found = self.tree.find(path, name, (ast.ClassDef,)) if name else None
        if found and is_fields(found[1], self.tree, found[0]):
            key.types |= {"mapping"}
            # Of two classes, either may be meant.
            key.classes |= {self.nested.get(name, name)}
            key.table = next(iter(key.classes)) if len(key.classes) == 1 else ""
            if (found[0], name) not in self.wanted:
                self.wanted.append((found[0], name))
            return
        alias = self.tree.value(path, name) if name else None
        if alias and isinstance(alias[1], (ast.Subscript, ast.BinOp)):
            self.annotate(alias[0], alias[1], key, depth + 1)
            return
        key.types |= {"any"}

    def _limits(self, path, call, key):
        for word in call.keywords:
            value = self.tree.constant(path, word.value)
            if word.arg in ("ge", "gt") and isinstance(value, (int, float)):
                key.low = value if word.arg == "ge" else key.low
            elif word.arg in ("le", "lt") and isinstance(value, (int, float)):
                key.high = value if word.arg == "le" else key.high

    # -- classes of fields ------------------------------------------------------------------------

    def fields(self, path, name, depth=0):
        """The fields of a dataclass, an attrs class or a pydantic model, with those of its bases."""
        found = self.tree.find(path, name, (ast.ClassDef,))
        if not found:
            return None
        path, node = found
        table = Table(file=path)
        for base in reversed(node.bases):
            word = ast.unparse(base).split(".")[-1].split("[")[0]
            has_table = self.outside.get(word, "").startswith(f"{self.package}/")
            if word != name and not has_table and depth < 8 and self.tree.find(path, word, (ast.ClassDef,)):
                inherited = self.fields(path, word, depth + 1)
                table.keys.update(inherited.keys)
                table.extends += inherited.extends
                table.is_open |= inherited.is_open
            elif word in self.outside:
                table.extends.append(self.outside[word])
        for statement in statements(node.body):
            self._field(path, statement, table)
            if re.search(r"extra\s*=\s*['\"]allow|['\"]extra['\"]\s*:\s*['\"]allow", ast.unparse(statement)):
                table.is_open = True
        self._checks(path, node, table)
        self._warnings(node, table)
        return table

    def _field(self, path, statement, table):
        if isinstance(statement, ast.Assign):  # of an inherited field: another default
            for target in statement.targets:
                if isinstance(target, ast.Name) and target.id in table.keys:
                    key = dataclasses.replace(table.keys[target.id])
                    key.default = self.tree.constant(path, statement.value)
                    table.keys[target.id] = key
            return
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            return
        annotation = ast.unparse(statement.annotation)
        name = statement.target.id
        if "ClassVar" in annotation or name.startswith("_") or name == "model_config":
            return
        key = Key(types=frozenset())
        self.annotate(path, statement.annotation, key)
        names = [name]
        value = statement.value
        if isinstance(value, ast.Call) and ast.unparse(value.func).split(".")[-1] in ("field", "Field", "ib", "attrib"):
            names = self._field_call(path, value, key, name)
        elif value is not None:
            key.default = self.tree.constant(path, value)
            if key.default is None and isinstance(value, ast.Call) and value.args:
                # pp_int(5e8): a number that prints itself nicely.
                key.default = self.tree.constant(path, value.args[0])
        if isinstance(key.default, float) and key.types == {"int"}:
            key.default = int(key.default)
        for each in names:
            table.keys[each] = key

    def _field_call(self, path, call, key, name):
        names = [name]
        if call.args:
            first = call.args[0]
            if isinstance(first, ast.Call) and first.args:
                first = first.args[0]
            key.default = self.tree.constant(path, first)
        texts = []
        for word in call.keywords:
            if word.arg == "default":
                key.default = self.tree.constant(path, word.value)
            elif word.arg in ("alias", "validation_alias") and isinstance(word.value, ast.Constant):
                # A field is found by its alias; by its name too where the model populates by name.
                names = [word.value.value, name]
            elif word.arg == "validation_alias":
                names += [c.value for c in ast.walk(word.value) if isinstance(c, ast.Constant) and isinstance(c.value, str)]
            elif word.arg == "deprecated" and not (isinstance(word.value, ast.Constant) and not word.value.value):
                key.deprecated = True
            if word.arg in ("metadata", "json_schema_extra", "help"):
                self._metadata(path, word.value, key, texts)
        self._limits(path, call, key)
        text = " ".join(texts)
        if re.match(r"\s*\(?deprecated", text, re.IGNORECASE):
            key.deprecated = True
        if key.deprecated and not key.now:
            key.now = replacement(text, name)
        return names

    def _metadata(self, path, node, key, texts):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
        if not isinstance(node, ast.Dict):
            return
        for word, value in zip(node.keys, node.values):
            word = word.value if isinstance(word, ast.Constant) else ""
            if word == "help":
                texts += [c.value for c in ast.walk(value) if isinstance(c, ast.Constant) and isinstance(c.value, str)]
            elif word == "choices":
                self._choices(path, value, key)
            elif word == "deprecated" and isinstance(value, ast.Constant) and value.value:
                key.deprecated = True
            elif word == "new_param" and isinstance(value, ast.Constant):
                key.now = str(value.value).split(".")[-1] if key.deprecated else ""

    def _choices(self, path, node, key):
        if isinstance(node, ast.Name):
            found = self.tree.value(path, node.id)
            if not found:
                return
            path, node = found
        if isinstance(node, ast.Call) and node.args:  # sorted([...]), list((...))
            node = node.args[0]
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            values = [self.tree.constant(path, item) for item in node.elts]
            if values and all(isinstance(value, (str, int, float)) for value in values):
                key.choices, key.checked = tuple(values), True
                key.types = frozenset({"choice"})

    def _checks(self, path, node, table):
        """`self.optim = OptimizerNames(self.optim)`: the Enum refuses what is none of its members."""
        checked = set()
        for method in node.body:
            if not isinstance(method, ast.FunctionDef) or method.name != "__post_init__":
                continue
            for each in ast.walk(method):
                if not isinstance(each, ast.Assign) or not isinstance(each.value, ast.Call):
                    continue
                target, call = each.targets[0], each.value
                if not (isinstance(target, ast.Attribute) and len(call.args) == 1):
                    continue
                if ast.unparse(target) != ast.unparse(call.args[0]) or target.attr not in table.keys:
                    continue
                members = self.tree.members(path, ast.unparse(call.func).split(".")[-1])
                if members:
                    key = dataclasses.replace(table.keys[target.attr])
                    # One of several classes by what another key says: any of them will do.
                    known = key.choices if target.attr in checked else ()
                    checked.add(target.attr)
                    key.choices, key.checked = (*known, *members.values()), True
                    key.types = frozenset({"choice"})
                    table.keys[target.attr] = key

    def _warnings(self, node, table):
        """"a is deprecated … Use `b` instead", said where the class looks at its fields."""
        for each in ast.walk(node):
            if not isinstance(each, ast.Constant) or not isinstance(each.value, str):
                continue
            said = re.match(
                r"\s*[`'\"]*(?:--)?(\w+)[`'\"]* is deprecated\b.*?\buse `(?:--)?(\w+)`",
                each.value,
                re.IGNORECASE | re.DOTALL,
            )
            if said and said[1] in table.keys and said[2] in table.keys and said[1] != said[2]:
                table.keys[said[1]] = dataclasses.replace(table.keys[said[1]], deprecated=True, now=said[2])

    # -- functions --------------------------------------------------------------------------------

    def signature(self, path, name, skip=()):
        """Parameters of a function, or of the __init__ of a class (`**kwargs` leaves it open)."""
        found = self.tree.find(path, name)
        if not found:
            return None
        path, node = found
        table = Table(file=path)
        if isinstance(node, ast.ClassDef):
            init = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
            if init is None and is_fields(node, self.tree, path):
                return self.fields(path, name)
            if init is None:
                for base in node.bases:
                    word = ast.unparse(base).split(".")[-1]
                    if word != name and self.tree.find(path, word, (ast.ClassDef,)):
                        return self.signature(path, word, skip)
                return None
            node = init
            skip = (*skip, "self")
        arguments = node.args
        names = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(names) - len(arguments.defaults)) + arguments.defaults
        pairs = [*zip(names, defaults), *zip(arguments.kwonlyargs, arguments.kw_defaults)]
        for argument, default in pairs:
            if argument.arg in skip:
                continue
            key = Key(types=frozenset())
            self.annotate(path, argument.annotation, key)
            if default is not None:
                key.default = self.tree.constant(path, default)
                self._default_class(path, default, key)
            table.keys[argument.arg] = key
        table.is_open = arguments.kwarg is not None or arguments.vararg is not None
        return table

    def _default_class(self, path, default, key):
        """`train: TrainArgs = TrainArgs(save_interval=1000)`."""
        if isinstance(default, ast.Call) and key.default is None:
            name = ast.unparse(default.func).split(".")[-1]
            found = self.tree.find(path, name, (ast.ClassDef,))
            if found and is_fields(found[1], self.tree, found[0]) and not key.table:
                key.types |= {"mapping"}
                key.table = self.nested.get(name, name)

    # -- nodes ------------------------------------------------------------------------------------

    def nodes(self, path, name, table):
        """{table: Table} of assignments to a configuration node: `_C.SOLVER.BASE_LR = 0.001`."""
        tables = {table: Table(file=path)}
        for node in ast.walk(self.tree.module(path)):
            if not isinstance(node, ast.Assign):
                continue
            words = ast.unparse(node.targets[0]).split(".")
            if words[0] != name or len(words) < 2:
                continue
            is_node = isinstance(node.value, ast.Call) and ast.unparse(node.value.func).endswith(("CN", "CfgNode"))
            spot = table
            for depth, word in enumerate(words[1:], start=2):
                key = tables[spot].keys.setdefault(word, Key())
                if depth < len(words) or is_node:
                    spot = key.table = f"{spot}.{word}"
                    key.types = frozenset({"mapping"})
                    tables.setdefault(spot, Table(file=path))
                else:
                    key.default = self.tree.constant(path, node.value)
        return tables

    # -- command lines ----------------------------------------------------------------------------

    def arguments(self, paths, name=""):
        """{table: Table} of every `add_argument` in files, whichever parser or group it is called on.

        `--optim.lr` is the key `lr` of the table "name.optim", as a file of the same settings would nest it.
        """
        tables = {name: Table()}
        for path in paths:
            module = self.tree.module(path)
            if module is None:
                continue
            tables[name].file = tables[name].file or path
            for node in ast.walk(module):
                if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("add_argument"):
                    self._argument(path, node, tables, name)
        return tables if tables[name].keys else {}

    def chosen(self, paths, call):
        """Keys `x` and `x_conf` of every `call("x", …)` or `call(name="x", …)` in files."""
        table = Table()
        for path in paths:
            module = self.tree.module(path)
            for node in ast.walk(module) if module is not None else ():
                if not isinstance(node, ast.Call) or ast.unparse(node.func).split(".")[-1] != call:
                    continue
                named = [word.value for word in node.keywords if word.arg == "name"]
                name = self.tree.constant(path, (named or node.args or [ast.Constant(None)])[0])
                if isinstance(name, str):
                    table.file = table.file or path
                    table.keys.update({name: Key(), f"{name}_conf": Key(types=frozenset({"mapping"}))})
        return table

    def _argument(self, path, call, tables, name):
        flags = [self.tree.constant(path, a) for a in call.args]
        longs = [f for f in flags if isinstance(f, str) and f.startswith("--")]
        if not longs:
            return
        key = Key(types=frozenset({"str"}))
        for word in call.keywords:
            if word.arg == "type":
                known = ast.unparse(word.value).split(".")[-1]
                key.types = frozenset({SCALARS.get(known, "any")})
            elif word.arg == "action":
                action = ast.unparse(word.value)
                key.types = frozenset({"bool" if "store_" in action or "Boolean" in action else "any"})
            elif word.arg == "nargs":
                key.types |= {"list"}
            elif word.arg == "default":
                key.default = self.tree.constant(path, word.value)
        for word in call.keywords:
            if word.arg == "choices":
                self._choices(path, word.value, key)
        for flag in longs:
            *sections, last = flag[2:].replace("-", "_").split(".")
            spot = name
            for section in sections:
                parent = tables[spot].keys.setdefault(section, Key(types=frozenset({"mapping"})))
                spot = parent.table = f"{spot}.{section}"
                tables.setdefault(spot, Table(file=path))
            # Of two parsers that take a flag, either may be meant.
            known = tables[spot].keys.get(last)
            tables[spot].keys[last] = key if known in (None, key) else Key()


def statements(body):
    """Statements of a class, those under a condition as well."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If):
            yield from statements(statement.body)
            yield from statements(statement.orelse)


def is_fields(node, tree, path, depth=0):
    """A class whose annotated fields are its keys."""
    if any(re.search(r"dataclass|attrs|attr\.s|define", ast.unparse(d)) for d in node.decorator_list):
        return True
    for base in node.bases:
        word = ast.unparse(base).split(".")[-1].split("[")[0]
        if word in ("BaseModel", "TypedDict"):
            return True
        found = tree.find(path, word, (ast.ClassDef,)) if depth < 8 and word != node.name else None
        if found and is_fields(found[1], tree, found[0], depth + 1):
            return True
    return False


def replacement(text, name):
    """The key that a deprecation names instead of `name`; "" where it names none or several."""
    said = re.findall(r"(?:use|favor of|replaced by|renamed to)\s+(?:the\s+)?[`'\"]*(?:--)?([a-z][a-z0-9_]+)[`'\"]*", text, re.IGNORECASE)
    others = [word for word in said if word != name and "_" in word]
    return others[0] if len(set(others)) == 1 else ""


def yaml_tables(text, name, path, skip=()):
    """{table: Table} of a YAML file of defaults in block style: `name`, and "name.section" for each mapping in it.

    Sections that `skip` names may hold any keys.
    """
    tables = {name: Table(file=path)}
    open_sections = [(-1, name)]  # (indent of its key, table)
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    for line, following in zip(lines, [*lines[1:], ""]):
        match = re.match(r"( *)['\"]?([A-Za-z_][\w-]*)['\"]?:(?:\s+(.*?))?\s*(?:#.*)?$", line)
        if not match or line.lstrip().startswith("- "):
            continue
        indent, key, value = len(match[1]), match[2], match[3]
        while open_sections[-1][0] >= indent:
            open_sections.pop()
        parent = open_sections[-1][1]
        inner = re.match(r"( *)['\"]?[A-Za-z_][\w-]*['\"]?:", following)
        if parent is None:
            continue
        entry = tables[parent].keys[key] = Key()
        if value == "{}":
            entry.types = frozenset({"mapping"})
        elif value:
            entry.default = None if value[0] in "$[{" or value == "null" else value
        elif inner and len(inner[1]) > indent:
            entry.types, entry.table = frozenset({"mapping"}), "" if key in skip else f"{parent}.{key}"
            tables.update({entry.table: Table(file=path)} if entry.table else {})
            open_sections.append((indent, entry.table or None))
    return {table: content for table, content in tables.items() if content.keys}
