"""Send an invoice or credit note: what it needs, its number and parties, its e-invoice and the
source of its PDF.

Functions take rows of invoices (see `invoices`).
"""

from eventapi import money, times, working_days
from eventapi.domain.billing import (
    balance,
    claims,
    deposits,
    drafts,
    invoices,
    mails,
    payment_checks,
    payments,
    pdf,
    service_days,
    tax_warnings,
    treatments,
)
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.books import bookings, taxes
from eventapi.domain.einvoices_sent import (
    composing,
    parties,
    plausible,
    requirements,
    store,
    transfers,
)
from eventapi.domain.organiser import missing as lacking
from eventapi.domain.records import amounts, numbering
from eventapi.errors import Faults, Problem, listed
from eventapi.languages import choice
from eventapi.pictures import fonts
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.validation.identifiers.organiser import faulty_options

sql = statements("invoicing")

SMALL = 250_00  # cents: section 33 UStDV
# columns that sending keeps; an invoice without these dates gets them
KEPT = (
    "subtotal",
    "tax_total",
    "total",
    "invoice_number",
    "due_date",
    "service_date",
    "service_date_to",
)


def issue(db, row, mail=None, prepaid=0, credits=()):
    """Lock a draft: store its number, parties, e-invoice and PDF source. Return its new row.

    `prepaid` is the amount paid before, in minor units. `credits` are further such amounts, which the
    PDF names: (number of the invoice with the credit, minor units). Call this inside a write
    transaction. Raise 409 `invoice_incomplete`, `no_e_invoice` or `period_closed`.
    """
    seller, buyer = invoices.parties(db, row)
    has_xml = has_document(row)
    if not has_xml and not row["taken_over"] and _profile(buyer) != "en16931":
        raise refusal(row)

    missing = _missing(db, row, seller, buyer)
    if mail is True and not mails.recipient(db, row, buyer):
        missing.append("contact.email")
    faults = _faults(db, row, seller, buyer)
    if missing or faults:
        if has_xml:
            by_rules, _ = _findings(db, as_sent_now(db, row), _profile(buyer))
            faults += requirements.refused(by_rules, _profile(buyer))
        raise requirements.incomplete(db.config, missing, faults)

    issued = _values(db, row, seller, buyer)
    if row["invoice_type"] == "credit_note":
        issued.update(balance.fit_into_invoice(db, row))
    dates = Faults()
    drafts.check_due_date({**row, **issued}, dates)
    dates.raise_any()
    bookings.refuse_invoice(db, row, issued["issue_date"])

    if not row["taken_over"]:
        year = times.today(db.config.timezone, db.now)[:4]
        issued.update(numbering.number(db, row["invoice_type"], year))
    reference = _payment_reference(db.config, row, issued["invoice_number"])
    db.run(
        sql.send,
        id=row["id"],
        **issued,
        prepaid_amount=prepaid + sum(units for _, units in credits),
        counted_credits=as_json(credits) if credits else None,
        payment_reference=reference,
        now=db.now,
    )

    sent = invoices.row(db, row["id"])
    if has_xml:
        sent = _with_document(db, sent, buyer)
    pdf.freeze(db, sent)
    taxes.update(db, sent["related_invoice_id"] or sent["id"])
    return sent


def deduct(db, row):
    """Add the lines to a draft that deduct its deposits, and return its row.

    Raise as `deposits.refuse`, and 409 `in_use` for a credit note for a deposit that was deducted
    meanwhile.
    """
    if row["invoice_type"] == "credit_note":
        deposits.refuse_deducted(db, row["related_invoice_id"], row["related_invoice_number"])
    whole = deposits.deducted(db, row)
    deposits.refuse(db, whole)
    if whole is not row:
        lines = whole["items"][len(row["items"]) :]
        db.run_many(
            sql.add_item, [{**invoice_lines.NEW, **line, "invoice_id": row["id"]} for line in lines]
        )
        drafts.store_taxes(db, row["id"], whole["taxes"])
    return whole


def _payment_reference(config, row, number):
    """Return the creditor reference of an invoice, or None.

    The other system has named that of one taken over.
    """
    if row["invoice_type"] != "invoice" or row["taken_over"]:
        return None
    return transfers.creditor_reference(config, number)


def _values(db, row, seller, buyer):
    """Return the columns that sending sets, except number and totals."""
    issue_date = row["issue_date"] or times.today(db.config.timezone, db.now)
    values = {name: row[name] for name in KEPT}
    values |= {
        "language": row["language"] or choice.choose(db.config, buyer["language"]),
        "series": None,
        "sequence": None,
        "overdue_from": None,
        "issue_date": issue_date,
        "status": "sent",
        "seller": as_json(seller),
        "buyer": as_json(buyer),
        "debtor_number": buyer["customer_number"],
        "interest_notice": db.config.interest_notice == "yes",
        "exchange_rate": row["exchange_rate"] or money.usual_rate(db.config, row["currency"]),
    }
    if row["invoice_type"] == "invoice":
        due_date = row["due_date"] or times.add_days(issue_date, db.config.payment_days)
        values["status"] = balance.status_of(row["total"], 0, 0)
        values["due_date"] = due_date
        values["overdue_from"] = working_days.overdue_from(due_date, db.config.public_holidays)
        values.update(service_days.missing(db, row, issue_date))

    last_day = values["service_date_to"] or values["service_date"]
    values.update(taxes.terms(db, row, issue_date, last_day))
    return values


# What is missing


def _missing(db, row, seller, buyer):
    """Return the names of what the law requires on every invoice and this one lacks.

    An option with a wrong identifier counts as missing.
    """
    has_reverse_charge = any(item["tax_category"] == "AE" for item in row["items"])
    of_buyer = {"name": "company_name or last_name"}  # field of a buyer -> field of its contact
    if not _is_small(db, row, seller, buyer):
        of_buyer |= {"address": "address", "city": "city"}

    if has_reverse_charge:
        of_buyer["vat_id"] = "tax_id"  # rule BR-AE-02 of EN 16931: the buyer owes the tax

    of_settings = _missing_settings(db.config)
    wrong = of_settings.pop("wrong_identifier", ())
    if has_reverse_charge and not seller["vat_id"]:
        of_settings["no_tax_number"] = ["organiser_vat_id"]
    missing = [name for names in of_settings.values() for name in names]
    missing += [f"contact.{field}" for name, field in of_buyer.items() if not buyer[name]]
    if _lacks_rate(db.config, row):
        missing.append("exchange_rate")
    return [*missing, *wrong]


def _missing_settings(config):
    """Return {code: names} of the settings without which no invoice can be sent.

    Clients know these names since 1.0: one name stands for two options, of which one is enough.
    """
    found = {gap.code: gap.settings for gap in lacking.of(config) if lacking.SEND in gap.blocks}
    names = {
        "no_tax_number": ["organiser_vat_id or organiser_tax_number"],
        "no_tax_rate": ["option tax_rate"],
    }
    return {code: names.get(code, settings) for code, settings in found.items()}


def _is_small(db, row, seller, buyer):
    """Return whether an invoice needs no address of its buyer: up to 250 EUR with tax in Germany, or
    without it by a small business (section 33 UStDV).
    """
    is_small_business = db.config.is_small_business(service_days.last(db, row))
    return (
        seller["country"] == "DE"
        and row["currency"] == "EUR"
        and row["total"] <= SMALL
        and {item["tax_category"] for item in row["items"]} == {"E" if is_small_business else "S"}
        and _profile(buyer) != "xrechnung"
    )


def _lacks_rate(config, row):
    """Return whether the VAT of an invoice cannot be shown in the organiser's currency (Art. 230,
    2006/112/EC).

    A credit note has the rate of its invoice, and what another system has sent shows its own.
    """
    return (
        row["invoice_type"] == "invoice"
        and not row["taken_over"]
        and row["currency"] != config.currency
        and row["tax_total"] != 0
        and not (row["exchange_rate"] or money.usual_rate(config, row["currency"]))
    )


def _faults(db, row, seller, buyer):
    """Return what prevents sending an invoice beside missing fields and the rules of the norm.

    A credit note has the parties and rates of its invoice. What another system has sent cannot be
    corrected here.
    """
    if row["invoice_type"] == "credit_note":
        return []
    faults = list(_account_of_another(db, row, buyer))
    faults += [
        requirements.finding(sentence, "deposit_ids")
        for sentence in deposits.contradictions(db, row)
    ]
    if not row["taken_over"]:
        faults += plausible.contradictions(row, seller, buyer)
    return faults


def doubts(db, row, draft, by_rule):
    """Return what is unusual on an invoice, as findings.

    `row` is the invoice as it is sent, `draft` is the row that it is made from, or the same row if it was sent
    before. `by_rule` are the codes of treatments.judged. A credit note has the parties and days of its invoice.
    """
    if row["invoice_type"] == "credit_note":
        return []
    seller, buyer = invoices.parties(db, row)
    today = times.today(db.config.timezone, db.now)
    return [
        *tax_warnings.of_invoice(db, row, draft, (seller, buyer), by_rule),
        *plausible.doubts(row, seller, buyer, today),
    ]


def unprintable(db, row):
    """Return a warning for each text with a character that no font has. reportlab must be
    installed.
    """
    return [
        requirements.finding(
            f"The PDF shows {fonts.BOX} in its place. {problem.detail}", field, code="missing_glyph"
        )
        for field, problem in pdf.missing_glyphs(db, row)
    ]


def _account_of_another(db, row, buyer):
    """Yield a finding if the buyer's customer number is on an invoice to another contact.

    In the ledger and in DATEV, the number is the account. A credit note has the number of its
    invoice.
    """
    number = buyer["customer_number"]
    if not number:
        return
    first = db.one(sql.first_of_customer, customer_number=number)
    if first and first["contact_id"] != row["contact_id"]:
        yield requirements.finding(
            f"`customer_number` {number} is on {first['invoice_number']}, an invoice to contact {first['contact_id']}. "
            "Both contacts would have one account in the ledger. Give this contact another number.",
            "contact.customer_number",
        )


# The e-invoice


def has_document(row):
    """Return whether an invoice gets an e-invoice when it is sent.

    The norm knows amounts of two decimals only.
    """
    return not row["taken_over"] and money.decimals(row["currency"]) <= 2


def _profile(buyer):
    """Return the profile whose rules the invoices of a buyer meet.

    Buyers of earlier versions have none.
    """
    return buyer.get("e_invoice_profile") or "en16931"


def _with_document(db, sent, buyer):
    """Store the e-invoice of an invoice that was just sent, and return its row.

    An invoice gets no e-invoice if its buyer expects none and nobody can correct the faults. Nor
    does a credit note for an invoice without e-invoice: its parties may lack what the rules
    require, and nobody can change them.

    Raise 409 `invoice_incomplete` for other faults.
    """
    document = document_of(db, sent)
    profile = _profile(buyer)
    faults, _ = requirements.findings(composing.in_profile(document, profile), profile)
    if not faults:
        return {**sent, "xml_sha256": store.add(db, sent["id"], document)}
    if sent["invoice_type"] == "credit_note" and not store.get(db, sent["related_invoice_id"]):
        return sent
    refused = requirements.refused(faults, profile)
    if refused:
        raise requirements.incomplete(db.config, [], refused)
    return sent


def document_of(db, row):
    """Return the Document of a row with number, dates and parties."""
    invoice = invoices.represent({**row, **pdf.printed(db, row)})
    invoice["deducted"] = deposits.named_in(db, row)
    return composing.compose(
        invoice, invoice["seller"], invoices.buyer_as_sent(invoice), db.config.currency
    )


def as_sent_now(db, row):
    """Return the row of a draft as it would be if it was sent now, still with the number of the
    draft.
    """
    seller, buyer = invoices.parties(db, row)
    row = deposits.deducted(db, row)
    row = {**row, **_values(db, row, seller, buyer)}
    if row["invoice_type"] == "invoice":
        return row
    groups, _ = balance.taxes_of_credit(
        db, row["related_invoice_id"], row["items"], row["currency"]
    )
    if groups is None:
        return row
    return {**row, "taxes": groups, **invoice_lines.totals(groups)}


def check(db, row, profile=None):
    """Return what POST /invoices/{id}/check shows.

    `profile` is that of the buyer by default. This changes nothing.

    Raise 409 `anonymized`, or `no_e_invoice` for an invoice that gets none.
    """
    if not has_document(row):
        raise refusal(row)

    faults, draft = [], row
    if not row["locked_at"]:
        seller, buyer = invoices.parties(db, row)
        wrong = faulty_options(db.config)
        faults = [
            requirements.finding(wrong.get(name) or f"`{name}` is missing. Add it.", name)
            for name in _missing(db, row, seller, buyer)
        ]
        row = as_sent_now(db, row)
        faults += _faults(db, row, seller, buyer)
        faults += _obstacles(db, row)
    known = {fault["field"] for fault in faults}

    buyer = invoices.buyer_as_sent(invoices.represent(row))
    profile = profile or _profile(buyer)
    by_rules, warnings = _findings(db, row, profile)
    refused = requirements.refused(by_rules, profile)
    if not refused:
        warnings = [*map(requirements.without_e_invoice, by_rules), *warnings]
    faults += [fault for fault in refused if fault["field"] is None or fault["field"] not in known]

    tax, by_rule = treatments.judged(db, row)
    has_e_invoice = bool(row["xml_sha256"]) if row["locked_at"] else not by_rules
    at_fault = {fault["field"] for fault in faults}
    warnings += [
        doubt for doubt in doubts(db, row, draft, by_rule) if doubt["field"] not in at_fault
    ]
    problem = pdf.obstacle(has_e_invoice)
    if problem:
        warnings.append(requirements.finding(f"The PDF cannot be drawn: {problem.detail}", None))
    else:
        warnings += unprintable(db, row)
    return {
        "is_valid": not faults,
        "has_e_invoice": has_e_invoice,
        "profile": profile,
        "tax": tax,
        "faults": faults,
        "warnings": warnings,
    }


def _obstacles(db, row):
    """Yield what prevents sending a draft beside its e-invoice: its due date, a closed month,
    deposits, old lines.
    """
    faults = Faults()
    drafts.check_due_date(row, faults)
    yield from (
        requirements.finding(f"`due_date` {fault['detail']}.", "due_date") for fault in faults
    )
    try:
        bookings.refuse_invoice(db, row, row["issue_date"])
    except Problem as problem:
        yield requirements.finding(problem.detail, "issue_date")
    try:
        deposits.refuse(db, row)
    except Problem as problem:
        yield requirements.finding(problem.detail, "deposit_ids")
    for line in claims.outdated(db, row) or treatments.outdated(db, row):
        yield requirements.finding(
            f"Line {line['position']}: {line['detail']} Refresh or change the draft.", "items"
        )


def _findings(db, row, profile):
    """Return (faults, warnings) of an invoice: of its original if it has one, otherwise of what
    would be sent.
    """
    original = store.get(db, row["id"]) if row["xml_sha256"] else None
    if original:
        document, _ = store.derived(original, profile, store.CII)
    else:
        document = document_of(db, row)
    faults, warnings = requirements.findings(composing.in_profile(document, profile), profile)

    buyer = invoices.represent(row)["buyer"]
    is_reverse_charge = any(item["tax_category"] == "AE" for item in row["items"])
    warnings += [
        requirements.finding(detail, field)
        for field, detail in parties.doubtful(buyer, is_reverse_charge=is_reverse_charge)
    ]
    if profile == "xrechnung" and not row["buyer_reference"] and not parties.leitweg_id(buyer):
        warnings.append(
            requirements.finding(
                f"The buyer reference (BT-10) is the customer number {buyer['customer_number']}. A public authority "
                "requires its Leitweg-ID: set `contact.leitweg_id`.",
                "buyer_reference",
                term="BT-10",
            )
        )
    if row["currency"] != db.config.currency and not row["exchange_rate"]:
        warnings.append(
            requirements.finding(
                f"The invoice is in {row['currency']}, and the VAT total in {db.config.currency} is missing. Set "
                "`exchange_rate`.",
                "exchange_rate",
                term="BT-111",
            )
        )
    return faults, warnings


def xml(db, row, profile, syntax):
    """Return the XML of an invoice in this profile and syntax.

    Raise 409 `no_e_invoice` or `anonymized`, or `invoice_incomplete` if the invoice lacks what the
    profile requires.
    """
    if row["locked_at"] and not row["taken_over"]:
        invoices.buyer_as_sent(invoices.represent(row))  # raises if the buyer was anonymised
    original = store.get(db, row["id"]) if row["xml_sha256"] else None
    if not original:
        raise refusal(row)
    if (profile, syntax) == ("en16931", store.CII):
        return original  # without reading it: 1,000 lines would take 140 ms
    document, text = store.derived(original, profile, syntax)
    if profile != "en16931":
        faults, _ = requirements.findings(document, profile)
        if faults:
            raise _not_in_profile(row, profile, faults)
    return text


def _not_in_profile(row, profile, faults):
    """Return the Problem that says what a sent invoice lacks, which nobody can add to it any more."""
    names = list(dict.fromkeys(fault["field"] or fault["term"] for fault in faults))
    causes = " ".join(fault["detail"] for fault in faults[:10])
    return Problem(
        "invoice_incomplete",
        f"{row['invoice_number']} was sent without {listed(names)}, so it cannot be "
        f"returned in the profile {profile}. {causes} A sent invoice does not change: cancel it, set "
        f"`e_invoice_profile` of the contact to {profile} and what is missing, and send a new one.",
        missing=names,
        faults=faults,
    )


def xml_for_buyer(db, invoice):
    """Return (file name, XML) for a buyer that requires XRechnung (in CII) or Peppol (in UBL),
    otherwise None.

    `invoice` is an API object.
    """
    syntax = {"xrechnung": store.CII, "peppol": store.UBL}.get(_profile(invoice["buyer"]))
    original = syntax and store.get(db, invoice["id"])
    if not original:
        return None
    name = pdf.file_name(invoice, extension="xml", words=(_profile(invoice["buyer"]),))
    return name, store.derived(original, _profile(invoice["buyer"]), syntax)[1]


def refusal(row):
    """Return the Problem that says why an invoice has no e-invoice."""
    number = row["invoice_number"]
    places = money.decimals(row["currency"])
    if row["taken_over"]:
        reason = f"{number} comes from another system, which has issued the original."
    elif places > 2:
        reason = (
            f"{number} is in {row['currency']}, whose amounts have {places} decimals. An e-invoice (EN 16931) "
            "allows two. Use another `currency`."
        )
    elif not row["locked_at"]:
        reason = f"{number} is a draft. Send it first."
    else:
        reason = (
            f"{number} was sent without an e-invoice: by an earlier version of eventapi, or because EN "
            f"16931 forbids something in it. POST /invoices/{row['id']}/check names that."
        )
    return Problem("no_e_invoice", reason)


# Payments before the invoice


def prepaid(db, row, sent):
    """Return the sum of the payments that are sent with an invoice, in minor units.

    Raise 422 for their faults.
    """
    faults = Faults()
    units = []
    for place, payment in enumerate(sent):
        own = Faults()
        units.append(amounts.of_currency(payment["amount"], row["currency"], own) or 0)
        payment_checks.check_gateway(payment.get("gateway_key"), own)
        if payment.get("payment_date") and not own:
            payment_checks.check_completion(db, payment["payment_date"], own)
        faults.below(f"/payments/{place}", own)
    if sent and row["invoice_type"] == "credit_note":
        faults.add(
            "/payments",
            "credit_note",
            "must be empty for a credit note, which cannot receive payments",
        )
    if sent and not faults and sum(units) > row["total"]:
        faults.add(
            "/payments",
            "maximum",
            f"must total at most {money.major(row['total'], row['currency'])}, the "
            "total of the invoice. Record what was paid beyond it with POST /payments after sending",
        )
    faults.raise_any()
    return sum(units)


def record(db, number, sent):
    """Record the payments that were sent with an invoice."""
    for payment in sent:
        body = {"currency": None, "status": "completed", "invoice_number": number}
        for name in ("amount", "payment_date", "gateway_key", "transaction_id", "notes"):
            body[name] = payment.get(name)
        payments.record(db, body)
