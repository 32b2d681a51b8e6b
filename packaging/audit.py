"""audit.py PIP_AUDIT: look for known vulnerabilities in the packages that eventapi uses, with the
program pip-audit.

It checks two sets: the newest versions on PyPI, which pip chooses, and the versions of Debian 12.
Exit code 0: the newest versions have no known vulnerability. 1: they have one. 3: it could not be
determined. Advisories for the versions of Debian are only reported, because Debian fixes faults
without a new version number.
"""

import configparser
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEBIAN_12 = {
    "bottle": "0.12.23",
    "gunicorn": "20.1.0",
    "jsonschema": "4.10.3",
    "python-stdnum": "1.18",
    "reportlab": "3.6.12",
    "pypdf": "3.4.1",
}
PROBE = "gunicorn"  # its version in Debian 12 has advisories: without them, no advisories are known here
TRACKER = "https://security-tracker.debian.org/tracker/source-package/"
SOURCES = {
    "bottle": "python-bottle",
    "gunicorn": "gunicorn",
    "jsonschema": "python-jsonschema",
    "python-stdnum": "python-stdnum",
    "reportlab": "python-reportlab",
    "pypdf": "pypdf",
}
FOUND, UNKNOWN = 1, 3


class Unknown(Exception):
    """It could not be determined whether there are vulnerabilities."""


def main(program):
    """Print what was found and return the exit code."""
    try:
        debian = advisories(
            program,
            [f"{name}=={version}" for name, version in DEBIAN_12.items()],
            "--no-deps",
            "--disable-pip",
        )
        if not any(name == PROBE for name, *_ in debian):
            raise Unknown(
                f"the index knows no advisory for {PROBE} {DEBIAN_12[PROBE]}, which has one"
            )
        newest = advisories(program, requirements())
    except Unknown as reason:
        print(
            f"audit: not determined: {reason}. Run it where https://pypi.org is reachable.",
            file=sys.stderr,
        )
        return UNKNOWN
    for name, version, id, fixed in debian:
        print(
            f"Debian 12: {name} {version}: {id}, fixed in {fixed}. See whether Debian has fixed it: "
            f"{TRACKER}{SOURCES[name]}"
        )
    for name, version, id, fixed in newest:
        print(f"PyPI: {name} {version}: {id}, fixed in {fixed}")
    print(f"audit: {len(newest) or 'no'} known vulnerabilities in the newest versions")
    return FOUND if newest else 0


def requirements():
    """Return the requirements of eventapi in setup.cfg, with those of the pictures."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    texts = setup["options"]["install_requires"], setup["options.extras_require"]["pictures"]
    return [line for text in texts for line in text.split("\n") if line]


def advisories(program, requirements, *options):
    """Return (package, version, advisory, versions that fix it) for each advisory.

    Raise Unknown if pip-audit fails or skips a package: it then says that it has found nothing.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(requirements))
        file.flush()
        done = subprocess.run(
            [
                program,
                "--requirement",
                file.name,
                "--format",
                "json",
                "--progress-spinner",
                "off",
                *options,
            ],
            capture_output=True,
            text=True,
        )
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Unknown(f"pip-audit failed: {lines[-1][:300]}") from None
    skipped = [package["skip_reason"] for package in packages if "skip_reason" in package]
    if skipped or not packages:
        raise Unknown(skipped[0] if skipped else "pip-audit checked no package")
    return [
        (
            package["name"],
            package["version"],
            advisory["id"],
            ", ".join(advisory["fix_versions"]) or "no version",
        )
        for package in packages
        for advisory in package["vulns"]
    ]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
