"""Invoices, credit notes and dunning letters of a request, to be printed or recorded as posted."""

from typing import NamedTuple

from eventapi.domain.billing import invoices
from eventapi.domain.dunning import sending as dunning


class Document(NamedTuple):
    """One document.

    letter: API object of a dunning letter, None for an invoice. row: row of the invoice.
    """

    letter: dict | None
    row: dict

    @property
    def name(self):
        """Return what an error calls the document."""
        number = self.row["invoice_number"]
        return f"the letter {self.letter['id']} of {number}" if self.letter else number

    @property
    def day(self):
        """Return the date of the document."""
        return self.letter["sent_on"] if self.letter else self.row["issue_date"]

    @property
    def delivery(self):
        return (self.letter or invoices.represent(self.row))["delivery"]


def letters(db, ids):
    """Return {id: Document} of the dunning letters with these ids. Unknown ones are missing."""
    return {
        letter["id"]: Document(letter, invoices.row(db, letter["invoice_id"]))
        for letter in dunning.by_ids(db, ids)
    }


def sent_invoices(db, ids):
    """Return {id: Document} of the invoices with these ids. Unknown ones are missing."""
    rows = ((id, invoices.row(db, id)) for id in ids)
    return {id: Document(None, row) for id, row in rows if row}
