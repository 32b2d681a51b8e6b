"""Entries of the audit log as sentences: who has done what. The entries of one request are one change.

The name of a record, and what has changed of it, is there for those with the scope of the record.
"""

import re
from dataclasses import dataclass
from itertools import groupby

from eventapi import times
from eventapi.domain.access import roles
from eventapi.domain.records import entities
from eventapi.pages.desk import api, labels
from eventapi.pages.desk.writing import Writer
from eventapi.web.html import page_requests, schema_forms

OFFICE = "eventapi.pages.office"  # its words have the names of settings, and those of the desk
MOST_NAMED = 3  # records that a sentence names
MOST_FIELDS = 3  # fields that a sentence names
BY_PERSON = "log_by_person"  # the word of a sentence about a person or a company
EVERYDAY = ("updated", "created", "deleted")  # other actions say more of a request
# Kind of record without a scope of its own -> the scope that shows it.
SCOPES = {
    "admin": roles.TEAM,
    "api_key": roles.TEAM,
    "application_draft": "applications",
    "bank_format": "payments",
    "bank_statement": "payments",
    "bank_transaction": "payments",
    "event_pages": "events",
    "flag": "settings",
    "gateway": "payments",
    "period": "invoices",
    "setting": "settings",
    "tenant": "settings",
}
# Kind of record -> its page at the desk.
PAGES = {
    "application": "applications",
    "booth": "booths",
    "contact": "contacts",
    "event_participant": "exhibitors",
    "invoice": "invoices",
}
# Kinds whose title in the audit log goes on, and where: `A5 at fair`.
LONGER = {
    "booth_reservation": " at ",
    "check_in": " at ",
    "event_participant": " at ",
    "submission": " of participant ",
}
UNNAMED = ("bulk_import", "link")  # kinds whose title is no name
# Kind of record that belongs to an exhibitor -> list of the API that says to whom.
OF_EXHIBITORS = {
    "booth_reservation": "list_booth_reservations",
    "invoice": "list_invoices",
    "link": "list_links",
    "service_order": "list_service_orders",
    "submission": "list_submissions",
}
CREDIT_NOTE = "credit_note"  # in the words of an invoice that is one
OF_LINK = re.compile(r"link (\d+)")  # the author of a change by somebody with a link
OF_COMMAND_LINE = re.compile(r"(.*) \(command line\)")  # and that of a change by the command line


@dataclass(frozen=True, slots=True)
class Sentence:
    """What was done to one or more records of a kind: `before`, the records, `after`.

    Attributes:
        records: (name, address within the desk or "") of those that are named, at most MOST_NAMED.
    """

    before: str
    records: tuple
    after: str


@dataclass(frozen=True, slots=True)
class Change:
    """What a request has changed.

    Attributes:
        at: timestamp.
        by: name of the author.
        sentence: the Sentence about what matters most.
        others: further Sentences.
        fields: (label, text before, text after) of the one record that was changed.
    """

    at: str
    by: str
    sentence: Sentence
    others: tuple
    fields: tuple


@dataclass(frozen=True, slots=True)
class Teller:
    """What a sentence needs: texts, the Writer of values, and what is known of records and links.

    Attributes:
        names: id of a participant -> its name, of those that the person may read.
        authors: id of a link -> name of the participant that it belongs to.
        shows: key of an event -> its title, if the log has changes of web sites.
        existing: (kind, id) of the records that have a page.
        owners: (kind, id) of a record -> id of the participant that it belongs to.
        credit_notes: ids of the invoices that are credit notes.
        currency: that of amounts whose record names none.
    """

    request: object
    texts: dict
    write: Writer
    names: dict
    authors: dict
    shows: dict
    existing: frozenset
    owners: dict
    credit_notes: frozenset
    currency: str


def by_request(entries):
    """Return the entries of each request, from entries of the audit log, which come newest first."""
    return [list(group) for _, group in groupby(entries, key=_request_of)]


def of(db, request, groups):
    """Return a Change for each group of entries, which `by_request` has returned."""
    teller = _teller(db, request, [entry for group in groups for entry in group])
    return [_change(teller, group) for group in groups]


def _request_of(entry):
    """Return what the entries of one request share. An entry of the worker is on its own, unless the
    same happens to the next record in the same second.
    """
    if entry["request_id"]:
        return entry["request_id"]
    return entry["created_at"], entry["action"], entry["entity_type"], entry["admin_name"]


# What is known


def _teller(db, request, entries):
    pairs = [(entry["entity_type"], entry["entity_id"]) for entry in entries]
    authors = _participants_of_links(request, entries)
    owners, credit_notes = _owners(request, pairs)
    ids = {id for kind, id in pairs if kind == "event_participant"}
    ids |= {*authors.values(), *owners.values()}
    names = _names_of_participants(request, ids)
    return Teller(
        request=request,
        texts=page_requests.words(OFFICE, request.language),
        write=Writer(request.language, db.config.timezone),
        names=names,
        authors={link: names[id] for link, id in authors.items() if id in names},
        shows=_titles_of_shows(request, pairs),
        existing=frozenset(entities.short(db, {pair for pair in pairs if pair[0] in PAGES})),
        owners=owners,
        credit_notes=credit_notes,
        currency=db.config.currency,
    )


def _owners(request, pairs):
    """Return ((kind, id) -> id of its participant, ids of credit notes) of the records that belong to
    exhibitors, as far as they exist and the person may read them.
    """
    owners, credit_notes = {}, set()
    for kind, handler in OF_EXHIBITORS.items():
        ids = sorted({id for each, id in pairs if each == kind and id})[:100]
        if not ids or not api.may_call(request, handler):
            continue
        rows, _ = api.rows(handler, ids=",".join(map(str, ids)), per_page=100)
        for row in rows:
            owner = row.get("event_participant_id") or row.get("participant_id")
            if owner:
                owners[kind, row["id"]] = owner
            if row.get("invoice_type") == CREDIT_NOTE:
                credit_notes.add(row["id"])
    return owners, frozenset(credit_notes)


def _participants_of_links(request, entries):
    """Return id of a link -> id of its participant, of the links that have changed something."""
    found = {OF_LINK.fullmatch(entry["admin_name"] or "") for entry in entries}
    ids = sorted({match[1] for match in found if match})
    if not ids or not api.may_call(request, "list_links"):
        return {}
    rows, _ = api.rows("list_links", ids=",".join(ids), per_page=len(ids))
    return {row["id"]: row["participant_id"] for row in rows if row["participant_id"]}


def _titles_of_shows(request, pairs):
    kinds = {kind for kind, _ in pairs}
    if "event_pages" not in kinds or not api.may_call(request, "list_events"):
        return {}
    rows, _ = api.rows("list_events", per_page=100)
    return {row["event_key"]: row["title"] for row in rows}


def _names_of_participants(request, ids):
    if not ids or not api.may(request, "participants"):
        return {}
    rows, _ = api.rows(
        "list_participants",
        include=("contact",),
        ids=",".join(map(str, sorted(ids)[:100])),
        per_page=100,
    )
    return {row["id"]: labels.named(row) for row in rows}


# Sentences


def _change(teller, entries):
    """Return the Change of the entries of one request."""
    by, form = _author(teller, entries[0])
    parts = {}
    for entry in reversed(entries):  # in the order in which it was done
        parts.setdefault((entry["action"], entry["entity_type"]), []).append(entry)
    first, *others = sorted(parts.values(), key=_importance)
    fields = _fields(teller, first[0]) if len(first) == 1 else ()
    return Change(
        at=entries[0]["created_at"],
        by=by,
        sentence=_sentence(teller, first, form, fields),
        others=tuple(_sentence(teller, part, "log_only") for part in others),
        fields=fields,
    )


def _importance(part):
    """Return the place of a part of a request: steps such as `approved` come first."""
    action = part[0]["action"]
    return EVERYDAY.index(action) + 1 if action in EVERYDAY else 0


def _author(teller, entry):
    """Return (name, word of the sentence after it)."""
    if entry["admin_id"]:
        return entry["admin_name"] or teller.texts["log_erased"], BY_PERSON
    user = OF_COMMAND_LINE.fullmatch(entry["admin_name"] or "")
    if user:
        return teller.texts["log_by_command_line"].format(user=user[1]), "log_alone"
    link = OF_LINK.fullmatch(entry["admin_name"] or "")
    if link is None:
        return teller.texts["log_automatic"], "log_alone"
    name = teller.authors.get(int(link[1]))
    return (name, BY_PERSON) if name else (teller.texts["log_by_link"], "log_alone")


def _sentence(teller, entries, form, fields=()):
    """Return the Sentence about records of one kind that had the same done to them.

    `form` is the word of the sentence: BY_PERSON, `log_alone` or `log_only`.
    """
    texts, kind = teller.texts, entries[0]["entity_type"]
    noun = kind
    if kind == "invoice" and all(each["entity_id"] in teller.credit_notes for each in entries):
        noun = CREDIT_NOTE
    named = [record for record in map(_record(teller), entries) if record[0]]
    if len(entries) > 1:
        what = texts.get(f"log_many_{noun}", texts["log_many_other"]).format(n=len(entries))
    else:
        what = texts.get(f"log_one_{noun}", texts["log_one_other"])
        if form == BY_PERSON:
            what = f"{texts.get(f'log_the_{noun}', texts['log_the_other'])} {what}"
        owner = _owner(teller, entries[0])
        if named and kind in UNNAMED:
            what = f"{what} {texts['log_for']} \0"
        elif named and owner:
            what = f"{what} \0 ({owner})"
        elif named:
            what = f"{what} \0"
        elif f"log_unnamed_{kind}" in texts:
            what = f"{what} {texts[f'log_unnamed_{kind}']}"

    done = _done(texts, entries[0]["action"], kind).format(what=what)
    done = texts[form].format(step=done)
    before, mark, after = done.partition("\0")
    if not mark and len(entries) == 1:  # the sentence names no record
        named = []
    if len(entries) > 1 and named:
        before += ": "
        after = f" {texts['log_more']}" if len(entries) > MOST_NAMED else ""
    if entries[0]["action"] == "updated":
        after += _of_fields(fields)
    return Sentence(before, tuple(named[:MOST_NAMED]), after)


def _done(texts, action, kind):
    """Return the words of an action, with the place of its record."""
    for word in (f"log_did_{action}_{kind}", f"log_did_{action}"):
        if word in texts:
            return texts[word]
    return texts["log_did_other"]


def _of_fields(fields):
    """Return the end of a sentence about a change: what the one field was and is, or the names of a few."""
    if not fields:
        return ""
    if len(fields) == 1 and fields[0][2]:
        label, old, new = fields[0]
        return f": {label} {old} → {new}" if old else f": {label} {new}"
    if len(fields) <= MOST_FIELDS:
        return f": {', '.join(label for label, _, _ in fields)}"
    return ""


def _record(teller):
    """Return the function that returns (name, address) of the record of an entry.

    Both are "" without its scope.
    """

    def found(entry):
        kind, id = entry["entity_type"], entry["entity_id"]
        if not _may(teller.request, entry):
            return "", ""
        owner = _owner(teller, entry)
        if owner and kind in UNNAMED:
            return owner, f"{PAGES['event_participant']}/{teller.owners[kind, id]}"
        page = f"{PAGES[kind]}/{id}" if (kind, id) in teller.existing else ""
        return _name(teller, entry), page

    return found


def _owner(teller, entry):
    """Return the name of the exhibitor that the record of an entry belongs to, or None."""
    return teller.names.get(teller.owners.get((entry["entity_type"], entry["entity_id"])))


def _name(teller, entry):
    kind, title = entry["entity_type"], entry["entity_title"] or ""
    if kind in UNNAMED:
        return ""
    if kind == "setting":
        return labels.label(teller.texts, "", title)[0]
    if kind == "event_participant" and entry["entity_id"] in teller.names:
        return teller.names[entry["entity_id"]]
    if kind == "event_pages":
        return teller.shows.get(title, title)
    if kind == "invoice":
        return labels.invoice_number(teller.texts, title)
    if kind in LONGER:
        return title.rpartition(LONGER[kind])[0] or title
    return title


def _may(request, entry):
    """Return whether the person may read the kind of record that an entry is about."""
    kind = entities.KINDS.get(entry["entity_type"])
    scope = SCOPES.get(entry["entity_type"]) or (kind and kind.scope)
    if callable(scope):
        values = entry["new_values"] or entry["old_values"] or {}
        if not {"entity_type", "kind"} & values.keys():
            return False
        scope = scope(values)
    return bool(scope) and api.may(request, scope)


# Fields


def _fields(teller, entry):
    """Return (label, text before, text after) of the fields that an update has changed.

    Fields without a label at the desk are left out; a list or an object has no texts.
    """
    old, new = entry["old_values"], entry["new_values"]
    if not old or not new or not _may(teller.request, entry):
        return ()
    currency = new.get("currency") or old.get("currency") or teller.currency
    found = []
    for name in new:
        if f"field_{name}" in teller.texts:
            label = labels.label(teller.texts, "", name)[0]
            was, now = (_text(teller, name, each.get(name), currency) for each in (old, new))
            found.append((label, was, now))
    return tuple(found)


def _text(teller, name, value, currency):
    """Return a value of a field as text, "" for one that is empty or too long to be read in a line.

    Amounts have their currency, and measures their unit.
    """
    texts, write = teller.texts, teller.write
    if value is None or isinstance(value, (list, dict)):
        return ""
    if isinstance(value, bool):
        return texts["yes" if value else "no"]
    if isinstance(value, (int, float)):
        if name.endswith("_id"):
            return ""
        kind = schema_forms.MEASURES.get(name.rpartition("_")[2])
        if kind == "money":
            return write.money(value, currency)
        unit = schema_forms.UNITS.get(kind)
        return f"{write.number(value)} {unit}" if unit else write.number(value)
    if times.is_date(value):
        return write.day(value)
    if times.is_timestamp(value):
        return write.moment(value)
    for word in (f"{name}={value}", f"={value}"):
        if word in texts:
            return texts[word]
    return value if len(value) <= 60 and "\n" not in value else ""
