"""The keywords of ours in schemas/, which the docstring of schema_files.py explains."""

import json
import re

from eventapi import paths
from eventapi.validation import schema_files


def keywords(part):
    """Yield each keyword of ours in a part of a schema file."""
    if isinstance(part, list):
        for value in part:
            yield from keywords(value)
    if isinstance(part, dict):
        for key, value in part.items():
            if key.startswith("x-"):
                yield key
            yield from keywords(value)


def test_the_table_explains_exactly_the_keywords_that_exist():
    used = {"x-at"}  # in no file: the schema of a body gets it
    for file in paths.folder("schemas").glob("*.json"):
        used.update(keywords(json.loads(file.read_text(encoding="utf-8"))))
    assert used == set(re.findall(r"^\| `(x-[a-z-]+)`", schema_files.__doc__, re.M))
