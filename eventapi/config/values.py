"""The values of the options: what their texts mean, and what follows from them."""

from copy import copy
from dataclasses import dataclass
from types import SimpleNamespace

from eventapi import working_days
from eventapi.config.options import BY_NAME, SECRETS
from eventapi.errors import listed
from eventapi.languages import choice
from eventapi.validation.identifiers import bookkeeping
from eventapi.validation.options import amount, check_decimals, value_on

# Countries whose rules for small businesses the program knows
WITH_SMALL_BUSINESSES = ("DE", "AT", "CH", "LI")
DEFAULT = "default"  # the place of a value that nobody has set
DESK = "desk"  # the place of a value that is stored in the database


class ConfigError(Exception):
    """The configuration is not valid.

    Each of `faults` names the place, the option, the value and what is allowed.
    """

    def __init__(self, *faults):
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class Fault:
    """A value that is not valid. `rule` says what is allowed."""

    name: str
    text: str
    place: str
    rule: str

    def __str__(self):
        shown = "(hidden)" if self.name in SECRETS else repr(self.text)
        return f"{self.place}: {self.name} = {shown} must be {self.rule}"


class Config(SimpleNamespace):
    """The options as attributes, and the paths that follow from them.

    It does not change: when a setting of the database changes, another one replaces it.

    Attributes:
        file: path of the configuration file, or None.
        set_by: name -> where the value was set: `default`, `desk`, a place in the file such as
            `eventapi.conf:12`, a variable, a credential, or an option of the command line.
        revision: number of the last change of the settings that this has; 0 without any.
        live: the Live that replaces it.
    """

    @property
    def database(self):
        """The file of the database."""
        return self.data_dir / "eventapi.db"

    @property
    def files(self):
        """The folder of the stored files."""
        return self.data_dir / "files"

    @property
    def backups(self):
        """The folder of the backups."""
        return self.backup_dir or self.data_dir / "backups"

    def is_small_business(self, day):
        """Return whether the organiser is a small business on a day, the last one of a supply."""
        return value_on(self.small_business, day) == "yes"

    def with_options(self, **values):
        """Return a Config with other values, which no setting of the database replaces.

        It belongs to another database, such as a copy, or to one command.
        """
        config = copy(self)
        config.live = self.live.with_values(values, config)
        vars(config).update(values)
        return config


def parsed(texts, names):
    """Return ({name: value}, faults) of the options `names`. The value of a fault is None.

    `texts`: name -> (text, place).
    """
    values, faults = {}, []
    for name in names:
        text, place = texts[name]
        try:
            values[name] = BY_NAME[name].parse(text.strip())
        except ValueError as error:
            values[name] = None
            faults.append(Fault(name, text, place, str(error)))
    return values, faults


def contradictions(values, texts):
    """Yield a Fault for each value that another option does not allow, as far as both could be
    parsed.
    """
    yield from _amounts(values, texts)
    yield from _small_business(values, texts)


def _amounts(values, texts):
    """Yield a Fault for each amount with more decimals than the option `currency`."""
    currency = values["currency"]
    for name, number in values.items():
        if BY_NAME[name].parse is not amount or number is None or currency is None:
            continue
        try:
            check_decimals(number, currency)
        except ValueError as error:
            yield Fault(name, *texts[name], str(error))


def _small_business(values, texts):
    """Yield a Fault if the organiser is a small business in a country whose rules are not known."""
    words = [word for _, word in values["small_business"] or ()]
    country = values["organiser_country"]
    if "yes" in words and country is not None and country not in WITH_SMALL_BUSINESSES:
        rule = (
            f"no while organiser_country is {country}: eventapi knows the rules for small businesses of "
            f"{listed(WITH_SMALL_BUSINESSES)} only"
        )
        yield Fault("small_business", *texts["small_business"], rule)


def with_consequences(values):
    """Return the values with those that follow from others where nothing is set: language, tax rate
    and public holidays of the organiser's country.
    """
    country = values["organiser_country"]
    rate = values["tax_rate"]
    if rate is None:
        rate = bookkeeping.STANDARD_RATES.get(country)
    holidays = values["public_holidays"]
    if holidays is None:
        holidays = working_days.of_country(country)
    return {
        **values,
        "language": values["language"] or choice.of_country(country),
        "is_tax_rate_known": rate is not None,
        "tax_rate": rate or 0,
        "public_holidays": holidays,
    }
