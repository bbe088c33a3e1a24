"""Records small networks and asks the program about them at sizes that were not recorded."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "packaging" / "python"), str(HERE)]
GPULINT = os.environ["GPULINT"] = sys.argv.pop() if len(sys.argv) > 1 else ""

import networks  # noqa: E402
import torch  # noqa: E402
from gpulint import check, record  # noqa: E402
from gpulint.problems import Untraceable  # noqa: E402

IMAGE = {"image": torch.zeros(2, 3, 64, 64)}


class Recorded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.said = pathlib.Path(folder.name), []

    def record(self, model, batch, **options):
        path = record(model, batch, name="net", folder=self.folder, say=self.said.append, **options)
        return path.read_text()

    def step(self, **settings):
        words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        run = subprocess.run(
            [GPULINT, "step", "net", *words], cwd=self.folder, capture_output=True, text=True, check=False
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def checked(self):
        return next(text for text in self.said if text.startswith("checked"))

    def test_a_step_is_computed_exactly_at_another_size(self):
        self.record(networks.Tokens(), torch.zeros(2, 64, dtype=torch.int64), step=networks.next_word)
        self.assertIn("saved bytes +0.00%", self.checked().replace("-0.00%", "+0.00%"))

    def test_recomputed_layers_are_blocks_and_a_fact(self):
        text = self.record(networks.recomputed(), {"tokens": torch.zeros(2, 64, dtype=torch.int64)})
        self.assertIn("block: checkpointed", text)
        self.assertIn('activation_checkpointing: "full"', text)
        plain = {"batch": 4, "sequence_length": 256, "mixed_precision": "none", "weights_dtype": "fp32"}
        kept = self.step(**plain, activation_checkpointing="none")["saved_bytes"]
        self.assertLess(self.step(**plain, activation_checkpointing="full")["saved_bytes"], kept / 3)

    def test_layers_with_a_second_tensor_can_be_recomputed(self):
        self.assertIn(
            "block: checkpointed", self.record(networks.Tokens(), {"tokens": torch.zeros(2, 64, dtype=torch.int64)})
        )

    def test_frozen_weights_are_not_trained_and_autocast_is_a_fact(self):
        text = self.record(networks.Halves(), IMAGE)
        self.assertIn('mixed_precision: "bf16"', text)
        said = self.step(batch=2, image_size=64, mixed_precision="none", weights_dtype="fp32")
        self.assertEqual((said["parameters"], said["trainable_parameters"]), (448 + 2320 + 68, 68))

    def test_two_sizes_that_add_up(self):
        text = self.record(networks.Pair(), {"image": torch.zeros(2, 3, 64, 64), "tokens": torch.zeros(2, 32, dtype=torch.int64)},
                           step=lambda model, batch: model(batch["image"], batch["tokens"]).sum())  # fmt: skip
        self.assertIn("image_size: 64", text)

    def test_the_step_of_a_script_and_its_optimizer(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 3, 3, padding=1), torch.nn.ReLU())
        text = self.record(model, {**IMAGE, "target": torch.zeros(2, 3, 64, 64)}, step=networks.squares,
                           optimizer=torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))  # fmt: skip
        self.assertIn('optimizer: "sgd"', text)
        self.assertIn("momentum: 0.9", text)

    def test_a_network_that_decides_by_values_is_named_with_its_line(self):
        with self.assertRaises(Untraceable) as caught:
            self.record(networks.Deciding(), torch.zeros(2, 8))
        source = (HERE / "networks.py").read_text().splitlines()
        line = next(number for number, text in enumerate(source, 1) if ".item()" in text)
        self.assertIn(f"networks.py:{line}", str(caught.exception))
        self.assertIn("only a run knows", str(caught.exception))
        self.assertFalse((self.folder / ".gpulint").exists())

    def test_a_guard_that_asks_about_values_is_passed_and_named(self):
        self.record(networks.Guarded(), torch.zeros(2, 8))
        self.assertTrue(any("taken as false" in text and "isnan" in text for text in self.said), self.said)

    def test_a_recording_that_is_off_is_not_written(self):
        before, check.LARGEST_RESIDUAL = check.LARGEST_RESIDUAL, -1
        try:
            with self.assertRaises(check.Refused):
                self.record(networks.Tokens(), torch.zeros(2, 64, dtype=torch.int64))
        finally:
            check.LARGEST_RESIDUAL = before
        self.assertFalse((self.folder / ".gpulint" / "models").exists())

    def test_the_model_at_hand_stays_as_it_is(self):
        model = networks.Tokens()
        weight = model.head.weight.clone()
        self.record(model, torch.zeros(2, 64, dtype=torch.int64))
        self.assertTrue(torch.equal(model.head.weight, weight))
        self.assertEqual(type(model.head.weight.data), torch.Tensor)


if __name__ == "__main__":
    unittest.main()
