"""What the program computes of a recording, beside what was measured at a size that was not recorded."""

import json
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass

from . import binary

LARGEST_RESIDUAL = 0.005  # of the saved bytes; a recording further off is not written
LARGEST_OF_PEAK = 0.03  # a recording further off is written, and says so


class Refused(Exception):
    """The program does not take the recording."""


@dataclass
class Residual:
    """Computed over measured, less one."""

    sizes: dict
    saved: float
    forward_peak: float
    backward_peak: float

    def peak(self):
        return max(self.forward_peak, self.backward_peak, key=abs)

    def passes(self):
        return abs(self.saved) <= LARGEST_RESIDUAL

    def __str__(self):
        at = ", ".join(f"{name} {size}" for name, size in self.sizes.items())
        return f"at {at}: saved bytes {self.saved:+.2%}, peak {self.peak():+.2%}"


def computed(program, text, name, settings):
    """What the program says one step of the recording takes: its JSON, in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        models = pathlib.Path(folder, ".gpulint", "models")
        models.mkdir(parents=True)
        (models / f"{name}.yaml").write_text(text, encoding="utf-8")
        command = [program, "step", name]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise Refused(run.stderr.strip().replace(folder + "/", ""))
        return json.loads(run.stdout)


def off(computed_bytes, measured_bytes):
    return (computed_bytes - measured_bytes) / measured_bytes if measured_bytes else float(computed_bytes > 0)


def residual(program, text, name, sizes, measured, facts):
    """The Residual of a recording at `sizes`."""
    said = computed(program, text, name, {**facts, **sizes})
    return Residual(
        sizes,
        off(said["saved_bytes"], measured.saved),
        off(said["forward_peak"], measured.forward_peak),
        off(said["backward_peak"], measured.backward_peak),
    )


def program():
    found = binary.find()
    if found is None:
        raise Refused("the gpulint program is not in this environment, so nothing can be checked")
    return found
