"""`python -m gpulint`: the native program with the same arguments."""

import os
import subprocess
import sys

from . import binary


def main():
    program = binary.find()
    if program is None:
        sys.exit("gpulint: the program is not in this environment; install the wheel: pip install gpulint")
    command = [program, *sys.argv[1:]]
    if os.name == "nt":  # exec does not wait there
        sys.exit(subprocess.run(command, check=False).returncode)
    os.execv(program, command)


if __name__ == "__main__":
    main()
