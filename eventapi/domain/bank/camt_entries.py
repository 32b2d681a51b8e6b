"""Entries of camt.053: one <Ntry>, without namespaces, becomes Entries.

A ValueError says which entry is wrong and what to do.
"""

import re
from datetime import date
from decimal import Decimal

from eventapi import money
from eventapi.domain.bank.entries import (
    Entry,
    Refused,
    compact,
    day,
    joined,
    joined_lines,
    may_be_cut,
    reference,
    text,
)

AMOUNT = re.compile(r"[0-9]{1,15}(\.[0-9]{0,5})?")
DATE = re.compile(
    r"(\d{4}-\d\d-\d\d)(T([01]\d|2[0-4]):[0-5]\d:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?", re.ASCII
)
MAX_DESCRIPTION = 500  # characters of a text, as ISO 20022 says
MAX_DESCRIPTIONS = 1010  # characters of those of an entry together: two whole ones
BETWEEN = " / "  # no number of an invoice reaches over it
AGAIN = "Download the statement again from the bank"


def entries_of(element, number):
    """Return (entries, is_booked) of a <Ntry>: one Entry, or one for each transaction of a batch
    that can be split.
    """
    where = f"entry {number}" + (
        f" ({name})" if (name := text(element.findtext("AcctSvcrRef"))) else ""
    )
    status = text(element.findtext("Sts/Cd")) or text(element.findtext("Sts"))
    if not status and element.find("Sts/Prtry") is None:
        raise Refused(
            "unreadable_value",
            f"The status <Sts> of {where} is missing, so it may not be booked. {AGAIN}.",
        )
    if status != "BOOK":
        return [], False
    units, currency = amount_of(element.find("Amt"), where)
    amount = signed(units, element, where)
    details = element.findall("NtryDtls/TxDtls")
    parts, total = _parts(details, amount, currency, element, where)
    booked_on = date_in(element, "BookgDt/Dt", where) or date_in(element, "BookgDt/DtTm", where)
    valued_on = date_in(element, "ValDt/Dt", where) or date_in(element, "ValDt/DtTm", where)
    if not booked_on and not valued_on:
        raise Refused("unreadable_value", f"The date <BookgDt> of {where} is missing. {AGAIN}.")
    common = {
        "booked_on": booked_on or valued_on,
        "valued_on": valued_on,
        "currency": currency,
        "batch_size": _batch_size(element, details),
        "batch_sum": total,
    }
    return [
        Entry(amount=part, batch_position=place, **common, **_texts(element, chosen, part))
        for part, place, chosen in parts
    ], True


def _parts(details, amount, currency, element, where):
    """Return ([(amount, place in the batch, its <TxDtls>)] of the Entries that a <Ntry> consists
    of, sum).

    A batch is split only if the amounts of its transactions make the amount of the entry. The sum
    is None unless they make another one.
    """
    amounts = (
        [_part_amount(one, currency, element, where) for one in details]
        if len(details) > 1
        else [None]
    )
    if None in amounts:
        return [(amount, None, details)], None
    if sum(amounts) != amount:
        return [(amount, None, details)], sum(amounts)
    return [
        (part, place, [one])
        for place, (part, one) in enumerate(zip(amounts, details, strict=True), 1)
    ], None


def _part_amount(details, currency, element, where):
    """Return the signed amount of a transaction of a batch in the currency of the entry.

    None if it does not say it.
    """
    for path in ("Amt", "AmtDtls/TxAmt/Amt", "AmtDtls/CntrValAmt/Amt", "AmtDtls/InstdAmt/Amt"):
        found = details.find(path)
        if found is not None and found.get("Ccy") == currency:
            units, _ = amount_of(found, where)
            return signed(
                units, details if details.find("CdtDbtInd") is not None else element, where
            )
    return None


def _batch_size(element, details):
    """Return the number of transactions of a batch, or None if the entry is a single one."""
    numbers = [found.text for found in element.findall("NtryDtls/Btch/NbOfTxs")]
    stated = sum(int(value) for value in numbers if re.fullmatch("[0-9]{1,9}", value or ""))
    size = max(stated, len(details))
    return size if size > 1 else None


def _texts(element, details, amount):
    """Return the fields of an Entry that are texts. Several `details` are a batch that cannot be
    split: no party.
    """
    one = details[0] if len(details) == 1 else None
    is_reversal = text(element.findtext("RvslInd")) in ("true", "1")
    returned = [found for found in (part.find("RtrInf") for part in details) if found is not None]
    is_reversal = is_reversal or bool(returned)
    own = one.findtext("Refs/AcctSvcrRef") if one is not None else None
    return {
        **joined([part for one in details for part in _remittance(one)]),
        "creditor_references": tuple(
            dict.fromkeys(
                found
                for part in details
                for found in (
                    compact(ref.text) for ref in part.findall("RmtInf/Strd/CdtrRefInf/Ref")
                )
                if found
            )
        ),
        "bank_reference": reference(own) or reference(element.findtext("AcctSvcrRef")),
        "is_reversal": is_reversal,
        "return_reason": next((text(found.findtext("Rsn/Cd"), 35) for found in returned), None),
        "code": _code(one) or _code(element),
        "description": _description(element, details),
        **(_details(one, amount > 0, is_reversal) if one is not None else {}),
    }


def _description(element, details):
    """Return what the bank adds to an entry and to its transactions, each text once.

    A text that does not fit is left out: the number of an invoice must not be cut off.
    """
    texts = [element.findtext("AddtlNtryInf"), *(part.findtext("AddtlTxInf") for part in details)]
    found = []
    for part in texts:
        added = text(part, MAX_DESCRIPTION)
        size = sum(len(one) + len(BETWEEN) for one in found)
        if added and added not in found and size + len(added) <= MAX_DESCRIPTIONS:
            found.append(added)
    return BETWEEN.join(found) or None


def _details(details, is_credit, is_reversal):
    """Return the fields of an Entry that only a single transaction has.

    A reversal names the parties of the payment that it takes back, so the payer of a returned
    credit stays the payer.
    """
    role, agent = ("Dbtr", "DbtrAgt") if is_credit != is_reversal else ("Cdtr", "CdtrAgt")
    parties, agents = details.find("RltdPties"), details.find("RltdAgts")
    sent = details.find("AmtDtls/InstdAmt/Amt")
    fields = {
        "end_to_end_id": reference(details.findtext("Refs/EndToEndId")),
        "mandate": reference(details.findtext("Refs/MndtId")),
        **_sent(sent),
    }
    if parties is not None:
        fields |= {
            "party": _name(parties, role),
            "ultimate_party": _name(parties, f"Ultmt{role}"),
            "party_iban": compact(parties.findtext(f"{role}Acct/Id/IBAN")),
        }
    if agents is not None:
        bank = f"{agent}/FinInstnId"
        fields["party_bic"] = compact(
            agents.findtext(f"{bank}/BICFI") or agents.findtext(f"{bank}/BIC"), 11
        )
    return fields


def _sent(element):
    """Return `sent_amount` and `sent_currency`: what the payer instructed, if it is a currency that
    we know.
    """
    if element is None or element.get("Ccy") not in money.CURRENCIES:
        return {}
    units, currency = amount_of(element, "an instructed amount")
    return {"sent_amount": units, "sent_currency": currency}


def _name(parties, role):
    """Return the name of a party.

    From version 08 on it is one level deeper, and the party may be a bank.
    """
    names = (parties.findtext(f"{role}/{path}") for path in ("Nm", "Pty/Nm", "Agt/FinInstnId/Nm"))
    return next((name for name in map(text, names) if name), None)


def _remittance(details):
    """Return the texts of a transaction as [(text, whether the bank may have cut off its end)].

    The parts of an unstructured text are its lines. Structured texts are separate ones.
    """
    plain = [part.text or "" for part in details.findall("RmtInf/Ustrd")]
    structured = [
        part.text or ""
        for path in ("RfrdDocInf/Nb", "AddtlRmtInf")
        for part in details.findall(f"RmtInf/Strd/{path}")
    ]
    return [
        (joined_lines(plain), may_be_cut(*plain)),
        *((part, may_be_cut(part)) for part in structured),
    ]


def _code(element):
    """Return the kind of booking: domain, family and sub-family, or the bank's own code."""
    found = element.find("BkTxCd") if element is not None else None
    if found is None:
        return None
    parts = [found.findtext(path) for path in ("Domn/Cd", "Domn/Fmly/Cd", "Domn/Fmly/SubFmlyCd")]
    return text("/".join(filter(None, parts)), 40) or text(found.findtext("Prtry/Cd"), 40)


# Values


def amount_of(element, where):
    """Return (minor units, currency) of an <Amt>, which has no sign."""
    value = (element.text or "").strip() if element is not None else ""
    currency = element.get("Ccy") if element is not None else None
    if not AMOUNT.fullmatch(value) or currency not in money.CURRENCIES:
        raise Refused(
            "unreadable_value",
            f'The amount "{value[:40]}" {currency or ""} of {where} is not a positive amount of a '
            f"currency of ISO 4217. {AGAIN}.",
        )
    units = money.minor(Decimal(value), currency)
    if units is None or abs(Decimal(value)) >= money.LIMIT:
        raise Refused(
            "unreadable_value",
            f"The amount {value} {currency} of {where} has more digits than the currency. {AGAIN}.",
        )
    return units, currency


def signed(units, element, where):
    """Return the amount with the sign of the indicator in this element."""
    sign = {"CRDT": 1, "DBIT": -1}.get(text(element.findtext("CdtDbtInd")))
    if sign is None:
        raise Refused(
            "unreadable_value", f"The sign <CdtDbtInd> of {where} must be CRDT or DBIT. {AGAIN}."
        )
    return sign * units


def date_in(element, path, where):
    """Return the date of an xs:date or xs:dateTime as the bank wrote it, in its own time.

    None if there is none.
    """
    value = text(element.findtext(path))
    if not value:
        return None
    try:
        found = DATE.fullmatch(value)
        return day(date.fromisoformat(found[1] if found else ""))
    except ValueError:
        raise Refused(
            "unreadable_value",
            f'The date "{value[:40]}" of {where} is not a date such as 2026-12-04, between 2000 and 2099. '
            f"{AGAIN}.",
        ) from None
