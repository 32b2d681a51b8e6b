"""A show that does not take place: what is cancelled in which order, and what else has to be done.

The page asks for the reason once and leads to the batches of the desk: first the confirmed orders, so
that credit notes have them as well, then the exhibitors, then the visitors. What is closed, sent and
published afterwards are links. Nothing of it is done by itself.
"""

from dataclasses import dataclass

from eventapi.domain.access import desk_batches
from eventapi.domain.mail import queue as mails
from eventapi.errors import not_found
from eventapi.languages import formats
from eventapi.pages.desk import actions, api, events, gaps, labels, lists
from eventapi.pages.desk.page import render_page
from eventapi.web.html import shell
from eventapi.web.routes import Routes

routes = Routes(
    "desk-calling-off",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

ADDRESS = "setup/called_off"
UNDECIDED = ("new", "in_review", "info_requested", "waitlisted")  # states of applications
# states of invoices that are not paid in full
UNPAID = ("overdue", "sent", "partially_paid")


@dataclass(frozen=True, slots=True)
class Round:
    """Records of a show that are cancelled by one batch.

    Attributes:
        name: that of the round, and of the Listing that finds the records.
        view: name of the view of the list that has them, or None.
        batch: address of the batch, below /desk/batch/.
        handler: route of the API that cancels one of them.
        asks_mail: whether a mail can be sent to each.
    """

    name: str
    view: str | None
    batch: str
    handler: str
    asks_mail: bool


ROUNDS = (
    Round("orders", "confirmed", "service-orders/cancel", "cancel_service_order", False),
    Round("exhibitors", None, "participants/cancel", "cancel_participant", True),
    Round("visitors", None, "participants/cancel", "cancel_participant", True),
)
BATCHES = tuple(tuple(each.batch.split("/")) for each in ROUNDS)  # (resource, action) of each


@dataclass(frozen=True, slots=True)
class Step:
    """A step of calling a show off.

    Attributes:
        name: its word is `called_off_NAME`, its second line `called_off_more_NAME`.
        address: of its page, within the desk.
        count: number of records that are left, None for a step without records.
        is_done: whether nothing is left to do.
        anchor: the part of its page, or "".
    """

    name: str
    address: str
    count: int | None
    is_done: bool
    anchor: str = ""


@routes.get("/setup/called_off")
def get_desk_called_off(db, request):
    """Return the steps of calling off the show in hand, and the form of the round that is next."""
    event = events.required(db)
    api.require_call(request, "cancel_participant")
    counts = counts_of(request, event)
    chosen = round_of(counts)
    return render_page(
        db,
        request,
        "called_off",
        menu="setup",
        page="details",
        current=event,
        steps=steps(request, event, counts),
        round=chosen,
        count=counts.get(chosen.name),
        most=desk_batches.MOST,
        filter=filter_of(chosen, event),
        own_address=f"{ADDRESS}?step={chosen.name}&event={event['event_key']}",
        asks_mail=chosen.asks_mail and mails.is_configured(db.config),
        asks_credit=chosen.asks_mail and actions.may_credit(request),
        sums=sums_of(request, chosen, event),
        lacks=[lack for lack in gaps.told(db, request, True) if lack.code == "no_mail_server"],
    )


def counts_of(request, event):
    """Return round -> number of its records, of those that the person may cancel."""
    found = {}
    for each in ROUNDS:
        if api.may_call(request, each.handler):
            _, found[each.name] = api.rows(
                lists.KNOWN[each.name].handler, **query_of(each, event), per_page=1
            )
    return found


def query_of(round, event):
    """Return the parameters of the list of the API that find the records of a round."""
    listing = lists.KNOWN[round.name]
    query = lists.query_of(listing, asked_of(round), event["event_key"])
    return {**query, "sort": "id"}


def asked_of(round):
    """Return what the address of the list asks for, to show the records of a round."""
    return {"show": round.view} if round.view else {}


def filter_of(round, event):
    """Return the filter of a round as `lists.ids_of` reads it."""
    return lists.filter_of(lists.KNOWN[round.name], asked_of(round), event)


def round_of(counts):
    """Return the Round that the address names, else the first one that has records.

    Raise 404 for another one, or if the person may not cancel its records.
    """
    asked = shell.asked("step").get("step")
    left = [each for each in ROUNDS if each.name in counts]
    for each in left:
        if each.name == asked:
            return each
    if asked:
        raise not_found("page", shell.address())
    for each in left:
        if counts[each.name]:
            return each
    return left[0]


def sums_of(request, round, event):
    """Return what was invoiced to all exhibitors and what is open, as {invoiced, open} with texts for
    each currency. None are returned for other rounds, and without the scope of invoices.
    """
    if round.name != "exhibitors" or not api.may(request, "invoices"):
        return []
    query = {**query_of(round, event), "totals": 1, "per_page": 1}
    totals = api.read("list_participants", query=query).meta["totals"]
    found = []
    for each in (totals, *totals["others"]):
        if each["invoiced"] or each["open"]:
            texts = {
                name: formats.money(each[name], each["currency"], request.language)
                for name in ("invoiced", "open")
            }
            found.append(texts)
    return found


# The steps


def steps(request, event, counts=None):
    """Return the Steps of calling a show off in their order, as far as the person may do them.

    `counts` are those of `counts_of`, if they are known already.
    """
    counts = counts_of(request, event) if counts is None else counts
    pages = events.pages_of(request, event)
    found = _forms(pages)
    for name, count in counts.items():
        found.append(Step(name, f"{ADDRESS}?step={name}", count, count == 0, "#round"))
    if api.may_call(request, "list_applications"):
        found.append(_applications(event))
    if api.may_call(request, "list_invoices"):
        found += _drafts(event)
        found.append(_unpaid(event))
    if pages:
        found.append(Step("website", "setup/website", None, not pages["is_public"]))
    return found


def open_forms(request, event):
    """Return the Steps of forms that still take applications or registrations."""
    return [step for step in _forms(events.pages_of(request, event)) if not step.is_done]


def _forms(pages):
    if pages is None:
        return []
    return [
        Step("apply", "setup/apply", None, not pages["apply_is_open"]),
        Step("visit", "setup/visitors", None, not pages["visit_is_open"]),
    ]


def _applications(event):
    count = 0
    for status in UNDECIDED:
        _, total = api.rows("list_applications", event_id=event["id"], status=status, per_page=1)
        count += total
    return Step("applications", "applications?status=new", count, count == 0)


def _drafts(event):
    """Return the steps about drafts: credit notes to send, and invoices that are not right any more."""
    found = []
    for name, kind in (("credits", "credit_note"), ("drafts", "invoice")):
        query = {"event_id": event["id"], "type": kind, "status": "draft", "per_page": 1}
        _, count = api.rows("list_invoices", **query)
        found.append(Step(name, "money?show=draft", count, count == 0))
    return found


def _unpaid(event):
    """Return the step about invoices that stay: a cancellation credits what is owed no more of fee, booth
    and orders, and not what somebody has written by hand.
    """
    counts = {}
    for status in UNPAID:
        query = {"event_id": event["id"], "type": "invoice", "status": status, "per_page": 1}
        _, counts[status] = api.rows("list_invoices", **query)
    view = next((status for status in UNPAID if counts[status]), UNPAID[0])
    count = sum(counts.values())
    return Step("unpaid", f"money?show={view}", count, count == 0)


# What a trial has asked


def told(request, batch):
    """Return the sentences about what the fields of a batch say: reason, mail and credit."""
    texts, fields = labels.words(request), batch["fields"]
    reason = "".join(fields.get("reason") or ()).strip()
    found = [texts["called_off_reason"].format(reason=reason or "–")]
    if batch["resource"] == "participants":
        found.append(texts["called_off_mailed" if fields.get("mail") else "called_off_unmailed"])
        is_credited = fields.get("invoices") == ["credit"]
        found.append(texts["called_off_credited" if is_credited else "called_off_kept"])
    return found
