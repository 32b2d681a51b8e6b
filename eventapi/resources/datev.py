"""Files for DATEV. The list of reports names them, too."""

from eventapi.domain.books import periods
from eventapi.domain.datev import keeping
from eventapi.domain.datev.subject import DATEV
from eventapi.web.rest import Response
from eventapi.web.routes import Routes

routes = Routes("reports", "report", scope="reports")
CSV, JSON, ZIP = "text/csv", "application/json", "application/zip"


@routes.get(
    "/reports/datev",
    query="report.datev_period",
    response="report.datev",
    forms=(CSV, JSON, ZIP),
    further_scopes=("invoices",),
)
def get_datev_report(db, query, form):
    """Get the bookings of a month or year as a file for DATEV.

    The file is a booking batch (EXTF 700, category 21, format version 13, Windows-1252). With
    `Accept: application/json`, the response is a summary of the file: control sums, and texts whose
    letters the character set lacks. With `documents=1`, it is a ZIP file: the batch, whose column
    20 names the document of each invoice and credit note, their PDFs, and document.xml for DATEV
    Belegtransfer. The file of a closed month is the one that was kept.
    """
    if query["documents"]:
        file = keeping.archive(db, query["year"], query.get("month"))
    else:
        file = keeping.batch(db, query["year"], query.get("month"))
    return download(file, form)


@routes.get(
    "/reports/datev/debtors",
    query="report.datev_debtors_period",
    response="report.datev_debtors",
    forms=(CSV, JSON),
    further_scopes=("invoices",),
)
def get_datev_debtors_report(db, query, form):
    """Get the master data of debtors as a file for DATEV.

    The file has the customers with bookings in the month or year, without `year` all that were sent
    an invoice (EXTF 700, category 16, format version 5, Windows-1252). With `Accept:
    application/json`, the response is a summary of the file.
    """
    return download(keeping.debtor_file(db, query.get("year"), query.get("month")), form)


@routes.post(
    "/reports/periods/<month>/files",
    response="report.period",
    status=200,
    further_scopes=("invoices",),
)
def keep_period_files(db, month):
    """Keep the files for DATEV of a closed month.

    The closing of a month keeps them if the options for DATEV are complete. Otherwise, and for
    months that were closed by an earlier version, this request does so later: 409
    `datev_incomplete` names what is missing. A file that is kept is never replaced: look at `GET
    /reports/datev` first. If the files are kept already, nothing changes.
    """
    return periods.keep_later(db, month, DATEV.keeps[0])


def download(file, form):
    """Return the file as an attachment, or its summary as JSON."""
    if form == JSON:
        file.content.close()
        return Response(file.summary, has_etag=False)
    is_archive = file.name.endswith(".zip")
    return Response(
        body=file.pieces(),
        headers={
            "Content-Type": ZIP if is_archive else "text/csv; charset=windows-1252",
            "Content-Length": str(file.size),
            "Content-Disposition": f'attachment; filename="{file.name}"',
        },
    )
