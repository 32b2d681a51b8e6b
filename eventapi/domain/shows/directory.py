"""What everybody may read about an event: the same plain values for HTML, JSON and files.

Nothing that is not named here is shown. A person is named only if a profile says so.
"""

import json
import re

from eventapi import times
from eventapi.domain.halls import plan_pictures
from eventapi.languages import countries
from eventapi.storage import folding
from eventapi.storage.statements import statements

sql = statements("directory")

PARTS = ("show_directory", "show_plan", "show_programme")
ENCODED = ("texts", "products", "links")
DETAILS = ("text", "website", "email", "phone", "links")  # of an exhibitor, on its own page only


def state(db, event_key):
    """Return what kept pages of an event depend on: {id, language, show_plan, revision, lists}, or
    None as `show`.

    `lists` is the number of changes that lists of exhibitors show, `revision` that of all.
    """
    return db.one(sql.state, event_key=event_key)


def show(db, event_key):
    """Return the event as its pages show it, or None if it has no public pages."""
    row = db.one(sql.show, event_key=event_key)
    if row is None:
        return None
    for name in ("opening_hours", "texts", "embed_origins", "apply_terms", "visit_fields"):
        row[name] = json.loads(row[name])
    for name in (*PARTS, "is_indexed"):
        row[name] = bool(row[name])
    zone = row["timezone"]
    row["first_day"] = times.local_date(row["date_from"], zone)
    row["last_day"] = times.local_date(row["date_to"] or row["date_from"], zone)
    row["next"] = (
        db.one(sql.next_show, over_at=row["over_at"]) if row["over_at"] < times.now() else None
    )
    return row


def indexed(db):
    """Return the keys of the events that search engines may list."""
    return db.values(sql.indexed)


def exhibitors(db, show, language):
    """Return the listed exhibitors in the order of their names. Call this inside a snapshot."""
    if not show["show_directory"]:
        return []
    found = db.all(sql.exhibitors, event_id=show["id"])
    booths = {}
    for booth in db.all(sql.booths, event_id=show["id"]):
        booths.setdefault(booth.pop("exhibitor_id"), []).append(booth)
    names = {row["id"]: row["name"] for row in found}
    for row in found:
        host = row.pop("host_participant_id")
        row["country"] = countries.name(row["country"], language)
        row["booths"] = booths.get(row["id"]) or booths.get(host, [])
        row["host"] = names.get(host) and {
            "id": host,
            "name": names[host],
            "slug": slug(names[host]),
        }
        row["slug"] = slug(row["name"])
        for name in ENCODED:  # most exhibitors have no profile
            row[name] = json.loads(row[name]) if row[name] else []
        row["text"] = in_language(row.pop("texts") or {}, language)
        row["website"] = linkable(row["website"])
    return sorted(found, key=lambda row: (row["slug"], row["id"]))


def in_language(texts, language):
    """Return the text in the language, else that in another one, else None."""
    return texts.get(language) or next(iter(texts.values()), None)


def linkable(website):
    """Return the address of a web site with its scheme."""
    return (
        website
        if not website or website.lower().startswith(("http://", "https://"))
        else f"https://{website}"
    )


def brief(found):
    """Return the exhibitors as a list shows them."""
    return [{name: value for name, value in row.items() if name not in DETAILS} for row in found]


def matching(found, q="", category=""):
    """Return the exhibitors of a category whose name, products or booths contain each word of `q`,
    but for accents.
    """
    words = folding.fold(q).split()
    return [
        row
        for row in found
        if (not category or row["category_key"] == category)
        and all(word in _text(row) for word in words)
    ]


def _text(row):
    return folding.fold(
        " ".join(
            [row["name"], *row["products"], *(booth["booth_number"] for booth in row["booths"])]
        )
    )


def categories(found):
    """Return the categories of the exhibitors with the number of each, by title."""
    counts = {}
    for row in found:
        if row["category_key"]:
            key = row["category"], row["category_key"]
            counts[key] = counts.get(key, 0) + 1
    return [
        {"category_key": key, "title": title, "count": count}
        for (title, key), count in sorted(counts.items())
    ]


def is_category(db, show, category_key):
    """Return whether the event has a category with this key."""
    return db.value(sql.is_category, category_key=category_key, event_id=show["id"]) is not None


def plans(db, show):
    """Return key and name of each plan that is shown."""
    return [{"plan_key": row["plan_key"], "name": row["name"]} for row in _plans(db, show)]


def hall(db, show, plan_key, found, language):
    """Return the hall of a plan as pictures/hall draws it, or None. Call this inside a snapshot.

    Booths have the names of the listed exhibitors `found`; those of others are `taken`.
    """
    id = next((row["id"] for row in _plans(db, show) if row["plan_key"] == plan_key), None)
    if id is None:
        return None
    return named(plan_pictures.read(db, id, "public", language), found)


def held_until(db, show):
    """Return when the next hold of a booth of the event ends, or None."""
    return db.value(sql.held_until, event_id=show["id"], now=times.now())


def named(hall, found):
    """Return a hall in the public view with the names of the exhibitors `found`.

    Booths of others are `taken`.
    """
    listed = {row["id"]: row for row in found}
    for booth in hall["booths"]:
        exhibitor = listed.get(booth["exhibitor_id"])
        booth["exhibitor"] = exhibitor and exhibitor["name"]
        if booth["status"] == "exhibitor" and not exhibitor:
            booth["status"], booth["exhibitor_id"] = "taken", None
        booth["slug"] = exhibitor and exhibitor["slug"]
    return hall


def _plans(db, show):
    return db.all(sql.plans, event_id=show["id"]) if show["show_plan"] else []


def has_programme(db, show):
    """Return whether the page of the programme has anything to show: public slots, while the feature
    `schedules` is enabled.
    """
    return show["show_programme"] and db.value(sql.has_programme, event_id=show["id"]) is not None


def programme(db, show, found):
    """Return the public slots by time, with the listed exhibitors and people that speak in or host
    them.

    Needs a snapshot.
    """
    if not show["show_programme"]:
        return []
    slots = db.all(sql.slots, event_id=show["id"])
    listed = {row["id"]: row for row in found}
    hosts = {}
    speakers = {}
    for row in db.all(sql.hosts, event_id=show["id"]):
        exhibitor = listed.get(row["exhibitor_id"])
        if exhibitor:
            known = {name: exhibitor[name] for name in ("id", "name", "slug")}
            hosts.setdefault(row["slot_id"], []).append(known)
        elif row["speaker"]:
            speakers.setdefault(row["slot_id"], []).append(row["speaker"])
    return [
        {**slot, "exhibitors": hosts.get(slot["id"], []), "speakers": speakers.get(slot["id"], [])}
        for slot in slots
    ]


def logo(db, show, id):
    """Return hash and content type of the logo of a listed exhibitor, or None."""
    return db.one(sql.logo, id=id, event_id=show["id"]) if show["show_directory"] else None


def picture(db, show):
    """Return hash and content type of the picture of the event, or None."""
    return show["picture_id"] and db.one(sql.picture, id=show["picture_id"])


def slug(name):
    """Return a name as part of an address: `koszegi-vetomag-zrt`."""
    return re.sub(r"[^a-z0-9]+", "-", folding.fold(name)).strip("-")[:60] or "x"
