"""Words, dates and chance.

All chance is drawn from one generator, so that each run of a day writes the same.
"""

import random
from datetime import datetime, timedelta, timezone

from eventapi.domain.entrance import badges

FIRST_NAMES = (
    "Ada Emil Frida Jonas Lena Mats Nele Oskar Paula Rosa Søren Tomáš Ulla Viktor Wanda Yusuf Zofia Łukasz "
    "Chloë Anna Peter Jörg Greta Cem Ilse"
).split()
LAST_NAMES = [
    first + second
    for first in "Acker Berg Linden Hoff Kirch Stein Wald Brun Fisch Müll Schnei Neu Alt Rot "
    "Weiß Schwarz Grün Kraut Horn "
    "Eich".split()
    for second in "mann er hardt feld bach berger ner hofer stein".split()
]
TRADES = (
    "Gartenbau Werkzeuge Honig Keramik Saatgut Holzbau Teichtechnik Gewächshaus Naturstein Bewässerung Kräuter "
    "Licht Möbel Zaunbau Baumschule"
).split()
LEGAL_FORMS = "GmbH AG KG e.K. s.r.o. Kft. Ltd".split()
TOWNS = (
    "Leipzig Hamburg München Wien Zürich Warszawa Praha Budapest Berlin Köln Graz Basel Dresden Erfurt Halle Jena "
    "Gera Bonn Kiel Ulm"
).split()
COUNTRIES = {
    "DE": 600,
    "AT": 120,
    "CH": 90,
    "PL": 70,
    "CZ": 50,
    "HU": 30,
    "FR": 20,
    "NL": 12,
    "IT": 7.9,
    "LI": 0.1,
}
TAGS = [f"tag{number}" for number in range(40)]

YEARS = 5
NOW = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
SPAN = YEARS * 365 * 86400  # seconds
BEGIN = NOW - timedelta(seconds=SPAN)
chance = random.Random(1)
_badges = random.Random(2)


def timestamp(seconds):
    """Return the UTC timestamp this many seconds after BEGIN."""
    return (BEGIN + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def any_time():
    """Return a UTC timestamp between BEGIN and NOW."""
    return timestamp(int(chance.random() * SPAN))


def one_of(weights):
    """Return a key of a dict {value: weight}."""
    return chance.choices(list(weights), list(weights.values()))[0]


def badge_number():
    """Return a badge number as the service draws it, but the same in each run."""
    body = "".join(_badges.choices(badges.ALPHABET, k=badges.RANDOM))
    return body + badges.check_character(body)
