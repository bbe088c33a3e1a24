"""Where the native program lies."""

import os
import shutil
import sys
import sysconfig


def version():
    """Of the installed package; "unknown" in a checkout that is not installed."""
    from importlib import metadata

    try:
        return metadata.version("gpulint")
    except metadata.PackageNotFoundError:
        return "unknown"


def find():
    """Path of the program: $GPULINT, that of this environment, the first on PATH; None where there is none."""
    name = "gpulint.exe" if os.name == "nt" else "gpulint"
    folders = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    user = {"posix": "posix_user", "nt": "nt_user"}.get(os.name)
    if user in sysconfig.get_scheme_names():
        folders.append(sysconfig.get_path("scripts", user))
    places = [os.environ.get("GPULINT"), *(os.path.join(folder, name) for folder in folders), shutil.which(name)]
    return next((place for place in places if place and os.path.isfile(place)), None)
