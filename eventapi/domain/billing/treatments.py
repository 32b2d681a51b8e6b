"""The tax treatment of a draft: what the rule of domain/vat says about its buyer, event and lines,
what the office chose, and the tax of its lines that follows.

Rows of lines are as in `lines`. Their usual tax is that at home; a treatment may replace it.
"""

import json
from dataclasses import replace

from eventapi.domain.billing import changed_lines, tax_terms
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.vat import treatment, warnings
from eventapi.domain.vat.treatment import (
    ABROAD,
    EVENT,
    NOT_TAXABLE,
    RECIPIENT,
    REVERSE_CHARGE,
    SMALL_BUSINESS,
    STANDARD,
    Suggestion,
)
from eventapi.pictures import small_business
from eventapi.storage.statements import statements

sql = statements("treatments")

AUTO = "auto"
RULE, OFFICE = "rule", "office"


def by_rule(terms, rows):
    """Return lines with their usual tax as the rule taxes them, or as they were typed."""
    chosen, decided_by = decide(terms, rows)
    return apply(terms, rows, chosen, decided_by)


def rate_of(terms, rate, exemption_reason=None):
    """Return the tax rate of a price without a place of its own, such as that of a booth: 0 if the
    rule leaves it without tax. `rate` is in hundredths of a percent.
    """
    if exemption_reason and not rate:
        return 0
    row = {**invoice_lines.NEW, **invoice_lines.taxed("S", rate), "place_of_supply": None}
    (line,) = by_rule(terms, [row])
    return line["tax_rate"]


def asked(wanted, old, faults):
    """Return the treatment that a request asks for: AUTO, one of the four, or None if it asks for
    nothing new.

    `wanted` holds the fields of the request, `old` is the row of a changed draft. Add a fault if the
    two fields contradict each other.
    """
    chosen = wanted.get("tax_treatment")
    reverse_charge = wanted.get("is_reverse_charge")
    if old and old["tax_treatment"] == REVERSE_CHARGE and reverse_charge and chosen:
        reverse_charge = None  # a record that comes back says nothing with it
    if reverse_charge and chosen not in (None, REVERSE_CHARGE):
        faults.add(
            "/is_reverse_charge",
            "disagrees",
            f"is true, but `tax_treatment` is {chosen}. Send one of them",
        )
        return None
    if reverse_charge:
        chosen = REVERSE_CHARGE
    if old is None:
        return chosen or AUTO
    known = AUTO if old["tax_decided_by"] == RULE else old["tax_treatment"]
    if chosen in (known, old["tax_treatment"]):
        chosen = None
    if chosen is None and reverse_charge is False and old["tax_treatment"] == REVERSE_CHARGE:
        return STANDARD
    return chosen


def prepared(items, asked, old, *, is_invoice):
    """Return the items of a draft as `lines` takes them.

    `asked` is as `asked` returns it, `old` the row of a changed draft.
    """
    if not is_invoice:
        category = ABROAD.get(old["tax_treatment"]) if old else None
        return [_with_category(item, category) if category else item for item in items]
    if old and asked is not None:
        items = untyped(items, old["tax_treatment"])
    kept = old["tax_treatment"] if old else None
    if (asked or kept) in ABROAD:
        items = changed_lines.with_reasons_aside(items)
    return items


def _with_category(item, category):
    """Return an item; one of a credit note without tax has the category of its invoice."""
    has_tax = item.get("tax_category") is not None or item.get("tax_rate") is not None
    return item if has_tax else {**item, "tax_category": category, "tax_rate": 0}


def treat(db, draft, rows, asked, old, faults):
    """Return the columns of the treatment of a draft, and its lines with their tax.

    `draft` has the columns of contact, event and days, `rows` have their usual tax. A credit note has
    the treatment of its invoice, and an invoice that was taken over the tax of the other system. Add
    what is wrong to `faults`.
    """
    if draft["invoice_type"] == "credit_note":
        return kept(old) if old else _columns(STANDARD, OFFICE), rows
    if draft["contact_id"] is None:
        return _columns(STANDARD, OFFICE), rows  # a fault says so
    terms = tax_terms.of_draft(db, draft)
    if old and asked is None:
        is_open = old["tax_decided_by"] == RULE or _follows_typed(db, terms, rows, old)
        asked = AUTO if is_open else old["tax_treatment"]
    if draft["taken_over"] and asked == AUTO:
        if old:  # the other system has sent what the rule had decided
            rows = [
                {**row, **invoice_lines.NO_USUAL_TAX}
                for row in apply(terms, rows, *decide(terms, rows))
            ]
        return _columns(_of_typed(terms, rows), OFFICE), rows
    chosen, decided_by = decide(terms, rows, asked)
    if not draft["taken_over"]:
        check(terms, rows, chosen, faults)
    return _columns(chosen, decided_by), apply(terms, rows, chosen, decided_by)


def _follows_typed(db, terms, rows, old):
    """Return whether a changed draft has its treatment only from the tax that was typed in all of
    its lines, and again is in `rows`.
    """
    if not _are_typed(rows):
        return False
    stored = [invoice_lines.without_treatment(line) for line in db.all(sql.lines, id=old["id"])]
    return _are_typed(stored) and _of_typed(terms, stored) == old["tax_treatment"]


def _are_typed(rows):
    return bool(rows) and all(row["is_tax_typed"] for row in rows)


def kept(row):
    """Return the columns of the treatment of a row."""
    return {name: row[name] for name in ("tax_treatment", "tax_decided_by", "is_reverse_charge")}


def _columns(chosen, decided_by):
    return {
        "tax_treatment": chosen,
        "tax_decided_by": decided_by,
        "is_reverse_charge": int(chosen == REVERSE_CHARGE),
    }


def decided_again(terms, stored, wanted=AUTO):
    """Return the columns of the treatment of a draft, and its stored lines with their tax. `wanted` is
    as in `decide`.
    """
    usual = [invoice_lines.without_treatment(line) for line in stored]
    chosen, decided_by = decide(terms, usual, wanted)
    return _columns(chosen, decided_by), apply(terms, usual, chosen, decided_by)


def parts(lines):
    """Return (lines of one invoice, lines of another one): those that are not subject to VAT stand
    alone (EN 16931 BR-O-11).
    """
    without = [line for line in lines if line["tax_category"] == "O"]
    others = [line for line in lines if line["tax_category"] != "O"]
    if not without or not others:
        return lines, []
    first, second = (without, others) if lines[0]["tax_category"] == "O" else (others, without)
    return [{**line, "position": place} for place, line in enumerate(first, 1)], second


def decide(terms, rows, wanted=AUTO):
    """Return (treatment, who decided it) for lines with their usual tax.

    `terms` are the Terms. `wanted` is a treatment, or AUTO: then the rule decides, unless the tax of
    every line was typed.
    """
    if wanted != AUTO:
        return wanted, OFFICE
    if _are_typed(rows):
        return _of_typed(terms, rows), OFFICE
    return suggested(terms, rows).treatment, RULE


def _of_typed(terms, rows):
    """Return the treatment that the tax categories of lines amount to."""
    categories = {row["tax_category"] for row in rows}
    if categories == {"AE"}:
        return REVERSE_CHARGE
    if categories == {"O"} and not terms.organiser.is_small:
        return NOT_TAXABLE
    return SMALL_BUSINESS if terms.organiser.is_small else STANDARD


def suggested(terms, rows) -> Suggestion:
    """Return what the rule says about an invoice with these lines. Lines whose tax was typed have no
    say.
    """
    places = [row["place_of_supply"] for row in rows if not row["is_tax_typed"]]
    return treatment.suggest(terms.organiser, terms.show, terms.buyer, places)


def apply(terms, rows, chosen, decided_by):
    """Return the lines with the tax of a treatment, from lines with their usual tax."""
    return [_treated(terms, row, chosen, decided_by) for row in rows]


def _treated(terms, row, chosen, decided_by):
    """Return a line with the tax of a treatment.

    The rule makes the lines whose place is the recipient AE or O, the office all but those whose own
    place is the event. The rule leaves lines alone whose tax was typed.
    """
    if decided_by == RULE and row["is_tax_typed"]:
        return row
    place = _place(terms, row, decided_by)
    organiser = terms.organiser
    if chosen == SMALL_BUSINESS:
        organiser = replace(organiser, is_small=True)
    category = treatment.category(chosen, organiser, place)
    if category == "S":
        return row
    if chosen in ABROAD and place == RECIPIENT:
        return invoice_lines.with_tax(row, category)
    is_taxed = row["tax_category"] == "S" or (
        row["tax_category"] == "Z" and not row["is_tax_typed"]
    )
    if is_taxed or category == "O":
        reason = small_business.reason(organiser.country, "en")
        return invoice_lines.with_tax(row, category, reason)
    return row


def _place(terms, row, decided_by):
    """Return where a line is supplied, as far as its tax is concerned: the office decides for all
    lines but those whose own place is the event.
    """
    own = row["place_of_supply"]
    if decided_by == OFFICE:
        return EVENT if own == EVENT else RECIPIENT
    (place,) = treatment.places(terms.show, [own])
    return place


def untyped(items, old_treatment):
    """Return the items of a draft whose treatment is chosen anew.

    Those that only say what the old treatment was get the default tax instead: all that have its
    category if all have, else those whose tax nobody typed. Earlier versions have not kept their
    usual tax.
    """
    category = ABROAD.get(old_treatment)
    if category is None:
        return items
    is_whole = all(item.get("tax_category") == category for item in items)
    return [
        _without_tax(item)
        if item.get("tax_category") == category
        and (is_whole or not invoice_lines.is_tax_typed(item))
        else item
        for item in items
    ]


def _without_tax(item):
    return {
        **{name: value for name, value in item.items() if name not in invoice_lines.TAX},
        "is_tax_typed": False,
    }


def check(terms, rows, chosen, faults):
    """Add a fault for a treatment that contradicts the option `small_business`, and for each typed
    rate on a day on which the organiser charges no tax.
    """
    is_small = terms.organiser.is_small
    if chosen == SMALL_BUSINESS and not is_small:
        faults.add(
            "/tax_treatment",
            "disagrees",
            f"must not be small_business: the option `small_business` is not yes on {terms.day}, the last day "
            "of the supply. Set the option, or send auto",
        )
    if not is_small:
        return
    if chosen == STANDARD:
        faults.add(
            "/tax_treatment",
            "disagrees",
            f"must not be standard: the option `small_business` is yes on {terms.day}, the last day of the "
            "supply, and a small business charges no VAT. Send auto, or change the option",
        )
        return
    for row in rows:
        if row["is_tax_typed"] and row["tax_category"] == "S" and row["tax_rate"]:
            faults.add(
                f"/items/{row['position'] - 1}/tax_rate",
                "tax_category",
                f"must be 0: the option `small_business` is yes on {terms.day}, the last day of the supply, and "
                "a small business charges no VAT. Leave `tax_rate` and `tax_category` out",
            )


# Drafts that no longer fit


def outdated(db, draft):
    """Return a dict with position, reason and detail for each line of a draft whose tax the rule
    would now decide otherwise. `draft` is a row.
    """
    if draft["locked_at"] or draft["tax_decided_by"] != RULE:
        return []
    terms = tax_terms.of_draft(db, draft)
    stored = db.all(sql.lines, id=draft["id"])
    usual = [invoice_lines.without_treatment(line) for line in stored]
    suggestion = suggested(terms, usual)
    now = apply(terms, usual, suggestion.treatment, RULE)
    return [
        {
            "position": line["position"],
            "reason": "treatment_changed",
            "detail": f"Its tax category is {line['tax_category']}, and by the rule it is {new['tax_category']} now "
            f"({suggestion.because}).",
        }
        for line, new in zip(stored, now, strict=True)
        if new["tax_category"] != line["tax_category"]
    ]


def outdated_of_contact(db, contact_id):
    """Return the ids of the drafts to a contact whose tax the rule would now decide otherwise."""
    drafts = db.all(sql.drafts_of_contact, contact_id=contact_id)
    return [draft["id"] for draft in drafts if outdated(db, draft)]


def outdated_of_event(db, event_id):
    """Return the ids of the drafts for an event whose tax the rule would now decide otherwise."""
    drafts = db.all(sql.drafts_of_event, event_id=event_id)
    return [draft["id"] for draft in drafts if outdated(db, draft)]


# What the office should look at


def judged(db, row):
    """Return what POST /invoices/{id}/check shows of the tax of an invoice, and the codes of its
    warnings.

    `row` is the row of an invoice. The buyer of a sent one is as it was sent.
    """
    terms = tax_terms.of_draft(db, row)
    if row["buyer"]:
        terms = replace(terms, buyer=_as_sent(terms.buyer, json.loads(row["buyer"])))
    stored = db.all(sql.lines, id=row["id"])
    usual = [invoice_lines.without_treatment(line) for line in stored]
    suggestion = suggested(terms, usual)
    own_places = [line["place_of_supply"] for line in stored]
    places = treatment.places(terms.show, own_places)
    shown = list(zip([line["tax_category"] for line in stored], places, strict=True))
    codes = warnings.codes(suggestion, terms.organiser, terms.show, terms.buyer, shown)
    is_without_tax = row["tax_treatment"] in ABROAD
    if row["tax_decided_by"] == OFFICE and is_without_tax and suggestion.treatment == STANDARD:
        codes.add("treatment_differs")
    tax = {
        "treatment": row["tax_treatment"],
        "suggested": suggestion.treatment,
        "because": suggestion.because,
    }
    return tax, codes


def _as_sent(buyer, sent):
    """Return the Buyer of a sent invoice. Earlier versions have not kept whether it is a business."""
    terms = replace(
        buyer,
        country=sent["country"],
        tax_id=sent["vat_id"],
        vat_check=buyer.vat_check if sent["vat_id"] == buyer.tax_id else None,
    )
    was_business = sent.get("is_business")
    # The invoice says what it counted as, not why: a company name proves less than what the office has said.
    if was_business in (None, terms.counts_as_business()):
        return terms
    return replace(terms, is_business=was_business)
