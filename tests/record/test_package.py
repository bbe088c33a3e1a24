"""The Python package without PyTorch: what it imports, how it finds the program, what it says, what tells a file changed."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "packaging" / "python"
sys.path.insert(0, str(PACKAGE))

from gpulint import sources  # noqa: E402

GPULINT = sys.argv.pop() if len(sys.argv) > 1 else None


def python(*words, **changed):
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), **changed}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, check=False)


class WithoutPyTorch(unittest.TestCase):
    def test_importing_the_package_needs_nothing(self):
        run = python("-c", "import gpulint, sys; print('torch' in sys.modules, callable(gpulint.record))")
        self.assertEqual((run.stdout, run.stderr), ("False True\n", ""))

    def test_the_module_runs_the_program(self):
        if GPULINT is None:
            self.skipTest("no program was named")
        run = python("-m", "gpulint", "--version", GPULINT=GPULINT)
        own = subprocess.run([GPULINT, "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(run.stdout, own.stdout)
        refused = python("-m", "gpulint", "facts", GPULINT=GPULINT)
        self.assertEqual(refused.returncode, 2)

    def test_the_module_says_that_there_is_no_program(self):
        with tempfile.TemporaryDirectory() as empty:
            run = python("-m", "gpulint", "--version", GPULINT="", PATH=empty)
        if run.returncode == 0:
            self.skipTest("gpulint is installed in this environment")
        self.assertIn("install the wheel", run.stderr)

    def test_help_needs_no_pytorch(self):
        run = python("-m", "gpulint.command", "--help")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("gpulint-record mynet.net:build", run.stdout)

    @unittest.skipIf(importlib.util.find_spec("torch"), "this Python has PyTorch")
    def test_recording_without_pytorch_says_where_to_run_it(self):
        run = python("-m", "gpulint.command", "net:Net", "--batch", "image=2,3,64,64")
        self.assertEqual(run.returncode, 1)
        self.assertIn("PyTorch is not installed in this environment", run.stderr)
        self.assertNotIn("Traceback", run.stderr)


class Fingerprints(unittest.TestCase):
    def test_they_are_those_of_the_program(self):
        """The numbers of tests/unit/catalog/recording_test.cpp."""
        self.assertEqual(sources.fingerprint(b""), "cbf29ce484222325")
        self.assertEqual(sources.fingerprint(b"import torch\n"), "16d5731d5e8054ec")
        self.assertEqual(sources.fingerprint(b"import torch\r\n"), "16d5731d5e8054ec")

    def test_the_project_around_a_folder_is_the_nearest_with_a_repository_or_settings(self):
        with tempfile.TemporaryDirectory() as folder:
            inner = pathlib.Path(folder).resolve() / "project" / "src"
            inner.mkdir(parents=True)
            (inner.parent / ".gpulint.yaml").write_text("")
            self.assertEqual(sources.root_of(inner), str(inner.parent))


if __name__ == "__main__":
    unittest.main()
