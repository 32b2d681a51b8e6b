"""Run schemathesis against a server with the sample show.

`make schemathesis` calls python -m tests.fuzz.schemathesis_run [EXAMPLES [PHASES [SEED]]]. It fails
if schemathesis has a complaint that is not listed with its reason (in schemathesis.toml and
schemathesis_hooks.py), if the server logs an error, or if `eventapi check` finds damage then.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.processes import ROOT, Server, eventapi

SCHEMATHESIS = ROOT / ".fuzz" / "bin" / "schemathesis"
SHORT = "examples,fuzzing"  # the phase coverage sends 30,000 requests, one for each limit and type of each field


def main(examples="10", phases=SHORT, seed=""):
    """Return the exit code: 0 if nothing was found. A seed invents the same requests in each run."""
    with tempfile.TemporaryDirectory(
        dir="/dev/shm" if Path("/dev/shm").is_dir() else None
    ) as folder:
        folder = Path(folder)
        settings = {"EVENTAPI_CONFIG": str(ROOT / "conf" / "demo.conf")}
        for words in (["migrate"], ["demo"]):
            _done(eventapi(folder, *words, **settings))
        key = _done(
            eventapi(
                folder,
                "key",
                "create",
                "--name",
                "schemathesis",
                "--all-scopes",
                "--quiet",
                **settings,
            )
        )
        log = folder / "server.log"
        with log.open("w") as file, Server(folder, log=file, **settings) as server:
            # One worker: Python 3.11 fails to parse source text in two threads at once, which the
            # generator does.
            code = subprocess.run(
                [
                    str(SCHEMATHESIS),
                    "--config-file",
                    "tests/fuzz/schemathesis.toml",
                    "run",
                    f"{server.url}/openapi.json",
                    "--phases",
                    phases,
                    "--max-examples",
                    examples,
                    "--workers",
                    "1",
                    *(["--seed", seed] if seed else []),
                ],
                cwd=ROOT,
                env={**os.environ, "EVENTAPI_KEY": key.strip()},
            ).returncode
        wrong = [
            line
            for line in log.read_text().splitlines()
            if "level=error" in line or "Traceback" in line
        ]
        print("\n".join(wrong[:20]), end="")
        _done(eventapi(folder, "check", **settings))
    return code or int(bool(wrong))


def _done(command):
    """Return the output of a command. Raise AssertionError if it has failed."""
    assert command.returncode == 0, command.stdout + command.stderr
    return command.stdout


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
