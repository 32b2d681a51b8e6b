"""One action for many records: the ticked ones of a list.

The first page is a trial, which changes nothing.
"""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from eventapi.domain.billing import tax_terms
from eventapi.errors import not_found
from eventapi.pages.desk import actions, api, gaps, labels, lists, taxes
from eventapi.pages.desk.page import render_page
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.html import shell
from eventapi.web.html.forms import id_of
from eventapi.web.html.schema_forms import Form
from eventapi.web.routes import Routes

routes = Routes(
    "desk-batches",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)
sql = statements("desk")

MOST = 200  # records of a batch


@dataclass(frozen=True, slots=True)
class Batch:
    """An action for the ticked records of a list.

    run: handler of the batch.
    read: handler that reads one record.
    singular: name of one record.
    schema: that of the body for one record, or None.
    fields: fields of the form.
    """

    run: str
    read: str
    singular: str
    schema: str | None
    fields: tuple[str, ...]


@cache
def offered():
    """Return (resource, action) -> Batch of the routes whose option `desk` has one."""
    found = {}
    for route in api.routes().values():
        if route.options.desk is None or route.options.desk.batch is None:
            continue
        resource, _, action = route.path.removeprefix("/api/v1/").partition("/<id>/")
        found[resource, action] = Batch(
            run=api.names()["POST", f"/api/v1/{resource}/batch"],
            read=api.names()["GET", f"/api/v1/{resource}/<id>"],
            singular=resource.removesuffix("s"),
            schema=route.options.schema,
            fields=route.options.desk.batch,
        )
    return found


@routes.get("/batch/<resource>/<action>")
def get_desk_batch(db, request, resource, action):
    """Return the page of a batch that was refused as a whole."""
    return page(db, request, resource, action, None)


@routes.post("/batch/<resource>/<action>", batch=True, shows=get_desk_batch, signs_in=False)
def do_desk_batch(request, connections, resource, action):
    """Try an action for the ticked records, or run it if the trial was looked at."""
    found = batch(resource, action)
    ids = ordered(connections.reader(), request, resource, action)
    body = {"action": action, "ids": ids, "dry_run": not request.fields.get("sure")}
    form = form_of(request, found)
    if form:
        body |= form.body(given_to(request, resource, action))
    if request.fields.get("sure"):
        decide_place(request)
    if not body["ids"]:
        return page(
            connections.reader(), request, resource, action, {"results": [], "dry_run": True}
        )
    result = actions.run(request, found.run, {}, body).data
    return page(connections.reader(), request, resource, action, result)


def page(db, request, resource, action, result):
    """Return the result of a trial, or of a batch."""
    found = batch(resource, action)
    rows, ids = [], ordered(db, request, resource, action)
    include = ("contact",) if resource == "invoices" else ()
    for entry in (result or {"results": []})["results"]:
        record = (
            api.read(found.read, id=ids[entry["index"]], include=include).data
            if entry["status"] != 404
            else {"id": ids[entry["index"]]}
        )
        mail = (
            api.read("get_link_reminder", id=record["id"]).data["text"]
            if resource == "links" and result["dry_run"] and entry["status"] < 400
            else None
        )
        note = (
            takes_part(db, request, record)
            if (resource, action) == ("applications", "approve")
            else None
        )
        rows.append(
            {
                "record": record,
                "status": entry["status"],
                "sentence": sentence(request, entry) or note,
                "mail": mail,
                "warnings": warnings_of(resource, entry),
                "offsets": [
                    {**each, "currency": record["currency"]}
                    for each in entry.get("meta", {}).get("offsets", ())
                ],
            }
        )
    trial = result is None or result["dry_run"]
    is_sent = (resource, action) == ("invoices", "send") and not trial
    counts = (
        Counter(row["record"]["delivery"] for row in rows if row["status"] < 400) if is_sent else {}
    )
    given = (
        request.fields
        if "trial" in request.fields
        else {
            **given_to(request, resource, action),
            "confirm": ["1"],
            **actions.ticks(db, resource),
        }
    )
    good = [row for row in rows if row["status"] < 400]
    unpayable = [row for row in good if gaps.NO_ACCOUNT in codes_of(row["warnings"])]
    return render_page(
        db,
        request,
        "batch",
        rows=sorted(rows, key=lambda row: not row["warnings"]),
        good_ids=[row["record"]["id"] for row in good],
        warned=sum(bool(row["warnings"]) for row in good),
        no_account=trial and no_account(db, request, len(unpayable)),
        resource=resource,
        action_word=action,
        ids=ids,
        trial=trial,
        form=form_of(request, found),
        given=given,
        back=actions.return_path(request),
        good=len(good),
        question=question(db, request, ids) if trial and action == "invoice" else None,
        offsets=offset_sums(rows),
        told=labels.deliveries(labels.words(request), counts) if counts else None,
        to_print=counts.get("to_print"),
        record_name=labels.record_name,
        record_address=record_address,
    )


def decide_place(request):
    """Save where firms from abroad are taxed, if the trial has asked and somebody has decided."""
    place = (request.fields.get("place_of_supply") or [""])[0]
    event_id = id_of((request.fields.get("asked_event") or [""])[0])
    if place and event_id:
        actions.run(request, "update_event", {"id": event_id}, {"place_of_supply": place})


def question(db, request, ids):
    """Return what is asked before the first drafts for firms from abroad: {event_id, firms, form}.

    None if the show is decided, has no such firm, or the person may not change it.
    """
    event_id, firms = tax_terms.foreign_firms(db, ids)
    if not firms or not api.may_call(request, "update_event"):
        return None
    form = taxes.place_form(request, db.config.organiser_country)
    return {"event_id": event_id, "firms": firms, "form": form}


def warnings_of(resource, entry):
    """Return what to look at before an invoice is sent: the warnings of its entry."""
    meta = entry.get("meta", {})
    return meta.get("warnings", []) if resource == "invoices" else []


def codes_of(warnings):
    return {each["code"] for each in warnings}


def no_account(db, request, count):
    """Return the Lack that this number of invoices names no bank account, None for 0."""
    if not count:
        return None
    word = "invoice_without_account" if count == 1 else "invoices_without_account"
    return gaps.no_account(db, request, word)


def given_to(request, resource, action):
    """Return the fields of the form.

    The first trial of sending invoices offsets credit, as its box, which is ticked then, says.
    """
    if "trial" in request.fields or (resource, action) != ("invoices", "send"):
        return request.fields
    return {**request.fields, "offset": ["1"]}


def ordered(db, request, resource, action):
    """Return the ids of the ticked records. Credit notes are sent first, so that invoices count their credit."""
    ids = ids_of(request)
    if (resource, action) != ("invoices", "send"):
        return ids
    notes = set(db.values(sql.credit_notes_among, ids=as_json(ids)))
    return sorted(ids, key=lambda id: id not in notes)


def offset_sums(rows):
    """Return what a batch has offset: {currency, count, amount} for each currency."""
    found = {}
    for row in rows:
        for each in row["offsets"]:
            currency = each["currency"]
            sums = found.setdefault(currency, {"currency": currency, "count": 0, "amount": 0})
            sums["count"] += 1
            sums["amount"] += Decimal(str(each["amount"]))
    return list(found.values())


def takes_part(db, request, application):
    """Return the sentence that an application adds no exhibitor, since its address takes part
    already, or None.
    """
    found = db.one(sql.participation_of, application_id=application["id"])
    return labels.words(request)["takes_part"] if found and not found["is_own"] else None


def form_of(request, found):
    """Return the form of a Batch, or None if it has no fields."""
    if not found.fields:
        return None
    return Form(
        found.schema,
        "POST",
        labels.of(request, found.singular),
        names=actions.permitted(request, found.fields),
        language=request.language,
    )


PAGES = {"applications": "applications", "participants": "exhibitors", "invoices": "invoices"}


def record_address(resource, record):
    """Return the address of the page of a record."""
    if resource in PAGES:
        return f"{PAGES[resource]}/{record['id']}"
    id = record.get("event_participant_id") or record.get("participant_id")
    return f"exhibitors/{id}" if id else ""


def sentence(request, entry):
    """Return why an entry is refused, or None."""
    if entry["status"] < 400:
        return None
    texts = labels.words(request)
    members = {
        **entry.get("problem", {}),
        "fields": ", ".join(
            str(labels.of(request)((error.get("pointer") or "")[1:])[0])
            for error in entry.get("errors", [])
        ),
    }
    return labels.problem_sentence(texts, entry["code"], members)


def batch(resource, action):
    """Return a Batch. Raise 404 for another one."""
    found = offered().get((resource, action))
    if found is None:
        raise not_found("page", shell.address())
    return found


def ids_of(request):
    """Return the ids of the ticked records, each once, or those of all rows of the list."""
    if request.fields.get("all"):
        name = request.fields.get("list", [""])[0]
        ids, _ = lists.ids_of(request, name, request.fields.get("filter", [""])[0])
        return ids[:MOST]
    return list(dict.fromkeys(filter(None, map(id_of, request.fields.get("ids", [])))))[:MOST]
