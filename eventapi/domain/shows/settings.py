"""The settings of the public pages of an event.

An event without a stored row has the defaults, and no page.

Every function that writes is called inside a write transaction and journals the change.
"""

import json

from eventapi import journal, times
from eventapi.domain.access.rights import RIGHTS
from eventapi.domain.mail import queue as mails
from eventapi.domain.organiser import missing as organiser
from eventapi.domain.records import entities, field_definitions
from eventapi.domain.shows import apply_form
from eventapi.errors import Faults, Problem, listed, quoted
from eventapi.languages import event_words
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("event_pages")

BOOLEANS = (
    "is_public",
    "show_directory",
    "show_plan",
    "show_programme",
    "is_indexed",
    "apply_is_open",
    "visit_is_open",
    "my_is_open",
    "show_prices",
)
OPTIONAL = ("show_", "apply_", "visit_", "my_")  # what pages may lack and still be public
# columns with JSON
ENCODED = (
    "texts",
    "embed_origins",
    "apply_terms",
    "visit_fields",
    "mail_texts",
    "my_rights",
    "booth_types",
)
FORMS = {"apply": "exhibitors", "visit": "visitors"}  # forms of the pages -> who fills them in
# what a form lacks -> what to do
REMEDIES = {
    "is_public": "set `is_public` to true",
    "apply_terms": "set `apply_terms`",
    "automatic_category": "give the event a selectable category with `approval` automatic",
}


def get(db, event_id):
    """Return the settings of an event, or None if there is no such event."""
    row = db.one(sql.get, id=event_id)
    return row and represent(db, row)


def open_for_exhibitors(db):
    """Return the title of each show whose exhibitors have pages of their own, with the organiser's
    email and phone.
    """
    return db.all(
        sql.open_for_exhibitors,
        email=db.config.organiser_email or None,
        phone=db.config.organiser_phone or None,
    )


def by_key(db, event_key):
    """Return the settings of an event with `is_visible` of the event, or None if there is no such
    event.
    """
    row = db.one(sql.find, event_key=event_key)
    return row and {**get(db, row["id"]), "is_visible": bool(row["is_visible"])}


def review(db, pages, address):
    """Return rows {what, state, remedy}: what the public pages show, what they lack, and what to
    do.

    `pages` is the result of `by_key`, `address` the public address of the service.
    """
    patch = f"PATCH /api/v1/events/{pages['id']}"
    remedies = {"base_url": "set the option base_url", "date_from": f"{patch} with date_from"}
    rows = [
        _row(name, "missing", remedies.get(name, f"set the option {name}, or imprint_url"))
        for name in lacks(db, pages, address)
    ]
    if db.value(sql.disabled):
        rows.append(_row("the feature pages", "hidden", "eventapi flag enable pages"))
    rows.append(
        _row("the event")
        if pages["is_visible"]
        else _row("the event", "hidden", f"{patch} with is_visible")
    )
    for name in (each for each in BOOLEANS if each not in ("is_indexed", "show_prices")):
        rows.append(
            _row(name) if pages[name] else _row(name, "hidden", f"{patch}/pages with {name}")
        )
    if not (pages["texts"].get("privacy") or db.config.privacy_url):
        rows.append(
            _row(
                "privacy",
                "advice",
                f"set the option privacy_url, or {patch}/pages with texts.privacy",
            )
        )
    if not pages["texts"].get("intro"):
        rows.append(
            _row("intro", "advice", f"{patch}/pages with texts.intro says what the show is")
        )
    public = all(
        row["state"] in ("public", "advice") or row["what"].startswith(OPTIONAL) for row in rows
    )
    return [
        _row(f"{address}/e/{pages['event_key']}", *([] if public else ["hidden", "see below"])),
        *rows,
    ]


def _row(what, state="public", remedy=None):
    return {"what": what, "state": state, "remedy": remedy}


def represent(db, row):
    """Turn a row into the API object, in place, and return it."""
    for name in BOOLEANS:
        row[name] = bool(row[name])
    if row["my_rights"] is None:
        row["my_rights"] = as_json(RIGHTS)
    for name in ENCODED:
        row[name] = json.loads(row[name])
    if row["apply_form"] is None:
        row["apply_form"] = apply_form.default(db)
    else:
        row["apply_form"] = json.loads(row["apply_form"])
    row["price_display"] = row["price_display"] or "gross"
    return row


def update(db, old, fields, address, *, is_trial=False):
    """Change the settings and return them. `fields` holds the changed fields.

    `address` is the public address of the service, "" if it is not known. `is_trial`: the service
    is tried on one machine, where a form needs no mail. Raise 409 `page_incomplete` if the event
    cannot be public yet or a part cannot open, `mail_not_configured` if it cannot open without
    mail; 422 for settings that name unknown records.
    """
    merged = {**old, **fields}
    missing = lacks(db, merged, address)
    if merged["is_public"] and missing:
        raise Problem(
            "page_incomplete",
            f"The pages cannot be public yet. Set {quoted(missing)} (options of the "
            "configuration, and fields of the event), then repeat the request.",
            missing=missing,
        )
    if "apply_form" in fields:
        apply_form.check(db, fields["apply_form"], old["apply_form"])
    _check_names(db, merged, fields)
    for form in FORMS:
        if merged[f"{form}_is_open"] and not old[f"{form}_is_open"]:
            _check_form(db, form, merged, is_trial)
    if merged["my_is_open"] and not old["my_is_open"] and not (address or is_trial):
        raise Problem(
            "page_incomplete",
            "The pages of exhibitors cannot open yet, because mails could not link them. "
            "Set the option `base_url` of the configuration, then repeat the request.",
            missing=["base_url"],
        )
    _check_portal(db, merged, fields)
    is_looked_at = "price_display" in fields and looks_at_prices(db, old["id"])
    if merged != old or is_looked_at:
        db.run(sql.add, **_columns(db, old, merged, fields), now=db.now)
    new = get(db, old["id"])
    changed = [name for name in new if new[name] != old[name] and name != "updated_at"]
    if changed:
        journal.administered(
            db,
            entities.EVENT_PAGES,
            "updated",
            new["id"],
            title=new["event_key"],
            old={name: old[name] for name in changed},
            new={name: new[name] for name in changed},
        )
    return new


def _columns(db, old, merged, fields):
    """Return the columns of the settings `merged`, which has the changed `fields`.

    A form that nobody has set up stays one, so that it follows the records that it asks for. Prices
    that were shown before stay to be looked at until `price_display` is sent.
    """
    columns = dict(merged)
    for name in ENCODED:
        columns[name] = as_json(merged[name])
    kept = db.one(sql.kept, id=old["id"]) or {"apply_form": None, "price_display": None}
    is_new_form = "apply_form" in fields and merged["apply_form"] != old["apply_form"]
    columns["apply_form"] = as_json(merged["apply_form"]) if is_new_form else kept["apply_form"]
    is_shown_before = old["show_prices"] and "price_display" not in fields
    columns["price_display"] = kept["price_display"] if is_shown_before else merged["price_display"]
    return columns


def looks_at_prices(db, event_id):
    """Return whether the form shows prices with tax that nobody has looked at since."""
    return bool(db.value(sql.looks_at_prices, id=event_id))


def _check_names(db, pages, fields):
    """Raise 422 for keys of custom fields and of a submission type among `fields` that do not
    exist.
    """
    faults = Faults()
    known = {row["field_key"] for row in field_definitions.editable(db)}
    for place, key in enumerate(fields.get("visit_fields", ())):
        if key not in known:
            faults.add(
                f"/visit_fields/{place}",
                "unknown",
                f"is unknown: no custom field of applications that is `editable` has the key {key}",
            )
    key = fields.get("apply_file_type")
    if key and not db.value(sql.has_submission_type, id=pages["id"], key=key):
        faults.add(
            "/apply_file_type", "unknown", f"is unknown: the event has no submission type {key}"
        )
    faults.raise_any()


def _check_form(db, form, pages, is_trial):
    """Raise 409 unless a form can open: the pages are public, it has what it needs, and mails can
    be sent.
    """
    needed = {
        "apply": ("apply_terms", pages["apply_terms"]),
        "visit": ("automatic_category", db.value(sql.has_automatic_category, id=pages["id"])),
    }[form]
    missing = [
        name for name, is_there in (("is_public", pages["is_public"]), needed) if not is_there
    ]
    if missing:
        remedy = listed([REMEDIES[name] for name in missing])
        raise Problem(
            "page_incomplete",
            f"The form of {FORMS[form]} cannot open yet. {remedy[0].upper()}{remedy[1:]}, "
            "then repeat the request.",
            missing=missing,
        )
    if not is_trial:
        mails.refuse_unconfigured(
            db.config, ", because everybody who fills it in confirms the e-mail address"
        )


def mail_text(db, event_id, name, language):
    """Return the organiser's own text of a mail in a language, or None.

    `name` is one of `mail_texts`.
    """
    return db.value(sql.mail_text, event_id=event_id, name=name, language=language)


def event_forms(db, event_id, language):
    """Return the forms of the word for an event that the texts of mails use (event_words.py)."""
    return event_words.forms(db.value(sql.event_word, event_id=event_id), language)


def _check_portal(db, pages, fields):
    """Raise 422 for settings of the exhibitors' pages that name unknown records, or a time that
    ends first.

    `fields` are those that change: what other records have made invalid meanwhile does not prevent
    other changes.
    """
    faults = Faults()
    if (
        {"booth_from", "booth_until"} & fields.keys()
        and pages["booth_until"]
        and pages["booth_from"]
    ):
        zone = db.value(sql.timezone, id=pages["id"])
        if times.end(pages["booth_until"], zone) < times.start(pages["booth_from"], zone):
            faults.add("/booth_until", "before_start", "must not be before `booth_from`")
    for key in db.values(sql.unknown_types, keys=as_json(fields.get("booth_types", []))):
        faults.add(
            f"/booth_types/{fields['booth_types'].index(key)}",
            "unknown",
            f"is unknown: no booth type has the key {key}",
        )
    service_id = fields.get("badge_service_id")
    if service_id is not None and not db.value(
        sql.is_offered, service_id=service_id, id=pages["id"]
    ):
        faults.add(
            "/badge_service_id", "not_offered", "must be a service that is offered at this event"
        )
    faults.raise_any()


def lacks(db, pages, address):
    """Return the names of options and of fields of the event that public pages need and that are
    not set. `address` counts as `base_url`: a service that is tried on one machine has one.
    """
    gaps = {gap.code: gap for gap in organiser.of(db.config) if organiser.PUBLIC in gap.blocks}
    gaps.pop("no_base_url", None)
    missing = [name for gap in gaps.values() for name in gap.settings]
    missing += [] if address else ["base_url"]
    return missing + ([] if db.value(sql.has_date, id=pages["id"]) else ["date_from"])


def copy(db, old_id, new_id):
    """Give the copy of an event the same settings. Its pages are not public."""
    if db.run(sql.copy, old_id=old_id, new_id=new_id, now=db.now):
        new = get(db, new_id)
        journal.administered(
            db, entities.EVENT_PAGES, "created", new_id, title=new["event_key"], new=new
        )


def delete_with(db, event_id):
    """Journal the end of the settings of an event that is about to be deleted."""
    old = get(db, event_id)
    if old and old["updated_at"]:
        journal.administered(
            db, entities.EVENT_PAGES, "deleted", event_id, title=old["event_key"], old=old
        )
