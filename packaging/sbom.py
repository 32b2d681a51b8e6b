"""sbom.py FILE VERSION SECONDS: write the software bill of materials of the Debian package, as
CycloneDX 1.6 in JSON.

It lists the package, the code of others that it contains, and the packages that it depends on, with
the versions that it accepts. SECONDS is its date as a Unix time. The same arguments give the same
bytes.
"""

import json
import re
import sys
import time
import uuid
from pathlib import Path

# Debian package -> name of the same software on PyPI, under which advisories list it.
ON_PYPI = {
    "gunicorn": "gunicorn",
    "python3-bottle": "bottle",
    "python3-jsonschema": "jsonschema",
    "python3-stdnum": "python-stdnum",
    "python3-reportlab": "reportlab",
    "python3-pypdf": "pypdf",
}
# The decoder of QR codes of the page at the door, shipped unchanged in eventapi/pages/door/qr/.
CONTAINED = {
    "type": "library",
    "bom-ref": "pkg:npm/qr@0.7.0",
    "name": "qr",
    "version": "0.7.0",
    "scope": "required",
    "purl": "pkg:npm/qr@0.7.0",
    "licenses": [{"expression": "MIT OR Apache-2.0"}],
}
# What debhelper inserts for ${python3:Depends}.
INSERTED = {"${python3:Depends}": "python3", "${misc:Depends}": "", "${misc:Pre-Depends}": ""}


def main(file, version, seconds):
    """Write the file.

    `debian/control` is at the top of a source package, and in packaging/ of the repository.
    """
    here = Path(__file__).parent
    control = next(
        path
        for path in (here.parent / "debian" / "control", here / "debian" / "control")
        if path.exists()
    )
    text = json.dumps(
        bill(control.read_text(encoding="utf-8"), version, int(seconds)), indent=1, sort_keys=True
    )
    Path(file).write_text(text + "\n", encoding="utf-8")


def bill(control, version, seconds):
    """Return the bill of materials for the text of debian/control."""
    own = f"pkg:deb/debian/eventapi@{version}?arch=all"
    parts = [
        part(*found, scope)
        for field, scope in (("Depends", "required"), ("Recommends", "optional"))
        for found in relations(control, field)
    ]
    names = [part["bom-ref"] for part in parts]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{own}&seconds={seconds}')}",
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)),
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "eventapi",
                "version": version,
                "purl": own,
                "licenses": [{"license": {"id": "MIT"}}],
                "components": [CONTAINED],
            },
        },
        "components": parts,
        "dependencies": [
            {"ref": own, "dependsOn": sorted(names)},
            *({"ref": name} for name in names),
        ],
        # The package contains eventapi and what CONTAINED names. What its dependencies depend on is
        # not listed.
        "compositions": [
            {"aggregate": "complete", "assemblies": [own], "dependencies": [own]},
            {"aggregate": "incomplete", "dependencies": names},
        ],
    }


def relations(control, field):
    """Yield (package, constraint) for each package in a field of debian/control.

    The constraint may be empty.
    """
    value = re.search(rf"^{field}:((?:.*\n)(?:[ \t]+.*\n)*)", control, re.M)[1]
    for relation in value.split(","):
        relation = INSERTED.get(relation.strip(), relation.strip())
        if relation:
            name, constraint = re.fullmatch(r"([a-z0-9.+-]+)\s*(?:\((.+)\))?", relation).groups()
            yield name, constraint or ""


def part(name, constraint, scope):
    """Return the component of a Debian package."""
    facts = {
        "eventapi:debian-constraint": constraint,
        "eventapi:pypi": f"pkg:pypi/{ON_PYPI[name]}" if name in ON_PYPI else "",
    }
    found = {
        "type": "library",
        "bom-ref": f"pkg:deb/debian/{name}",
        "name": name,
        "scope": scope,
        "purl": f"pkg:deb/debian/{name}",
        "properties": [{"name": fact, "value": value} for fact, value in facts.items() if value],
    }
    return {field: value for field, value in found.items() if value}


if __name__ == "__main__":
    main(*sys.argv[1:])
