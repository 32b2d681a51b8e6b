"""Settings: options that the organiser changes, stored in the database as texts of eventapi.conf.

What the administrator has set in the file, a variable or a credential counts, and is closed here.
"""

import re
from dataclasses import dataclass
from functools import partial

from eventapi import journal, times
from eventapi.config import DEFAULT, DESK, SETTINGS
from eventapi.config.live import OF_FILE, read, stored_logo
from eventapi.config.option import LINES, LIST
from eventapi.domain.access import notices
from eventapi.domain.books import periods
from eventapi.domain.records import entities
from eventapi.errors import Faults, Problem, listed, suggestion
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.validation.formats import EMAIL
from eventapi.validation.identifiers import organiser as identifiers
from eventapi.validation.identifiers.accounts import LENGTHS, compact, iban
from eventapi.validation.options import value_on

sql = statements("settings")

ENTITY_ID = 1  # of the settings as one record, in the audit log
# Reports of closed months read these as they are now.
LOCKED = ("organiser_country", "timezone", "currency")
START_PAGES = ("docs", "desk")
CONTROL = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029]")
LONGEST = 500  # characters
LONGEST_LIST = 50_000


@dataclass(frozen=True)
class Texts:
    """The texts of all settings at one moment.

    Attributes:
        live: the Live of the database.
        stored: name -> text of the settings in the database.
    """

    live: object
    stored: dict

    def text(self, name):
        """Return the text that counts: of the administrator, of the database, or the default."""
        if self.live.is_closed(name):
            return self.live.given[name][0]
        return self.stored.get(name, SETTINGS[name].default)

    def place(self, name):
        """Return where this text is set."""
        place = self.live.given[name][1]
        return DESK if place == DEFAULT and name in self.stored else place

    def is_same(self, name, text):
        """Return whether a text (None: the default) means what counts already."""
        try:
            return value(name, text) == value(name, self.text(name))
        except ValueError:  # what is stored cannot be parsed, or the new text: then it is refused
            return False


def value(name, text):
    """Return the value of a text, None for the default. Raise ValueError."""
    option = SETTINGS[name]
    return option.parse(option.default if text is None else text.strip())


def change(db, values):
    """Change settings, and return the Config that follows. Call this inside a write transaction.

    `values`: name -> text as in eventapi.conf. None or an empty text removes the setting, so that
    the default counts. What means the same as before is not written.

    Raise 422 for what is not valid, 409 `set_by_administrator` for an option that the file or a
    variable sets, `in_use` for one that stays once an invoice was sent, and `period_closed` for a
    tax basis in a closed month. A setting that is stored and not valid prevents no other change.
    """
    stored, revision = read(db)
    old = Texts(db.config.live, stored)
    known(values)
    values = {name: (text or "").strip() or None for name, text in values.items()}
    changes = {name: text for name, text in values.items() if _is_change(old, name, text)}
    _keep_account(old, changes)
    after = _applied(old, changes)
    config, _ = old.live.config_of(after, revision + bool(changes), stored_logo(db))
    check(db, old, after, changes, config)
    refuse_closed(old.live, changes)
    _refuse_locked(db, old, changes)
    _refuse_closed_months(db, old, changes)
    _tell_of_bank(db, old, changes, after)
    for name in changes:
        write(db, name, old.text(name), after.get(name))
    if changes:
        db.run(sql.count_change)
    return config


def _tell_of_bank(db, old, changes, after):
    """Tell the owners of another bank account, or of another name of the organiser."""
    notices.tell_of_bank(
        db,
        {
            name: (old.text(name), after.get(name))
            for name, text in changes.items()
            if not old.is_same(name, text)
        },
    )


def remove_unknown(db, name):
    """Remove what is stored under a name that no setting has. Return whether there was something.

    Call this inside a write transaction.
    """
    stored, _ = read(db)
    if name in SETTINGS or name not in stored:
        return False
    db.run(sql.remove, name=name)
    db.run(sql.count_change)
    _audit(db, name, stored[name], None)
    return True


def last_change(db, names):
    """Return {admin_name, created_at} of the last change of one of these settings, or None."""
    return db.one(sql.last_change, names=as_json(list(names)))


def is_locked(db, name):
    """Return whether a setting stays as it is, because an invoice was sent."""
    return name in LOCKED and db.value(sql.has_sent_invoice) is not None


def open_elsewhere(db, iban):
    """Return {account: number of open invoices} of other accounts that open invoices name.

    `iban` is without spaces, as it is stored.
    """
    return {row["iban"]: row["count"] for row in db.all(sql.open_elsewhere, iban=iban)}


def known(names):
    """Raise 422 unless all names are those of settings."""
    faults = Faults()
    for name in names:
        if name in OF_FILE:
            faults.add(
                f"/{name}",
                "read_only",
                "is a picture, and no text: set its path in the configuration file",
            )
        elif name not in SETTINGS:
            near = suggestion(name, SETTINGS)
            faults.add(f"/{name}", "unknown_field", f"is not a setting{near}")
    faults.raise_any()


def _is_change(old, name, text):
    """Return whether a text changes what counts, or removes a setting that is stored."""
    if not old.is_same(name, text):
        return True
    return text is None and name in old.stored and not old.live.is_closed(name)


def _keep_account(old, changes):
    """Add a former IBAN to `bank_accounts`: older invoices name it, and its statements can still be
    imported. An account of that list that becomes `organiser_iban` leaves it.

    An account that the administrator has listed, or a list that is closed, stays as it is.
    """
    if "organiser_iban" not in changes or old.live.is_closed("bank_accounts"):
        return
    try:
        former = iban(old.text("organiser_iban"))
    except ValueError:  # there was none, or the number of an account in a country without IBAN
        return
    now = value("organiser_iban", changes["organiser_iban"])
    listing = changes.get("bank_accounts", old.text("bank_accounts")) or ""
    accounts = [account for account in SETTINGS["bank_accounts"].parse(listing) if account != now]
    if former not in accounts:
        changes["bank_accounts"] = SETTINGS["bank_accounts"].text_of([*accounts, former])


def _applied(old, changes):
    """Return name -> text of the stored settings after the changes, in their canonical form."""
    after = dict(old.stored)
    for name, text in changes.items():
        if text is None:
            after.pop(name, None)
        else:
            after[name] = _canonical(name, text)
    return after


def _canonical(name, text):
    """Return a text as it is stored: the parsed one, if the option is a text."""
    try:
        found = value(name, text)
    except ValueError:  # it is refused
        return text
    return found if isinstance(found, str) else text


# Checks


def check(db, old, after, changes, config):
    """Raise 422 for values that are not valid, alone or together with others.

    `after`: name -> text of the stored settings with the changes; `config`: the Config of them.
    """
    faults = Faults()
    for name, text in changes.items():
        if text is not None:
            _check_form(name, text, faults)
    faults.raise_any()

    _, before = old.live.config_of(old.stored, 0)
    _, wrong = old.live.config_of(after, 0)
    was_wrong = {fault.name for fault in before}
    for found in wrong:
        if found.name in changes:
            faults.add(f"/{found.name}", "format", f"must be {found.rule}")
        elif found.name not in was_wrong:
            cause = "currency" if "currency" in changes else "organiser_country"
            rule = f"contradicts {found.name}, which is {found.text} and must be {found.rule}"
            faults.add(f"/{cause}", "format", rule)
    faults.raise_any()

    for name, rule in IDENTIFIERS.items():
        if changes.get(name) is not None:
            _check_identifier(name, partial(rule, config), faults)
    _check_series(changes, config, faults)
    start_page = changes.get("start_page")
    if start_page is not None and not _is_start_page(db, start_page):
        faults.add(
            "/start_page",
            "unknown",
            f"must be {listed(START_PAGES, 'or')}, or the event_key of an event, and there is no event {start_page}",
        )
    faults.raise_any()


def _check_form(name, text, faults):
    """Add a fault for a text that is too long, or not one line."""
    most = LONGEST_LIST if SETTINGS[name].kind in (LINES, LIST) else LONGEST
    if len(text) > most:
        faults.add(
            f"/{name}", "max_length", f"must have at most {most} characters, but has {len(text)}"
        )
    if CONTROL.search(text):
        faults.add(f"/{name}", "format", "must be one line without control characters")


def _check_series(changes, config, faults):
    """Add a fault if invoices and credit notes would have the same numbers: each series counts from 1."""
    formats = ("invoice_number_format", "credit_note_number_format")
    if not _meet(config.invoice_number_format, config.credit_note_number_format):
        return
    for name, other in (formats, formats[::-1]):
        if name in changes:
            faults.add(
                f"/{name}",
                "unique",
                f"must differ from {other}: both series would have the same numbers",
            )


def _meet(one, other):
    """Return whether two formats make the same number, at once or after some: so do {seq} and
    {seq:05}.
    """
    return any(
        one.format(year=2026, seq=sequence) == other.format(year=2026, seq=sequence)
        for sequence in (1, 10**6)
    )


def _check_identifier(name, rule, faults):
    """Add a fault for an identifier whose check digits or form are wrong."""
    try:
        rule()
    except ValueError as error:
        faults.add(f"/{name}", "format", f"must be {error}")


def _check_email(config):
    """Raise ValueError unless the address for customers is one: replies to all mails go there."""
    if not EMAIL.fullmatch(config.organiser_email):
        raise ValueError("an e-mail address such as office@example.org")


def _check_accounts(config):
    """Raise ValueError if a further account begins with a country that has IBANs and is none.

    In a country without IBAN, it is the number of the account.
    """
    for account in config.bank_accounts:
        if compact(account)[:2] in LENGTHS:
            iban(account)


# name -> function of the Config that raises ValueError. The file only warns of these.
IDENTIFIERS = {
    **{name: partial(identifiers.check, name) for name in identifiers.CHECKED},
    "organiser_email": _check_email,
    "bank_accounts": _check_accounts,
}


def _is_start_page(db, text):
    return text in START_PAGES or db.value(sql.is_event, event_key=text) is not None


def refuse_closed(live, changes):
    """Raise 409 if the administrator has set an option to another value. `changes` are names."""
    closed = sorted(name for name in changes if live.is_closed(name))
    if closed:
        names = listed([f"`{name}`" for name in closed])
        are, them = ("is", "it") if len(closed) == 1 else ("are", "them")
        raise Problem(
            "set_by_administrator",
            f"{names} {are} set in the configuration of the server. Ask its administrator to remove "
            f"{them} there.",
            settings=closed,
        )


def _refuse_locked(db, old, changes):
    """Raise 409 for an option that reports of closed months read, once an invoice was sent."""
    locked = [name for name in LOCKED if name in changes and _differs(old, name, changes[name])]
    if locked and db.value(sql.has_sent_invoice) is not None:
        name = locked[0]
        raise Problem(
            "in_use",
            f"`{name}` is {old.text(name)}, and an invoice was sent: reports of closed months read this setting. "
            "Keep its value.",
        )


def _differs(old, name, text):
    """Return whether a text means another value than the one that counts."""
    return not old.is_same(name, text)


def _refuse_closed_months(db, old, changes):
    """Raise 409 if the tax basis of a day in a closed month would change."""
    if "tax_basis" not in changes:
        return
    first_open_day = periods.first_open_day(db)
    if first_open_day is None:
        return
    after = value("tax_basis", changes["tax_basis"])
    try:
        before = value("tax_basis", old.text("tax_basis"))
    except ValueError:  # it is stored and not valid, so no invoice was sent with it
        return
    last_day = times.add_days(first_open_day, -1)
    days = {day for day, _ in (*before, *after) if day <= last_day}
    if any(value_on(before, day) != value_on(after, day) for day in days):
        raise periods.closed(
            db,
            last_day[:7],
            "tax_basis",
            f"The tax basis of {last_day[:7]} or an earlier month would change, and these months are closed.",
            f"Choose {first_open_day} or a later day for the change.",
        )


# Writing


def write(db, name, old_text, text):
    """Store the text of a setting, or remove it if it is None. Journal the change."""
    if text is None:
        db.run(sql.remove, name=name)
    else:
        db.run(sql.put, name=name, value=text, now=db.now, changed_by=db.actor.admin_id)
    _audit(db, name, old_text, SETTINGS[name].default if text is None else text)


def _audit(db, name, old_text, new_text):
    journal.administered(
        db,
        entities.SETTING,
        "updated",
        ENTITY_ID,
        title=name,
        old={name: old_text},
        new={name: new_text},
    )
