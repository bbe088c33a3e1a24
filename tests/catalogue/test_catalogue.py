"""tools/catalogue reads what packages take from their syntax trees alone."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "catalogue"))

import extract  # noqa: E402
import merge  # noqa: E402
import source_tree  # noqa: E402
import sources  # noqa: E402
import write  # noqa: E402

ENUMS = """
from enum import Enum
class Pace(str, Enum):
    SLOW = "slow"
    FAST = "fast"
"""

ARGUMENTS = """
from dataclasses import dataclass, field
from typing import Literal, Optional, Union
from .enums import Pace
raise SystemExit("nobody runs this")
@dataclass
class Base:
    rate: float = field(default=5e-5, metadata={"help": "The rate."})
@dataclass
class Arguments(Base):
    steps: Optional[int] = None
    pace: Union[Pace, str] = "slow"
    mode: Literal["a", "b"] = "a"
    old_steps: int = field(default=0, metadata={"help": "Deprecated. Use `steps_new` instead."})
    steps_new: int = 0
    def __post_init__(self):
        self.pace = Pace(self.pace)
"""

MODEL = """
from pydantic import BaseModel, Field
class Inner(BaseModel):
    size: int = Field(int(5e8), ge=0, alias="stage3_size")
class Model(BaseModel):
    inner: Inner | None = None
    def unrelated(self): ...
"""

CALLS = """
class Optimizer:
    def __init__(self, params, lr: float = 1e-3, *, fused=None): ...
def build(name, **kwargs): ...
import argparse
parser = argparse.ArgumentParser()
group = parser.add_argument_group("g")
group.add_argument("--lr-decay-style", type=str, default="linear", choices=["constant", "linear"])
group.add_argument("--no-fused", action="store_false")
"""


FLAGS = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--ds.lora.rank", type=int, default=0)
parser.add_argument("--seed", type=int, default=42)
"""

NODES = """
_C = CN()
_C.SOLVER = CN()
_C.SOLVER.BASE_LR = 0.001
_C.MODEL = CN({"KEEP": 1})
_C.MODEL.WEIGHTS = ""
"""

DEFAULTS = """
# comment
trainer:
  'n': 1
  nnodes: 1
  resume: ${oc.select:a.b,1}
  logger:
    - console
  extra: {}
  profiler:
    anything: 1
model: null
"""


def extractor():
    texts = {"p/enums.py": ENUMS, "p/args.py": ARGUMENTS, "p/model.py": MODEL, "p/calls.py": CALLS}
    return extract.Extractor(source_tree.SourceTree(texts), {})


class Extraction(unittest.TestCase):
    def test_a_dataclass_gives_its_fields_and_those_of_its_bases(self):
        keys = extractor().fields("p/args.py", "Arguments").keys
        self.assertEqual(sorted(keys), ["mode", "old_steps", "pace", "rate", "steps", "steps_new"])
        self.assertEqual(keys["rate"].default, 5e-5)
        self.assertEqual(keys["steps"].types, {"int"})
        self.assertEqual(keys["mode"].choices, ("a", "b"))

    def test_a_word_that_is_turned_into_an_enumeration_is_one_of_its_members(self):
        key = extractor().fields("p/args.py", "Arguments").keys["pace"]
        self.assertEqual((key.choices, key.checked), (("slow", "fast"), True))

    def test_a_deprecated_key_names_the_one_that_replaced_it(self):
        key = extractor().fields("p/args.py", "Arguments").keys["old_steps"]
        self.assertEqual((key.deprecated, key.now), (True, "steps_new"))

    def test_a_nested_model_has_a_table_of_its_own_and_fields_have_both_names(self):
        reader = extractor()
        self.assertEqual(reader.fields("p/model.py", "Model").keys["inner"].table, "Inner")
        keys = reader.fields("p/model.py", "Inner").keys
        self.assertEqual(sorted(keys), ["size", "stage3_size"])
        self.assertEqual(keys["stage3_size"].low, 0)

    def test_signatures_and_command_lines_give_their_arguments(self):
        table = extractor().signature("p/calls.py", "Optimizer")
        self.assertEqual(list(table.keys), ["params", "lr", "fused"])
        self.assertFalse(table.is_open)
        self.assertTrue(extractor().signature("p/calls.py", "build").is_open)
        flags = extractor().arguments(["p/calls.py"])
        flags = flags[""].keys
        self.assertEqual(flags["lr_decay_style"].choices, ("constant", "linear"))
        self.assertEqual(flags["no_fused"].types, {"bool"})


    def test_a_dotted_flag_lies_in_a_table_of_its_section(self):
        reader = extract.Extractor(source_tree.SourceTree({"p/flags.py": FLAGS}), {})
        tables = reader.arguments(["p/flags.py"], "train")
        self.assertEqual(sorted(tables), ["train", "train.ds", "train.ds.lora"])
        self.assertEqual(sorted(tables["train"].keys), ["ds", "seed"])
        self.assertEqual(tables["train"].keys["ds"].table, "train.ds")
        self.assertEqual(tables["train.ds.lora"].keys["rank"].default, 0)

    def test_a_class_chosen_by_name_has_a_flag_for_its_arguments(self):
        text = "a = ClassChoices('encoder', classes={})\nb = ClassChoices(classes={}, name='joint_net')\nc = Other('no')\n"
        table = extract.Extractor(source_tree.SourceTree({"p/task.py": text}), {}).chosen(["p/task.py"], "ClassChoices")
        self.assertEqual(sorted(table.keys), ["encoder", "encoder_conf", "joint_net", "joint_net_conf"])
        self.assertEqual(table.keys["encoder_conf"].types, {"mapping"})

    def test_a_mapping_of_one_of_two_classes_has_no_table(self):
        text = "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 0\n@dataclass\nclass B:\n    y: int = 0\n" + (
            "@dataclass\nclass C:\n    either: A | B | None = None\n    one: A | None = None\n"
        )
        keys = extract.Extractor(source_tree.SourceTree({"p/c.py": text}), {}).fields("p/c.py", "C").keys
        self.assertEqual((keys["either"].table, keys["one"].table), ("", "A"))

    def test_assignments_to_a_node_are_its_keys(self):
        reader = extract.Extractor(source_tree.SourceTree({"p/defaults.py": NODES}), {})
        tables = reader.nodes("p/defaults.py", "_C", "cfg")
        self.assertEqual(sorted(tables), ["cfg", "cfg.MODEL", "cfg.SOLVER"])
        self.assertEqual(tables["cfg"].keys["SOLVER"].table, "cfg.SOLVER")
        self.assertEqual(tables["cfg.SOLVER"].keys["BASE_LR"].default, 0.001)

    def test_a_file_of_defaults_has_a_table_per_section(self):
        tables = extract.yaml_tables(DEFAULTS, "ppo", "c.yaml", ("profiler",))
        self.assertEqual(sorted(tables), ["ppo", "ppo.trainer"])
        keys = tables["ppo.trainer"].keys
        self.assertEqual(sorted(keys), ["extra", "logger", "n", "nnodes", "profiler", "resume"])
        self.assertEqual((keys["nnodes"].default, keys["resume"].default), ("1", None))
        self.assertEqual((keys["extra"].table, keys["profiler"].table), ("", ""))

    def test_a_base_of_the_package_itself_is_read_before_one_of_another(self):
        texts = {
            "p/a.py": "from dataclasses import dataclass\n@dataclass\nclass Args:\n    own: int = 1\n",
            "p/b.py": "from .a import Args\nfrom q import Far\nfrom dataclasses import dataclass\n"
            "@dataclass\nclass Mine(Args, Far):\n    more: int = 2\n",
        }
        outside = {"Args": "other/Args", "Far": "other/Far"}
        table = extract.Extractor(source_tree.SourceTree(texts), outside).fields("p/b.py", "Mine")
        self.assertEqual((sorted(table.keys), table.extends), (["more", "own"], ["other/Far"]))


class Merging(unittest.TestCase):
    def test_a_key_that_was_a_switch_and_is_a_word_takes_both(self):
        switch = extract.Key(types=frozenset({"bool"}))
        word = extract.Key(types=frozenset({"choice"}), choices=("none", "group"))
        key = merge.merge_keys([(0, {"k": switch}), (1, {"k": word})])["k"]
        self.assertEqual((key.types - {"choice"}, key.choices), ({"bool", "str"}, {}))

    def test_a_key_is_taken_from_its_first_release_to_its_last(self):
        old, new = extract.Key(types=frozenset({"int"})), extract.Key(types=frozenset({"float"}))
        merged = merge.merge_keys([(0, {"a": old}), (1, {"a": new, "b": new}), (2, {"b": new})])
        self.assertEqual((merged["a"].since, merged["a"].until), (0, 1))
        self.assertEqual((merged["b"].since, merged["b"].until), (1, 2))
        self.assertEqual(merged["a"].types, {"int", "float"})

    def test_choices_say_which_releases_have_them(self):
        def choosing(*choices):
            return extract.Key(types=frozenset({"choice"}), choices=choices, checked=True)

        key = merge.merge_keys([(0, {"k": choosing("a", "b")}), (1, {"k": choosing("a", "c")})])["k"]
        text = write.key_text(key, ["1.0", "2.0"], 0, 1)
        self.assertEqual(text, '{choices: ["a", "b <=1.0", "c >=2.0"], checked: true}')

    def test_a_default_that_changed_is_written_with_the_releases_that_had_it(self):
        def written(*defaults):
            releases = [f"{i}.0" for i in range(len(defaults))]
            read = [(i, {"k": extract.Key(types=frozenset({"int"}), default=value)}) for i, value in enumerate(defaults)]
            return write.key_text(merge.merge_keys(read)["k"], releases, 0, len(defaults) - 1)

        self.assertEqual(written(1024, 1024, 2048), '{type: int, default: 2048, was: ["1024 <=1.0"]}')
        self.assertEqual(written(1, 2, 3), '{type: int, default: 3, was: ["1 <=0.0", "2 >=1.0 <=1.0"]}')
        self.assertEqual(written(False, True), '{type: int, default: true, was: ["false <=0.0"]}')

    def test_a_default_that_is_only_written_otherwise_has_not_changed(self):
        for former, now in ((0, 0.0), ("False", "false"), ('"flip"', "flip"), ("1e-6", "1.0e-06")):
            key = merge.merge_keys([(0, {"k": extract.Key(default=former)}), (1, {"k": extract.Key(default=now)})])["k"]
            self.assertEqual(len(key.defaults), 1, (former, now))

    def test_a_default_of_another_kind_may_mean_the_same(self):
        for former, now in ((32, "32-true"), (None, "auto"), (True, "group"), (1, None)):
            key = merge.merge_keys([(0, {"k": extract.Key(default=former)}), (1, {"k": extract.Key(default=now)})])["k"]
            self.assertLess(len(key.defaults), 2, (former, now))


class Writing(unittest.TestCase):
    def test_classes_that_take_the_same_are_written_once(self):
        def table(name):
            keys = merge.merge_keys([(0, {"lr": extract.Key(types=frozenset({"float"}))})])
            return {"first": 0, "last": 0, "file": f"{name}.py", "extends": [], "open": [], "call": True, "keys": keys}

        package = sources.Package(name="p", releases=("1.0",), reads=())
        text = write.file_text(package, ["1.0"], {"A": table("a"), "B": table("b")}, "2026-01-01", ["p 1.0"])
        self.assertEqual(text.count("lr: {type: float}"), 1)
        self.assertIn("    extends: [p/A]", text)


if __name__ == "__main__":
    unittest.main()
