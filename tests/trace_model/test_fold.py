"""What folding a program may change: its text, never the operators it runs."""

import copy
import pathlib
import random
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "packaging/python"), str(HERE)]

from expanded import operators  # noqa: E402
from gpulint.tracing import sequences, write  # noqa: E402
from gpulint.tracing.statements import Definition, Model  # noqa: E402


def conv(out, **arguments):
    return {"conv": {"out": str(out), **{k: str(v) for k, v in arguments.items()}, "bias": "false"}}


def layer(out, **arguments):
    return [conv(out, **arguments), {"batch_norm": "~"}, {"activation": {"kind": "relu", "inplace": "true"}}]


def residual(out, name="a"):
    return [{"as": name}, *layer(out, kernel=3, padding=1), conv(out), {"batch_norm": "~"}, {"add": name}]


def folded(program, dimensions=("image_size", "classes"), definitions=None):
    return sequences.Folder(Model(set(dimensions), dict(definitions or {}), copy.deepcopy(program))).fold()


class Folding(unittest.TestCase):
    def same(self, program, definitions=None):
        before = Model({"image_size", "classes"}, copy.deepcopy(definitions or {}), copy.deepcopy(program))
        after = folded(program, definitions=copy.deepcopy(definitions or {}))
        self.assertEqual(operators(before), operators(after))
        return after

    def test_runs_that_differ_in_numbers_become_a_definition(self):
        program = [s for out in (8, 16, 24, 32, 40) for s in [*layer(out, kernel=3), {"max_pool": {"kernel": "2"}}]]
        model = self.same(program)
        self.assertEqual(len(model.program), 5)
        (name,) = model.definitions
        self.assertEqual(model.program[0], {name: {"out": "8"}})

    def test_an_argument_left_out_becomes_a_parameter_with_the_operators_default(self):
        model = self.same([*layer(8), *layer(16, kernel=3, stride=2), *layer(24), *layer(32, kernel=5), *layer(40)])
        (definition,) = model.definitions.values()
        self.assertEqual(definition.parameters, {"out": None, "kernel": "1", "stride": "1"})

    def test_equal_layers_become_a_repeat_inside_and_outside_of_definitions(self):
        model = self.same([s for out in (8, 8, 8, 16, 16, 16) for s in residual(out)])
        text = "\n".join(write.folded_lines(model))
        self.assertEqual(text.count("{add:"), 1)
        self.assertIn("repeat: 3", text)

    def test_a_run_that_hands_on_a_second_tensor_stays_where_it_is(self):
        program = []
        for out in (8, 16, 24, 32):
            program += [conv(out), {"batch_norm": "~", "as": "kept"}, *layer(out), {"add": "kept"}, {"add": "kept"}]
        self.same(program)

    def test_a_name_read_from_outside_keeps_its_meaning(self):
        program = [conv(8), {"batch_norm": "~", "as": "b"}]
        for out in (8, 8, 16, 8):
            program += [{"as": "a"}, conv(out), {"activation": "silu", "as": "c"}, {"add": "b"}, {"add": "c"}, {"softmax": "~"}]
        self.same(program)

    def test_a_definition_that_reads_a_callers_name_is_called_under_that_name(self):
        reads = {"adds": Definition({}, [{"activation": "gelu"}, {"add": "a"}])}
        program = []
        for out in (8, 16, 24, 32):
            program += [*layer(out), {"scale": "~", "as": "a"}, conv(out), {"adds": "~"}, {"softmax": "~"}]
        self.same(program, reads)

    def test_layers_of_checkpointing_stay_layers(self):
        blocks = [{"block": "stage", "body": residual(out)} for out in (8, 16, 24)]
        model = self.same(blocks)
        self.assertEqual(sum(op == "block" for op, *_ in operators(model)), 3)

    def test_random_programs_run_the_same_operators(self):
        for seed in range(60):
            with self.subTest(seed=seed):
                self.same(random_program(random.Random(seed)))

    def test_folding_twice_changes_nothing_more(self):
        model = folded([s for out in (8, 16, 24, 32) for s in residual(out)])
        again = sequences.Folder(copy.deepcopy(model)).fold()
        self.assertEqual(write.folded_lines(model), write.folded_lines(again))


def random_program(source):
    """Pieces of a few kinds with numbers and names of their own, in random order."""
    names = "abcd"
    program = [conv(8)] + [{"scale": "~", "as": name} for name in names]
    pieces = [random_piece(source, names) for _ in range(4)]
    for _ in range(24):
        piece = copy.deepcopy(source.choice(pieces))
        for statement in piece:
            if "conv" in statement:
                statement["conv"]["out"] = str(source.choice((8, 16, 24)))
        if source.random() < 0.2:
            piece = [{"repeat": str(source.randint(2, 3)), "body": piece}]
        program += piece
    return program


def random_piece(source, names):
    piece = []
    for _ in range(source.randint(2, 7)):
        statement = source.choice(
            [conv(8), conv(8, kernel=3, padding=1), {"batch_norm": "~"}, {"activation": "relu"},
             {"add": source.choice(names)}, {"concatenate": source.sample(names, 2)}, {"reshape": ["batch", "8", "-1"]}]
        )  # fmt: skip
        statement = copy.deepcopy(statement)
        if source.random() < 0.3:
            statement["as"] = source.choice(names)
        if source.random() < 0.2:
            statement["from"] = source.choice(names)
        piece.append(statement)
    return piece


if __name__ == "__main__":
    unittest.main()
