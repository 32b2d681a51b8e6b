"""The pages about the organiser: each has a form of its settings, which the API reads and changes.

What the administrator has set is shown and closed, and so is everything for those who may only read.
"""

from contextlib import suppress
from decimal import Decimal

from eventapi import times
from eventapi.calls import desk
from eventapi.config.option import BANK, INVOICES, MAILS, PAGES, TAXES
from eventapi.domain.organiser import settings
from eventapi.domain.records import numbering
from eventapi.errors import not_found
from eventapi.languages import formats
from eventapi.pages.desk import actions, api, events, labels
from eventapi.pages.office import company_fields, company_values, mail_test, menu, start
from eventapi.pages.office.page import render_page
from eventapi.storage.database import as_json
from eventapi.validation.identifiers.accounts import compact
from eventapi.web.dry_runs import DryRun
from eventapi.web.html import page_requests, shell
from eventapi.web.rest import etag
from eventapi.web.routes import Routes

routes = Routes(
    "desk-company",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

FROM_START = "start"  # the value of `from` while the assistant leads through the pages
TYPES = {"invoice_number_format": "invoice", "credit_note_number_format": "credit_note"}
OF_SERVER = ("smtp_host", "smtp_sender", "mails_per_minute")  # shown on the page of mails


@routes.get("/company/<page>")
def get_desk_company(db, request, page):
    """Return one of the pages about the organiser, or show it again after a refusal."""
    form = form_of(db, request, page)
    problem = request.problem
    given = form.typed(request.fields) if problem else form.given()
    faulty = faults(form, problem)
    may_write = api.may_call(request, "update_settings")
    has_button = may_write and form.is_open
    usual, rare = form.rows(given, faulty, may_write=may_write)
    differences = form.differences(given) if problem and problem.status == 412 else []
    return render_page(
        db,
        request,
        "company",
        page=page,
        company_page=page,
        rows=usual,
        rare=rare,
        is_rare_open=is_rare_open(form, faulty),
        faulty=faulty,
        top=top_sentences(db, form, problem, faulty, differences),
        differences=differences,
        gaps=gaps(form),
        tag=form.tag,
        origin=origin(request),
        may_write=may_write,
        has_button=has_button,
        last=settings.last_change(db, form.names),
        notes=notes(db, form),
        proposed=proposed(db) if page == INVOICES and may_write else {},
        old_accounts=old_accounts(db) if page == BANK else [],
        short=company_values.short_account,
        setting_label=form.label,
        test=mail_test.of(db, request) if page == MAILS else None,
        of_server={name: getattr(db.config, name) for name in OF_SERVER},
    )


@routes.post("/company/<page>", batch=True, shows=get_desk_company)
def save_desk_company(request, connections, page):
    """Change the settings of a page, if they are still as it has shown them.

    Another account of the organiser is asked about first.
    """
    db = connections.reader()
    form = form_of(db, request, page)
    api.require_call(request, "update_settings")
    body = form.body(request.fields)
    if "proposed_numbers" in request.fields:
        body |= {name: text for name, text in start.NUMBERS.items() if name in body}
    tag = tag_of(request, form)
    if page == BANK and is_other_account(form, body) and "sure" not in request.fields:
        try_out(body, tag)
        return account_page(db, request, form, body)
    if not body:  # every field is closed
        return after(request, db, page)
    return actions.once(
        request,
        "update_settings",
        {},
        body,
        lambda _: after(request, connections.writer(), page),
        tag=tag,
    )


def form_of(db, request, page):
    """Return the Form of a page. Raise 404 for another one, and 403 without the scope."""
    if page not in PAGES:
        raise not_found("page", shell.address())
    api.require(request, "settings")
    names = [field.name for field in company_fields.fields_of(page)]
    return company_fields.Form(
        page,
        api.read("get_settings").data,
        page_requests.words(menu.PACKAGE, request.language),
        request.language,
        today=times.today(db.config.timezone),
        locked=[name for name in names if settings.is_locked(db, name)],
        offered={"start_page": shows(db, request)} if "start_page" in names else {},
    )


def shows(db, request):
    """Return the shows as options of the start page."""
    found = events.offered(db, None)
    return [
        (event["event_key"], labels.show_name(event, request.language, event["timezone"]))
        for event in found
    ]


def origin(request):
    """Return where the page was opened from: FROM_START, or an empty text."""
    sent = request.fields.get("from", [shell.asked("from").get("from")])[0]
    return FROM_START if sent == FROM_START else ""


def tag_of(request, form):
    """Return the ETag of the settings for If-Match.

    It is that of the form, which matches nothing, if what the page has shown was changed. A change
    of other pages does not matter.
    """
    sent = request.fields.get("tag", [""])[0]
    if sent and sent != form.tag:
        return f'"{sent}"'
    return etag(as_json(form.record))


def after(request, db, page):
    """Return the redirection after a page was saved: to itself, or to the next step of the assistant.

    In a transaction, `db` is its connection.
    """
    address = f"company/{page}"
    if origin(request):
        address = start.next_step(db, request)
    return page_requests.see_other(request, actions.with_message(address, "saved"))


# Refusals


def faults(form, problem):
    """Return name of a field -> sentence about its fault."""
    if problem is None:
        return {}
    if problem.code == "period_closed":
        return {"tax_basis": form.texts["fault_closed_month"].format(**closed_month(form, problem))}
    found = {}
    for error in problem.errors or ():
        name = error.get("pointer", "").removeprefix("/").partition("/")[0]
        if name in form.names:
            found.setdefault(name, fault(form, name, error["code"]))
    return found


def closed_month(form, problem):
    """Return the members of a refusal because of a closed month, as months."""
    members = problem.members
    return {
        "month": company_values.shown_day(f"{members['month']}-01", form.language),
        "first_open_month": company_values.shown_day(members["first_open_day"], form.language),
    }


def fault(form, name, code):
    """Return the sentence about the fault of a field: by its option, else with an example."""
    texts = form.texts
    if code in ("max_length", "max_items"):
        return texts["fault_too_long"]
    if name in TYPES and code == "unique":
        return texts["fault_same_format"]
    if f"fault_{name}" in texts:
        return texts[f"fault_{name}"]
    return texts["fault_example"].format(example=texts[f"example_{name}"])


def top_sentences(db, form, problem, faulty, differences):
    """Return the sentences above the form about a refusal that belongs to no field."""
    if problem is None or faulty:
        return []
    texts = form.texts
    if problem.status == 412:
        names = [name for name, *_ in differences] or form.names
        last = settings.last_change(db, names)
        name = last and last["admin_name"]
        if name:
            return [texts["company_changed"].format(name=name)]
    members = dict(problem.members)
    if "settings" in members:
        members["settings"] = ", ".join(map(form.label, members["settings"]))
    if f"company_{problem.code}" in texts:
        return [texts[f"company_{problem.code}"].format_map(page_requests.Members(members))]
    if problem.errors:
        return [texts["fault_other"]]
    return [labels.problem_sentence(texts, form.language, problem.code, members)]


def is_rare_open(form, faulty):
    """Return whether a field that is folded needs somebody to look at it."""
    names = {*faulty, *(name for _, name in gaps(form))}
    return not company_fields.RARE.isdisjoint(names)


def gaps(form):
    """Return (code, name of the field) of what is missing on the page."""
    found = []
    for gap in form.record["missing"]:
        names = [name for name in gap["settings"] if name in form.names]
        if names:
            found.append((gap["code"], names[0]))
    return found


def notes(db, form):
    """Return name of a field -> what follows from its value, or from none."""
    found = {}
    if form.page == INVOICES:
        for name, number in numbers(db).items():
            found[name] = form.texts["number_next"].format(number=number)
    if form.page == TAXES and form.record["tax_rate"] is None and db.config.is_tax_rate_known:
        rate = formats.percent(Decimal(db.config.tax_rate) / 100, form.language)
        found["tax_rate"] = form.texts["tax_rate_now"].format(rate=rate)
    return found


# Numbers of invoices


def numbers(db):
    """Return name of a number format -> the next number that it makes."""
    year = int(times.today(db.config.timezone)[:4])
    return {name: numbering.next_number(db, kind, year) for name, kind in TYPES.items()}


def proposed(db):
    """Return name of a number format -> the first number of the format that is proposed, or {}."""
    if not start.may_propose_numbers(db):
        return {}
    year = int(times.today(db.config.timezone)[:4])
    return {name: text.format(year=year, seq=1) for name, text in start.NUMBERS.items()}


# The account of the organiser


def old_accounts(db):
    """Return (account, number of open invoices) of other accounts that open invoices name."""
    return list(settings.open_elsewhere(db, db.config.organiser_iban).items())


def is_other_account(form, body):
    """Return whether a body names another account than the one that there was, or none."""
    old = form.record["organiser_iban"]
    if not old or "organiser_iban" not in body:
        return False
    return compact(body["organiser_iban"] or "") != compact(old)


def try_out(body, tag):
    """Change the settings and roll it back. Raise what the change would be refused with."""

    def within(act):
        act()
        raise DryRun

    with suppress(DryRun):
        desk.call(api.routes()["update_settings"], {}, body=body, tag=tag, within=within)


def account_page(db, request, form, body):
    """Return the page that asks whether another account is meant."""
    old = form.record["organiser_iban"]
    sent = {name: texts[0] for name, texts in request.fields.items() if name in form.typed({})}
    return render_page(
        db,
        request,
        "company_account",
        page=BANK,
        old=company_values.account(old),
        new=company_values.account(settings.value("organiser_iban", body["organiser_iban"])),
        count=settings.open_elsewhere(db, "").get(compact(old), 0),
        sent=sent,
        tag=form.tag,
        origin=origin(request),
    )
