"""The remembered columns of bank statements in CSV."""

from eventapi.domain.bank import formats
from eventapi.storage.statements import statements
from eventapi.validation.identifiers import accounts
from eventapi.web.lists import page
from eventapi.web.routes import Routes

routes = Routes("bank-statements", "bank_format", scope="payments", flag="invoices")
sql = statements("bank_formats")


@routes.list("/payments/import/formats", query="bank_format.query")
def list_payment_import_formats(db, query):
    """List the remembered columns of bank statements.

    An import of a CSV file that names its columns remembers them for the account and the header line
    of the file, unless it is a dry run. A file of this account with this header line is then read by
    them if the request names no column; `format_id` in the response of the import says so. Columns
    that are named again replace them. Banks that are recognised need none. The 500 formats that were
    used last are kept.
    """
    account = accounts.compact(query["account"]) if query.get("account") else None
    return page(db, sql.list, {**query, "account": account}, formats.represent)
