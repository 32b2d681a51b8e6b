"""Notices to the people of the office: something of an account, of rights or of the bank account
has changed. The owners see the last ones at the desk, too, also without mail. And the test mail,
which proves that mails arrive.

A notice has no secret, and of what was typed only names of persons. Every function that queues a
mail is called inside a write transaction. Without a mail server or `base_url`, no notice is queued.
office_mails.py has the contents, invitations.py the mails with a link to sign in.
"""

import json
import re
from datetime import timedelta

from eventapi import times
from eventapi.domain.access import attempts
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.records import entities
from eventapi.errors import Problem, not_found
from eventapi.languages import choice
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("notices")

# kinds of mails
NOTICE = "notice"
TEST = "mail_test"

# Of a mail of the kind `notice`, `text` is one of these.
NOTICES = (
    "new_device",
    "password_changed",
    "factor_added",
    "factor_removed",
    "recovery_code_used",
    "code_guessing",
    "email_changed",
    "rights_changed",
    "person_invited",
    "bank_changed",
)
TO_FORMER_ADDRESS = "email_changed"
# Options whose change is told. Of the first two, a notice has the last characters of each number.
ACCOUNTS = ("organiser_iban", "bank_accounts")
BANK = (*ACCOUNTS, "organiser_bic", "organiser_name")
# Of these a person gets MOST_AN_HOUR within an hour: the first ones tell what is going on.
LIMITED = ("email_changed", "rights_changed")
MOST_AN_HOUR = 5
HOUR = timedelta(hours=1)
LATELY = timedelta(days=14)  # how long owners see at the desk what has changed

# state of a mail -> state of a test mail
TEST_STATES = {
    "queued": "waiting",
    "sending": "waiting",
    "sent": "sent",
    "failed": "failed",
    "uncertain": "failed",
}


def can_mail(config):
    """Return whether mails to the people of the office can be sent: their links need `base_url`."""
    return mails.is_configured(config) and bool(config.base_url)


def refuse_unable(config):
    """Raise 409 `mail_not_configured` without a mail server or `base_url`."""
    mails.refuse_unconfigured(config)
    if not config.base_url:
        raise mails.unconfigured("base_url", "")


def addressee(db, id):
    """Return a person with an active account as {id, name, email, language, role}, or None."""
    return db.one(sql.person, id=id)


def reachable(db, id):
    """Return a person with an active account and an address, as `addressee`.

    Raise 404, or 409 `invalid_transition` without an address.
    """
    person = addressee(db, id)
    if person is None:
        raise not_found("person of the office with an active account", id)
    if not person["email"]:
        raise Problem(
            "invalid_transition",
            f"{person['name']} has no e-mail address. Set one first.",
        )
    return person


def queue(db, kind, person, subject, *, address=None, text=None, details=None, **values):
    """Queue a mail to a person of the office, which `addressee` has returned.

    `subject` is the name of a text, with `values`; `address` replaces that of the person.
    """
    language = choice.choose(db.config, person["language"])
    words = mail_words.WORDS[language]
    mails.add(
        db,
        kind,
        entities.ADMIN.entity_type,
        person["id"],
        address or person["email"],
        words[subject].format(organiser=mail_words.sender(db.config), **values),
        base_url=db.config.base_url,
        language=language,
        text=text,
        details=details and as_json(details),
    )


# Notices


def tell(db, notice, *, admin_id=None, to=None, but=None, details=None):
    """Queue a notice to a person, or to all owners with an address who have signed in.

    `notice` is one of NOTICES. `to` is the former address of the person, for `email_changed` only;
    `but` is the id of an owner who needs no notice. Time and author are those of the transaction. Those
    of LIMITED have a limit: otherwise somebody who changes an address to and fro could have this
    server send as many mails to others as they want.
    `details` are what the text says beside them:

    - new_device: `agent` (the header User-Agent) and `address` of the client
    - code_guessing: `address`
    - password_changed: `is_removed`, true if there is none any more
    - recovery_code_used: `left`, the number of codes that are left
    - rights_changed: `person`, and `old_role` and `role`, or `is_active` if only this has changed
    - person_invited: `person` and `role`
    - bank_changed: `changes`, {name of the option: [last characters before, those of now]}
    """
    if notice not in NOTICES or (to is None) == (notice == TO_FORMER_ADDRESS):
        raise ValueError(notice)
    if not can_mail(db.config):
        return
    facts = {**author(db.actor), "at": db.now, **(details or {})}
    for person in _recipients(db, admin_id):
        if not (to or person["email"]) or person["id"] == but:
            continue
        if not _is_told_often(db, person, notice):
            queue(db, NOTICE, person, f"{notice}_subject", address=to, text=notice, details=facts)


def _is_told_often(db, person, notice):
    if notice not in LIMITED:
        return False
    since = times.after(db.now, -HOUR)
    return db.value(sql.told_since, id=person["id"], notice=notice, since=since) >= MOST_AN_HOUR


def tell_of_bank(db, texts):
    """Queue the notice that options of the bank account have changed.

    `texts`: option -> its texts before and after, each may be empty or None; others than BANK are
    passed over. Who sets values where none were needs no notice, unless an API key has done it.
    """
    texts = {option: texts[option] for option in BANK if option in texts}
    if not texts:
        return
    is_first = not any(before for before, _ in texts.values())
    is_oneself = is_first and db.actor.key_id is None
    tell(
        db,
        "bank_changed",
        but=db.actor.admin_id if is_oneself else None,
        details={"changes": _changes(texts)},
    )


def _changes(texts):
    """Return what a notice says of options of the bank account: option -> [ends before, ends after],
    or an empty list for those without numbers.
    """
    return {
        option: [_ends(text) for text in pair] if option in ACCOUNTS else []
        for option, pair in texts.items()
    }


def _ends(text):
    """Return the last four characters of each account of a text."""
    accounts = (re.sub(r"[^0-9A-Za-z]", "", account) for account in (text or "").split(","))
    return [account[-4:] for account in accounts if account]


def author(actor):
    """Return who acts: {by, with_key}. `by` is None for the command line."""
    return {
        "by": actor.admin_name if actor.admin_id else None,
        "with_key": bool(actor.admin_id and actor.key_id),
    }


def _recipients(db, admin_id):
    if admin_id is None:
        return db.all(sql.owners)
    person = addressee(db, admin_id)
    return [person] if person else []


# What owners see at the desk


def lately(db, admin_id=None):
    """Return what the owners should know of the last two weeks, from the audit log, newest first.

    Each is {notice, at, by, with_key} and what `tell` says of its details. `notice` is bank_changed,
    rights_changed or person_invited; `by` is None for the command line. `admin_id` is the reader,
    who need not read of its own invitation and rights, and of values that it has set where none were.
    """
    since = times.after(times.now(), -LATELY)
    rows = db.all(sql.changes_of_people, since=since)
    others = [row for row in rows if row["person_id"] != admin_id]
    found = [*_bank_changes(db, since, admin_id), *map(_change_of_person, others)]
    found.reverse()  # sorting keeps the order of those in the same second
    return sorted(found, key=lambda change: change["at"], reverse=True)


def _bank_changes(db, since, reader):
    """Yield the changes of the bank account, those of one request together."""
    together = {}
    for row in db.all(sql.changes_of_bank, since=since, names=as_json(BANK)):
        of = row["created_at"], row["admin_id"], row["request_id"]
        together.setdefault(of, []).append(row)
    for rows in together.values():
        texts = {row["entity_title"]: (row["old_text"], row["new_text"]) for row in rows}
        is_own = reader is not None and rows[0]["admin_id"] == reader and not rows[0]["api_key_id"]
        if not is_own or any(before for before, _ in texts.values()):
            yield {**_entry("bank_changed", rows[0]), "changes": _changes(texts)}


def _change_of_person(row):
    old, new = (json.loads(row[name] or "{}") for name in ("old_values", "new_values"))
    person = {"person": row["person"]}
    if row["action"] == "invited":
        return {**_entry("person_invited", row), **person, "role": new.get("role")}
    if "is_active" in new:
        return {**_entry("rights_changed", row), **person, "is_active": new["is_active"]}
    role = row["role"]  # that of now: only the scopes of a set of its own may have changed
    return {
        **_entry("rights_changed", row),
        **person,
        "old_role": old.get("role", role),
        "role": new.get("role", role),
    }


def _entry(notice, row):
    return {
        "notice": notice,
        "at": row["created_at"],
        "by": row["admin_name"] if row["admin_id"] else None,
        "with_key": row["api_key_id"] is not None,
    }


# Test mails


def send_test(db, admin_id):
    """Queue a test mail to a person.

    Raise 404 for an unknown or deactivated person, 409 `invalid_transition` for one without an
    address, 409 `mail_not_configured`, and 429 if the limit of a person is reached.
    """
    person = reachable(db, admin_id)
    refuse_unable(db.config)
    attempts.take(db, "test", attempts.of_person(db, admin_id, db.actor.address))
    queue(db, TEST, person, "mail_test_subject")


def test_state(db, admin_id):
    """Return {state, at, answer} of the last test mail of a person, or None if there was none.

    `state` is sent, failed or waiting, `at` the time of it, `answer` what the mail server has said
    against the mail, or None.
    """
    row = db.one(sql.last_test, id=admin_id)
    if row is None:
        return None
    return {"state": TEST_STATES[row["state"]], "at": row["updated_at"], "answer": row["error"]}


def was_test_sent(db):
    """Return whether a test mail to anybody was ever sent: the last one is kept."""
    return db.value(sql.sent_test) is not None
