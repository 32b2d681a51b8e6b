"""Where the files that are not Python lie: beside the package in a checkout, inside it once installed."""
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def folder(name):
    """The folder `sql`, `schemas` or `conf`."""
    installed = PACKAGE / name
    return installed if installed.is_dir() else PACKAGE.parent / name
