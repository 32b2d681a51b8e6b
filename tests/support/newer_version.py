"""A newer version of the program: a copy of the source tree with a further migration, run in
processes of its own.
"""

import shutil
import subprocess

from eventapi.storage import versions
from tests.support import processes

FOLDERS = ("eventapi", "sql", "schemas", "conf")


class NewerVersion:
    """The newer program. `schema` is the number of its last migration."""

    def __init__(self, tree, script="CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;"):
        self.tree, self.schema = tree, versions.newest() + 1
        for folder in FOLDERS:
            shutil.copytree(
                processes.ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__")
            )
        (tree / "sql" / "migrations" / f"{self.schema:04}_test.sql").write_text(script)

    def start(self, folder, *words):
        """Start a command on the data in `folder` and return its Popen, with stdout and stderr as
        text.
        """
        return subprocess.Popen(
            [processes.PYTHON, "-m", "eventapi", *words],
            cwd=self.tree,
            stdout=subprocess.PIPE,
            env=processes.environment(folder, PYTHONPATH=str(self.tree)),
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, folder, *words):
        """Run a command on the data in `folder`.

        Return its exit status and what it printed on stdout and stderr.
        """
        process = self.start(folder, *words)
        out, error = process.communicate(timeout=60)
        return process.returncode, out, error
