"""Drafts of applications: what the form of a public page has sent, until its e-mail address is
confirmed.

A draft is no application: no webhook, search or export has it. The link in the mail confirms the
address and makes the application. Only hashes of the secrets in links are stored; the worker makes
a secret while it sends the mail.
"""

import json
from contextlib import suppress
from datetime import timedelta

from eventapi import times
from eventapi.domain.access import link_secrets, links, reach
from eventapi.domain.access.link_secrets import form_key
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.people import applications
from eventapi.domain.public_forms import visitors
from eventapi.domain.records import entities
from eventapi.domain.shows import apply_form, settings
from eventapi.errors import Problem
from eventapi.names import full_name
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("drafts")

KIND = "application_confirmation"
TEXTS = {"apply": KIND, "visit": "visit_confirmation"}  # form -> name of the text of its mail
ENTITY = entities.APPLICATION_DRAFT.entity_type
# Fields of an application that a draft of an older version lacks.
LATER = {"booth_type_id": None, "booth_type_key": None, "is_business": None}
LARGEST = 32_000  # characters of the fields of a draft
CORRECTIONS = 3  # of the address of a draft
MOST = 10_000  # drafts that wait for confirmation
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
WEEK, TWO_DAYS, MONTH = timedelta(days=7), timedelta(days=2), timedelta(days=30)

# Limits of mails. Those of a network and of a domain count only mails whose address was not
# confirmed.
PER_DAY = 3  # mails to an address in a day; it gets no further ones
PER_HOUR = 30  # because of one network, an IPv4 address or the /64 of an IPv6 address
PER_HOUR_WIDE = 120  # because of the /48 of an IPv6 address
PER_DOMAIN = 20  # to a domain in a day
PER_KNOWN_DOMAIN = 200  # the same, if one was confirmed within KNOWN
KNOWN = MONTH
# between two mails to a domain that has had these, so that none is shut out
PAUSE = timedelta(minutes=10)
SHARE = 30  # of mails_per_minute: all in an hour, half of what can be sent
AT_ONCE = 27  # the same for new drafts; the rest is for those that wait
ROUND = 100  # mails that `release` queues in one transaction
# Domains of twelve providers of mailboxes. Some thousands of visitors of a large show have their
# address there, so they have no limit by domain.
PROVIDERS = frozenset(
    (
        "gmail.com",
        "googlemail.com",
        "gmx.de",
        "gmx.net",
        "gmx.at",
        "gmx.ch",
        "gmx.com",
        "web.de",
        "t-online.de",
        "magenta.de",
        "freenet.de",
        "outlook.com",
        "outlook.de",
        "hotmail.com",
        "hotmail.de",
        "live.com",
        "live.de",
        "msn.com",
        "icloud.com",
        "me.com",
        "mac.com",
        "yahoo.com",
        "yahoo.de",
        "aol.com",
        "aol.de",
        "bluewin.ch",
        "proton.me",
        "protonmail.com",
        "seznam.cz",
    )
)
GMAIL = ("gmail.com", "googlemail.com")  # the same mailboxes, and dots in their names mean nothing


def store(db, event, form, fields, nonce, language, client, base_url):
    """Store a draft, queue the mail that asks to confirm its address, and return its id.

    The same form again changes nothing, and returns None. Without a mail server, nothing is queued.

    `form` is apply or visit, `fields` a complete body of POST /applications that
    `applications.check_form` has accepted, `nonce` that of the form, `client` the address of the
    client. An address gets few mails a day. Beyond the limits of a network, of a domain and of all
    drafts, the mail waits for `release`. Raise 413 for fields that are too long.
    """
    if len(as_json(fields)) > LARGEST:
        raise Problem(
            "body_too_large", f"All fields together may have at most {LARGEST} characters."
        )
    if db.value(sql.known, nonce=nonce):
        return None
    if db.value(sql.unconfirmed) >= MOST:
        db.run(sql.drop_of_largest_network)
    return _add(db, event, form, fields, nonce, language, client, base_url)


def _add(db, event, form, fields, nonce, language, client, base_url):
    email_hash = _address(db, fields["email"])
    network, wide_network = link_secrets.networks(form_key(db), client)
    daily = _mailed(db, email_hash, network=wide_network or network)
    has_mail = daily < PER_DAY and mails.is_configured(db.config)
    keys = {
        "network": network,
        "wide_network": wide_network,
        "domain_hash": _domain(db, fields["email"]),
    }
    is_free = has_mail and _room(db, AT_ONCE) > 0 and _limit_reached(db, keys) is None
    id = db.insert(
        sql.add,
        **keys,
        event_id=event["id"],
        form=form,
        nonce=nonce,
        fields=as_json(fields),
        email=fields["email"],
        email_hash=email_hash,
        language=language,
        mail_base_url=base_url if has_mail else None,
        now=db.now,
    )
    if is_free and not db.value(sql.waiting_before, **keys, id=id):
        _queue_mail(db, id)
    return id


def correct(db, event, form, nonce, email, client, base_url):
    """Replace the address of the draft of a form.

    Return (whether that is possible, the id of the new draft or None).

    The links in mails to the wrong address open nothing any more. An address can be corrected
    CORRECTIONS times. Nothing changes if the address is the same, or if the draft is confirmed or
    was deleted.
    """
    draft = db.one(sql.latest, nonce=nonce, event_id=event["id"], form=form)
    if draft is None or draft["fields"] is None or draft["email"] == email:
        return True, None
    number = int(draft["nonce"].partition(".")[2] or 0) + 1
    if number > CORRECTIONS:
        return False, None
    db.run(sql.replace, id=draft["id"])
    db.run(sql.drop_secrets, id=draft["id"])
    if mails.withdraw(db, KIND, ENTITY, draft["id"]):
        db.run(sql.forget_mail, id=draft["id"])
    fields = {**json.loads(draft["fields"]), "email": email}
    return True, _add(
        db, event, form, fields, f"{nonce}.{number}", draft["language"], client, base_url
    )


# Limits


def release(db):
    """Queue the mails that wait, as far as the limits allow, and return their number.

    Networks take turns, beginning with the one that had a mail least recently. A confirmation gives
    its place in the limits to the next mail, so the worker calls this often. An address that has
    had PER_DAY mails meanwhile, because of forms of several networks, gets none for those that
    wait.
    """
    waiting = db.all(sql.waiting)
    if not waiting:
        return 0
    reached, count = set(), 0  # limits that are reached, as `_limit_reached` returns them
    with db.write():
        room = min(ROUND, _room(db, SHARE))
        for draft in waiting:
            if count >= room:
                break
            if not reached.isdisjoint(draft.items()):
                continue
            still_waiting = db.one(sql.still_waiting, id=draft["id"])
            if still_waiting is None:
                continue
            email_hash = still_waiting["email_hash"]
            limit = _limit_reached(db, draft)
            if limit:
                reached.add(limit)
            elif _mailed(db, email_hash) >= PER_DAY:
                db.run(sql.drop_waiting_of_address, email_hash=email_hash)
            else:
                _queue_mail(db, draft["id"])
                count += 1
    return count


def _room(db, share):
    """Return how many mails of all drafts can be queued now. `share` is SHARE or AT_ONCE."""
    return share * db.config.mails_per_minute - _sent(db, times.after(db.now, -HOUR))


def _mailed(db, email_hash, **only):
    """Return how many mails an address had within a day, at most PER_DAY. With `network`, add those
    that wait there.
    """
    return db.value(
        sql.of_address,
        frozenset(only),
        email_hash=email_hash,
        since=times.after(db.now, -DAY),
        now=db.now,
        most=PER_DAY,
        **only,
    )


def _limit_reached(db, draft):
    """Return the first limit that leaves no room for the mail of a draft: (column, value of the
    draft in it), or None.

    `draft` is a dict with the columns of the limits.
    """
    hour = times.after(db.now, -HOUR)
    if _sent(db, hour, network=draft["network"]) >= PER_HOUR:
        return "network", draft["network"]
    if (
        draft["wide_network"]
        and _sent(db, hour, wide_network=draft["wide_network"]) >= PER_HOUR_WIDE
    ):
        return "wide_network", draft["wide_network"]
    if draft["domain_hash"] and not _may_have_mail(db, draft["domain_hash"]):
        return "domain_hash", draft["domain_hash"]
    return None


def _sent(db, since, **only):
    """Return how many mails were queued since a time: all, or those to unconfirmed addresses of a
    network or domain.
    """
    return db.value(sql.sent, frozenset(only), since=since, now=db.now, **only)


def _may_have_mail(db, domain_hash):
    """Return whether a domain can have a mail now: one of the first of a day, or one after each
    PAUSE.
    """
    is_known = db.value(
        sql.is_domain_known, domain_hash=domain_hash, since=times.after(db.now, -KNOWN)
    )
    most = PER_KNOWN_DOMAIN if is_known else PER_DOMAIN
    if _sent(db, times.after(db.now, -DAY), domain_hash=domain_hash) < most:
        return True
    return _sent(db, times.after(db.now, -PAUSE), domain_hash=domain_hash) == 0


def _queue_mail(db, id):
    """Queue the mail of a draft. Mails of networks that had fewer in the last hour leave before it."""
    draft, hour = db.one(sql.to_mail, id=id), times.after(db.now, -HOUR)
    turn = _sent(db, hour, network=draft["network"])
    if draft["wide_network"]:
        turn = max(
            turn, _sent(db, hour, wide_network=draft["wide_network"]) * PER_HOUR // PER_HOUR_WIDE
        )
    mails.add(
        db,
        KIND,
        ENTITY,
        id,
        draft["email"],
        subject(TEXTS[draft["form"]], draft["language"], draft["title"]),
        base_url=draft["mail_base_url"],
        language=draft["language"],
        turn=min(turn, mails.TURNS - 1),
    )
    db.run(sql.mark_mailed, id=id, now=db.now)


def _address(db, email):
    """Return a keyed hash of the mailbox of an address: ada+fair@example.org is that of
    ada@example.org.
    """
    name, _, domain = email.lower().rpartition("@")
    name = name.partition("+")[0] or name
    if domain in GMAIL:
        name, domain = name.replace(".", ""), GMAIL[0]
    return link_secrets.address_hash(db, f"{name}@{domain}")


def _domain(db, email):
    """Return a keyed hash of the domain of an address, or None if it is one of PROVIDERS.

    Its subdomains are one with it, since its owner has as many of them as he wants. A domain is the
    last two labels of a name, or three if the second-level label is as short as that of
    rosen.co.uk, rosen.com.au and rosen.or.at.
    """
    name = email.rpartition("@")[2].lower()
    with suppress(UnicodeError):
        name = name.encode("idna").decode()
    if name in PROVIDERS:
        return None
    labels = name.split(".")
    is_shared = len(labels) > 2 and len(labels[-2]) <= 3
    domain = ".".join(labels[-3:] if is_shared else labels[-2:])
    return link_secrets.address_hash(db, f"@{domain}")


# The link in the mail


def new_secret(db, id):
    """Make a secret for the link of a draft, store its hash and return it.

    None if there is nothing to confirm.
    """
    with db.write():
        draft = db.one(sql.get, id=id)
        if draft is None or draft["confirmed_at"] or draft["fields"] is None:
            return None
        return add_secret(db, id)


def add_secret(db, id, way="mailed"):
    """Make a secret for the link of a draft, store its hash and return it.

    Call this inside a write transaction.

    `way` is shown if the page shows the link, since this server cannot send mail. That proves no
    address.
    """
    return link_secrets.add(db, way=way, draft_id=id)


def subject(name, language, title):
    """Return the subject of a mail. `name` is one of TEXTS, `title` that of the event."""
    return mail_words.WORDS[language][f"{name}_subject"].format(title=title)


def get(db, id):
    """Return the draft of a link with its `event_key`, or None."""
    return db.one(sql.get, id=id)


def confirm(db, draft, show, base_url, *, way="mailed"):
    """Make the application of a draft whose address is confirmed, and return (its link, whether it
    is a new one).

    The secrets of the draft become those of the link. `show` is the result of `directory.show` or
    None, `base_url` the public address, `way` that of the secret: one that was shown confirms no
    address. An address that has applied or registered already gets the link of that application.
    Raise 422 or 409 if the form has changed so that the application is not valid any more, and 409
    `link_revoked` if the office has revoked a link of the address at this event.
    """
    email, fields = draft["email"], {**LATER, **json.loads(draft["fields"])}
    reach.refuse_closed_at_event(db, email, draft["event_id"])
    id = draft["form"] == "visit" and visitors.registered(db, email, draft["event_id"])
    is_new = False
    if not id:
        try:
            asked = set(fields["custom_fields"])
            if draft["form"] == "apply":
                asked |= set(
                    apply_form.custom_keys(settings.get(db, draft["event_id"])["apply_form"])
                )
            id = applications.create(db, {**fields, "late": True}, by_form=True, asked=asked)["id"]
            is_new = True
        except Problem as problem:
            if problem.code != "duplicate":
                raise
            id = problem.members["application_id"]
    if way == "mailed":
        applications.confirm_email(db, id)
    application = applications.get(db, id)
    link = links.of_person(db, "application", id, email)
    if link:
        links.handed_out(db, link, way)
    else:
        name = full_name(application) or None
        link = links.create(
            db,
            "application",
            event_id=draft["event_id"],
            application_id=id,
            email=email,
            language=draft["language"],
            name=name,
        )
    ends = times.after(db.now, link_secrets.MAILED)
    db.run(sql.hand_over, id=draft["id"], link_id=link["id"], email=email, expires_at=ends)
    db.run(sql.remember_domain, id=draft["id"], now=db.now)
    db.run(sql.confirm, id=draft["id"], application_id=id, now=db.now)
    if is_new and draft["form"] == "visit":
        visitors.admit(db, show, application, base_url)
    return link, is_new


# Upkeep


def delete_old(db, size):
    """Delete confirmed drafts after two days and others after a week, with their secrets and mails
    that wait, at most `size` in a transaction.

    Forget which domains were confirmed after KNOWN. Return the number of drafts and domains.
    """
    with db.write():
        domains = db.run(sql.forget_domains, before=times.after(db.now, -KNOWN), size=size)
        return domains + db.run(
            sql.drop_old,
            week=times.after(db.now, -WEEK),
            two_days=times.after(db.now, -TWO_DAYS),
            size=size,
        )
