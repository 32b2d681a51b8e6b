"""The configuration of this process while settings of the database change.

The file, variables and credentials are read once, at the start. What they set, they keep: settings
of the database count for the other options.
"""

import logging
import time
from copy import copy

from eventapi import images
from eventapi.config.options import SETTINGS
from eventapi.config.values import (
    DEFAULT,
    DESK,
    Config,
    ConfigError,
    Fault,
    contradictions,
    parsed,
    with_consequences,
)
from eventapi.storage.statements import statements

sql = statements("settings")
pictures = statements("organiser_pictures")
log = logging.getLogger("eventapi.settings")
WARN_EVERY = 3600  # seconds between two warnings
PLACE = "settings"  # the place of a setting in the text of a fault
LOGO = "organiser_logo"
# Its text is the path of a file on the server, so only the administrator may name it. At the desk
# it is a picture (domain/organiser/logo.py).
OF_FILE = (LOGO,)


class Live:
    """The configuration of one database in this process.

    Attributes:
        given: name -> (text, place) of every option, without the settings of the database.
        values: name -> value of these texts.
        current: the newest Config. It is replaced, and never changed.
        has_started: whether a Config of the database was used. From then on, a setting that cannot be parsed keeps
            the last good Config, and is logged. Before, it is an error: a default in its place might begin a new
            series of invoice numbers.
        refused: revision of settings that cannot be parsed.
    """

    def __init__(self, given, values, file):
        self.given, self.values, self.file = given, values, file
        self.has_started = False
        self.refused, self.faults, self.warned = None, (), float("-inf")
        self.current, _ = self.config_of({}, 0)

    def with_values(self, values, config):
        """Return a Live of the same texts with other values. `config` is its current Config."""
        live = copy(self)
        live.given = {**self.given, **{name: (str(values[name]), "command") for name in values}}
        live.values = {**self.values, **values}
        live.current = config
        return live

    def is_closed(self, name):
        """Return whether the administrator has set an option, so that no setting counts."""
        return self.given[name][1] != DEFAULT

    def at(self, db, revision):
        """Return the Config of this revision of the settings. Read them if they are not known.

        Raise ConfigError for a setting that cannot be parsed, unless the process has started.
        """
        if revision == self.current.revision:
            return self.current
        if revision == self.refused:
            self._warn()
            return self.current
        stored, found = read(db)
        config, faults = self.config_of(stored, found, stored_logo(db))
        if not faults:
            self.current, self.refused = config, None
            return config
        if not self.has_started:
            raise ConfigError(*map(remedied, faults))
        self.refused, self.faults = found, faults
        self._warn()
        return self.current

    def config_of(self, stored, revision, logo=None):
        """Return (Config, faults) with settings of the database.

        `stored`: name -> text; `logo`: an Image. Settings of options that the administrator has set
        do not count.
        """
        texts = {name: (text, PLACE) for name, text in stored.items()}
        unknown = [name for name in texts if name not in SETTINGS or name in OF_FILE]
        faults = [
            Fault(name, *texts[name], "removed: no setting has this name") for name in unknown
        ]
        names = [name for name in texts if name not in unknown and not self.is_closed(name)]
        values, wrong = parsed(texts, names)
        values = {**self.values, **values}
        texts = {**self.given, **texts}
        faults += [*wrong, *contradictions(values, texts)]
        if logo and not self.is_closed(LOGO):
            values[LOGO] = logo
            names.append(LOGO)
        places = {name: place for name, (_, place) in self.given.items()}
        config = Config(
            **with_consequences(values),
            file=self.file,
            set_by={**places, **dict.fromkeys(names, DESK)},
            revision=revision,
            live=self,
        )
        return config, faults

    def _warn(self):
        """Log the faults of the settings, once in WARN_EVERY seconds."""
        if time.monotonic() < self.warned + WARN_EVERY:
            return
        self.warned = time.monotonic()
        for fault in self.faults:
            log.error("%s. Until then, the settings from before it count", remedied(fault))


def read(db):
    """Return ({name: text}, revision) of the settings of the database."""
    rows = db.all(sql.all)
    stored = {row["name"]: row["value"] for row in rows if row["name"] is not None}
    return stored, rows[0]["revision"]


def stored_logo(db):
    """Return the Image of the logo in the database, or None."""
    row = db.one(pictures.content, name=LOGO)
    if row is None:
        return None
    return images.Image(row["content"], row["kind"], row["width"], row["height"])


def remedied(fault):
    """Return the sentence of a fault with its remedy."""
    if fault.name in SETTINGS:
        return f"{fault}; correct it with 'eventapi settings set {fault.name} VALUE'"
    return f"{fault}; remove it with 'eventapi settings unset {fault.name}'"
