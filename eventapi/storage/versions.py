"""The migrations of this program, and the schema version that it needs.

They are listed once, at the start of the process: the files of a newer version may be installed
while it runs.
"""

import re
from functools import cache
from pathlib import Path

from eventapi import paths


@cache
def migration_files() -> tuple[tuple[int, Path], ...]:
    """Return (number, path) of every migration, in order."""
    files = sorted((paths.folder("sql") / "migrations").glob("*.sql"))
    return tuple((int(re.match(r"\d{4}", file.name)[0]), file) for file in files)


def newest() -> int:
    """Return the schema version that this program needs."""
    return migration_files()[-1][0]


migration_files()
