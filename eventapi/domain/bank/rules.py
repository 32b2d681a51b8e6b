"""Bank rules: creating, changing and deleting them.

Every function that writes is called inside a write transaction and journals the change.
"""

from eventapi import journal
from eventapi.domain.bank import fitting, importing
from eventapi.domain.records import entities
from eventapi.errors import Faults, listed
from eventapi.storage.statements import statements
from eventapi.validation.identifiers import accounts

sql = statements("bank_rules")

SHORTEST = 3  # letters and digits of a word. Fewer begin a word of nearly every transaction.
FIELDS = ("account", "direction", "counterparty", "text", "reason")


def get(db, id):
    """Return the rule, or None."""
    return db.one(sql.get, id=id)


def create(db, fields):
    """Create a rule and return it. `fields` is a complete validated body.

    Raise 422 for an account that is not the organiser's, and for a rule that fits everything.
    """
    new = get(db, db.insert(sql.add, **_columns(db, fields, {}), now=db.now))
    journal.created(db, entities.BANK_RULE, new)
    return new


def update(db, old, fields):
    """Change a rule and return it. `fields` holds the changed fields. Raise as `create`."""
    before = {name: old[name] for name in FIELDS}
    values = _columns(db, {**before, **fields}, old)
    if values == before:
        return old
    db.run(sql.change, **values, id=old["id"], now=db.now)
    new = get(db, old["id"])
    journal.updated(db, entities.BANK_RULE, old, new)
    return new


def delete(db, rule):
    """Delete a rule. What it has put aside stays so, with its id."""
    db.run(sql.remove, id=rule["id"])
    journal.deleted(db, entities.BANK_RULE, rule)


def _columns(db, rule, old):
    """Return a rule as columns, with its IBANs without spaces. Raise 422.

    `old` is the stored rule: an account that was one of the organiser's may stay.
    """
    faults = Faults()
    columns = {name: rule[name] for name in FIELDS}
    if rule["account"]:
        columns["account"] = accounts.compact(rule["account"])
        if columns["account"] != old.get("account"):
            _check_account(db, columns["account"], faults)

    counterparty = rule["counterparty"]
    has_iban = bool(counterparty) and fitting.is_iban(counterparty)
    if has_iban:
        columns["counterparty"] = accounts.compact(counterparty)
        _check_iban(counterparty, faults)
    elif not _has_word(counterparty) and not _has_word(rule["text"]):
        _refuse_everything(rule, faults)
        faults.raise_any()
    for name in ("counterparty", "text"):
        if rule[name] and not fitting.words(rule[name]):
            _refuse_signs(name, rule, faults)
    faults.raise_any()
    return columns


def _has_word(text):
    return any(len(word) >= SHORTEST for word in fitting.words(text))


def _check_account(db, account, faults):
    own = importing.own_accounts(db.config)
    if account in own:
        return
    known = f"the accounts of the organiser are {listed(own)}" if own else "the organiser has none"
    faults.add(
        "/account",
        "unknown_account",
        f"must be an account of the organiser or null, but is {account}: {known}. Send null for each "
        "account, or add the IBAN to bank_accounts in eventapi.conf",
    )


def _check_iban(text, faults):
    try:
        accounts.iban(text)
    except ValueError as error:
        faults.add(
            "/counterparty",
            "iban",
            f"looks like an IBAN, so it must be {error}. It is {text}. Correct it, or send words of "
            "the name",
        )


def _refuse_everything(rule, faults):
    sent = " and ".join(f"`{name}` is {_shown(rule[name])}" for name in ("counterparty", "text"))
    faults.add(
        "/counterparty",
        "fits_everything",
        f"or `text` must say which transactions the rule fits, but {sent}, so it would fit nearly "
        f"all. Send an IBAN, or a word of at least {SHORTEST} letters or digits in one of the two",
    )


def _refuse_signs(name, rule, faults):
    faults.add(
        f"/{name}",
        "fits_everything",
        f"must have a letter or digit, but is {_shown(rule[name])}. Send a word, or null",
    )


def _shown(text):
    return "null" if text is None else f'"{text}"'
