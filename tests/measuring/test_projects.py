"""What bench/ counts over whole projects: the verdicts by themselves, and each script once over a small project.

    GPULINT=build/release/gpulint python3 -m unittest discover -s tests/measuring
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import bounds_in_projects as bounds  # noqa: E402
import compare_findings as findings  # noqa: E402
import facts_in_projects as facts  # noqa: E402
import verdicts  # noqa: E402

GPULINT = os.environ.get("GPULINT")

TRAIN = """\
base_model: Qwen/Qwen2.5-0.5B
datasets:
  - path: data.jsonl
    type: alpaca
micro_batch_size: 2
gradient_accumulation_steps: 4
learning_rate: 0.0002
optimizer: adamw_torch
num_epochs: 1
sequence_len: 1024
bf16: true
warmup_steps: 10
"""
ANOTHER = TRAIN.replace("Qwen2.5-0.5B", "Qwen2.5-1.5B")


def phase(**values):
    return {"facts": {name: {"value": value} for name, value in values.items()}}


class Facts(unittest.TestCase):
    def test_numbers_are_equal_however_they_are_written(self):
        self.assertTrue(facts.same("learning_rate", "1e-4", 0.0001))
        self.assertTrue(facts.same("optimizer", "AdamW", "adamw"))
        self.assertFalse(facts.same("world_size", 8, 16))

    def test_labels_may_say_only_whether_activations_are_recomputed(self):
        self.assertTrue(facts.same("activation_checkpointing", True, "full"))
        self.assertTrue(facts.same("activation_checkpointing", "none", False))
        self.assertFalse(facts.same("activation_checkpointing", True, "none"))

    def test_one_phase_with_an_accepted_value_is_right(self):
        answer = {"phases": [phase(epochs=1), phase(epochs=3)]}
        read = facts.values_read(answer, "epochs")
        self.assertEqual(facts.verdict("epochs", {"value": 3}, read), "right")
        self.assertEqual(facts.verdict("epochs", {"value": 2, "also_acceptable": [1]}, read), "right")
        self.assertEqual(facts.verdict("epochs", {"value": 2}, read), "wrong")
        self.assertEqual(facts.verdict("epochs", {"value": 2}, []), "missing")

    def test_what_is_said_without_a_labelled_value_is_claimed(self):
        read = facts.values_read({"phases": [phase(num_workers=4)]}, "num_workers")
        self.assertEqual(facts.verdict("num_workers", {"value": None}, read), "claimed")
        self.assertEqual(facts.verdict("num_workers", {"value": None}, []), "silent")


class Bounds(unittest.TestCase):
    def test_kinds(self):
        both = {"low": 1, "high": 3}
        self.assertEqual(bounds.kind_of({"vram": both}), "bounded")
        self.assertEqual(bounds.kind_of({"vram": {"low": 1}, "conditions": [both]}), "conditional")
        self.assertEqual(bounds.kind_of({"vram": {"low": 1}, "conditions": [{"low": 1, "high": None}]}), "lower bound")
        self.assertEqual(bounds.kind_of({"vram": None, "conditions": []}), "none")

    def test_a_conditional_run_is_as_wide_as_its_widest_answer(self):
        answers = [{"low": 2, "high": 3}, {"low": 2, "high": 8}, {"low": 2, "high": None}]
        self.assertEqual(bounds.width_of({"vram": {"low": 1}, "conditions": answers}), 4)
        self.assertIsNone(bounds.width_of({"vram": {"low": 1}}))

    def test_an_answer_outside_the_interval_tears_it(self):
        whole = {"low": 10, "high": 20}
        self.assertIsNone(bounds.torn({"vram": whole, "conditions": [{"low": 10, "high": 15}, {"low": 12, "high": None}]}))
        self.assertEqual(bounds.torn({"vram": whole, "conditions": [{"low": 9, "high": 15}]}), "low")
        self.assertEqual(bounds.torn({"vram": whole, "conditions": [{"low": 10, "high": 21}]}), "high")
        self.assertEqual(bounds.torn({"vram": {"low": 10, "high": None}, "conditions": [{"low": 4, "high": 99}]}), "low")

    def test_each_part_that_is_not_counted_is_a_reason(self):
        explanation = ("a lower bound: activations are unknown, so only weights are counted; a lower bound: the job also has "
                       "a teacher, and another network (/model), which is not counted (`vram_other` states what it takes)")
        estimate = {"vram": {"low": 1, "explanation": explanation}, "unknown": ["step_time"]}
        self.assertEqual(bounds.reasons_of(estimate),
                         ["activations unknown", "not counted: a teacher", "not counted: another network"])

    def test_a_model_that_is_named_is_told_from_none(self):
        named = bounds.reasons_of({"vram": None, "unknown": ["parameters"]})
        unnamed = bounds.reasons_of({"vram": None, "unknown": ["model", "parameters"]})
        self.assertNotEqual(named, unnamed)


class Findings(unittest.TestCase):
    def finding(self, line, severity="note", message="says"):
        return {"path": "a.yaml", "line": line, "rule": "some-rule", "severity": severity, "message": message}

    def test_came_went_and_changed(self):
        old = [self.finding(1), self.finding(2)]
        new = [self.finding(2, "error"), self.finding(3)]
        self.assertEqual([(what, found["line"]) for what, found in findings.compare(old, new)],
                         [("came", 3), ("went", 1), ("changed", 2)])

    def test_a_rule_may_speak_twice_at_one_place(self):
        self.assertEqual(len(findings.compare([self.finding(1)], [self.finding(1), self.finding(1)])), 1)


@unittest.skipUnless(GPULINT, "no binary: GPULINT names one")
class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        project = self.root / "projects" / "owner__name"
        project.mkdir(parents=True)
        (project / "train.yaml").write_text(TRAIN)
        (project / "another.yaml").write_text(ANOTHER)

    def ran(self, script, *arguments):
        run = subprocess.run([sys.executable, BENCH / script, *map(str, arguments), "--json", self.root / "rows.json"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.stderr, "")
        return run, json.loads((self.root / "rows.json").read_text())

    def test_facts(self):
        labels = self.root / "labels.jsonl"
        stated = {"per_device_batch_size": {"value": 2, "origin": "stated", "line": 5},
                  "sequence_length": {"value": 2048, "origin": "stated", "line": 10}}
        records = [{"path": "owner__name/train.yaml", "is_training_config": True, "facts": stated},
                   {"path": "owner__name/gone.yaml", "is_training_config": True, "facts": stated},
                   {"path": "owner__name/another.yaml", "is_training_config": False, "facts": stated}]
        labels.write_text("\n".join(json.dumps(record) for record in records))
        run, rows = self.ran("facts_in_projects.py", self.root / "projects", labels, "--gpulint", GPULINT, "--wrong")
        self.assertEqual({row["fact"]: row["verdict"] for row in rows},
                         {"per_device_batch_size": "right", "sequence_length": "wrong"})
        self.assertIn("wrong: owner__name/train.yaml:10 sequence_length", run.stdout)
        self.assertIn("left out, not in the snapshot: 1", run.stdout)
        self.assertIn("left out, train nothing: 1", run.stdout)

    def test_bounds(self):
        run, rows = self.ran("bounds_in_projects.py", self.root / "projects/owner__name", "--gpu", "a10g", "--gpulint", GPULINT)
        self.assertEqual([row["path"] for row in rows], ["another.yaml", "train.yaml"])
        self.assertTrue({row["kind"] for row in rows} <= set(bounds.KINDS))
        self.assertIn("| owner__name | 2 |", run.stdout)

    def test_the_table_of_verdicts_is_whole(self):
        for row in verdicts.read_table():
            self.assertTrue(all(value for key, value in row.items() if key != "is_mended"), row)
            self.assertIn(row["now"], ("said", "mended"), row)
            self.assertTrue(row["verdict"] != "wanted" or row["now"] == "said", row)

    def test_changed_findings_show_which_verdicts_they_change(self):
        def row(rule, verdict, now):
            return {"rule": rule, "path": "conf/*", "verdict": verdict, "now": now, "is_mended": now == "mended"}

        rows = [row("kept", "wanted", "said"), row("lost", "wanted", "said"), row("back", "false", "mended"),
                row("mended", "unwanted", "said"), row("stays", "unwanted", "said")]
        findings = [{"rule": rule, "path": "conf/a.yaml", "severity": "note"} for rule in ("kept", "back", "stays", "new")]
        counts, by_row, unjudged = verdicts.judge(findings, rows)
        self.assertEqual(counts, {("note", "wanted"): 1, ("note", "false"): 1, ("note", "unwanted"): 1, ("note", "unjudged"): 1})
        self.assertEqual([each["rule"] for each in unjudged], ["new"])
        self.assertEqual([(what, each["rule"]) for what, each in verdicts.changes(rows, by_row)],
                         [("LOST", "lost"), ("BACK", "back"), ("mended", "mended")])

    def test_findings_of_one_binary_do_not_differ(self):
        run, rows = self.ran("compare_findings.py", GPULINT, GPULINT, self.root / "projects/owner__name")
        self.assertEqual((run.returncode, rows), (0, []))


if __name__ == "__main__":
    unittest.main()
