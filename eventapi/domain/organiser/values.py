"""The settings as values of the API: each option has the JSON type of its kind.

The texts of eventapi.conf stay the only form in which settings are stored and parsed.
"""

from dataclasses import asdict
from decimal import Decimal, InvalidOperation

from eventapi.config import SETTINGS
from eventapi.config.live import OF_FILE, read, stored_logo
from eventapi.config.option import BOOLEAN, LINES, LIST, NUMBER
from eventapi.domain.organiser import logo, missing, settings
from eventapi.errors import Faults
from eventapi.storage.statements import statements

sql = statements("settings")

NAMES = tuple(name for name in SETTINGS if name not in OF_FILE)


def get(db, config=None):
    """Return the API object of the settings.

    `config` is the Config that follows from them, by default the one of what is stored now: this may
    be newer than that of the database connection, which stays during a request.
    """
    stored, revision = read(db)
    config = config or _config_of(db, stored, revision)
    texts = settings.Texts(config.live, stored)
    return {
        "id": settings.ENTITY_ID,
        **{name: value_of(SETTINGS[name], texts.text(name)) for name in NAMES},
        "set_by_administrator": [name for name in SETTINGS if config.live.is_closed(name)],
        "missing": [asdict(gap) for gap in missing.of(config)],
        "logo": logo.get(db),
        **db.one(sql.changed),
    }


def _config_of(db, stored, revision):
    """Return the Config of stored settings.

    It is that of the connection if a setting is not valid: it goes on with the last good one.
    """
    if revision == db.config.revision:
        return db.config
    config, faults = db.config.live.config_of(stored, revision, stored_logo(db))
    return db.config if faults else config


def value_of(option, text):
    """Return the value of a text. An empty text is null, or an empty array.

    A text that cannot be parsed is shown as it is, as far as the type allows: only the administrator can store one.
    """
    text = text.strip()
    if option.kind in (LINES, LIST):
        return option.parts(text)
    if not text:
        return None
    if option.kind == BOOLEAN:
        return text.lower() == "yes"
    if option.kind == NUMBER:
        return _number(text)
    try:
        parsed = option.parse(text)
    except ValueError:
        return text
    return parsed if isinstance(parsed, str) else text


def _number(text):
    """Return the number of a text, None if it is none."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return int(number) if number == number.to_integral_value() else float(number)


def texts_of(fields):
    """Return {name: text or None} of the fields of a request.

    Raise 422 for a part of an array that would become two parts.
    """
    faults, texts = Faults(), {}
    for name, value in fields.items():
        option = SETTINGS[name]
        if isinstance(value, list):
            texts[name] = _joined(option, value, faults)
        elif isinstance(value, bool):
            texts[name] = "yes" if value else "no"
        elif value is None or isinstance(value, str):
            texts[name] = value
        else:
            texts[name] = _digits(value)
    faults.raise_any()
    return texts


def _digits(number):
    """Return a number as a text without exponent, and a whole one without decimals: 30.0 is 30."""
    exact = Decimal(str(number))
    return format(exact.to_integral_value() if exact == exact.to_integral_value() else exact, "f")


def _joined(option, parts, faults):
    """Return the text of the parts of an option. Add a fault for each that would become several parts."""
    mark = "|" if option.kind == LINES else option.separator
    for place, part in enumerate(parts):
        is_several = mark in part if option.kind == LINES else len(option.parts(part)) > 1
        if is_several:
            rule = (
                f"must not contain {mark!r}, which separates parts: send each as a part of its own"
            )
            faults.add(f"/{option.name}/{place}", "format", rule)
    return option.text_of(parts)
