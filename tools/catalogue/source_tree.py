"""Names of a package, resolved by reading its syntax trees."""

import ast


class SourceTree:
    def __init__(self, texts):
        self.texts = texts
        self._modules = {}
        self._known = {}

    def module(self, path):
        if path not in self._modules:
            try:
                self._modules[path] = ast.parse(self.texts[path]) if path in self.texts else None
            except SyntaxError:
                self._modules[path] = None
        return self._modules[path]

    def path_of(self, dotted):
        base = dotted.replace(".", "/")
        return next((p for p in (base + ".py", base + "/__init__.py") if p in self.texts), None)

    def _imported(self, path, node, name):
        """(path, name) of what an import binds to `name`, where it lies in this package."""
        for alias in node.names:
            if (alias.asname or alias.name) != name:
                continue
            if node.level:
                parts = path.removesuffix(".py").split("/")
                parts = parts[: len(parts) - node.level]
                dotted = ".".join(parts + ([node.module] if node.module else []))
            else:
                dotted = node.module or ""
            target = self.path_of(dotted)
            return (target, alias.name) if target else None
        return None

    def _names(self, path):
        """Classes and functions, assigned values and imports of a module, each by one walk."""
        if path not in self._known:
            defined, assigned, imports = {}, {}, []
            module = self.module(path)
            for node in ast.walk(module) if module is not None else ():
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.col_offset <= 8:
                    defined.setdefault(node.name, []).append(node)
                elif isinstance(node, ast.ImportFrom):
                    imports.append(node)
            for node in module.body if module is not None else ():
                targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
                for target in targets:
                    if isinstance(target, ast.Name) and getattr(node, "value", None) is not None:
                        assigned.setdefault(target.id, node.value)
            self._known[path] = defined, assigned, imports
        return self._known[path]

    def find(self, path, name, kinds=(ast.ClassDef, ast.FunctionDef), depth=0):
        """(path, node) of the class or function that `name` means in the module at `path`."""
        if not path or depth > 8:
            return None
        defined, _, imports = self._names(path)
        for node in defined.get(name, ()):
            if isinstance(node, kinds):
                return path, node
        for node in imports:
            target = self._imported(path, node, name)
            found = self.find(*target, kinds, depth + 1) if target else None
            if found:
                return found
        return None

    def value(self, path, name, depth=0):
        """(path, expression) assigned to a name of a module."""
        if not path or depth > 8:
            return None
        _, assigned, imports = self._names(path)
        if name in assigned:
            return path, assigned[name]
        for node in imports:
            target = self._imported(path, node, name)
            found = self.value(*target, depth + 1) if target else None
            if found:
                return found
        return None

    def constant(self, path, node):
        """Value of an expression of constants; None where it is none."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.constant(path, node.operand)
            return -value if isinstance(value, (int, float)) else None
        if isinstance(node, ast.BinOp):
            left, right = self.constant(path, node.left), self.constant(path, node.right)
            if isinstance(left, (int, float)) and isinstance(right, (int, float)):
                try:
                    folded = ast.BinOp(ast.Constant(left), node.op, ast.Constant(right))
                    return _fold(folded)
                except (ArithmeticError, ValueError):
                    return None
        if isinstance(node, ast.Name):
            found = self.value(path, node.id)
            return self.constant(*found) if found and found[1] is not node else None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            members = self.members(path, node.value.id)
            return members.get(node.attr) if members else None
        return None

    def members(self, path, name):
        """{member: value} of an Enum class; None where `name` is none."""
        found = self.find(path, name, (ast.ClassDef,))
        if not found or not any("Enum" in ast.unparse(base) for base in found[1].bases):
            return None
        members = {}
        for node in found[1].body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                value = self.constant(found[0], node.value)
                if isinstance(value, (str, int, float)):
                    members[node.targets[0].id] = value
        return members or None


def _fold(node):
    left, right = node.left.value, node.right.value
    operations = {
        ast.Add: lambda: left + right,
        ast.Sub: lambda: left - right,
        ast.Mult: lambda: left * right,
        ast.Div: lambda: left / right,
        ast.Pow: lambda: left**right if abs(right) < 64 else None,
    }
    fold = operations.get(type(node.op))
    return fold() if fold else None
