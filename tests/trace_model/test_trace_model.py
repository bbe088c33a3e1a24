"""Records tiny modules and runs the files through gpulint."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

os.environ["PYTORCH_JIT"] = "0"
HERE = pathlib.Path(__file__).resolve().parent
TOOLS = HERE.parents[1] / "packaging/python"
sys.path[:0] = [str(TOOLS), str(HERE)]

import torch  # noqa: E402
from gpulint.tracing import family, program, recorder, words  # noqa: E402
from gpulint.tracing.generalise import Varies, polynomial  # noqa: E402

import tiny  # noqa: E402

GPULINT = sys.argv.pop() if len(sys.argv) > 1 else None


def image(batch, side, channels=3):
    return {"image": torch.empty(batch, channels, side, side, device="meta")}


def traced(model, settings, make=image):
    model = model.to("meta").train()
    return [recorder.trace(model, make(*setting)) for setting in settings]


def text_of(model, settings=((2, 16), (3, 16), (2, 32), (2, 48)), classes=10):
    traces = traced(model, settings)
    named = [{"batch": batch, "image_size": side} for batch, side in settings]
    return program.build(traces, named, classes, ["test"], words.RESERVED)[0]


class Recording(unittest.TestCase):
    def test_equal_layers_become_a_repeat(self):
        text = text_of(tiny.residual())
        self.assertIn("repeat: 4", text)
        self.assertEqual(text.count("batch_norm"), 1)
        self.assertIn("{activation: {kind: relu, inplace: true}", text)
        self.assertIn("{linear: classes}", text)

    def test_sizes_follow_from_batch_and_image(self):
        text = text_of(tiny.Attention(), classes=5)
        self.assertIn("{expand: [batch, 1, 16]", text)
        self.assertIn("image_size * image_size // 16 + 1", text)

    def test_shared_weights_are_counted_once(self):
        trace = traced(tiny.Odd(), [(2, 2)])[0]
        self.assertEqual(trace.parameters, 12 * 12 + 12 + 12 * 3 + 3)
        weights = [step for step in trace.steps if step.op == "parameter"]
        self.assertEqual([step.args["sizes"] for step in weights], [[12, 12], [12]])

    def test_a_function_of_the_user_keeps_what_it_saved(self):
        trace = traced(tiny.Odd(), [(2, 2)])[0]
        custom = [step for step in trace.steps if step.op == "custom"]
        self.assertEqual([step.args["keeps"] for step in custom], [[0]])

    def test_an_empty_vector_is_no_part_of_what_it_is_joined_to(self):
        text = text_of(tiny.Cached())
        self.assertNotIn("constant", text)
        self.assertEqual(text.count("concatenate"), 1)

    def test_saved_bytes_are_those_of_autograd(self):
        # conv out 8x14x14; relu result, conv input, norm input and statistics of four blocks; pooled features.
        trace = traced(tiny.residual(), [(2, 16)])[0]
        maps = 2 * 8 * 14 * 14 * 4
        self.assertEqual(trace.saved_bytes, 4 * (3 * maps + 2 * 8 * 4) + 2 * 8 * 4)


class Generalising(unittest.TestCase):
    def test_numbers_become_expressions(self):
        self.assertEqual(polynomial([7, 9, 11], [224, 288, 352], "s"), "s // 32")
        self.assertEqual(polynomial([197, 325, 485], [224, 288, 352], "s"), "s * s // 256 + 1")
        self.assertEqual(polynomial([8, 8, 8], [224, 288, 352], "s"), 8)

    def test_what_fits_no_formula_is_refused(self):
        with self.assertRaises(Varies):
            polynomial([3, 5, 6], [224, 288, 352], "s")

    def test_models_that_differ_in_numbers_share_a_program(self):
        narrow, wide = text_of(tiny.residual(8)), text_of(tiny.residual(12))
        self.assertEqual(family.groups([narrow, wide]), [[0, 1]])
        text, dimensions = family.merge([narrow, wide])
        self.assertEqual(dimensions, [{"width": "8"}, {"width": "12"}])
        self.assertIn("width: ~", text)


@unittest.skipUnless(GPULINT, "no gpulint given")
class Checking(unittest.TestCase):
    def record(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tiny.yaml"
            command = [sys.executable, str(HERE.parents[1] / "tools" / "trace_model.py"), *options, "--out", str(path), "--name", "tiny"]
            run = subprocess.run([*command, "--gpulint", GPULINT], capture_output=True, text=True, check=False)
            return run.returncode, run.stdout + run.stderr

    def test_gpulint_counts_the_same_parameters(self):
        for factory in ("residual", "Attention", "Cached"):
            code, said = self.record(f"{HERE / 'tiny.py'}:{factory}", "--input", "image=3,16,16")
            self.assertEqual(code, 0, said)

    def test_every_operator_of_gpulint_is_a_word_no_define_may_take(self):
        run = subprocess.run([GPULINT, "schema", "model"], capture_output=True, text=True, check=True)
        missing = [word for word in operators_of(json.loads(run.stdout)) if word not in words.OPERATORS]
        self.assertEqual(missing, [])


def operators_of(schema):
    """The keys of a statement that are operators: the largest list of names in the schema."""
    lists = []

    def visit(value):
        if isinstance(value, dict):
            lists.append([key for key in value.get("properties", {}) if key not in words.CONTROLS])
            for inner in value.values():
                visit(inner)
        elif isinstance(value, list):
            lists.append([item for item in value if isinstance(item, str)])
            for inner in value:
                visit(inner)

    visit(schema)
    return max((names for names in lists if "conv" in names), key=len)


if __name__ == "__main__":
    unittest.main()
