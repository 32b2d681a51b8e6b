"""The mail about a booth that the office confirms, moves, swaps or cancels.

It goes to each person with a link to the page of the exhibitor that has the right `booth`, and if
nobody has one, to the contact without a link. It is made from the reservation when it leaves, and
is not sent if that has changed.
"""

import json
from dataclasses import dataclass, replace

from eventapi import money
from eventapi.domain.access import links, reach
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import (
    SECRET,
    Contents,
    Gone,
    Preview,
    greeting,
    harmless,
    own_paragraphs,
)
from eventapi.domain.people import mails as people_mails
from eventapi.domain.records import entities
from eventapi.domain.shows import directory, settings
from eventapi.languages import choice, formats
from eventapi.names import full_name
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("booth_reservations")

KIND = "booth_confirmed"
ENTITY = entities.BOOTH_RESERVATION.entity_type
RIGHT = "booth"  # of a link to whose person the mail goes
PLACED = ("confirmed", "moved")  # changes after which the exhibitor has the booth
SAME = ("status", "booth_id", "final_price", "tax_rate")  # what must not change until it leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the mail says.

    change: confirmed, moved, cancelled, or left: the place on a waiting list was cancelled.
    person: name of the recipient, or "".
    size: width and depth in millimetres.
    price: minor units without tax, or None.
    tax_rate: hundredths of a percent, or None.
    own: the organiser's own text about a booth that was confirmed or moved, or None.
    plan: address of the public plan, or None.
    link: address of the page of the exhibitor, or None.
    """

    change: str
    language: str
    person: str
    title: str
    number: str
    size: tuple[int, int]
    price: int | None
    tax_rate: int | None
    own: str | None
    plan: str | None
    link: str | None


def check(db, mail):
    """Raise 409 `mail_not_configured` if `mail` is true and the server cannot send mail."""
    if mail:
        mails.refuse_unconfigured(db.config, ", or send `mail` as false")


def tell(db, old, new, base_url):
    """Queue the mail about a reservation that has changed from the row `old` to `new`.

    Return {"status": "queued"}, or {"status": "skipped", "reason"} with the reason `already_done` or
    `no_address`. Call this inside a write transaction.
    """
    if all(old[name] == new[name] for name in SAME):
        return {"status": "skipped", "reason": "already_done"}
    row = db.one(sql.mailed, id=new["id"])
    people = _recipients(db, row, base_url)
    if not people:
        return {"status": "skipped", "reason": "no_address"}
    change = _change(old, new)
    for person in people:
        _queue(db, row, change, person, base_url)
    return {"status": "queued"}


def _change(old, new):
    if new["status"] == "cancelled":
        return "left" if old["status"] == "waitlisted" else "cancelled"
    return "moved" if old["booth_id"] != new["booth_id"] else "confirmed"


def _recipients(db, row, base_url):
    """Return {id of the link or None, email, name, language} of each person that gets the mail."""
    if row["anonymized_at"]:
        return []
    found = []
    if base_url:
        found = links.active(db, row["event_participant_id"], RIGHT)
    if found or not row["email"]:
        return found
    return [
        {"id": None, "email": row["email"], "name": full_name(row), "language": row["language"]}
    ]


def _queue(db, row, change, person, base_url):
    language = choice.choose(db.config, person["language"])
    known = {name: row[name] for name in SAME}
    details = {**known, "change": change, "name": person["name"], "link_id": person["id"]}
    mails.add(
        db,
        KIND,
        ENTITY,
        row["id"],
        person["email"],
        subject(language, row["booth_number"], row["title"]),
        base_url=base_url,
        language=language,
        details=as_json(details),
    )


def subject(language, number, title):
    """Return the subject of the mail about a booth with a number."""
    return mail_words.WORDS[language][f"{KIND}_subject"].format(booth=number, title=title)


def link_of(db, mail):
    """Return the id of the link in a mail, or None without one, or if it has another address by now."""
    id = json.loads(mail["details"])["link_id"]
    link = links.get(db, id) if id else None
    return id if link and reach.same(link["email"], mail["recipient"]) else None


def contents(db, mail):
    """Return the contents of the mail.

    Raise Gone if the reservation has changed or was deleted, or the link of the person has ended.
    """
    details = json.loads(mail["details"])
    row = db.one(sql.mailed, id=mail["entity_id"])
    if row is None or any(row[name] != details[name] for name in SAME):
        raise Gone("the reservation has changed, or was deleted")
    if details["link_id"] and mail["secret"] is None:
        raise Gone("the link has ended, or has another address")
    about = _about(db, row, details["change"], mail["language"], mail["base_url"])
    link = mail["secret"] and links.address(mail["base_url"], mail["secret"])
    return _written(db.config, replace(about, person=details["name"] or "", link=link))


def _about(db, row, change, language, base_url):
    """Return what the mail says about a row of `mailed`, without person and link."""
    return About(
        change=change,
        language=language,
        person="",
        title=row["title"],
        number=row["booth_number"],
        size=(row["width"], row["depth"]),
        price=row["final_price"],
        tax_rate=row["tax_rate"],
        own=settings.mail_text(db, row["event_id"], KIND, language) if change in PLACED else None,
        plan=_plan(db, row, base_url),
        link=None,
    )


def _plan(db, row, base_url):
    """Return the address of the plan of a booth, or None if it is not public."""
    show = directory.show(db, row["event_key"]) if base_url else None
    if show is None:
        return None
    for plan in directory.plans(db, show):
        if plan["plan_key"] == row["plan_key"]:
            return f"{base_url}/e/{row['event_key']}/plan/{row['plan_key']}"
    return None


def _written(config, about):
    """Return the contents of the mail."""
    texts = mail_words.WORDS[about.language]
    usual = texts[f"booth_{about.change}"].format(booth=about.number, title=about.title)
    paragraphs = [
        greeting(texts, harmless(about.person)),
        *(own_paragraphs(about.own) or [usual]),
    ]
    if about.change in PLACED:
        paragraphs.append("\n".join(_facts(config, about, texts)))
        if about.plan:
            paragraphs.append((texts["booth_plan_button"], about.plan))
    if about.link:
        paragraphs += [
            texts["booth_page"],
            (texts["link_button"], about.link),
            texts["link_ignore"],
        ]
    paragraphs += mail_words.closing(config, about.language)
    return Contents(language=about.language, paragraphs=paragraphs)


def _facts(config, about, texts):
    """Yield number, size and price of the booth, a line for each."""
    yield texts["booth_number"].format(number=about.number)
    width, depth = (formats.number(money.unscaled(side, 3), about.language) for side in about.size)
    yield texts["booth_size"].format(width=width, depth=depth)
    if about.price is not None:
        amount = money.major(about.price, config.currency)
        price = formats.money(amount, config.currency, about.language)
        rate = formats.number(money.unscaled(about.tax_rate or 0, 2), about.language)
        yield texts["booth_price" if about.tax_rate else "booth_price_only"].format(
            price=price, rate=rate
        )


def preview(db, wanted):
    """Return the Preview of the mail about the booth of a participant, or an invented one if it has
    none.

    Raise 422 for a participant that does not exist or is of another event, 409 `anonymized`.
    """
    row = None
    if wanted.record_id is not None:
        participant = people_mails.participant_of_event(db, wanted)
        row = db.one(sql.mailed_of_participant, event_participant_id=participant["id"])
    if row is None:
        about = _sample(db, wanted)
    else:
        people = _recipients(db, row, wanted.base_url)
        person = people[0] if people else {"id": None, "name": full_name(row), "language": None}
        language = choice.choose(db.config, wanted.language, person["language"])
        about = _about(db, row, "confirmed", language, wanted.base_url)
        link = links.address(wanted.base_url, SECRET) if person["id"] else None
        about = replace(about, person=person["name"] or "", link=link)
    about = replace(about, own=wanted.own(about.own))
    return Preview(
        subject=subject(about.language, about.number, about.title),
        contents=_written(db.config, about),
        is_sample=row is None,
    )


def _sample(db, wanted):
    language = choice.choose(db.config, wanted.language)
    return About(
        change="confirmed",
        language=language,
        person=mail_words.WORDS[language]["sample_person"],
        title=wanted.event["title"],
        number="A12",
        size=(3000, 2000),
        price=money.minor(300, db.config.currency),
        tax_rate=1900,
        own=settings.mail_text(db, wanted.event["id"], KIND, language),
        plan=None,
        link=links.address(wanted.base_url, SECRET) if wanted.base_url else None,
    )
