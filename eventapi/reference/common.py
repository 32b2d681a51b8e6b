"""The schemas, headers and responses of the OpenAPI document that all operations share."""

from eventapi.errors import CODES, Problem
from eventapi.reference.components import camel


def _object(description, required, **properties):
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": required,
    }


def _list(items, description):
    return {"type": "array", "items": items, "description": description}


def ref(name: str) -> dict:
    """Return a reference to a component schema."""
    return {"$ref": f"#/components/schemas/{name}"}


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
DATE = {"type": "string", "format": "date"}
BINARY = {"type": "string", "format": "binary"}
SECRET = {
    "type": "string",
    "description": "Only where the whole record has it as a secret that is shown once. A response that is "
    "repeated for the same `Idempotency-Key` does not have it.",
}
SCHEMAS = {
    "Meta": _object(
        "Information about the response. Only some actions return more than `request_id`.",
        ["request_id"],
        request_id=TEXT,
        mail=ref("MetaMail"),
        no_e_invoice={
            **TEXT,
            "description": "Why an invoice was sent without an e-invoice. Absent if it has one.",
        },
        credit_notes=_list(
            NUMBER, "Ids of the draft credit notes that billing a participation has created."
        ),
        further_invoice_ids=_list(
            NUMBER,
            "Ids of drafts beside the returned one: lines that are not subject to VAT need an invoice of "
            "their own.",
        ),
        outdated_invoice_ids=_list(
            NUMBER,
            "Ids of drafts whose tax the rule would now decide otherwise. Refresh them before you send them.",
        ),
        credit_note_ids=_list(
            {"type": ["integer", "null"]},
            "Ids of the draft credit notes that cancelling a participation has created. `null` in a dry run.",
        ),
        credited=_list(ref("MetaCredited"), "Sums of these credit notes, by currency."),
        price=ref("MetaPrice"),
        prices=_list(
            ref("MetaPriceOfReservation"),
            "Prices of the booth reservations that exchanged their booths.",
        ),
        balance=ref("MetaBalance"),
        open=ref("MetaOpen"),
        warnings=_list(ref("MetaWarning"), "What you should look at."),
        ignored=_list(
            TEXT, "JSON pointers to read-only fields that were sent with another value and ignored."
        ),
        skipped=_list(ref("MetaSkipped"), "Custom fields that an approval could not carry over."),
    ),
    "HealthDisk": {
        **TEXT,
        "enum": ["ok", "low", "full"],
        "description": "`low`: less than 32 MB are free. `full`: writes are refused (507); reads go on.",
    },
    "MetaCredited": _object(
        "What is credited in one currency.",
        ["currency", "amount"],
        currency=TEXT,
        amount={"type": "number", "description": "Sum with tax."},
    ),
    "MetaMail": _object(
        "What happened to the mail of an invoice.",
        ["status"],
        status=ref("MetaMailStatus"),
        reason={**TEXT, "description": "Why it was skipped."},
    ),
    "MetaMailStatus": {**TEXT, "enum": ["queued", "skipped"]},
    "MetaWarning": _object(
        "What you should look at, although the request has succeeded.",
        ["code", "detail"],
        code=ref("MetaWarningCode"),
        detail={**TEXT, "description": "Explanation for people."},
        field={**TEXT, "description": "Field to look at. Only of invoices and events."},
        values=ref("MetaWarningValues"),
        event_participant_id={
            **NUMBER,
            "description": "Id of the participant, for warnings about one.",
        },
        invoice_id={**NUMBER, "description": "Id of the invoice, for warnings about one."},
        open_amount={
            "type": "number",
            "description": "What is open of that invoice now, in its currency.",
        },
    ),
    "MetaWarningValues": _object(
        "The facts in `detail`, for programs that write the sentence in another language. Only when an invoice is "
        "sent or checked; which of them are there depends on the code.",
        [],
        issued_on={**DATE, "description": "Day of issue."},
        supplied_from={**DATE, "description": "First day of the supply."},
        supplied_to={**DATE, "description": "Last day of the supply."},
        event_from={**DATE, "description": "First day of the event."},
        event_to={**DATE, "description": "Last day of the event."},
        deadline={**DATE, "description": "Last day on which the invoice had to be issued."},
        country={**TEXT, "description": "Country code of the buyer."},
        home_country={**TEXT, "description": "Country code of the organiser."},
        event_country={**TEXT, "description": "Country code of the event."},
        vat_id={**TEXT, "description": "VAT id of the buyer."},
        rate={"type": "number", "description": "Highest tax rate of the invoice, in percent."},
        law={**TEXT, "description": "Section of the law of the organiser's country."},
        amount={"type": "number", "description": "What is to be paid."},
        currency={**TEXT, "description": "Currency of `amount`."},
    ),
    "MetaWarningCode": {
        **TEXT,
        "enum": [
            "recognition_stopped",
            "received_before",
            "other_account",
            "not_checked",
            "amounts_differ",
            "no_e_invoice_in_germany",
            "old_format",
            "own_invoice",
            "other_buyer",
            "no_category",
            "no_dunning_levels",
            "no_tax_rate",
            "export_within_eu",
            "reverse_charge_at_home",
            "low_tax_rate",
            "missing_glyph",
            "service_date_far",
            "name_without_letters",
            "text_direction",
            "no_postal_code",
            "no_vat_id",
            "applicant_without_page",
            "applicant_without_badge",
            "link_revoked",
            "links_ended",
            "pending_rows",
            "state_column",
            "balance_unproven",
            "rows_skipped",
            "datev_incomplete",
            "event_abroad",
            "opening_hours_moved",
            "no_service_date",
            "service_dates_of_event",
            "no_bank_account",
            "reopens_invoice",
            "standard_rate_abroad",
            "vat_id_abroad",
            "vat_id_home",
            "no_vat_id_abroad",
            "vat_id_invalid",
            "business_unproven",
            "vat_id_unchecked",
            "treatment_differs",
            "small_business_abroad",
            "late_reverse_charge",
            "zero_rate",
        ],
        "description": "`recognition_stopped`: the file exceeded a limit of memory or time, so that it is not known "
        "whether it is an e-invoice. `received_before`, `other_account`, `not_checked`, "
        "`amounts_differ`, `no_e_invoice_in_germany`, `old_format`, `own_invoice`, "
        "`other_buyer`: see PUT /documents/{id}/content. "
        "`no_category`: the participant has no category at an event whose "
        "categories have prices, so that no fee is billed. `no_dunning_levels`: no dunning level is "
        "defined, so that no overdue invoice gets a letter. `no_tax_rate`: the option `tax_rate` must be "
        "set before the draft is sent. `applicant_without_page`, "
        "`applicant_without_badge`: the application does not lead to the exhibitor's page or to the "
        "badge, so the office has to send a link. `link_revoked`: the mail has no link, because the "
        "office has revoked that of the address. `links_ended`: the merge has ended links. "
        "`pending_rows`: transactions of a bank statement that are not booked yet were left out. "
        "`state_column`: a CSV file has a column that looks like the state of its rows and was not "
        "read, so that nothing was booked by itself. `balance_unproven`: a report in camt.052 lacks the "
        "opening or closing balance, so that transactions may be missing. "
        "`rows_skipped`: lines of a CSV file without day and amount were left out. "
        "`datev_incomplete`: closed months have no files for DATEV, because options are missing. `event_abroad`: "
        "the event is outside of the organiser's territory of VAT, and eventapi knows no tax of other states. "
        "`opening_hours_moved`: the opening hours have moved with the days of the event. "
        "`reopens_invoice`: since the refund, the customer owes something again, because the invoice still "
        "stands. The others name what is unusual on an invoice that was sent.",
    },
    "MetaPrice": _object(
        "Net price of a booth reservation that was moved, in the tenant's currency.",
        ["old", "new"],
        old={"type": ["number", "null"]},
        new={"type": ["number", "null"]},
    ),
    "MetaPriceOfReservation": _object(
        "Net price of a booth reservation that got another booth, in the tenant's currency.",
        ["booth_reservation_id", "old", "new"],
        booth_reservation_id=NUMBER,
        old={"type": ["number", "null"]},
        new={"type": ["number", "null"]},
    ),
    "MetaBalance": _object(
        "What the participant has still to pay, with tax, in the tenant's currency, as if everything "
        "was billed and credited at once. Negative if money is owed to the participant.",
        ["before", "after"],
        before={"type": "number"},
        after={"type": "number"},
    ),
    "MetaOpen": _object(
        "What the cancellation of a participation left as it was.",
        ["service_order_ids", "participant_ids"],
        service_order_ids=_list(NUMBER, "Ids of confirmed service orders."),
        participant_ids=_list(
            NUMBER, "Ids of the participants whose host it is, without cancelled ones."
        ),
    ),
    "MetaSkipped": _object(
        "A custom field that was left out.",
        ["target", "id", "field_key", "code"],
        target=ref("MetaSkippedTarget"),
        id=NUMBER,
        field_key=TEXT,
        code=TEXT,
    ),
    "MetaSkippedTarget": {**TEXT, "enum": ["contact", "event_participant"]},
    "ListMeta": _object(
        "Information about a page of a list.",
        ["request_id", "per_page"],
        request_id=TEXT,
        warnings=_list(ref("MetaWarning"), "What you should look at."),
        page={**NUMBER, "description": "Number of this page. Absent with `after`."},
        per_page=NUMBER,
        total={**NUMBER, "description": "Number of records on all pages. Absent with `after`."},
        total_pages={**NUMBER, "description": "Number of pages. Absent with `after`."},
        totals=ref("MetaTotals"),
        custom_fields=_list(
            ref("MetaField"),
            "The custom fields of applications that applicants fill in. Only in GET "
            "/applications/events.",
        ),
        next={
            "type": ["string", "null"],
            "description": "Cursor to send as `after`, `null` at the end. Only with `after`.",
        },
    ),
    "MetaTotals": _object(
        "Sums of all pages of a list. Only with `totals`.",
        ["count"],
        count={**NUMBER, "description": "Number of records."},
        area={"type": "number", "description": "Square metres. Only of booths."},
        currency={**TEXT, "description": "The currency of the tenant. Only with amounts."},
        invoiced={"type": "number", "description": "Sent invoices minus sent credit notes."},
        open={"type": "number", "description": "What is not paid."},
        others=_list(ref("MetaSums"), "The same in each other currency."),
    ),
    "MetaSums": _object(
        "Sums in one currency.",
        ["currency", "invoiced", "open"],
        currency=TEXT,
        invoiced={"type": "number"},
        open={"type": "number"},
    ),
    "MetaField": _object(
        "A custom field as a form needs it; see /custom-fields.",
        [
            "field_key",
            "field_label",
            "field_type",
            "section_key",
            "field_options",
            "validation_rules",
            "is_required",
        ],
        field_key=TEXT,
        field_label=TEXT,
        field_type=TEXT,
        section_key={"type": ["string", "null"]},
        field_options=_list(ref("MetaOption"), "Options of a `select` or `multiselect`."),
        validation_rules={"type": "object", "additionalProperties": {"type": "number"}},
        is_required={"type": "boolean"},
    ),
    "MetaOption": _object(
        "An option of a custom field.", ["value", "label"], value=TEXT, label=TEXT
    ),
    "FeedMeta": _object(
        "Information about a piece of the feed of events.",
        ["request_id", "per_page", "next", "more", "missed"],
        request_id=TEXT,
        per_page=NUMBER,
        next={**TEXT, "description": "Cursor to send as `after`, also at the end."},
        more={"type": "boolean", "description": "Whether more events are available at once."},
        missed={
            "type": "boolean",
            "description": "Whether events that followed `after` have been deleted since.",
        },
    ),
    "Minimal": {
        **_object(
            "Response to a write with `Prefer: return=minimal`: the id, such as `note_id`, Unix times, "
            "and what only this response shows: a secret, or the `effect` of a scan.",
            [],
            created_at=NUMBER,
            updated_at=NUMBER,
            secret=SECRET,
            url=SECRET,
            effect=TEXT,
        ),
        "additionalProperties": NUMBER,
    },
    "Problem": _object(
        "A problem document (RFC 9457).",
        ["type", "title", "status", "detail", "code", "meta"],
        type={
            **TEXT,
            "format": "uri-reference",
            "description": "Address of a page that explains the code.",
        },
        title=TEXT,
        status=NUMBER,
        detail={**TEXT, "description": "What is wrong with this request."},
        code={
            **TEXT,
            "description": "Code for programs. Its meaning does not change. /problems lists all codes; later "
            "versions may add some.",
        },
        errors=_list(ref("ProblemError"), "All errors in the input."),
        meta=ref("Meta"),
    ),
    "ProblemError": _object(
        "An error in the input.",
        ["code", "detail"],
        pointer={**TEXT, "description": "Place in the body as a JSON pointer (RFC 6901)."},
        parameter={**TEXT, "description": "Name of the query parameter or header."},
        index={**NUMBER, "description": "Index of the record of a bulk import, counted from 0."},
        field={"type": ["string", "null"], "description": "Field of that record."},
        code={**TEXT, "description": "Code for programs. It does not change."},
        detail={**TEXT, "description": "Explanation for people."},
        suggestion={
            **TEXT,
            "description": "What the value of that field probably was before a spreadsheet program "
            "damaged it.",
        },
    ),
}
SCHEMAS = {name: {"title": name, **schema} for name, schema in SCHEMAS.items()}
HEADERS = {
    name: {"description": description, "schema": TEXT}
    for name, description in {
        "X-Request-ID": "Id of the request, which is also in the request log. A client may send "
        "its own: 1 to 64 letters "
        "(A-Z, a-z), digits, `.`, `_` or `-`.",
        "Location": "Address of the new record.",
        "Link": "Addresses of the first, previous, next and last page (RFC 8288).",
        "ETag": "State of the record (RFC 9110), for `If-Match` and `If-None-Match`.",
        "Vary": "`Accept`, `Accept-Encoding`: the response depends on these headers of the request.",
        "Accept-Ranges": "`bytes`: a request may ask for a part of the file with `Range`.",
        "Content-Range": "First and last byte of the part, and the size of the file: `bytes 0-999/5000`.",
        "Content-Disposition": "Name of the file.",
        "Preference-Applied": "`return=minimal` where the request asked for it: `data` is then the schema Minimal.",
    }.items()
}
# Refusals of the server itself, before it knows the route. name of the response -> status,
# description
TOO_LONG = {
    "UriTooLong": (
        414,
        "The request line is longer than 8,190 bytes. A proxy may refuse it in another form.",
    ),
    "HeadersTooLarge": (
        431,
        "A header is longer than 8,190 bytes, or there are more than 100. A proxy may "
        "refuse it in another form.",
    ),
}


def name_of(codes: list[str]) -> str:
    """Return the name of the response component for these problem codes: `NotFound`,
    `DuplicateInUse`.
    """
    return camel(".".join(codes))


def problem_response(codes: list[str], base_url: str | None) -> dict:
    """Return the response of one status: the meaning of its codes, and an example of each."""
    problems = {
        code: Problem(code, CODES[code][2]).document(base_url, "req_0a1b2c3d4e5f6071")
        for code in codes
    }
    return {
        "description": " ".join(f"`{code}`: {CODES[code][2]}" for code in codes),
        "x-codes": codes,
        "content": {
            "application/problem+json": {
                "schema": ref("Problem"),
                "examples": {code: {"value": problem} for code, problem in problems.items()},
            }
        },
    }
