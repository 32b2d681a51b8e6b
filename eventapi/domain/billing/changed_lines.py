"""Lines of a changed draft: which stored line an item of a request belongs to, and what it keeps of
it.

Rows of lines are as in `lines`.
"""

from decimal import Decimal

from eventapi import money
from eventapi.domain.billing.invoices import PLACES
from eventapi.domain.billing.lines import AMOUNTS, NEW, REFERENCES, numbers, usual_tax
from eventapi.domain.einvoices import exemptions
from eventapi.errors import Faults

# of an item: a changed draft keeps them if they are not sent
OPTIONAL = ("unit", "place_of_supply", *REFERENCES)
IDENTITY = ("description", *REFERENCES)
SHOWN_TAX = ("tax_category", "tax_rate")
WHOLE = (*IDENTITY, "unit", "place_of_supply", *AMOUNTS, *SHOWN_TAX)


def completed(items, old):
    """Return the items of a request with the unit and the references that they leave out of a
    stored line.

    An item is a stored line if description, quantity and price agree, and what it sends of unit and
    references. So a line that comes back without them is not edited: it still bills its record, and
    is outdated if that is cancelled. An item that sends null removes the value. `old` holds the
    rows of the stored lines.
    """
    left = list(old)
    result = list(items)
    is_complete = [all(name in item for name in OPTIONAL) for item in items]
    # complete items come first
    for place in sorted(range(len(items)), key=lambda place: not is_complete[place]):
        item = items[place]
        line = next((line for line in left if _is_line(item, line)), None)
        if line:
            left.remove(line)
            kept = {name: line[name] for name in OPTIONAL}
            result[place] = {**kept, **item}
    return result


def _is_line(item, line):
    """Return whether all that an item sends, but its tax, is as in a stored line."""
    sent = numbers(item, "", Faults())
    del sent["tax_rate"]
    for name in ("description", *OPTIONAL):
        if name in item:
            sent[name] = item[name]
    return all(line[name] == value for name, value in sent.items())


def matching(items, old):
    """Return the row in `old` of each item of a request, or None for a new one.

    An item belongs to the line with its description and references. If several have these, its
    amounts decide, and the tax that it sends. Otherwise it belongs to a line with the same
    references, if it has any. Of several, the line at its position comes first. What is left belongs
    to the line at its position if the number of lines is the same. `old` holds the rows of the
    stored lines.
    """
    left = {line["position"]: line for line in old}
    matches = [None] * len(items)
    sent = [_compared(item) for item in items]

    for columns in (WHOLE, IDENTITY + AMOUNTS, IDENTITY, REFERENCES):
        for place, (item, line) in enumerate(zip(sent, old, strict=False)):
            key = _key(item, columns)
            is_free = matches[place] is None and line["position"] in left
            if is_free and any(key) and key == _key(line, columns):
                matches[place] = left.pop(line["position"])

        by_key = {}
        for line in reversed(list(left.values())):
            by_key.setdefault(_key(line, columns), []).append(line)
        for place, item in enumerate(sent):
            key = _key(item, columns)
            if matches[place] is None and any(key) and by_key.get(key):
                line = by_key[key].pop()
                matches[place] = left.pop(line["position"])

    if len(items) == len(old):
        for place, line in enumerate(old):
            if matches[place] is None and line["position"] in left:
                matches[place] = left.pop(line["position"])
    return matches


def _compared(item):
    """Return an item with its numbers and its tax as the row of a line holds them."""
    return {**item, **numbers(item, "", Faults()), **_shown_tax(item)}


def _key(item, columns):
    return tuple(item.get(name) for name in columns)


def with_usual_tax(items, matches, *, is_credit_note=False):
    """Return the items of a draft with the tax that they have without the treatment of the invoice.

    An item that comes back with the tax of its line gets the usual tax of that line, and stays typed
    or not. Another tax is a typed one. `matches` holds the stored line of each item, as `matching`
    returns them.
    """
    return [
        _with_usual_tax(item, line) if line and _has_tax_of(item, line, is_credit_note) else item
        for item, line in zip(items, matches, strict=True)
    ]


def _has_tax_of(item, line, is_credit_note):
    """Return whether an item leaves the tax of its line as it is: it sends the same, or nothing where
    the treatment decides, or an invoice that is credited.
    """
    sent = _shown_tax(item)
    if sent["tax_category"] is None:
        is_decided = line["usual_tax_category"] is not None or line["tax_category"] in ("AE", "O")
        return is_decided or is_credit_note
    return all(line[name] == value for name, value in sent.items())


def _shown_tax(item):
    """Return category and rate of an item as the row of a line holds them. The category is None if
    the item sends neither.
    """
    category = item.get("tax_category")
    rate = item.get("tax_rate")
    if category is None and rate is not None:
        category = "Z" if rate == 0 else "S"
    rate = 0 if rate is None else money.scaled(Decimal(str(rate)), PLACES["tax_rate"])
    return {"tax_category": category, "tax_rate": rate}


def _with_usual_tax(item, line):
    """Return an item with the usual tax of its line. `as_sent` is the item as it was sent."""
    category, rate, reason, code = usual_tax(line)
    if line["usual_tax_category"] is None and item.get("tax_category") is not None:
        # it may explain its tax in another way than its line
        reason = item.get("exemption_reason")
        code = item.get("exemption_code")
    return {
        **item,
        "tax_category": category,
        "tax_rate": Decimal(rate).scaleb(-PLACES["tax_rate"]),
        "exemption_reason": reason,
        "exemption_code": code,
        "is_tax_typed": line["is_tax_typed"],
        "as_sent": item,
    }


def with_reasons_aside(items):
    """Return the items; of one without category, the reason and the code explain the tax that the
    treatment gives it, and stay in `as_sent`.
    """
    return [
        {**item, "exemption_reason": None, "exemption_code": None, "as_sent": item}
        if item.get("tax_category") is None
        else item
        for item in items
    ]


def explained(rows, items):
    """Return the rows. Where a treatment decides the tax of a line, its item may explain it in its
    own words.
    """
    return [_explained(row, item) for row, item in zip(rows, items, strict=True)]


def _explained(row, item):
    sent = item.get("as_sent", item)
    category = row["tax_category"]
    if row["usual_tax_category"] is None or sent.get("tax_category") not in (None, category):
        return row
    code = sent.get("exemption_code")
    return {
        **row,
        "exemption_reason": sent.get("exemption_reason") or row["exemption_reason"],
        "exemption_code": code
        if code and exemptions.category_of(code) == category
        else row["exemption_code"],
    }


def carry_over(rows, matches):
    """Set the columns of changed lines that no request contains, from the stored line of each in
    `matches`.

    These are the booth that a line bills, and whether it is as billing wrote it. An unchanged line
    still bills the same booth after the reservation has moved; otherwise the price of the old booth
    would count as that of the new one.
    """
    for row, line in zip(rows, matches, strict=True):
        if line is None:
            continue
        is_unchanged = all(row[name] == line[name] for name in ("description", *AMOUNTS))
        row["booth_id"] = line["booth_id"] if is_unchanged else None
        is_as_billed = (
            is_unchanged
            and row["unit"] == line["unit"]
            and row["place_of_supply"] == line["place_of_supply"]
            and usual_tax(row) == usual_tax(line)
        )
        row["is_generated"] = line["is_generated"] if is_as_billed else 0


def are_same(rows, old):
    """Return whether changed lines are as the stored lines `old`, with their usual tax."""
    return [_as_requested(row) for row in rows] == [_as_requested(line) for line in old]


def _as_requested(row):
    shown = {name: value for name, value in row.items() if name not in NEW}
    return {**shown, "is_tax_typed": row["is_tax_typed"], "usual_tax": usual_tax(row)}
