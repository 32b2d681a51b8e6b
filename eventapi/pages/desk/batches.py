"""One action for many records: the ticked ones of a list.

Each batch is a row (domain/access/desk_batches.py). The first press makes the trial of its first part
and stores it; the page shows what is stored, so that it can be loaded again. The second press does
what the trial has shown, and its results are stored in the transactions that do it. Further parts are
tried first, too.
"""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from urllib.parse import parse_qs, urlencode

from eventapi import money
from eventapi.calls import desk
from eventapi.domain.access import desk_batches
from eventapi.domain.billing import tax_terms
from eventapi.errors import Problem, not_found
from eventapi.languages import formats
from eventapi.pages.desk import (
    actions,
    api,
    calling_off,
    events,
    gaps,
    labels,
    links,
    lists,
    mail_trials,
    taxes,
)
from eventapi.pages.desk.page import render_page
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.html import page_requests, shell
from eventapi.web.html.forms import id_of
from eventapi.web.html.schema_forms import Form
from eventapi.web.rest import Response
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

AT_ONCE = 100  # records of one call of a list
REMINDERS = 20  # that the trial of links shows; of other mails, a trial shows the first one
# What sentences about refusals name. Other members of a problem may have names of persons.
MEMBERS = (
    "available",
    "contract",
    "first_open_day",
    "flag",
    "missing",
    "month",
    "package",
    "revoked_on",
    "scope",
    "state",
)
CANCELLATION = ("participants", "cancel")  # its amounts are what is credited
CONTRACT = "create_participant_contract"
CHANGED = '"changed"'  # an ETag that no record has
PAGES = {"applications": "applications", "participants": "exhibitors", "invoices": "invoices"}
# (resource, action) -> where the work goes on once it is done, and the word for it
ONWARD = {
    ("applications", "approve"): ("exhibitors?show=booth", "onward_booths"),
    ("participants", "invoice"): ("money?show=draft", "onward_drafts"),
    ("invoices", "send"): ("money?show=sent", "onward_sent"),
}
# Its result keeps the number of each record, which is gone.
DELETION = ("booths", "delete")
# resource -> the record that its lists include, which has the name
NAMED_BY = {
    "booth-reservations": "participant",
    "invoices": "contact",
    "participants": "contact",
    "service-orders": "participant",
    "submissions": "participant",
}


@dataclass(frozen=True, slots=True)
class Batch:
    """An action for the ticked records of a list.

    run: handler of the batch.
    read: handler that lists the records.
    one: handler of the action for one record.
    singular: name of one record.
    schema: that of the body for one record, or None.
    fields: fields of the form.
    undo, undo_new: handlers that take it back, as in Desk, or None.
    undo_body: body of the call that takes back, as in Desk.
    """

    run: str
    read: str
    one: str
    singular: str
    schema: str | None
    fields: tuple[str, ...]
    undo: str | None
    undo_new: str | None
    undo_body: dict | None

    @property
    def reverse(self):
        """The handler that takes it back, or None."""
        return self.undo or self.undo_new


@cache
def offered():
    """Return (resource, action) -> Batch of the routes whose option `desk` has one."""
    found = {}
    for name, route in api.routes().items():
        if route.options.desk is None or route.options.desk.batch is None:
            continue
        resource, _, action = route.path.removeprefix("/api/v1/").partition("/<id>")
        action = action.removeprefix("/") or "delete"
        found[resource, action] = Batch(
            run=api.names()["POST", f"/api/v1/{resource}/batch"],
            read=api.names()["GET", f"/api/v1/{resource}"],
            one=name,
            singular=resource.removesuffix("s"),
            schema=route.options.schema,
            fields=route.options.desk.batch,
            undo=route.options.desk.undo,
            undo_new=route.options.desk.undo_new,
            undo_body=route.options.desk.undo_body,
        )
    return found


# Pages


@routes.get("/batch/<id>")
def get_desk_batch(db, request, id):
    """Return the trial or the result of a batch, as it is stored."""
    return page(db, request, mine(db, request, id))


@routes.get("/batch/<resource>/<action>")
def get_desk_batch_form(db, request, resource, action):
    """Return the page of a batch again whose form was refused, or a page that asks to tick
    something.
    """
    found = batch_of(resource, action)
    id = id_of(first(request, "batch"))
    if id is not None:
        return page(db, request, mine(db, request, id, resource, action))
    api.require_call(request, found.one)
    return page_without(db, request, resource, action)


@routes.post("/batch/<resource>/<action>", batch=True, shows=get_desk_batch_form, signs_in=False)
def do_desk_batch(request, connections, resource, action):
    """Try an action for the ticked records, do what a trial has shown, take it back, or try the next
    part.

    A press that comes twice does nothing twice: it leads to the page of the batch.
    """
    found = batch_of(resource, action)
    db = connections.reader()
    id = id_of(first(request, "batch"))
    if id is None:
        id = started(request, connections, found, resource, action)
        if id is None:
            return get_desk_batch_form(db, request, resource, action)
    else:
        batch = mine(db, request, id, resource, action)
        begins = first(request, "begins")
        if begins == str(batch["begins"]):
            if "next" in request.fields:
                try_next(request, connections, found, batch)
            elif "undo" in request.fields:
                take_back(request, connections, found, batch)
            elif "sure" in request.fields:
                act(request, connections, found, batch)
    return page_requests.see_other(request, address_of(id, actions.return_path(request)))


def page_without(db, request, resource, action):
    """Return the page of an action without any records, which asks to tick something."""
    return render_page(
        db,
        request,
        "batch",
        batch=None,
        resource=resource,
        action_word=action,
        word=f"batch_{resource}_{action}",
        back=actions.return_path(request),
        is_ticked=bool(ids_of(request)),
    )


def address_of(id, back):
    """Return the address of a batch within the desk, for the event that it was started from."""
    event = parse_qs(back.partition("?")[2]).get("event") or [shell.asked("event").get("event")]
    return f"batch/{id}?{urlencode({'event': event[0]})}" if event[0] else f"batch/{id}"


def mine(db, request, id, resource=None, action=None):
    """Return a batch of the person, and of this action. Raise 404, also for a batch of another
    person.
    """
    batch = desk_batches.get(db, id, request.who.admin_id) if id else None
    is_other = resource and batch and (batch["resource"], batch["action"]) != (resource, action)
    if batch is None or is_other:
        raise not_found("page", shell.address())
    return batch


# Acts


def started(request, connections, found, resource, action):
    """Store a batch of the ticked records with the trial of its first part. Return its id, or None
    if nothing was ticked.
    """
    api.require_call(request, found.one)
    ids = ordered(connections.reader(), request, resource, action)
    if not ids:
        return None
    fields = begun_with(connections.reader(), request, found, resource, action)
    trials = trials_of(request, found, resource, action, ids[: desk_batches.PART], fields)
    db = connections.writer()
    with db.write():
        id = desk_batches.create(
            db,
            request.who.admin_id,
            resource,
            action,
            ids,
            fields,
            actions.return_path(request),
        )
        batch = desk_batches.get(db, id, request.who.admin_id)
        if trials is not None:
            desk_batches.keep_trial(db, batch, desk_batches.part(db, batch), trials)
    return id


def try_next(request, connections, found, batch):
    """Try the part after the one in hand, if that is done or cannot be."""
    db = connections.reader()
    begins = batch["begins"] + desk_batches.PART
    is_over = batch["state"] == "done"
    if batch["state"] == "tried":
        is_over = not desk_batches.acted_on(desk_batches.part(db, batch))
    if not is_over or begins >= batch["size"]:
        return
    entries = desk_batches.part(db, batch, begins)
    ids = [each["record_id"] for each in entries]
    resource, action = batch["resource"], batch["action"]
    trials = trials_of(request, found, resource, action, ids, batch["fields"])
    db = connections.writer()
    with db.write():
        now = desk_batches.get(db, batch["id"], request.who.admin_id)
        if now is None or now["begins"] != batch["begins"]:
            return
        desk_batches.begin(db, batch, begins)
        if trials is not None:
            desk_batches.keep_trial(db, batch, entries, trials)


def act(request, connections, found, batch):
    """Do the part in hand for the records that the trial has not refused. One that was interrupted
    goes on with what its form said.
    """
    if batch["state"] == "done":
        return
    is_new = batch["state"] == "tried"
    form = form_of(request, found)
    fields = typed(request, form) if is_new else batch["fields"]
    entries = desk_batches.acted_on(desk_batches.part(connections.reader(), batch))
    if not entries:
        return
    body = {"action": batch["action"], "ids": [each["record_id"] for each in entries]}
    if form:
        body |= form.body(fields)
    if is_new:
        decide_place(request)
    keeper = Keeper(request, found, batch, entries, fields)
    actions.run(request, found.run, {}, {**body, "dry_run": False}, keeper=keeper)


class Keeper:
    """Stores the results of a part in the entries of its batch.

    `find` and `keep` run inside the write transaction of some entries (calls/batches.py), so that a
    record is never changed without the result, and another press finds it.
    """

    def __init__(self, request, found, batch, entries, fields):
        self.request, self.found = request, found
        self.batch, self.entries, self.fields = batch, entries, fields
        self.kept = 0
        self.before = {}  # id -> the record before the action, if the result needs it

    def find(self, db):
        """Return the results of the part, and whether entries are left. Raise 409 if another press
        does it with other fields.
        """
        now = desk_batches.get(db, self.batch["id"], self.request.who.admin_id)
        entries = desk_batches.acted_on(
            desk_batches.part(db, self.batch, begins=self.batch["begins"])
        )
        results = []
        for each in entries:
            if each["result"]:
                results.append({"index": len(results), **each["result"]})
        if now["begins"] != self.batch["begins"] or now["state"] == "done":
            return results, False
        if now["state"] == "running" and now["fields"] != self.fields:
            raise Problem(
                "idempotency_key_reused",
                "This batch was begun with other values. Open its page again and continue it there.",
            )
        self.kept = len(results)
        if self.found.undo or self.deletes():
            ids = [each["record_id"] for each in self.entries]
            self.before = records_of(self.found, ids)
        return results, True

    def deletes(self):
        """Return whether the records are gone afterwards."""
        return (self.batch["resource"], self.batch["action"]) == DELETION

    def keep(self, db, results, left):
        """Store the new ones of all results so far."""
        entries = self.entries[self.kept : len(results)]
        new = []
        for entry, result in zip(entries, results[self.kept :], strict=True):
            kept = stored(self.batch["resource"], self.batch["action"], result)
            status = (result.get("data") or {}).get("status")
            before = self.before.get(entry["record_id"]) or {}
            if self.found.undo and before.get("status") == status:
                kept["is_same"] = True
            if self.deletes() and before:
                kept["number"] = before["booth_number"]
            new.append(kept)
        desk_batches.keep_results(db, self.batch, entries, new, fields=self.fields, left=left)


def take_back(request, connections, found, batch):
    """Take back what was done and was not taken back yet, at most a part of it.

    A record that is gone counts as taken back. One that would be deleted stays if somebody has changed
    it since.
    """
    name = found.reverse
    if name is None or batch["state"] != "done":
        return
    db = connections.writer()
    for entry in undoable(connections.reader(), found, batch)[: desk_batches.PART]:
        ids = [entry["record_id"]] if found.undo else entry["result"]["made"]
        kept = {"status": 200}
        is_kept = False
        for id in ids:
            is_last = id == ids[-1]
            try:
                tag = CHANGED if is_changed(name, id, entry) else None
                call_undo(db, found, id, batch, entry if is_last else None, tag)
                is_kept = is_last
            except Problem as problem:
                if problem.status >= 500 or problem.status == 403:
                    raise
                if problem.status != 404:
                    kept = stored(batch["resource"], batch["action"], refusal_of(problem))
        if not is_kept:
            with db.write():
                if not desk_batches.is_undone(db, batch, entry):
                    desk_batches.keep_undone(db, batch, entry, kept)


def is_changed(name, id, entry):
    """Return whether somebody has changed a record that would be deleted, since the batch made it."""
    route = api.routes()[name]
    if route.method != "DELETE":
        return False
    record = api.read(api.names()["GET", route.path], id=id).data
    return record["updated_at"] > entry["result"].get("made_at", record["updated_at"])


def call_undo(db, found, id, batch, entry, tag):
    """Call the route that takes a record back. With an entry, store in its transaction that it is
    taken back, unless it was before.
    """

    def within(do):
        if desk_batches.is_undone(db, batch, entry):
            return Response(None, 204)
        result = do()
        desk_batches.keep_undone(db, batch, entry, {"status": 200})
        return result

    route = api.routes()[found.reverse]
    body = (found.undo_body or {}) if route.options.schema else None
    desk.call(route, {"id": id}, body=body, tag=tag, within=within if entry else None)


def refusal_of(problem):
    """Return a problem as the entry of a batch."""
    return {
        "status": problem.status,
        "code": problem.code,
        "problem": problem.members or {},
        "errors": problem.errors or [],
    }


def undoable(db, found, batch):
    """Return the entries that can be taken back, the last one first.

    A record that the batch has not changed stays as it is.
    """
    left = [each for each in desk_batches.done(db, batch) if each["undone"] is None]
    if found.undo:
        return [each for each in left if not each["result"].get("is_same")]
    return [each for each in left if each["result"].get("made")]


def decide_place(request):
    """Save where firms from abroad are taxed, if the trial has asked and somebody has decided."""
    place = first(request, "place_of_supply")
    event_id = id_of(first(request, "asked_event"))
    if place and event_id:
        actions.run(request, "update_event", {"id": event_id}, {"place_of_supply": place})


# What is stored


def trials_of(request, found, resource, action, ids, fields):
    """Return what is stored of the trial of each record. None if the form has to be filled in first,
    such as the reason of a rejection.
    """
    body = {"action": action, "ids": ids, "dry_run": True}
    form = form_of(request, found)
    try:
        if form:
            body |= form.body(fields)
        result = actions.run(request, found.run, {}, body).data
    except Problem as problem:
        if problem.status != 422:
            raise
        return None
    return [stored(resource, action, entry) for entry in result["results"]]


def stored(resource, action, entry):
    """Return what is stored of the result of an entry: no names, which pages read.

    {status}, refused also {code, members, fields}, else {amount in minor units and currency, made:
    ids of new records, made_at, more: number of further documents, warnings, offsets, and what
    `cancelled` returns} as far as there are any.
    """
    kept = {"status": entry["status"]}
    if entry["status"] >= 400:
        problem = entry.get("problem") or {}
        kept["code"] = entry["code"]
        kept["members"] = {name: problem[name] for name in MEMBERS if name in problem}
        kept["fields"] = [(each.get("pointer") or "")[1:] for each in entry.get("errors") or ()]
        return kept
    data, meta = entry.get("data") or {}, entry.get("meta") or {}
    amount = data.get("open_amount" if action == "remind" else "total")
    if amount is not None and data.get("currency") and action != "cancel":
        kept["amount"] = money.minor(Decimal(str(amount)), data["currency"])
        kept["currency"] = data["currency"]
    if (resource, action) == CANCELLATION:
        kept |= cancelled(meta)
    if entry["status"] == 201:
        notes = meta.get("credit_notes") or []
        further = meta.get("further_invoice_ids") or []
        kept["made"] = list(dict.fromkeys(filter(None, [data.get("id"), *notes, *further])))
        kept["made_at"] = data.get("updated_at")
        is_note = data.get("invoice_type") == "credit_note"
        kept["more"] = len(notes) + len(further) - is_note
    if resource == "invoices" and meta.get("warnings"):
        kept["warnings"] = [
            {name: each[name] for name in ("code", "field", "values") if name in each}
            for each in meta["warnings"]
        ]
    if meta.get("offsets"):
        kept["offsets"] = [
            {"amount": each["amount"], "invoice_number": each["invoice_number"]}
            for each in meta["offsets"]
        ]
    return kept


def cancelled(meta):
    """Return what is stored of a participation that is cancelled: {amount and currency: what is
    credited, others: the same in further currencies, orders: number of confirmed orders that stay,
    unmailed: why there is no mail} as far as there are any.
    """
    sums = [
        {
            "amount": money.minor(Decimal(str(each["amount"])), each["currency"]),
            "currency": each["currency"],
        }
        for each in meta["credited"]
    ]
    kept = dict(sums[0]) if sums else {}
    if sums[1:]:
        kept["others"] = sums[1:]
    if meta["open"]["service_order_ids"]:
        kept["orders"] = len(meta["open"]["service_order_ids"])
    if "reason" in meta.get("mail", {}):
        kept["unmailed"] = meta["mail"]["reason"]
    return kept


# The page


def page(db, request, batch):
    """Return the page of a batch: the trial of a part, or its result."""
    resource, action = batch["resource"], batch["action"]
    found = batch_of(resource, action)
    api.require_call(request, found.one)
    parts = -(-batch["size"] // desk_batches.PART)
    last = batch["begins"] // desk_batches.PART + 1
    number = min(id_of(shell.asked("part").get("part", "")) or last, last)
    is_in_hand = number == last
    state = batch["state"] if is_in_hand else "done"
    begins = (number - 1) * desk_batches.PART
    entries = desk_batches.part(db, batch, begins)
    rows = rows_of(db, request, found, batch, entries, state)
    good = [row for row in rows if row["status"] and row["status"] < 400]
    trial = state != "done"
    form = form_of(request, found)
    unpayable = [row for row in good if gaps.NO_ACCOUNT in codes_of(row["warnings"])]
    counts = {}
    if (resource, action) == ("invoices", "send") and not trial:
        counts = Counter(row["record"].get("delivery", "none") for row in good)
    is_asked = state == "tried" and action == "invoice"
    given = request.fields if "sure" in request.fields else batch["fields"]
    sums = desk_batches.sums(db, batch)
    undo = found.reverse
    left_to_undo = []
    if undo and not trial and api.may_call(request, undo):
        left_to_undo = undoable(db, found, batch)
    event = events.current(db)
    is_calling_off = (resource, action) in calling_off.BATCHES and event is not None
    has_trial = any(row["status"] for row in rows)
    return render_page(
        db,
        request,
        "batch",
        batch=batch,
        rows=sorted(rows, key=lambda row: (not row["warnings"], not (row["status"] or 0) >= 400)),
        resource=resource,
        action_word=action,
        word=f"batch_{resource}_{action}",
        state=state,
        is_in_hand=is_in_hand,
        trial=trial,
        form=form if state == "tried" else None,
        given=given,
        back=batch["back"],
        onward=ONWARD.get((resource, action)),
        good=len(good),
        asked_for=len(desk_batches.acted_on(entries)),
        running=sum(1 for each in entries if each["result"]),
        refused=sum(1 for row in rows if row["status"] and row["status"] >= 400),
        warned=sum(bool(row["warnings"]) for row in good),
        totals=totals(rows),
        outcome=None if trial else outcome(db, request, batch, sums),
        one_reason=only_reason(rows),
        undone=sum(each["undone"] or 0 for each in sums),
        undo_at_once=min(len(left_to_undo), desk_batches.PART),
        has_undo=undo is not None,
        next_size=min(batch["size"] - batch["begins"] - desk_batches.PART, desk_batches.PART),
        number=number,
        parts=parts,
        no_account=trial and no_account(db, request, len(unpayable)),
        question=question(db, request, entries) if is_asked else None,
        offsets=[] if trial else offset_sums(rows),
        amount_word="batch_credited" if (resource, action) == CANCELLATION else "total_amount",
        settled=calling_off.told(request, batch) if is_calling_off and has_trial else None,
        steps=calling_off.steps(request, event) if is_calling_off and not trial else None,
        open_forms=calling_off.open_forms(request, event) if is_calling_off and trial else (),
        told=labels.deliveries(labels.words(request), counts) if counts else None,
        to_print=counts.get("to_print"),
    )


def rows_of(db, request, found, batch, entries, state):
    """Return the rows of a part: {record, name, address, status, sentence, amount, currency, warnings,
    offsets, mail, undone}.
    """
    resource, action = batch["resource"], batch["action"]
    ids = [each["record_id"] for each in entries]
    include = ()
    if resource in NAMED_BY and api.may(request, "contacts"):
        include = (NAMED_BY[resource],)
    records = records_of(found, ids, include)
    exhibitors = {}
    if resource == "links":
        exhibitors = links.exhibitors_of(request, records.values())
    taking_part = set()
    if (resource, action) == ("applications", "approve") and state == "tried":
        taking_part = set(db.values(sql.taking_part, ids=as_json(ids)))
    texts = labels.words(request)
    mails_left = mails_shown(db, request, found, resource) if state == "tried" else 0
    rows = []
    for entry in entries:
        record = records.get(entry["record_id"])
        shown = entry["result"] or entry["trial"] or {}
        trial = entry["trial"] or {}
        status = shown.get("status")
        is_refused = status is not None and status >= 400
        sentence = sentence_of(request, shown, resource) if is_refused else None
        if entry["record_id"] in taking_part and not is_refused:
            sentence = texts["takes_part"]
        if entry["undone"] and entry["undone"]["status"] >= 400:
            sentence = sentence_of(request, entry["undone"], resource)
        mail = None
        if mails_left and status is not None and not is_refused:
            mail = mail_of(request, found, batch, entry["record_id"])
            mails_left -= 1
        amount = shown.get("amount")
        rows.append(
            {
                "record": record or {},
                "name": labels.record_name(record)
                if record
                else shown.get("number") or f"#{entry['record_id']}",
                "person": person_of(record, include, exhibitors),
                "address": record_address(resource, record) if record else "",
                "status": status,
                "sentence": sentence,
                "amount": None if amount is None else money.major(amount, shown["currency"]),
                "currency": shown.get("currency"),
                "others": [
                    money.in_major_units(each, ("amount",)) for each in shown.get("others") or ()
                ],
                "more": shown.get("more") or 0,
                "orders": shown.get("orders"),
                "unmailed": shown.get("unmailed"),
                "warnings": trial.get("warnings") or [],
                "offsets": [
                    {**each, "currency": shown.get("currency")}
                    for each in shown.get("offsets") or ()
                ],
                "mail": mail,
                "is_done": bool(entry["result"]),
                "is_undone": bool(entry["undone"]) and entry["undone"]["status"] < 400,
            }
        )
    return rows


def person_of(record, include, exhibitors):
    """Return the name of whom a record is about, or None: of the record that is included, or of the
    exhibitor of a link.
    """
    if not record:
        return None
    if include and record.get(include[0]):
        return labels.named(record[include[0]])
    exhibitor = exhibitors.get(record.get("participant_id"))
    return exhibitor and labels.named(exhibitor)


def records_of(found, ids, include=()):
    """Return id -> record of those that exist, by one call of the list for each hundred."""
    records = {}
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        query = {"ids": ",".join(map(str, some)), "per_page": AT_ONCE}
        for record in api.read(found.read, include=include, query=query).data:
            records[record["id"]] = record
    return records


def mails_shown(db, request, found, resource):
    """Return how many mails a trial shows at most."""
    if resource == "links":
        return REMINDERS
    offers = mail_trials.offers(request, db.config, found.one, resource, found.fields)
    return 1 if offers else 0


def mail_of(request, found, batch, id):
    """Return the text of the mail that a batch would send about a record, or None."""
    if batch["resource"] == "links":
        return reminder_of(id)
    body = form_of(request, found).body(batch["fields"])
    mail = mail_trials.of_action(found.one, {"id": id}, body)
    return mail and f"{mail['subject']}\n\n{mail['text']}"


def reminder_of(link_id):
    """Return the text of the reminder that a link would get, or None if nothing is to be done."""
    try:
        return api.read("get_link_reminder", id=link_id).data["text"]
    except Problem as problem:
        if problem.status >= 500:
            raise
        return None


def totals(rows):
    """Return (currency, amount) of what is possible or done, for each currency. What was taken back
    counts 0.
    """
    found = {}
    for row in rows:
        if row["amount"] is not None and row["status"] < 400:
            found.setdefault(row["currency"], Decimal(0))
            if not row["is_undone"]:
                found[row["currency"]] += Decimal(str(row["amount"]))
        for each in row["others"]:
            found.setdefault(each["currency"], Decimal(0))
            found[each["currency"]] += Decimal(str(each["amount"]))
    return list(found.items())


def outcome(db, request, batch, sums):
    """Return the sentence about what all parts of a batch have done: `6 drafts are written, EUR
    1,432.00 in total.`
    """
    texts = labels.words(request)
    count = sum(each["count"] for each in sums)
    word = f"did_{batch['resource']}_{batch['action']}"
    if word == "did_invoices_send" and has_credit_notes(db, batch):
        word = "did_documents_send"
    if count == 1:
        word = f"{word}_one"
    amounts = [
        formats.money(
            money.major(each["amount"], each["currency"]), each["currency"], request.language
        )
        for each in sums
        if each["currency"]
    ]
    together = ""
    if amounts and (batch["resource"], batch["action"]) == CANCELLATION:
        together = texts["batch_credited_sum"].format(amount=" + ".join(amounts))
    elif amounts and count > 1:
        together = texts["batch_together"].format(amount=" + ".join(amounts))
    elif amounts:
        together = texts["batch_amount"].format(amount=amounts[0])
    return f"{texts[word].format(n=count)}{together}."


def has_credit_notes(db, batch):
    """Return whether there are credit notes among the invoices that a batch has sent."""
    ids = [each["record_id"] for each in desk_batches.done(db, batch)]
    return bool(db.values(sql.credit_notes_among, ids=as_json(ids)))


def only_reason(rows):
    """Return the sentence about all refused rows if it is the same one, or None."""
    reasons = {row["sentence"] for row in rows if row["status"] and row["status"] >= 400}
    return reasons.pop() if len(reasons) == 1 else None


def question(db, request, entries):
    """Return what is asked before the first drafts for firms from abroad: {event_id, firms, form}.

    None if the show is decided, has no such firm, or the person may not change it.
    """
    ids = [each["record_id"] for each in entries]
    event_id, firms = tax_terms.foreign_firms(db, ids)
    if not firms or not api.may_call(request, "update_event"):
        return None
    form = taxes.place_form(request, db.config.organiser_country)
    return {"event_id": event_id, "firms": firms, "form": form}


def codes_of(warnings):
    return {each["code"] for each in warnings}


def no_account(db, request, count):
    """Return the Lack that this number of invoices names no bank account, None for 0."""
    if not count:
        return None
    word = "invoice_without_account" if count == 1 else "invoices_without_account"
    return gaps.no_account(db, request, word)


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


def record_address(resource, record):
    """Return the address of the page of a record."""
    if resource in PAGES:
        return f"{PAGES[resource]}/{record['id']}"
    id = record.get("event_participant_id") or record.get("participant_id")
    return f"exhibitors/{id}" if id else ""


def sentence_of(request, refused, resource):
    """Return why a record is refused, from what is stored of it."""
    texts = labels.words(request)
    own = f"problem_{refused['code']}_{resource}"
    if own in texts:
        return texts[own]
    if refused["code"] == "precondition_failed":
        return texts["changed_since"]
    names = [str(labels.of(request)(name)[0]) for name in refused.get("fields") or ()]
    members = {**(refused.get("members") or {}), "fields": ", ".join(names)}
    return labels.problem_sentence(texts, request.language, refused["code"], members)


# The form


def form_of(request, found):
    """Return the form of a Batch, or None if it has no fields."""
    if not found.fields:
        return None
    return Form(
        found.schema,
        "POST",
        labels.of(request, actions.LABELLED_AS.get(found.one, found.singular)),
        names=actions.permitted(request, found.fields),
        choices=actions.choices(request, found.one, None) if found.one == CONTRACT else {},
        language=request.language,
    )


def typed(request, form):
    """Return the texts of the form of a batch that was sent, by name."""
    if form is None:
        return {}
    return {
        field.name: request.fields[field.name]
        for field in form.fields
        if field.name in request.fields
    }


def begun_with(db, request, found, resource, action):
    """Return the texts that the form of a batch begins with: what the page before has asked for, or
    else the boxes that are ticked from the start.
    """
    form = form_of(request, found)
    fields = typed(request, form) or actions.ticks(db, found.one)
    fields["confirm"] = ["1"]
    if found.one == CONTRACT:
        fields |= actions.only_template(actions.contract_templates(request))
    if (resource, action) == ("invoices", "send"):
        fields["offset"] = ["1"]
    names = [field.name for field in form.fields] if form else ()
    return {name: texts for name, texts in fields.items() if name in names}


def ordered(db, request, resource, action):
    """Return the ids of the ticked records. Credit notes are sent first, so that invoices count their credit."""
    ids = ids_of(request, desk_batches.MOST)
    if (resource, action) != ("invoices", "send"):
        return ids
    notes = set(db.values(sql.credit_notes_among, ids=as_json(ids)))
    return sorted(ids, key=lambda id: id not in notes)


def ids_of(request, most=desk_batches.PART):
    """Return the ids of the ticked records, each once, or those of all rows of the list; at most so
    many.
    """
    if "all" in request.fields:
        action = shell.address().partition("/desk/")[2]
        ids, _ = lists.ids_of(request, first(request, "list"), first(request, "filter"), action)
    else:
        ids = filter(None, map(id_of, request.fields.get("ids", [])))
    return list(dict.fromkeys(ids))[:most]


def batch_of(resource, action):
    """Return a Batch. Raise 404 for another one."""
    found = offered().get((resource, action))
    if found is None:
        raise not_found("page", shell.address())
    return found


def first(request, name):
    """Return the first text of a field, or an empty one."""
    return (request.fields.get(name) or [""])[0]
