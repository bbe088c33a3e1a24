"""One hardware check: what it runs, what it has found, and the file that keeps both."""

import contextlib
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import native

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = "gpulint.hardware-check/1"
PASS, FAIL, SKIP = "PASS", "FAIL", "SKIP"
START = 30  # seconds a driver and a Python with torch may take before they do anything


class Skip(Exception):
    """This check cannot run here; the message says why."""


class Unusable(Exception):
    """There is nothing to check here."""


def number(value):
    """For people: 4 digits, with a prefix where it is large."""
    if value is None:
        return "nothing"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    for limit, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if abs(value) >= limit:
            return f"{value / limit:.4g} {prefix}"
    return f"{value:.4g} " if value != int(value) or abs(value) >= 1e5 else f"{int(value)} "


def band(low, high, unit):
    if low is None:
        return f"at most {number(high)}{unit}"
    if high is None:
        return f"at least {number(low)}{unit}"
    if low == high:
        return f"{number(low)}{unit}"
    return f"{number(low)}{unit} to {number(high)}{unit}"


class Ended:
    """A program that ran: what it printed, its code (negative: a signal) and how long it took."""

    def __init__(self, code, output, errors, seconds):
        self.code, self.output, self.errors, self.seconds = code, output, errors, seconds

    def said(self):
        text = (self.errors.strip() or self.output.strip()).splitlines()
        return text[-1][:300] if text else "nothing"


class Session:
    def __init__(self, options, program):
        self.options = options
        self.expected = {}
        self.root = HERE.parent.parent
        self.out = pathlib.Path(options.out)
        self.began = time.monotonic()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gpulint-hardware-"))
        # Where another user may run it, and outside of any repository, inside which no library is loaded.
        self.folder.chmod(0o755)
        self.program = self.folder / "gpulint"
        shutil.copy(program, self.program)
        self.program.chmod(0o755)
        try:
            self.help = self.run([self.program, "confirm", "--help"], timeout=START).output
        except PermissionError:  # a folder for temporary files that nothing may be run from
            self.program = program
            self.help = self.run([self.program, "confirm", "--help"], timeout=START).output
        self.environment = {}
        self.device = {}
        self.memory = {}
        self.torch = None
        self.lines = []
        self.claim = ""
        self.kept = {"schema": SCHEMA, "claims": {}}

    # Running things

    @property
    def deadline(self):
        """Seconds gpulint may measure for: its own ten, or what a slow machine of tests needs."""
        return self.expected.get("deadline", 10)

    @property
    def patience(self):
        """How many times longer programs may take than on a machine with a GPU."""
        return self.deadline / 10

    def run(self, command, timeout, env=None, stdin=None, preexec=None):
        begin = time.monotonic()
        timeout *= self.patience
        process = self.start(command, env, stdin, preexec)
        try:
            output, errors = process.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired:
            self.kill(process)
            output, errors = process.communicate()
            errors += f"\nended after {timeout} s"
        return Ended(process.returncode, output, errors, time.monotonic() - begin)

    def start(self, command, env=None, stdin=None, preexec=None):
        surroundings = {**os.environ, "XDG_CONFIG_HOME": str(self.folder / "settings"), **(env or {})}
        return subprocess.Popen([str(word) for word in command], cwd=self.folder, env=surroundings, text=True,
                                stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, start_new_session=True, preexec_fn=preexec)

    @staticmethod
    def kill(process):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def has(self, option):
        return re.search(rf"(^|\s|,){re.escape(option)}\b", self.help, re.MULTILINE) is not None

    def need(self, *wanted):
        for option in wanted:
            if not self.has(option):
                raise Skip(f"this gpulint has no {option}")

    def confirm_command(self, *words):
        command = [self.program, "confirm", *words, "--no-save", "--output", "json"]
        if self.deadline != 10 and "--deadline" not in words:
            command += ["--deadline", str(self.deadline)]
        if "--no-library" in words:
            return command
        if self.options.cublaslt:
            return command + ["--cublaslt", self.options.cublaslt]
        return command + (["--python", self.torch["python"]] if self.torch else [])

    def confirm(self, *words, env=None, timeout=40, preexec=None):
        """The report of one run, with "wall" (seconds) and "code"; {} where it printed none."""
        ended = self.run(self.confirm_command(*words), timeout, env, preexec=preexec)
        try:
            report = json.loads(ended.output)
        except ValueError:
            report = {"status": "none", "message": ended.said()}
        report.update(wall=ended.seconds, code=ended.code)
        return report

    def measured(self, *words, **settings):
        """Likewise, and its rates by name; a run that measured nothing ends the check."""
        report = self.confirm(*words, **settings)
        if report.get("status") != "ok":
            self.fails("confirm", f"{report.get('status')}: {report.get('message')}", "a measured device")
            raise Skip("nothing was measured")
        report["by_name"] = {rate["name"]: rate["median"] for rate in report["rates"]}
        return report

    def native(self, *words, timeout=START):
        return self.run([sys.executable, HERE / "native.py", *words], timeout)

    def start_native(self, *words):
        process = self.start([sys.executable, HERE / "native.py", *words], stdin="")
        return process

    def nvml(self):
        try:
            return native.Nvml(self.device["pci_bus_id"])
        except native.NativeError as error:
            raise Skip(f"NVML: {error}") from error

    # What is found

    def line(self, name, verdict, found, expected, unit="", source="", note=""):
        entry = {"name": name, "verdict": verdict, "found": found, "expected": expected, "unit": unit, "source": source,
                 "note": note}
        self.lines.append({key: value for key, value in entry.items() if value not in ("", None)} | {"found": found})
        shown = f"{number(found)}{unit}" if isinstance(found, (int, float)) and not isinstance(found, bool) else str(found)
        text = f"{verdict}  {self.claim}.{name}: found {shown}"
        if expected:
            text += f", expected {expected}"
        print(text + (f" ({note})" if note else ""), flush=True)

    def within(self, name, found, low, high, unit="", source="", note=""):
        good = found is not None and (low is None or found >= low) and (high is None or found <= high)
        self.line(name, PASS if good else FAIL, found, band(low, high, unit), unit, source, note)
        return good

    def figure(self, name, found, unit=""):
        """Held against the card's file; without an expectation it is only recorded."""
        wanted = self.expected.get("figures", {}).get(name)
        if found is None:
            self.line(name, FAIL if wanted else SKIP, "nothing", "a figure")
        elif wanted is None:
            self.line(name, SKIP, found, "", unit, note="nothing is expected of this card")
        else:
            self.within(name, found, wanted.get("low"), wanted.get("high"), wanted["unit"], wanted["source"])

    def at_most(self, name, seconds, most, source):
        """A time that a program takes, not the card."""
        found = None if seconds is None else round(seconds, 3)
        self.within(name, found, None, most * self.patience, "s", source)

    def same(self, name, found, wanted, note=""):
        self.line(name, PASS if found == wanted else FAIL, found, str(wanted), note=note)

    def fails(self, name, found, wanted):
        self.line(name, FAIL, found, wanted)

    def skips(self, name, why):
        self.line(name, SKIP, "not tried", "", note=why)

    # The file

    def identity(self):
        digest = hashlib.sha256(self.program.read_bytes()).hexdigest()[:16]
        version = self.run([self.program, "--version"], START).output.strip()
        return {"program": version, "program_sha256": digest, "device": self.device.get("name"),
                "gpu": self.device.get("gpu"), "driver": self.device.get("driver_version"),
                "cuda": self.device.get("cuda_version"), "torch": self.torch and self.torch["torch"],
                "expected": self.expected.get("name"), "hardware": not self.device.get("driver_version", "").endswith("-fake")}

    def resume(self):
        """Takes over what an earlier run of the same program on the same card finished."""
        about = self.identity()
        with contextlib.suppress(OSError, ValueError):
            earlier = json.loads(self.out.read_text(encoding="utf-8"))
            if earlier.get("schema") == SCHEMA and earlier.get("about") == about and not self.options.again:
                self.kept["claims"] = earlier["claims"]
        self.kept["about"] = about
        self.kept["date"] = datetime.date.today().isoformat()

    def is_done(self, claim):
        return claim in self.kept["claims"] and claim not in self.options.redo

    def keep(self, claim, seconds):
        verdicts = [line["verdict"] for line in self.lines]
        verdict = FAIL if FAIL in verdicts else PASS if PASS in verdicts else SKIP
        self.kept["claims"][claim] = {"verdict": verdict, "seconds": round(seconds, 1), "lines": self.lines}
        self.write()

    def keep_report(self, report):
        """One whole report, as a fixture for tests; without paths, which name users."""
        kept = {key: value for key, value in report.items() if key not in ("by_name", "wall", "code")}
        kept["device"] = {key: value for key, value in kept["device"].items() if key != "driver_library"}
        kept["library"] = re.sub(r", /.*", "", kept["library"]) if kept["library"] else None
        self.kept["report"] = kept

    def write(self):
        beside = self.out.with_name(self.out.name + ".tmp")
        beside.write_text(json.dumps(self.kept, indent=1) + "\n", encoding="utf-8")
        os.replace(beside, self.out)

    def left(self):
        return self.options.limit - (time.monotonic() - self.began)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)
