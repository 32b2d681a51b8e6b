"""Links that the office makes over the API: for whom, with which rights, and how they are shown and
mailed.

Every function that writes is called inside a write transaction and journals the change. Links are
rows of access/links.
"""

from datetime import timedelta

from eventapi import times
from eventapi.domain.access import links, reach, rights
from eventapi.domain.mail import queue as mails
from eventapi.domain.records import anonymity, references
from eventapi.domain.records.references import APPLICATION, EVENT, PARTICIPANT
from eventapi.domain.shows import settings
from eventapi.errors import Faults, Problem, invalid_at, quoted
from eventapi.storage.statements import statements

sql = statements("links")

SUBJECTS = {"participant": "participant_id", "application": "application_id", "door": "event_id"}
OF_DOOR = ("station", "devices")
CHANGEABLE = {"name", "language", "rights", "devices", "expires_at"}
ALLOWED = {"participant": rights.RIGHTS, "application": ("badges",), "door": ("search",)}
LONGEST = timedelta(days=2 * 366)
FLAGS = {"participant": "pages", "application": "pages", "door": "door"}
SHOWN = (
    "id",
    "ref",
    "kind",
    "event_id",
    "event_key",
    "participant_id",
    "application_id",
    "name",
    "email",
    "language",
    "rights",
    "station",
    "devices",
    "expires_at",
    "ends_at",
    "status",
    "session_count",
    "last_used_at",
    "mailed_at",
    "revoked_at",
    "ended_by",
    "created_by",
    "created_at",
    "updated_at",
)


def represent(row):
    """Return the API object of a link. It has no secret: `url` is None."""
    return {**{name: row[name] for name in SHOWN}, "url": None}


def get(db, id):
    """Return the row of a link with its `session_count`, or None."""
    row = links.get(db, id)
    return _counted(db, row) if row else None


def _counted(db, row):
    return {**row, "session_count": db.value(sql.session_count, id=row["id"])}


def wanted_rights(db, fields, faults):
    """Return the rights of a new link: those in `fields`, else those of the event for a
    participant.
    """
    kind = fields["kind"]
    if fields["rights"] is None:
        event_id = kind == "participant" and db.value(
            sql.event_of_participant, id=fields["participant_id"]
        )
        return settings.get(db, event_id)["my_rights"] if event_id else []
    for place, right in enumerate(fields["rights"]):
        if right not in ALLOWED[kind]:
            faults.add(
                f"/rights/{place}", "not_for_kind", f"is no right of a link of the kind {kind}"
            )
    return fields["rights"]


def prepared(db, fields):
    """Return the values of a new link for `links.create`, from a complete body.

    Raise 422 or 409 `anonymized`.

    Name, address and language are those of the contact or of the application unless the body has
    them.
    """
    faults, kind = Faults(), fields["kind"]
    for name in {*SUBJECTS.values(), "event_key"} - {
        SUBJECTS[kind],
        *(("event_key",) if kind == "door" else ()),
    }:
        if fields[name] is not None:
            faults.add(
                f"/{name}", "not_for_kind", f"must not be sent for a link of the kind {kind}"
            )
    for name in OF_DOOR if kind != "door" else ():
        if fields[name] is not None:
            faults.add(f"/{name}", "not_for_kind", "is for links of the kind door only")
    given = wanted_rights(db, fields, faults)
    reference = {"participant": PARTICIPANT, "application": APPLICATION, "door": EVENT}[kind]
    id = references.resolve(
        db, {name: fields.get(name) for name, _ in reference[1]}, reference, faults
    )
    if id is None and fields[SUBJECTS[kind]] is None:
        faults.add(f"/{SUBJECTS[kind]}", "required", f"is required for a link of the kind {kind}")
    check_end(db, fields["expires_at"], faults)
    faults.raise_any()
    subject = db.one(
        {"participant": sql.participant, "application": sql.application, "door": sql.event}[kind],
        id=id,
    )
    if subject["event_id"] is None:
        raise invalid_at(
            "/application_id",
            "several_events",
            "is for no event or for several ones, so it has no link",
        )
    if kind != "door":
        anonymity.refuse(db, {"participant": "event_participant"}.get(kind, kind), id)
    values = {name: fields[name] or subject[name] for name in ("name", "email", "language")}
    if not values["name"]:
        raise invalid_at("/name", "required", "is required: the record has no address")
    return {
        **values,
        "event_id": subject["event_id"],
        "rights": given,
        "expires_at": fields["expires_at"],
        **({SUBJECTS[kind]: id} if kind != "door" else {name: fields[name] for name in OF_DOOR}),
    }


def of_contact(db, participant_id):
    """Return the live link of a participant's contact as a row, or None if there is none.

    Raise 409 `link_incomplete` if the contact has no e-mail address.
    """
    if not contact(db, participant_id)["email"]:
        raise Problem(
            "link_incomplete",
            "The contact has no `email`, so nobody can use the link. Set it first, or create a link with "
            "POST /links.",
            missing=["email"],
        )
    link = of_person(db, participant_id)
    return link and _counted(db, link)


def contact(db, participant_id):
    """Return {event_id, name, email, language} of a participant's contact, for whom its link is."""
    return db.one(sql.participant, id=participant_id)


def of_person(db, participant_id):
    """Return the live link of a participant's contact, or None, also if it has no e-mail address."""
    email = contact(db, participant_id)["email"]
    return email and links.of_person(db, "participant", participant_id, email)


def prepared_for_contact(db, participant_id):
    """Return the values of a new link for a participant's contact, as `prepared` does.

    Raise 409 `link_revoked` as well, if the office has revoked the access of the contact (R2 of
    access/reach.py).
    """
    fields = dict.fromkeys(("event_id", "event_key", "application_id", *links.COLUMNS), None)
    fields |= {"kind": "participant", "participant_id": participant_id}
    values = prepared(db, fields)
    reach.refuse_closed(db, values["email"], values["event_id"], participant_id=participant_id)
    return values


def check_end(db, expires_at, faults):
    """Add a fault for an end that is too far in the future."""
    if expires_at and expires_at > times.after(db.now, LONGEST):
        faults.add("/expires_at", "out_of_range", "must be at most two years ahead")


def create(db, kind, values):
    """Make a link from `prepared` values.

    Return (row, secret that is shown once). Raise 409 `duplicate`.

    An address whose link the office has revoked is open again, and the known addresses are told of
    a further link.
    """
    link = links.create(db, kind, **values)
    reach.reopen(db, link)
    if kind == "participant":
        reach.tell_of_link(db, link)
    return _counted(db, links.get(db, link["id"])), links.add_secret(db, link, "shown")


def update(db, old, fields):
    """Change a link and return its row.

    `fields` holds the changed fields; the present values may be sent again.

    Raise 422 for a field that cannot change, rights that its kind does not have, or an end too far
    ahead; 409 `invalid_transition` once revoked.
    """
    faults = Faults()
    fields = {name: value for name, value in fields.items() if value != old[name]}
    if not fields:
        return old
    refuse_revoked(old)
    for name in fields.keys() - CHANGEABLE:
        faults.add(
            f"/{name}", "fixed", "cannot change. Revoke this link and create another one instead"
        )
    for name in ("name", "rights", "devices"):
        if name in fields and fields[name] is None:
            faults.add(f"/{name}", "type", "must not be null")
    if fields.get("rights") is not None:
        wanted_rights(db, {"kind": old["kind"], "rights": fields["rights"]}, faults)
    if fields.get("devices") is not None and old["kind"] != "door":
        faults.add("/devices", "not_for_kind", "is for links of the kind door only")
    check_end(db, fields.get("expires_at"), faults)
    faults.raise_any()
    link = links.update(db, old, fields)
    if link["kind"] == "participant" and set(link["rights"]) - set(old["rights"]):
        reach.tell_of_link(db, link)
    return _counted(db, link)


def refuse_revoked(link):
    """Raise 409 `invalid_transition` for a link that was revoked: it is final."""
    if link["status"] == "revoked":
        raise Problem(
            "invalid_transition",
            "The link was revoked for ever. Create another one.",
            state="revoked",
            allowed_from=["active", "expired"],
            allowed_actions=[],
        )


def show(db, link):
    """Return a further secret of a link, to be shown once. Raise 409 `invalid_transition`."""
    refuse_ended(link)
    return links.show(db, link)


def refuse_ended(link):
    """Raise 409 `invalid_transition` unless the link is active."""
    refuse_revoked(link)
    if link["status"] != "active":
        raise Problem(
            "invalid_transition",
            f"The link ended at {link['ends_at']}. Set another `expires_at` first.",
            state="expired",
            allowed_from=["active"],
            allowed_actions=[],
        )


def rotate(db, link):
    """End all secrets and sessions of a link.

    Return its only secret. Raise 409 `invalid_transition`.
    """
    refuse_ended(link)
    links.rotate(db, link)
    return links.add_secret(db, link, "shown")


def refuse_unmailable(db, link, base_url):
    """Raise 409 unless a mail can bring somebody to the page of a link.

    `invalid_transition` if it has ended, `link_incomplete` without an address, `page_incomplete` if
    its page is closed, `mail_not_configured`.
    """
    refuse_ended(link)
    if not link["email"]:
        raise Problem(
            "link_incomplete",
            "The link has no `email`, so it cannot be mailed. Use its address, or "
            "create another link.",
            missing=["email"],
        )
    mails.refuse_unconfigured(db.config)
    missing = [] if base_url else ["base_url"]
    if link["kind"] == "participant" and not settings.get(db, link["event_id"])["my_is_open"]:
        missing.append("my_is_open")
    if missing:
        raise Problem(
            "page_incomplete",
            f"The page of the link cannot be opened yet. Set {quoted(missing)} first.",
            missing=missing,
        )


def mail(db, link, base_url):
    """Queue the mail with a link.

    Raise 409 as `refuse_unmailable` does; 429 after some mails of a day.
    """
    refuse_unmailable(db, link, base_url)
    if links.mails_today(db, link) >= links.PER_DAY:
        raise Problem(
            "rate_limited",
            f"The link was mailed {links.PER_DAY} times today. Try again tomorrow.",
            headers={"Retry-After": "86400"},
        )
    links.mail(db, link, base_url)


def revoke(db, link, *, everywhere=False, erase=False, ended_by="office"):
    """End a link for ever and return its row.

    Its address gets no other one until the office makes it, unless `ended_by` is `undo`: then it is
    as if the link had never been made.

    `everywhere` ends the other links of its address for this participant and its application, too.
    `erase` forgets whose link it was as well.
    """
    for other in reach.others_of_person(db, link) if everywhere else ():
        links.revoke(db, other, ended_by)
        if erase:
            links.blank(db, other)
    link = links.revoke(db, link, ended_by)
    if erase:
        links.blank(db, link)
    return get(db, link["id"])
