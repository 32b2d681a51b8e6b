"""Hostile files of every kind are parsed in little memory."""

import subprocess
import sys

import pytest


@pytest.mark.processes
def test_a_hostile_file_needs_less_than_256_mb():
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.memory"], capture_output=True, text=True, timeout=600
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
