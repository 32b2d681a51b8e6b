"""The to-dos of an exhibitor: what is late, open, waiting for the office and done, each with its
day and its page.
"""

from eventapi import money, times
from eventapi.domain.portal import choosing, reading, staff
from eventapi.domain.portal.todo_words import WORDS
from eventapi.domain.shows import profiles
from eventapi.languages import formats

STATES = ("late", "open", "waiting", "done")
# roles that have booths and an entry on the public pages
LISTED = (
    "exhibitor",
    "co_exhibitor",
    "sponsor",
)
BEFORE_SHOW = {"profile": 14, "badges": 1}  # days before the show on which a to-do is due
SOON = 14  # days ahead in which a session is noted


def of(db, participant, event, pages, rights):
    """Return the to-dos as dicts, the late ones first: {kind, state, due, page, …}.

    `rights` are those of the link, `pages` the settings of the event. `state` is one of STATES,
    `due` a timestamp, a date or None; the further values depend on the kind. Call this inside a
    snapshot.
    """
    found = [
        todo
        for right, make in PARTS
        if right in rights
        for todo in make(db, participant, event, pages)
    ]
    now = db.now or times.now()
    for todo in found:
        if (
            todo["state"] == "open"
            and todo["due"]
            and times.end(todo["due"], event["timezone"]) < now
        ):
            todo["state"] = "late"
    if participant["status"] == "cancelled":
        found = [todo for todo in found if todo["kind"] == "invoice"]
    return sorted(found, key=lambda todo: STATES.index(todo["state"]))


def said(todo, language, zone):
    """Return {title, detail} of a to-do: what it is about, and until when or with whom it is.

    `detail` may be "".
    """
    texts, state = WORDS[language], todo["state"]
    known = {
        **todo,
        "titles": ", ".join(todo.get("titles", ())),
        "day": formats.day(times.local_date(todo["due"], zone), language) if todo["due"] else "",
        **{
            name: formats.moment(todo[name], zone, language)
            for name in ("until", "at")
            if todo.get(name)
        },
        **{
            name: formats.money(
                money.major(todo[name], todo["currency"]), todo["currency"], language
            )
            for name in ("total", "open")
            if todo.get(name) is not None
        },
    }
    name = f"{todo['kind']}_{state if state in ('waiting', 'done') else 'open'}"
    detail = {"waiting": "waits", "late": "was_due", "open": "by_day" if todo["due"] else None}.get(
        state
    )
    if todo.get("is_listed") is False:
        name = "profile_unlisted"
    elif todo.get("lacks"):
        name = f"profile_lacks_{todo['lacks']}"
    return {
        "title": texts[name].format_map(known),
        "detail": texts[detail].format_map(known) if detail else "",
    }


def soon(db, participant):
    """Return the sessions of the participant in the next days."""
    now = times.now()
    until = times.add_days(now[:10], SOON) + now[10:]
    return [slot for slot in reading.slots(db, participant) if now <= slot["starts_at"] <= until]


def _todo(kind, state, page, due=None, **data):
    return {"kind": kind, "state": state, "page": page, "due": due, **data}


def _contracts(db, participant, event, pages):
    for row in reading.contracts(db, participant):
        known = {
            "title": row["title"] or row["document_number"],
            "number": row["document_number"],
            "at": row["signed_at"],
            "by": row["signer_name"],
        }
        if row["contract_status"] == "pending_signature":
            yield _todo("contract", "open", f"contract/{row['id']}", **known)
        elif row["contract_status"] == "active":
            yield _todo("contract", "done", f"contract/{row['id']}", **known)


def _booth(db, participant, event, pages):
    if participant["role"] not in LISTED:
        return
    own, opened = choosing.own_booths(db, participant), choosing.window(pages, event)
    for row in own:
        number = row["booth_number"]
        if row["status"] == "confirmed":
            yield _todo("booth", "done", "booth", number=number)
        elif row["by_office"]:
            yield _todo("booth_offer", "open", "booth", row["expires_at"], number=number)
        elif pages["booth_confirm"] == "office":
            yield _todo("booth", "waiting", "booth", number=number, until=row["expires_at"])
        else:
            yield _todo("booth_hold", "open", "booth", row["expires_at"], number=number)
    if not own and opened and opened["state"] == "open":
        yield _todo("booth", "open", "booth", pages["booth_until"], number=None)


def _submissions(db, participant, event, pages):
    kinds = reading.types(db, participant)
    back = [kind for kind in kinds if kind["state"] in ("revision_requested", "rejected")]
    left = [kind for kind in kinds if kind["is_required"] and kind["state"] in ("missing", "draft")]
    for kind in back:
        yield _todo(
            "revision", "open", f"submissions/{kind['key']}", kind["due_at"], title=kind["title"]
        )
    if left:
        page = f"submissions/{left[0]['key']}" if len(left) == 1 else "submissions"
        due = min((kind["due_at"] for kind in left if kind["due_at"]), default=None)
        yield _todo("submissions", "open", page, due, titles=[kind["title"] for kind in left])
    required = [kind for kind in kinds if kind["is_required"]]
    if required and not left and not back:
        waits = [kind["title"] for kind in required if kind["state"] == "submitted"]
        yield _todo("submissions", "waiting" if waits else "done", "submissions", titles=waits)


def _orders(db, participant, event, pages):
    last_days = {row["service_id"]: row["last_day"] for row in reading.catalogue(db, participant)}
    for row in reading.orders_of(db, participant):
        known = {"number": row["order_number"], "total": row["total"], "currency": row["currency"]}
        if row["status"] == "draft":
            days = [last_days.get(item["service_id"]) for item in row["items"]]
            yield _todo(
                "order", "open", "orders/check", min(filter(None, days), default=None), **known
            )
        elif row["status"] == "submitted":
            yield _todo("order", "waiting", "orders", **known)
        elif row["status"] in ("confirmed", "completed"):
            yield _todo("order", "done", "orders", **known)


def _invoices(db, participant, event, pages):
    rows = reading.invoices_of(db, participant)
    owed = reading.owed(rows)
    for row in rows:
        if row["invoice_type"] != "invoice":
            continue
        known = {
            "number": row["invoice_number"],
            "open": owed.get(row["id"], 0),
            "total": row["total"],
            "currency": row["currency"],
        }
        if owed.get(row["id"]):
            yield _todo("invoice", "open", "invoices", row["due_date"], **known)
        elif row["status"] == "paid":
            yield _todo("invoice", "done", "invoices", **known)


def _profile(db, participant, event, pages):
    if participant["role"] not in LISTED:
        return
    profile = profiles.get(db, participant["id"])
    if profile["is_listed"] is False:
        yield _todo("profile", "done", "profile", is_listed=False)
        return
    language = pages["language"] or db.config.language
    has_name = bool(profile["display_name"] or participant["company_name"])
    is_done = has_name and bool(profile["texts"].get(language))
    yield _todo(
        "profile",
        "done" if is_done else "open",
        "profile",
        None if is_done else _before(event, "profile"),
        is_listed=True,
        has_name=has_name,
        lacks=None if is_done or not profile["texts"] else language,
    )


def _badges(db, participant, event, pages):
    if participant["role"] not in LISTED:
        return
    found = staff.quota(db, participant)
    if found["used"]:
        yield _todo("badges", "done", "badges", **found)
    elif found["left"]:
        yield _todo("badges", "open", "badges", _before(event, "badges"), **found)


def _before(event, kind):
    """Return the day on which a to-do is due, or None for a show without a date."""
    first = times.local_date(event["date_from"], event["timezone"])
    return first and times.add_days(first, -BEFORE_SHOW[kind])


PARTS = (
    ("contract", _contracts),
    ("booth", _booth),
    ("submissions", _submissions),
    ("orders", _orders),
    ("invoices", _invoices),
    ("profile", _profile),
    ("badges", _badges),
)
