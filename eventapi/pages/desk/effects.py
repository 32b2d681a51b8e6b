"""What an action would change beside its record, said on the page of its form.

Each sentence is a word of the pages with its values. What only the rules know comes from a dry run
of the action.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from eventapi.errors import Problem
from eventapi.languages import formats
from eventapi.pages.desk import api, gaps, labels

ENDED = ("cancelled", "refunded")  # statuses of invoices that ask for nothing
STANDING = ("effect_paid", "effect_open")  # sentences about invoices that can be credited


@dataclass(frozen=True, slots=True)
class Effects:
    """What the page of an action says and asks.

    sentences: (word, values) of each.
    without: fields that the form lacks.
    reopens: the customer would owe again what is paid back.
    credit_note_id: the draft of a credit note that is to be sent before, or None.
    chooses_first: the form only chooses the booth, and leads to the page that says what it costs.
    lacks_account: an invoice would ask for money and name no bank account.
    """

    sentences: Sequence = ()
    without: tuple = ()
    reopens: bool = False
    credit_note_id: int | None = None
    chooses_first: bool = False
    lacks_account: bool = False


def of(request, name, id, other_id, currency):
    """Return the Effects of an action.

    `other_id` is the item of an order, the booth to move to, or the reservation to swap with, or
    None before the choice. There is no sentence about what the person may not read, or what would be
    refused: the action itself says why.
    """
    find = {
        "anonymize_contact": _of_erasure,
        "cancel_participant": _of_cancellation,
        "cancel_service_order_item": _of_item,
        "move_booth_reservation": _of_move,
        "refund_payment": _of_refund,
        "send_invoice": _of_sending,
        "swap_booth_reservation": _of_swap,
    }.get(name)
    try:
        return find(request, id, other_id, currency) if find else Effects()
    except Problem:
        return Effects()


def _of_cancellation(request, id, _booth_id, _currency):
    sentences = list(of_cancellation(request, id))
    is_asked = any(word in STANDING for word, _ in sentences)
    is_asked = is_asked and api.may_call(request, "credit_invoice")
    return Effects(sentences, () if is_asked else ("invoices",))


def _of_erasure(request, id, _booth_id, _currency):
    sentences, is_open = [("effect_erase", {})], True
    if api.may_call(request, "list_participants"):
        _, total = api.rows("list_participants", contact_id=id, per_page=1)
        if total:
            sentences.append(("effect_erase_participations", {"n": total}))
    if api.may_call(request, "list_invoices"):
        rows = api.everything("list_invoices", contact_id=id, sort="id", order="ASC")
        sent = [row for row in rows if row["status"] != "draft"]
        unsettled = [row for row in sent if row["open_amount"] or row["status"] == "overpaid"]
        if sent:
            sentences.append(("effect_erase_invoices", {"n": len(sent)}))
        if unsettled:
            numbers = ", ".join(row["invoice_number"] for row in unsettled)
            sentences.append(("effect_erase_open", {"numbers": numbers}))
        is_open = bool(unsettled)
    return Effects(sentences, () if is_open or request.problem else ("force",))


def _of_item(request, id, item_id, _currency):
    order = api.read("get_service_order", id=id, include=("items",)).data
    [item] = [each for each in order["items"] if each["id"] == item_id]
    quantity = formats.number(item["quantity"], request.language)
    return Effects([("effect_item", {"quantity": quantity, "service": item["service_name"]})])


def _of_move(request, id, booth_id, currency):
    if request.problem:  # the whole form, with what was typed
        return Effects()
    if booth_id is None:
        return Effects(without=("keep_price",), chooses_first=True)
    return Effects(list(of_move(request, id, booth_id, currency)), ("booth_id",))


def _of_swap(request, id, other_id, currency):
    if request.problem:
        return Effects()
    if other_id is None:
        return Effects(without=("keep_price",), chooses_first=True)
    tried = api.tried("swap_booth_reservation", {"with": other_id}, id=id)
    sentences = []
    for price in tried.meta["prices"]:
        include = ("participant",) if api.may(request, "participants") else ()
        id = price["booth_reservation_id"]
        row = api.read("get_booth_reservation", id=id, include=include).data
        who = labels.named(row["participant"]) if include else row["booth_number"]
        values = {"who": who, "old": money(request, price["old"], currency)}
        sentences.append(("effect_swap", {**values, "new": money(request, price["new"], currency)}))
    return Effects(sentences, ("with",))


def _of_refund(request, id, _booth_id, _currency):
    tried = api.tried("refund_payment", {}, id=id)
    reopened = [each for each in tried.meta["warnings"] if each["code"] == "reopens_invoice"]
    if not reopened:
        return Effects()
    (warning,) = reopened
    number, draft = tried.data["invoice_number"], None
    if api.may_call(request, "get_invoice"):
        invoice = api.read("get_invoice", id=warning["invoice_id"], include=("contact",)).data
        number = f"{number} ({labels.named(invoice)})"
        draft = drafted_credit(invoice)
    amount = money(request, warning["open_amount"], tried.data["currency"])
    sentences = [("effect_reopens", {"number": number, "open": amount})]
    if draft:
        total = money(request, draft["total"], draft["currency"])
        number = labels.invoice_number(labels.words(request), draft["invoice_number"])
        sentences.append(("effect_credit", {"number": number, "total": total}))
    return Effects(sentences, reopens=True, credit_note_id=draft and draft["id"])


def _of_sending(_request, id, _booth_id, _currency):
    codes = {each["code"] for each in api.check("check_invoice", id=id)["warnings"]}
    return Effects(lacks_account=gaps.NO_ACCOUNT in codes)


def drafted_credit(invoice):
    """Return the first draft of a credit note for an invoice, or None."""
    asked = {"contact_id": invoice["contact_id"], "type": "credit_note", "status": "draft"}
    rows, _ = api.rows("list_invoices", **asked, order="ASC")
    return next((row for row in rows if row["related_invoice_id"] == invoice["id"]), None)


def of_cancellation(request, id):
    """Yield what becomes of booths, orders and invoices of a participant that cancels."""
    if api.may_call(request, "list_booth_reservations"):
        rows, _ = api.rows("list_booth_reservations", event_participant_id=id)
        booths = [row["booth_number"] for row in rows if row["status"] in ("pending", "confirmed")]
        if booths:
            word = "effect_booth" if len(booths) == 1 else "effect_booths"
            yield word, {"booths": ", ".join(booths)}
    if api.may_call(request, "list_service_orders"):
        rows, _ = api.rows("list_service_orders", event_participant_id=id, status="confirmed")
        if rows:
            yield "effect_orders", {"orders": ", ".join(row["order_number"] for row in rows)}
    if api.may_call(request, "list_invoices"):
        rows, _ = api.rows("list_invoices", event_participant_id=id, type="invoice", order="ASC")
        for row in rows:
            yield from of_invoice(request, row)


def of_invoice(request, row):
    """Yield the state of an invoice of a participant that cancels, unless nothing of it is left."""
    if row["status"] in ENDED or (row["credited"] and row["credited"] >= row["total"]):
        return
    values = {
        "number": labels.invoice_number(labels.words(request), row["invoice_number"]),
        "total": money(request, row["total"], row["currency"]),
        "open": money(request, row["open_amount"], row["currency"]),
    }
    if row["status"] == "draft":
        yield "effect_draft", values
    elif row["open_amount"] > 0:
        yield "effect_open", values
    else:
        yield "effect_paid", values


def of_move(request, id, booth_id, currency):
    """Yield what a reservation costs with the other booth, and what the exhibitor has to pay then: with
    the price of that booth and, if it is another one, with the old price kept.
    """
    old = api.read("get_booth_reservation", id=id).data
    tried = api.tried("move_booth_reservation", {"booth_id": booth_id}, id=id)
    price, balance = tried.meta["price"], tried.meta.get("balance")
    values = {"old": old["booth_number"], "new": tried.data["booth_number"]}
    values["old_price"] = money(request, price["old"], currency)
    values["new_price"] = money(request, price["new"], currency)
    if balance is None:
        yield "effect_price", values
    elif balance["before"] == balance["after"]:
        yield "effect_same", values
    else:
        values["before"] = money(request, balance["before"], currency)
        values["after"] = money(request, balance["after"], currency)
        yield "effect_move", values
    if price["old"] != price["new"]:
        yield of_kept_price(request, id, booth_id, currency)


def of_kept_price(request, id, booth_id, currency):
    """Return what a reservation costs with the other booth if it keeps its price, and what the
    exhibitor has to pay then.
    """
    body = {"booth_id": booth_id, "keep_price": True}
    tried = api.tried("move_booth_reservation", body, id=id)
    values = {
        "new": tried.data["booth_number"],
        "price": money(request, tried.meta["price"]["new"], currency),
    }
    balance = tried.meta.get("balance")
    if balance is None:
        return "effect_keep_price", values
    values["after"] = money(request, balance["after"], currency)
    return "effect_keep", values


def money(request, amount, currency):
    return "–" if amount is None else formats.money(amount, currency, request.language)
