"""Links: who may act without an API key, for whom, and with which rights.

A link is made for one person and one participant, application or door. Its secrets open sessions
(link_secrets.py, sessions.py). Every function that writes is called inside a write transaction and
journals the change.
"""

import json
import secrets
from datetime import timedelta

from eventapi import journal, times
from eventapi.domain.access import link_secrets
from eventapi.domain.access import rights as link_rights
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import SECRET
from eventapi.domain.records import entities
from eventapi.errors import Problem, not_found
from eventapi.languages import choice
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("links")
sql_of_sessions = statements("sessions")

# kinds of mails with the address of a link
KIND = "link"
TODOS = "todos"
OFFER = "booth_offer"

LETTERS = "abcdefghijklmnopqrstuvwxyz"
DEVICES = 5  # of a link of a door, unless it says another number

TEN_MINUTES = timedelta(minutes=10)
DAY = timedelta(days=1)
MONTH = timedelta(days=30)
PER_ADDRESS = 1  # mails that somebody may ask for in ten minutes
PER_DAY = 5  # the same in a day

COLUMNS = (
    "event_id",
    "participant_id",
    "application_id",
    "name",
    "email",
    "language",
    "rights",
    "station",
    "devices",
    "expires_at",
)
# no name and no address: the audit log outlives the link
AUDITED = (
    "kind",
    "event_id",
    "participant_id",
    "application_id",
    "rights",
    "station",
    "devices",
    "expires_at",
    "revoked_at",
    "ended_by",
)

# what a webhook gets: no name and no address
ANNOUNCED = (
    "id",
    "ref",
    "kind",
    "event_id",
    "event_key",
    "participant_id",
    "application_id",
    "language",
    "rights",
    "station",
    "devices",
    "expires_at",
    "ends_at",
    "status",
    "last_used_at",
    "mailed_at",
    "revoked_at",
    "ended_by",
    "created_by",
    "created_at",
    "updated_at",
)


def create(db, kind, *, rights=(), **values):
    """Make a link and return it as a row. `values` are those of COLUMNS that its kind has.

    Raise 409 `duplicate` if the person has a live link for this participant or application.
    """
    fields = dict.fromkeys(COLUMNS)
    fields.update(values)
    fields["rights"] = as_json(list(rights))
    if kind == "door":
        fields["devices"] = fields["devices"] or DEVICES

    email = fields["email"]
    subject = fields["participant_id"] or fields["application_id"]
    if email and subject:
        live = db.value(sql.of_person, kind=kind, subject=subject, email=email)
        if live:
            raise Problem(
                "duplicate",
                f"{email} has the link {live} for this {kind} already. Use that one, or revoke it "
                "first.",
                link_id=live,
            )

    id = db.insert(
        sql.add,
        **fields,
        kind=kind,
        ref=_new_ref(db),
        created_by=db.actor.admin_id,
        email_hash=_hash_of(db, email),
        now=db.now,
        stamp=db.stamp,
    )
    link = get(db, id)
    _audit(db, "created", link, new=link)
    return link


def _new_ref(db):
    while True:
        ref = "".join(secrets.choice(LETTERS) for _ in range(8))
        if db.value(sql.by_ref, ref=ref) is None:
            return ref


def _hash_of(db, email):
    return link_secrets.address_hash(db, email) if email else None


def get(db, id):
    """Return a link as a row with `rights` as a list, `status`, and `ends_at`, the end of its life;
    or None.
    """
    row = db.one(sql.get, id=id)
    return represent(row) if row else None


def represent(row):
    """Complete a row of the statements `get` and `list`, in place, and return it."""
    row["rights"] = json.loads(row["rights"])
    if row["revoked_at"]:
        row["status"] = "revoked"
    elif row["ends_at"] is not None and row["ends_at"] <= times.now():
        row["status"] = "expired"
    else:
        row["status"] = "active"
    return row


def by_ref(db, ref):
    """Return the link with this ref, or None."""
    id = db.value(sql.by_ref, ref=ref)
    return get(db, id) if id else None


def of_person(db, kind, subject, email):
    """Return the live link of a person for the participant or application with the id `subject`, or
    None.
    """
    id = db.value(sql.of_person, kind=kind, subject=subject, email=email)
    return get(db, id) if id else None


def _audit(db, action, link, old=None, new=None):
    """Audit an action of a link. `old` and `new` are the link before and after it."""
    journal.administered(
        db,
        entities.LINK,
        action,
        link["id"],
        title=f"link {link['id']}",
        old=_audited(old),
        new=_audited(new),
    )
    if action in entities.LINK.events:
        stored = get(db, link["id"])
        journal.announced(db, entities.LINK, action, {name: stored[name] for name in ANNOUNCED})


def _audited(link):
    return {name: link[name] for name in AUDITED} if link else None


def update(db, old, fields):
    """Change `name`, `email`, `language`, `rights`, `devices` or `expires_at`, and return the link."""
    values = {name: old[name] for name in COLUMNS}
    values.update(fields)
    values["rights"] = as_json(values["rights"])
    db.run(
        sql.change,
        **values,
        id=old["id"],
        stamp=db.stamp,
        email_hash=_hash_of(db, values["email"]),
    )
    return updated(db, old)


def updated(db, old):
    """Audit that a link was changed, and return it. `old` is the link before."""
    link = get(db, old["id"])
    _audit(db, "updated", link, old, link)
    return link


def hand_over(db, kept_id, other_id):
    """Move the links of the participant `other_id` to `kept_id`, with which it is merged.

    Those that the merge has ended stay in the history of the participant.
    """
    for id in db.values(sql.to_hand_over, id=other_id):
        old = get(db, id)
        db.run(sql.hand_over, id=id, participant_id=kept_id, now=db.now)
        updated(db, old)


def revoke(db, link, ended_by="office"):
    """End a link, its secrets and its sessions for ever.

    `ended_by` is office, merge, address, undo or inviter. The office also closes the address of the
    link for its participant or application (reach.py, R2), that of a link that has ended otherwise,
    too. With undo, the address is closed again if it was before the link was made. Otherwise, a
    revoked link is not changed.
    """
    if ended_by == "office" and db.run(sql.close, id=link["id"], stamp=db.stamp):
        _audit(db, "updated", link, link, get(db, link["id"]))
    elif db.run(sql.revoke, id=link["id"], ended_by=ended_by, now=db.now, stamp=db.stamp):
        _close(db, link["id"])
        if ended_by == "undo":
            db.run(sql.close_again, id=link["id"])
        _audit(db, "revoked", link, link, get(db, link["id"]))
    return get(db, link["id"])


def ended():
    """Return the 403 Problem for a device at the door whose session or link has ended: it deletes
    its roster.
    """
    return Problem(
        "link_ended",
        "The link of this device has ended. Scans that were not sent stay on the device: "
        "export them, and let the office send them with POST /check-ins/batch.",
    )


def rotate(db, link):
    """Delete all secrets and end all sessions of a link. Its next secret is the only one."""
    _close(db, link["id"])
    _audit(db, "rotated", link)


def _close(db, id):
    db.run(sql.drop_secrets, link_id=id)
    db.run(sql_of_sessions.end_all, link_id=id, now=db.now)


def every(db, **filters):
    """Return the rows of all links.

    `filters` are event_id and kind; None selects all.
    """
    filters = {name: value for name, value in filters.items() if value is not None}
    return [get(db, row["id"]) for row in db.all(sql.every, frozenset(filters), **filters)]


def devices(db, link_id=None):
    """Return the devices on which links of doors are open, as rows: id, link_id, station,
    event_title, and times.

    `link_id` selects those of one link.
    """
    filters = frozenset({"link_id"}) if link_id else frozenset()
    return db.all(sql_of_sessions.at_doors, filters, link_id=link_id)


def end_device(db, id, link_id=None):
    """End the session of a device at the door, or at the door of one link.

    Raise 404 if it is not open there.
    """
    row = next((row for row in devices(db, link_id) if row["id"] == id), None)
    if row is None:
        raise not_found("device of a door", id)
    db.run(sql_of_sessions.end, id=id, now=db.now)
    journal.administered(db, entities.LINK, "session_ended", row["link_id"], title=f"device {id}")


def blank(db, link):
    """Forget the name and the address of a link that has ended.

    The keyed hash of one that was revoked stays.
    """
    db.run(sql.blank, id=link["id"], stamp=db.stamp)


def record_use(db, link):
    """Record that somebody has signed in with a link."""
    db.run(sql.use, id=link["id"], now=db.now)


# Secrets and mails


def handed_out(db, link, way):
    """Audit that somebody gets an address of a link. `way` is shown, mailed or reminded.

    A new or replaced address that is shown at once has the entry of that, created or rotated. The
    entry contains neither the address nor the person.
    """
    _audit(db, way, link)


def show(db, link):
    """Return a further secret of a link, which is shown to somebody of the office."""
    handed_out(db, link, "shown")
    return add_secret(db, link, "shown")


def add_secret(db, link, way, mailed_to=None):
    """Make a secret of a link and return it.

    A mailed one is valid for 14 days. One that is shown lives as long, for the door ten minutes;
    without a mail server it lives as long as its link, since no other one can be mailed.
    """
    lasts = link_secrets.MAILED
    if way == "shown":
        if link["kind"] == "door":
            lasts = link_secrets.SHOWN
        elif not mails.is_configured(db.config):
            lasts = None
    return link_secrets.add(db, way=way, link_id=link["id"], mailed_to=mailed_to, lasts=lasts)


def address(base_url, secret):
    """Return the address that opens a link."""
    return f"{base_url}/link/{secret}"


def masked(email):
    """Return an address of which somebody recognises the own one: m…@example.com."""
    name, _, domain = email.partition("@")
    return f"{name[:1]}…@{domain}"


def mail(db, link, base_url, kind=KIND, details=None):
    """Queue a mail of a kind with the address of a link. `details` is JSON as in `mails.add`.

    The worker makes the secret while it sends the mail.
    """
    language = language_of(db, link)
    mails.add(
        db,
        kind,
        entities.LINK.entity_type,
        link["id"],
        link["email"],
        subject(link, kind, language),
        base_url=base_url,
        language=language,
        details=details,
    )
    db.run(sql.mark_mailed, id=link["id"], now=db.now)
    handed_out(db, link, "reminded" if kind == TODOS else "mailed")


def language_of(db, link):
    """Return the language of mails with a link."""
    return choice.choose(db.config, link["language"])


def subject(link, kind, language):
    """Return the subject of a mail of a kind with a link."""
    return mail_words.WORDS[language][f"{kind}_subject"].format(title=link["event_title"])


def mails_today(db, link, kind=KIND):
    """Return how often a mail of a kind with this link was queued in the last 24 hours."""
    return db.value(sql.mails_of_day, kind=kind, id=link["id"], since=times.after(db.now, -DAY))


def tell_of_offer(db, participant_id):
    """Queue a mail to everybody who can see the booth that a participant is offered on its page.

    Without mail, without `base_url`, or while the exhibitors' pages are closed, there is none.
    """
    if not (mails.is_configured(db.config) and db.config.base_url):
        return
    for link in active(db, participant_id, "booth"):
        if not mails.is_waiting(db, OFFER, entities.LINK.entity_type, link["id"]):
            mail(db, link, db.config.base_url, OFFER)


def active(db, participant_id, right):
    """Return the active links with an address whose persons can use a right on the page of a
    participant: it is open, the event gives the right, and no feature is disabled that it needs.
    """
    features = as_json(["pages", *link_rights.FLAGS.get(right, ())])
    ids = db.values(
        sql.of_participant, participant_id=participant_id, right=right, features=features
    )
    return [link for link in (get(db, id) for id in ids) if link["status"] == "active"]


def with_secret(db, mail, link_of):
    """Return a mail that is being sent with `secret`, a new one of its link, or None without a link
    that opens.

    `link_of` is that of its kind, see Mail of records/subject.py.
    """
    with db.write():
        link = _opening(db, link_of(db, mail))
        secret = link and add_secret(db, link, "mailed", link["email"])
    return {**mail, "secret": secret}


def with_sample_secret(db, mail, link_of):
    """Return a mail with SECRET, or None, where `with_secret` has a secret or None. Write nothing."""
    return {**mail, "secret": SECRET if _opening(db, link_of(db, mail)) else None}


def _opening(db, id):
    """Return a link with an address that opens, or None. `id` may be None."""
    link = get(db, id) if id else None
    return link if link and link["status"] == "active" and link["email"] else None


def ask_for_mail(db, email, base_url):
    """Store that somebody asks for a new link. Whether the address has one is not looked at here."""
    hashed = link_secrets.address_hash(db, email)
    ten_minutes_ago = times.after(db.now, -TEN_MINUTES)
    a_day_ago = times.after(db.now, -DAY)
    lately = db.value(sql.recent_requests, email_hash=hashed, since=ten_minutes_ago)
    in_a_day = db.value(sql.recent_requests, email_hash=hashed, since=a_day_ago)
    if lately < PER_ADDRESS and in_a_day < PER_DAY:
        db.run(sql.add_request, email_hash=hashed, base_url=base_url, now=db.now)


def handle_requests(db, size):
    """Queue a mail for each live link of the addresses that asked for one.

    Return the number of requests.
    """
    if not db.all(sql.waiting_requests, size=1):
        return 0
    with db.write():
        rows = db.all(sql.waiting_requests, size=size)
        for row in rows:
            for id in db.values(sql.of_address, email_hash=row["email_hash"]):
                link = get(db, id)
                if link["status"] == "active" and mails_today(db, link) < PER_DAY:
                    mail(db, link, row["base_url"])
            db.run(sql.settle_request, id=row["id"], now=db.now)
    return len(rows)


# Upkeep


def delete_old(db, size):
    """Delete requests after a day and secrets 30 days after their end, and forget the persons of
    ended links.

    Return the number of rows.
    """
    with db.write():
        a_day_ago = times.after(db.now, -DAY)
        a_month_ago = times.after(db.now, -MONTH)
        count = db.run(sql.drop_requests, before=a_day_ago, size=size)
        count += db.run(sql.drop_expired_secrets, before=a_month_ago, size=size)
        for id in db.values(sql.ended_links, before=a_month_ago):
            link = get(db, id)
            ended_at = link["revoked_at"] or link["ends_at"] or db.now
            if ended_at < a_month_ago:
                blank(db, link)
                count += 1
    return count
