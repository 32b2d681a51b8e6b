"""The statement of account of a customer as PDF, as bookkeepers send it with a reminder or at the
end of a year.
"""

from eventapi.domain.billing import invoices
from eventapi.languages import choice
from eventapi.pictures import style
from eventapi.pictures.invoice import account as picture
from eventapi.storage.statements import statements

sql = statements("invoicing")


def addressed(db, number, language=None):
    """Return (seller, buyer, language) of the statement of a customer number to which an invoice
    was sent.

    The buyer is the contact of its last invoice, as it is now. Of an anonymised contact, only the
    number is left. `language` is that of the request.
    """
    buyer = invoices.buyer_now(db, db.value(sql.contact_of_customer, customer_number=number))
    return (
        invoices.seller(db.config),
        {**buyer, "customer_number": number},
        choice.choose(db.config, language, buyer.get("language")),
    )


def draw(config, report, seller, buyer, language):
    """Return the PDF of the API object of a customer's account.

    Raise 501 `not_installed` without reportlab.
    """
    return picture.draw(report, seller, buyer, language, style.brand(config))
