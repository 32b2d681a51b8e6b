"""Words of the desk: labels of fields, names of records, states, and sentences about refusals."""

from dataclasses import dataclass
from functools import partial

from eventapi import times
from eventapi.languages import formats
from eventapi.names import display_name
from eventapi.web.html import forms, page_requests

PACKAGE = "eventapi.pages.desk"
# Fields that name a record, the first one that it has.
NUMBERS_AND_TITLES = (
    "invoice_number",
    "order_number",
    "booth_number",
    "title",
    "service_name",
    "document_number",
    "station",
    "plan_name",
    "booth_type_name",
    "category_name",
)


def words(request):
    """Return the texts of the desk in the language of the request."""
    return page_requests.words(PACKAGE, request.language)


def in_language(field, language):
    """Return the label of a custom field in a language."""
    return field["field_labels"].get(language) or field["field_label"]


# Fields


def of(request, kind=""):
    """Return `label` for the forms of a kind of record, as a function of the path."""
    return partial(label, words(request), kind)


def label(texts, kind, path):
    """Return (label, help) of a field, such as `events/stock`, of an option: `status=new`, or of a
    group of fields: `group:place`.

    A word such as `field_events.event_key` or `events.place_of_supply=null` is for the form of one
    kind of record only.
    """
    if path.startswith("group:"):
        word = path.replace(":", "_")
        return texts.get(word, ""), texts.get(f"help_{word}", "")
    plain, _, value = path.partition("=")
    end = plain.rpartition("/")[2]

    def first_text(what, default):
        for word in (f"{what}_{kind}.{plain}", f"{what}_{plain}", f"{what}_{end}"):
            if word in texts:
                return texts[word]
        return default

    if value:
        words = (f"{kind}.{end}={value}", f"{end}={value}", f"={value}")
        return next((texts[word] for word in words if word in texts), value), ""
    return first_text("field", end.replace("_", " ")), first_text("help", "")


# Records


def named(row):
    """Return the name of a contact, applicant or participant: the company, or the person."""
    if row is None:
        return ""
    row = row.get("contact") or row
    return display_name(row, row.get("badge_name"), row.get("email"), f"#{row.get('id')}")


def title_of(record):
    """Return the number or title of a record, or None."""
    return next((record[name] for name in NUMBERS_AND_TITLES if record.get(name)), None)


def record_name(record):
    """Return the name of a record of any kind: its number or title, else that of the person."""
    if title := title_of(record):
        return title
    is_participant = "badge_number" in record
    if is_participant and "contact" not in record and record.get("customer_number"):
        return record["customer_number"]
    if "deadline_days" in record or "body" in record:  # a level of dunning, a template of documents
        return record["name"]
    return named(record)


def invoice_number(texts, number):
    """Return the number of an invoice as pages show it: that of a draft, DRAFT-1, is `Draft 1`."""
    if number.startswith("DRAFT-"):
        return texts["draft_number"].format(id=number.removeprefix("DRAFT-"))
    return number


# Words about an invoice that are other ones about a credit note.
OF_CREDIT_NOTE = (
    "do_send_invoice",
    "step_send",
    "send_invoice_queued",
    "send_invoice_to_print",
    "send_invoice_none",
    "mail_invoice",
    "cannot_send",
)


def of_kind(word, record):
    """Return the word for a record: about a credit note, `step_send` is `step_send_credit_note`."""
    if record.get("invoice_type") == "credit_note" and word in OF_CREDIT_NOTE:
        return f"{word}_credit_note"
    return word


def summary(texts, language, currency, kind, row):
    """Return the second line of a record in a list: what it costs, or what it asks for. "" for a kind
    without one.
    """
    find = SUMMARIES.get(kind)
    if find is None:
        return ""
    parts = find(_Written(texts, language, currency, row))
    return " · ".join(part for part in parts if part is not None)


@dataclass(frozen=True, slots=True)
class _Written:
    """A record whose values are written in a language."""

    texts: dict
    language: str
    currency: str
    row: dict

    def price(self, name):
        """Return an amount, or None without one."""
        value = self.row.get(name)
        return None if value is None else formats.money(value, self.currency, self.language)

    def state(self, name):
        """Return the word for the value of a field, or None."""
        return self.texts.get(f"={self.row.get(name)}")

    def number(self, name):
        return formats.number(self.row[name], self.language)


def _category(it):
    approval = it.texts[f"approval={it.row['approval']}"]
    return [it.state("role"), approval, it.price("base_price"), it.state("applicant_visibility")]


def _session(it):
    day = formats.day(it.row["slot_date"], it.language)
    return [f"{day}, {it.row['start_time']}–{it.row['end_time']}", it.row["location"]]


def _service(it):
    return [it.price("base_price"), it.row.get("unit")]


def _booth_type(it):
    parts = [f"{it.price('price')} {it.state('price_model')}"]
    if it.row["usual_width"] is not None:
        parts.append(f"{it.number('usual_width')} × {it.number('usual_depth')} m")
    return parts


def _submission_type(it):
    return [it.state("input")]


def _template(it):
    return [it.texts["is_contract" if it.row["is_contract"] else "is_no_contract"]]


def _dunning_level(it):
    return [it.texts["level_after"].format(n=it.number("days"))]


# kind of record -> function of a _Written record that returns the parts of its second line
SUMMARIES = {
    "booth_types": _booth_type,
    "categories": _category,
    "document_templates": _template,
    "dunning_levels": _dunning_level,
    "schedules": _session,
    "services": _service,
    "submission_types": _submission_type,
}


def show_name(event, language, zone):
    """Return the title of a show as lists of shows have it: `Blütenland · Mai 2027`.

    The month tells the shows of a series apart. A title that contains the year of the show, and a show without dates,
    get none. `event` has `title`, `date_from` and `date_to`, `zone` is the time zone of a date with a time.
    """
    date = event["date_from"] or event["date_to"]
    if not date:
        return event["title"]
    month = times.local_date(date, zone)[:7]
    if month[:4] in event["title"]:
        return event["title"]
    return f"{event['title']} · {formats.period(month, language)}"


def size(texts, write, wish):
    """Return the size that an application wishes as the form offers it, or the area; "" without one.

    `wish` is that of a participant, or None. Without the name of the booth type, its key stands there.
    """
    if wish is None:
        return ""
    name = wish["booth_type_name"]
    if name and wish["usual_width"] is not None:
        width, depth = write.number(wish["usual_width"]), write.number(wish["usual_depth"])
        return texts["wish_size"].format(name=name, width=width, depth=depth)
    if name or wish["booth_type_key"]:
        return name or wish["booth_type_key"]
    return texts["wish_area"].format(area=write.number(wish["requested_area"]))


# States

# State of a record -> tone of its mark. States that are not here are neutral: drafts, and what has
# ended.
TONES = {
    **dict.fromkeys(
        ("paid", "confirmed", "approved", "completed", "active", "sold", "done"), "good"
    ),
    **dict.fromkeys(
        (
            "partially_paid",
            "pending",
            "pending_signature",
            "info_requested",
            "revision_requested",
            "waitlisted",
            "reserved",
            "open",
        ),
        "wait",
    ),
    **dict.fromkeys(("overdue", "failed", "rejected", "blocked"), "bad"),
    **dict.fromkeys(("new", "sent", "submitted", "in_review", "in_progress", "registered"), "info"),
}


def tone(state):
    """Return the tone of the mark of a state: `good`, `wait`, `bad`, `info`, or "" for neutral."""
    return TONES.get(state, "")


# Readiness


def reason(texts, item):
    """Return why an item of the readiness has its state."""
    data = item["data"]
    if item["code"] == "confirmed" and data.get("booth_numbers"):
        return ", ".join(data["booth_numbers"])
    if item["item"] == "category":
        return data.get("category_key") or texts["reason_item_none"]

    sentence = texts.get(f"reason_item_{item['code']}", texts[f"={item['status']}"])
    sentence = texts.get(f"reason_item_{item['item']}_{item['code']}", sentence)
    titles = ", ".join(data.get("titles") or ())
    return sentence.format_map(page_requests.Members(titles=titles))


# Warnings


def finding(texts, write, each):
    """Return the sentence about a fault or warning of an invoice: that of its code, else the name of what to look at.

    `write` is the Writer of the page.
    """
    text = texts.get(f"finding_{each['code']}")
    if text:
        return text.format_map(_written(each.get("values") or {}, write))
    if f"lacks_{each['field']}" in texts:
        return texts[f"lacks_{each['field']}"]
    if each["field"]:
        return label(texts, "", each["field"].rpartition(".")[2])[0]
    return texts["finding_other"]


def _written(values, write):
    """Return the values of a warning as a page writes them, by name."""
    written = {}
    for name, value in values.items():
        if name.endswith("country"):
            written[name] = write.country(value)
        elif name == "amount":
            written[name] = write.money(value, values["currency"])
        elif times.is_date(str(value)):
            written[name] = write.day(value)
        elif isinstance(value, str):
            written[name] = value
        else:
            written[name] = write.number(value)
    return written


# Refusals


def sentences(request, form, given):
    """Return {beside, top}: the sentences about a refused form, those beside its fields by name.

    `form` is None on a page without a form, `given` the texts of its fields.
    """
    problem = request.problem
    if problem is None:
        return {"beside": {}, "top": []}
    texts = words(request)
    about = forms.Sentences(texts, request.language)
    errors = problem.errors or []
    named = problem.members.get("member")
    is_about_field = form is not None and named in [each.name for each in form.fields]
    if is_about_field and f"fault_{problem.code}" in texts:
        errors = [{"pointer": f"/{named}", "code": problem.code}]
    elif form is not None and "pointer" in problem.members and f"fault_{problem.code}" in texts:
        errors = [{"pointer": problem.members["pointer"], "code": problem.code}]

    if form is not None and errors:
        faults = form.faults(errors, given, about)
        return {"beside": faults.beside, "top": faults.top}
    top = []
    for error in errors:
        name = (error.get("pointer") or "")[1:]
        top.append(about.about(error["code"], forms.Field(name, f"/{name}", "", kind="")))
    top = list(dict.fromkeys(top))
    if not top:
        top = [problem_sentence(texts, request.language, problem.code, problem.members)]
    return {"beside": {}, "top": top}


def problem_sentence(texts, language, code, members):
    """Return the sentence about a problem, by its code.

    Lists among its members are written as text, what is missing by name, dates as the language writes
    them. One thing that is missing may have a sentence of its own.
    """
    missing = members.get("missing")
    only = missing[0] if isinstance(missing, list) and len(missing) == 1 else ""
    if f"problem_{code}_{only}" in texts:
        return texts[f"problem_{code}_{only}"]

    written = {}
    for name, value in members.items():
        if isinstance(value, list):
            written[name] = ", ".join(str(texts.get(f"lacks_{part}", part)) for part in value)
        elif times.is_date(str(value)):
            written[name] = formats.day(value, language)
        else:
            written[name] = texts.get(f"={value}", value)
    if code == "duplicate" and "contract" in members:
        code = "contract_sent"
    text = texts.get(f"problem_{code}") or texts["problem_other"]
    return text.format_map(page_requests.Members(written))


# Deliveries

DELIVERIES = ("queued", "mailed", "to_print", "posted", "none", "held_back", "left")


def deliveries(texts, counts):
    """Return the sentence that says how documents reach their customers.

    `counts`: word of DELIVERIES -> number. No document counts as sent before a mail server has
    taken it.
    """
    parts = [
        texts[f"sum_{word}" if counts[word] != 1 else f"sum_{word}_one"].format(n=counts[word])
        for word in DELIVERIES
        if counts.get(word)
    ]
    return f"{', '.join(parts)}." if parts else texts["sum_nothing"]
