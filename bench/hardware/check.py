"""The order of checks, what is left of the time, and what is said at the end."""

import argparse
import json
import pathlib
import sys
import time

from checks import CHECKS
from session import FAIL, HERE, PASS, SKIP, Session, Skip, Unusable
from start import find_program, look


def options_of(text):
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", metavar="GPULINT", help="default: build/release/gpulint, else the one of PATH")
    parser.add_argument("--out", default="hardware-check.json", help="what is kept, and gone on with; default: %(default)s")
    parser.add_argument("--limit", type=float, default=570, metavar="SECONDS", help="begin nothing that would end later; default: %(default)s")
    parser.add_argument("--only", action="append", default=[], metavar="CLAIM", help="this check alone; repeatable")
    parser.add_argument("--redo", action="append", default=[], metavar="CLAIM", help="run this check again; repeatable")
    parser.add_argument("--again", action="store_true", help="run everything again")
    parser.add_argument("--python", help="the Python whose torch is compared with; default: the environment's")
    parser.add_argument("--cublaslt", help="the cuBLASLt to time; default: that of the Python")
    parser.add_argument("--nccl", help="the NCCL of several cards; default: that of the Python")
    parser.add_argument("--expected", metavar="FILE", help="what the card has to show; default: its file in bench/hardware/expected")
    parser.add_argument("--list", action="store_true", help="print the checks and what each claims")
    return parser.parse_args()


def claims():
    return json.loads((HERE / "claims.json").read_text(encoding="utf-8"))


def run_one(session, claim):
    function, _ = CHECKS[claim]
    session.claim, session.lines = claim, []
    begin = time.monotonic()
    try:
        function(session)
    except Skip as why:
        session.skips("all" if not session.lines else "rest", str(why))
    except Exception as error:  # one check that breaks must not cost the others
        session.fails("error", f"{type(error).__name__}: {error}"[:300], "no error")
    session.keep(claim, time.monotonic() - begin)


def run_all(session, wanted):
    """The claims that time did not suffice for."""
    late = []
    for claim in wanted:
        if session.is_done(claim):
            kept = session.kept["claims"][claim]
            print(f"kept  {claim}: {kept['verdict']}", flush=True)
        elif session.left() < CHECKS[claim][1]:
            late.append(claim)
        else:
            run_one(session, claim)
    return late


def summary(session, late):
    lines = [line for kept in session.kept["claims"].values() for line in kept["lines"]]
    count = {verdict: sum(line["verdict"] == verdict for line in lines) for verdict in (PASS, FAIL, SKIP)}
    print(f"{session.device['name']}, driver {session.device['driver_version']}: {count[PASS]} passed, {count[FAIL]} failed, "
          f"{count[SKIP]} skipped; {session.out}")
    if late:
        print(f"not finished, the same command goes on: {' '.join(late)}")
        return 3
    return 1 if count[FAIL] else 0


def main(text):
    options = options_of(text)
    order = [each["id"] for each in claims()]
    if options.list:
        for each in claims():
            print(f"{each['id']:<20} {each['claim']}")
        return 0
    unknown = [name for name in options.only + options.redo if name not in order]
    if unknown:
        sys.exit(f"no such check: {' '.join(unknown)}; --list names them")
    session = None
    try:
        session = Session(options, find_program(options.program, pathlib.Path(HERE).parent.parent))
        look(session)
        session.resume()
        late = run_all(session, [claim for claim in order if not options.only or claim in options.only])
        session.write()
        return summary(session, late)
    except Unusable as why:
        print(f"nothing to check: {why}", file=sys.stderr)
        return 4
    finally:
        if session is not None:
            session.close()
