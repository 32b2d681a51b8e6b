"""Limits of tries: of passwords, codes and API keys at the desk, and of mails that people ask for.

A try is counted before its work, and one that succeeds is taken back. What is counted is in the
database, so that a restart changes nothing. Addresses and networks are stored as keyed hashes, for a
day. Every function that writes is called inside a write transaction.
"""

from dataclasses import dataclass
from datetime import timedelta

from eventapi import times
from eventapi.domain.access import link_secrets
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("attempts")

TEN_MINUTES, QUARTER = timedelta(minutes=10), timedelta(minutes=15)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most this many tries within a period, of all that have the same `of`: `who`, `network`.

    `is_known` counts only those of browsers in which the person had signed in before, or only those
    of others, for which it holds then. None: of all.
    """

    most: int
    within: timedelta
    of: tuple[str, ...] = ()
    is_known: bool | None = None


WHO, NETWORK = ("who",), ("network",)
# kind of a try -> its limits. `who` is a keyed hash of an address, or the id of an admin.
LIMITS = {
    "password": (
        Limit(10, QUARTER, ("who", "network")),
        Limit(40, QUARTER, NETWORK),
        Limit(200, DAY, NETWORK),
        Limit(100, DAY, WHO, is_known=False),
    ),
    "code": (
        Limit(10, HOUR, WHO, is_known=False),
        Limit(30, DAY, WHO, is_known=False),
        Limit(30, DAY, WHO, is_known=True),
    ),
    "recovery": (Limit(10, DAY, WHO),),
    "key": (Limit(20, QUARTER, NETWORK),),
    "mail": (
        Limit(1, TEN_MINUTES, WHO),
        Limit(5, DAY, WHO),
        Limit(10, HOUR, NETWORK),  # invitations.py limits the mails of all
    ),
    "invitation": (
        Limit(1, TEN_MINUTES, WHO),
        Limit(5, DAY, WHO),
        Limit(50, DAY),
    ),
    "test": (Limit(5, HOUR, WHO),),
}


def of_address(db, email, client):
    """Return who and network of a try with a typed address. `client` is the IP address of the
    client.
    """
    return of_person(db, link_secrets.address_hash(db, email), client)


def of_person(db, who, client):
    """Return who and network of a try of an admin, by its id."""
    network, _ = link_secrets.networks(link_secrets.form_key(db), client)
    return {"who": str(who), "network": network}


def take(db, kind, tried, *, is_known=False):
    """Count a try and return its id. `tried` is what `of_address` or `of_person` returns.

    Raise 429 `rate_limited` if a limit is reached, with `until`: the try is not counted then.
    """
    until = free_at(db, kind, tried, is_known=is_known)
    if until:
        raise refusal(until, db.now)
    return db.insert(sql.add, kind=kind, **tried, is_known=int(is_known), now=db.now)


def free_at(db, kind, tried, *, is_known=False):
    """Return the timestamp at which the next try is possible, or None if it is now."""
    ends = [
        times.after(since, limit.within)
        for limit in LIMITS[kind]
        if limit.is_known in (None, is_known) and (since := _begin(db, kind, tried, limit))
    ]
    return max(ends, default=None)


def _begin(db, kind, tried, limit):
    """Return when the try was made that has to be forgotten before the next one, or None if there
    is room.
    """
    only = {name: tried[name] for name in limit.of}
    if limit.is_known is not None:
        only["is_known"] = int(limit.is_known)
    return db.value(
        sql.reached,
        frozenset(only),
        kind=kind,
        since=times.after(db.now, -limit.within),
        now=db.now,
        before=limit.most - 1,
        **only,
    )


def refusal(until, now):
    """Return the 429 Problem of a limit that is reached until a time."""
    seconds = times.unix(until) - times.unix(now)
    return Problem(
        "rate_limited",
        f"There were too many tries. The next one is possible at {until}.",
        headers={"Retry-After": str(max(1, seconds))},
        until=until,
    )


def take_back(db, id):
    """Forget a try that has succeeded."""
    db.run(sql.drop, id=id)


def forget(db, admin_id):
    """Forget the codes that were tried for an admin, whose second factor was removed."""
    db.run(sql.forget, who=str(admin_id))


def delete_old(db, size):
    """Delete tries after a day, at most `size`. Return their number."""
    with db.write():
        return db.run(sql.drop_old, before=times.after(db.now, -DAY), size=size)
