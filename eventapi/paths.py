"""The folders `sql`, `schemas` and `conf`: beside the package in a checkout, inside it once it is installed."""
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def folder(name):
    """Return the path of the folder `sql`, `schemas` or `conf`."""
    installed = PACKAGE / name
    return installed if installed.is_dir() else PACKAGE.parent / name
