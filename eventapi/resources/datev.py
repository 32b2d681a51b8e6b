"""Files for DATEV. The list of reports names them, too."""

from eventapi.domain.datev import documents, export
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
    Belegtransfer.
    """
    if query["documents"]:
        file = documents.archive(db, query["year"], query.get("month"))
    else:
        file = export.batch(db, query["year"], query.get("month"))
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
    return download(export.debtor_file(db, query.get("year"), query.get("month")), form)


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
