"""What the measurements over whole projects share: asking gpulint about a project, and printing what was counted.

facts_in_projects.py, bounds_in_projects.py, compare_findings.py and verdicts.py use it.
"""

import concurrent.futures
import json
import pathlib
import subprocess

TIME_LIMIT = 600  # seconds for one answer


def answer_of(gpulint, project, arguments):
    """The JSON that a command prints in the folder of a project, and what it says beside it; None without an answer."""
    try:
        run = subprocess.run([gpulint, *arguments, "--output", "json"], cwd=project, capture_output=True, text=True,
                             check=False, timeout=TIME_LIMIT)
        return json.loads(run.stdout), run.stderr
    except subprocess.TimeoutExpired:
        return None, f"no answer within {TIME_LIMIT} s"
    except ValueError:
        return None, run.stderr


def check(gpulint, project, options=()):
    """What `gpulint check` says of a whole project; ends the measurement where it says nothing."""
    answer, said = answer_of(gpulint, project, ["check", ".", "--fail-on", "never", *options])
    if answer is None:
        raise SystemExit(f"{project}: {said.strip() or 'no answer'}")
    return answer


def in_parallel(jobs, function, items):
    """The function's results in the order of the items."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(function, items))


def folders_of(arguments):
    """The projects that were named; a file among them is passed over, for `FOLDER/*` names everything."""
    return [pathlib.Path(folder).resolve() for folder in arguments if pathlib.Path(folder).is_dir()]


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def print_table(header, rows):
    """A Markdown table; columns after the first are numbers."""
    print(f"| {' | '.join(header)} |")
    print(f"|---|{'--:|' * (len(header) - 1)}")
    for row in rows:
        print(f"| {' | '.join(str(cell) for cell in row)} |")


def add_common_arguments(parser):
    parser.add_argument("--gpulint", default="build/release/gpulint")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows to this file")


def parse(parser):
    arguments = parser.parse_args()
    if hasattr(arguments, "gpulint"):
        arguments.gpulint = str(pathlib.Path(arguments.gpulint).resolve())
    return arguments
