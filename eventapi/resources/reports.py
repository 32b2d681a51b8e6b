"""Reports as JSON, CSV tables and SVG charts."""

from functools import partial

from eventapi import spreadsheet
from eventapi.domain.billing import statement
from eventapi.domain.books import audit_export, keeping, ledger, periods, recapitulative, taxes
from eventapi.domain.records import references
from eventapi.domain.reports import catalogue as reports
from eventapi.domain.reports import charts as report_charts
from eventapi.domain.subjects import SUBJECTS
from eventapi.languages import choice
from eventapi.pictures import style
from eventapi.web.rest import Response, drawn, picture
from eventapi.web.routes import Routes

routes = Routes("reports", "report", scope="reports")
CSV, SVG, ZIP, PDF = "text/csv", "image/svg+xml", "application/zip", "application/pdf"
FORMS = ("application/json", CSV, SVG)
KEEPS = tuple(kept for subject in SUBJECTS for kept in subject.keeps)  # what a closing keeps


@routes.get("/reports", response="report.catalogue")
def list_reports():
    """List the reports and files for bookkeepers, with their parameters, columns and formats.

    The ledger and the files require the scope `invoices` as well.
    """
    return reports.catalogue()


@routes.get("/reports/revenue", query="report.by_period", response="report.revenue", forms=FORMS)
def get_revenue_report(db, query, form):
    """Get the invoiced and credited amounts by period and currency."""
    return report(db, "revenue", query, form)


@routes.get(
    "/reports/participants", query="report.by_day", response="report.participants", forms=FORMS
)
def get_participants_report(db, query, form):
    """Get the number of participants by event and role."""
    return report(db, "participants", query, form)


@routes.get(
    "/reports/applications", query="report.by_period", response="report.applications", forms=FORMS
)
def get_applications_report(db, query, form):
    """Get the number of applications by status and by the period of their creation."""
    return report(db, "applications", query, form)


@routes.get("/reports/payments", query="report.by_period", response="report.payments", forms=FORMS)
def get_payments_report(db, query, form):
    """Get the received payments by period, currency and gateway."""
    return report(db, "payments", query, form)


@routes.get("/reports/overview", query="report.by_day", response="report.overview", forms=FORMS)
def get_overview_report(db, query, form):
    """Get the totals of the other reports."""
    return report(db, "overview", query, form)


@routes.get(
    "/reports/receivables", query="report.at_a_day", response="report.receivables", forms=FORMS
)
def get_receivables_report(db, query, form):
    """Get the open amounts by days past due."""
    return report(db, "receivables", query, form)


@routes.get("/reports/tax", query="report.by_period", response="report.tax", forms=FORMS)
def get_tax_report(db, query, form):
    """Get net amount and tax by the period in which the tax counts, category, rate and region.

    As JSON, it also names invoices that count later than their supply (`late`), and credit notes of
    paid invoices whose money was not given back (`unrefunded`).
    """
    return report(db, "tax", query, form, further=taxes.beside)


@routes.get(
    "/reports/recapitulative",
    query="report.recapitulative_period",
    response="report.recapitulative",
    forms=FORMS[:2],
    further_scopes=("invoices",),
)
def get_recapitulative_report(db, query, form):
    """Get the recapitulative statement of a month, quarter or year: goods and services to other
    countries of the EU.

    That of a closed month is the one that was kept. A quarter or year adds its months.
    """
    found = recapitulative.report(db, query)
    if form == CSV:
        return table("recapitulative", recapitulative.COLUMNS, found["data"]["rows"])
    return Response(found, has_etag=False)


@routes.get("/reports/booths", query="report.of_event", response="report.booths", forms=FORMS)
def get_booths_report(db, query, form):
    """Get number, area and revenue of the booths by hall and type."""
    return report(db, "booths", query, form)


@routes.get("/reports/services", query="report.by_day", response="report.services", forms=FORMS)
def get_services_report(db, query, form):
    """Get the ordered quantity and the remaining stock of each service."""
    return report(db, "services", query, form)


@routes.get("/reports/check-ins", query="report.by_day", response="report.check_ins", forms=FORMS)
def get_check_ins_report(db, query, form):
    """Get check-ins and check-outs by hour and station."""
    return report(db, "check-ins", query, form)


@routes.get("/reports/readiness", query="report.of_event", response="report.readiness", forms=FORMS)
def get_readiness_report(db, query, form):
    """Get the number of participants that are ready, and what the others are missing, by event and
    role.
    """
    return report(db, "readiness", query, form)


@routes.get(
    "/reports/ledger",
    query="report.by_account",
    response="report.ledger",
    forms=FORMS[:2],
    further_scopes=("invoices",),
)
def get_ledger_report(db, query, form):
    """Get the balances of all customers: opening balance, invoices, credit notes, payments,
    refunds, closing balance.

    All customers are in one response, because their sums are the totals that `proof` compares with
    other reports.
    """
    found = ledger.of_all(db, query, with_proof=form != CSV)
    return (
        table("ledger", ledger.COLUMNS, found["data"]["rows"])
        if form == CSV
        else Response(found, has_etag=False)
    )


@routes.get(
    "/reports/ledger/<customer_number>",
    query="report.of_account",
    response="report.account",
    forms=(*FORMS[:2], PDF),
    further_scopes=("invoices",),
)
def get_customer_account(db, customer_number, query, form):
    """Get the account of a customer: every invoice, credit note, payment and refund, with the
    balance after it.

    As PDF, it is a statement of account for the customer, in its language unless `language` is
    sent.
    """
    found = ledger.of_customer(db, customer_number, query)
    if form == CSV:
        return table("account", ledger.OF_CUSTOMER, ledger.movements(found))
    if form == PDF:
        parties = statement.addressed(db, customer_number, query.get("language"))
        return drawn(
            [found["data"], found["filters"], found["generated_at"][:10], parties],
            PDF,
            lambda: statement.draw(db.config, found, *parties),
        )
    return Response(found, has_etag=False)


@routes.get("/reports/periods", response="report.periods")
def list_periods(db):
    """List the months with bookings, and whether they are closed.

    A closed month has the figures that were kept when it was closed.
    """
    return periods.all_months(db)


@routes.post(
    "/reports/periods/<month>/close",
    in_pieces=partial(periods.close_in_pieces, keeps=KEEPS),
    response="report.period",
    further_scopes=("invoices",),
)
def close_period(db, month):
    """Close a month and all months before it. They can never be opened again.

    Afterwards nothing that is dated in these months changes: a request that would change it is
    refused with 409 `period_closed`. Corrections are dated in an open month, such as a refund dated
    today. An invoice in another currency without `exchange_rate` prevents the closing: 409
    `period_incomplete` names it. The closing keeps the recapitulative statement and the files for
    DATEV; without these, because options are missing, `meta.warnings` has `datev_incomplete`. If
    the month is closed already, nothing changes.
    """
    period = periods.close(db, month, KEEPS)
    warnings = keeping.warnings(db, month, KEEPS)
    return Response(period, meta={"warnings": warnings} if warnings else {})


@routes.get(
    "/reports/audit-export",
    query="report.audit_year",
    forms=(ZIP,),
    further_scopes=("invoices", "audit", "documents"),
)
def get_audit_export(db, query):
    """Get all bookings of a year as a ZIP file for a tax audit (GoBD, access Z3).

    It has the invoices with lines and taxes, payments, refunds, dunning letters, customers,
    accounts, number series, closed months and the audit log about them as CSV, the e-invoices, and
    those of suppliers. `index.xml` describes the tables as the German tax administration requires,
    `manifest.json` has the SHA-256 of each file. The DTD `gdpdu-01-09-2004.dtd`, which audit
    programs expect beside it, is not included.
    """
    file, size = audit_export.written(db, query["year"], with_pdf=bool(query["pdf"]))
    return Response(
        body=audit_export.pieces(file),
        headers={
            "Content-Type": ZIP,
            "Content-Length": str(size),
            "Content-Disposition": f'attachment; filename="audit-export-{query["year"]}.zip"',
        },
    )


def report(db, name, query, form, further=None):
    """Return the report in the requested format.

    JSON also has what the function `further` of (db, query) returns.
    """
    language = choice.choose(db.config, query.pop("language", None))
    selected = references.existing(db, query, references.EVENT)
    found = reports.read(db, name, selected)
    if form == SVG:
        title = reports.event_title(db, found["filters"]["event_id"])
        state = [name, language, title, found["filters"], found["data"], style.brand(db.config).key]
        return picture(state, SVG, lambda: report_charts.draw(db.config, found, title, language))
    if form == CSV:
        return table(name, reports.columns(name), found["data"]["rows"])
    if further:
        found["data"].update(further(db, selected))
    return Response(found, has_etag=False)


def table(name, columns, rows):
    """Return flat rows as a CSV file."""
    return Response(
        body=spreadsheet.table(columns, rows),
        headers={
            "Content-Type": "text/csv; charset=utf-8; header=present",
            "Content-Disposition": f'attachment; filename="{name}.csv"',
        },
    )
