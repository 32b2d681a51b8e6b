"""Reports as JSON, CSV tables and SVG charts."""
from eventapi import spreadsheet
from eventapi.domain.records import references
from eventapi.domain.reports import catalogue as reports
from eventapi.domain.reports import charts as report_charts
from eventapi.languages import choice
from eventapi.web.rest import Response, picture
from eventapi.web.routes import Routes

routes = Routes("reports", "report", scope="reports")
CSV, SVG = "text/csv", "image/svg+xml"
FORMS = ("application/json", CSV, SVG)


@routes.get("/reports", response="report.catalogue")
def list_reports():
    """List the reports with their parameters and columns.

    Each report is also available as a CSV table and as a chart.
    """
    return reports.catalogue()


@routes.get("/reports/revenue", query="report.by_period", response="report.revenue", forms=FORMS)
def get_revenue_report(db, query, form):
    """Get the invoiced and credited amounts by period and currency."""
    return report(db, "revenue", query, form)


@routes.get("/reports/participants", query="report.by_day", response="report.participants", forms=FORMS)
def get_participants_report(db, query, form):
    """Get the number of participants by event and role."""
    return report(db, "participants", query, form)


@routes.get("/reports/applications", query="report.by_period", response="report.applications", forms=FORMS)
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


@routes.get("/reports/receivables", query="report.at_a_day", response="report.receivables", forms=FORMS)
def get_receivables_report(db, query, form):
    """Get the open amounts by days past due."""
    return report(db, "receivables", query, form)


@routes.get("/reports/tax", query="report.by_period", response="report.tax", forms=FORMS)
def get_tax_report(db, query, form):
    """Get net amount and tax by period, category and rate."""
    return report(db, "tax", query, form)


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
    """Get the number of participants that are ready, and what the others are missing, by event and role."""
    return report(db, "readiness", query, form)


def report(db, name, query, form):
    """Return the report in the requested format."""
    language = choice.choose(db.config, query.pop("language", None))
    found = reports.read(db, name, references.existing(db, query, references.EVENT))
    if form == SVG:
        title = reports.event_title(db, found["filters"]["event_id"])
        state = [name, language, title, found["filters"], found["data"]]
        return picture(state, SVG, lambda: report_charts.draw(found, title, language))
    if form == CSV:
        return Response(body=spreadsheet.table(reports.columns(name), found["data"]["rows"]), headers={
            "Content-Type": "text/csv; charset=utf-8; header=present",
            "Content-Disposition": f'attachment; filename="{name}.csv"'})
    return Response(found, has_etag=False)
