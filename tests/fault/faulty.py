"""Faults of the disk and of the clock, made by faults.c in the processes of the service."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest

COMPILER = shutil.which("cc") or shutil.which("gcc")
needs_compiler = pytest.mark.skipif(not COMPILER, reason="no C compiler is installed")
NOTICED = 0.05  # seconds until every process has read the faults anew


class Faults:
    """The faults of the processes that are started with `options` in their environment."""

    def __init__(self, folder):
        library, self.file = Path(folder) / "faults.so", Path(folder) / "faults"
        subprocess.run(
            [
                COMPILER,
                "-O1",
                "-shared",
                "-fPIC",
                "-o",
                library,
                Path(__file__).with_name("faults.c"),
                "-ldl",
            ],
            check=True,
            capture_output=True,
        )
        self.file.write_text("")
        self.options = {"LD_PRELOAD": str(library), "FAULTS_FILE": str(self.file)}

    def set(self, *lines):
        """Replace the faults: lines `CALL ERROR PERCENT PART`, see faults.c."""
        new = self.file.with_suffix(".new")
        new.write_text("".join(f"{line}\n" for line in lines))
        new.replace(self.file)
        time.sleep(NOTICED)

    def clear(self):
        self.set()

    @property
    def happened(self):
        """How many calls have failed."""
        count = Path(f"{self.file}.count")
        return count.stat().st_size if count.exists() else 0
