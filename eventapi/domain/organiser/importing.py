"""Copy options of the configuration file into the settings of the database.

The file still counts until its lines are commented out.
"""

import os
from dataclasses import dataclass, field

from eventapi.config import SETTINGS
from eventapi.config.live import OF_FILE, read
from eventapi.domain.organiser import settings
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("settings")


@dataclass
class Imported:
    """What was copied.

    Attributes:
        names: settings that were copied.
        lines: numbers of the lines that are no longer needed.
        left: name -> why the option stays in the file.
    """

    names: list = field(default_factory=list)
    lines: list = field(default_factory=list)
    left: dict = field(default_factory=dict)


def of_file(config):
    """Return {name: (text, number of its line)} of the settings that the configuration file sets."""
    found = {}
    for name in SETTINGS:
        text, place = config.live.given[name]
        path, _, number = place.rpartition(":")
        if config.file and number.isdecimal() and os.path.abspath(path) == str(config.file):
            found[name] = text.strip(), int(number)
    return found


def run(db):
    """Copy what the file sets into the database, and return Imported.

    Call this inside a write transaction. A setting that the database has stays as it is.
    """
    stored, _ = read(db)
    done = Imported()
    for name, (text, line) in of_file(db.config).items():
        reason = _obstacle(db, stored, name, text)
        if reason:
            done.left[name] = reason
            continue
        done.lines.append(line)
        if name not in stored and not _is_default(name, text):
            settings.write(db, name, None, text)
            done.names.append(name)
    if done.names:
        db.run(sql.count_change)
    return done


def _is_default(name, text):
    return settings.value(name, text) == settings.value(name, None)


def _obstacle(db, stored, name, text):
    """Return why an option stays in the file, or None."""
    if name in OF_FILE:
        return "it is a picture"
    if "\n" in text:
        return "its value has several lines; write it on one line, and import again"
    if name in stored and not _is_same(stored, name, text):
        return f"the database has another value, {stored[name]!r}"
    if not text and not _is_default(name, text):
        return "it is empty, and not the default"
    old = settings.Texts(db.config.live, stored)
    try:
        settings.check(db, old, {**stored, name: text}, {name: text or None}, db.config)
    except Problem as problem:
        return problem.errors[0]["detail"]
    return None


def _is_same(stored, name, text):
    try:
        return settings.value(name, stored[name]) == settings.value(name, text)
    except ValueError:
        return False
