"""Invoices and credit notes as PDF: business letters for window envelopes (DIN 5008, form B).

They contain the details that Directive 2006/112/EC, Art. 226 requires. Positions are in
millimetres, font sizes in points.
"""

from eventapi.languages import formats
from eventapi.pictures import fonts, tax_notes
from eventapi.pictures.invoice.closing import Closing
from eventapi.pictures.invoice.table import Table
from eventapi.pictures.letterhead import Letterhead
from eventapi.pictures.paper import LEFT, RIGHT, Paper
from eventapi.pictures.style import FOOT, INK, PLAIN, QUIET, SUBTITLE, TABLE, TEXT, TITLE
from eventapi.pictures.words import address, of_seller, place, vat_label, vat_number

SIZE, LINE_HEIGHT = TABLE, 4.4
INFO, INFO_VALUE = 125, 157  # left edges of the labels and the values beside the address
INFO_FIELDS = (
    "invoice_number",
    "issue_date",
    "service_date",
    "due_date",
    "related_invoice_number",
    "customer_number",
    "buyer_vat_id",
    "buyer_reference",
    "leitweg_id",
)
EVENT = "title", "venue", "address", "postal_code", "city"
SENDER, ADDRESS, ADDRESS_WIDTH, ADDRESS_HEIGHT = 60, 66, 80, 26
FOLDS = 105, 148.5, 210  # fold marks and, in the middle, the mark for hole punches


def draw(invoice, seller, buyer, language, is_copy=False, brand=PLAIN):
    """Return the PDF of an invoice as bytes. The same invoice results in the same bytes.

    invoice: API object. Beside its fields it may have `event_title` and, of the same event, `event_venue`,
    `event_address`, `event_postal_code` and `event_city`; `related_issue_date`,
    `cancellation_reason` and `leitweg_id`; `girocode`, the text of a GiroCode; `tax_currency` and
    `tax_in_tax_currency`, the tax in the tenant's currency; `is_sample`, which marks every page.
    is_copy: mark it as a copy on every page.
    brand: logo and colour of the organiser.

    Raise 501 `not_installed` if reportlab is missing.
    """
    fonts.require()
    with fonts.boxes():
        return Sheet(invoice, seller, buyer, language, is_copy, brand).pdf()


def _kind(invoice):
    """Return the name of the words for the kind of an invoice, which is its title."""
    if invoice.get("is_deposit"):
        return "deposit"
    is_final = invoice["invoice_type"] == "invoice" and any(
        item.get("deposit_id") for item in invoice["items"]
    )
    return "final_invoice" if is_final else invoice["invoice_type"]


class Sheet:
    """The layout of one invoice, from top to bottom."""

    is_sample = False

    def __init__(self, invoice, seller, buyer, language, is_copy=False, brand=PLAIN):
        self.invoice, self.seller, self.buyer = invoice, seller, buyer
        self.language, self.words = language, of_seller(language, seller)
        self.locale = formats.of_country(language, seller.get("country"))
        self.draft = invoice["status"] == "draft"
        self.is_sample = invoice.get("is_sample", False)
        self.number = fonts.clean(invoice["invoice_number"])
        self.title = f"{self.words[_kind(invoice)]} {self.number}"
        if self.draft:
            self.title = f"{self.words['draft']}: {self.title}"
        if is_copy:
            self.title = f"{self.title} ({self.words['copy']})"
        self.notes = tax_notes.Notes(invoice, seller, buyer, language)
        self.closing = Closing(invoice, seller, language, brand, self.notes)
        # The bank account is printed once: beside the request to pay, or in the footer if nothing
        # is to be paid.
        self.letterhead = Letterhead(seller, brand, language, has_bank=not self.closing.account)
        self.paper = Paper(self.letterhead.footer_top - 11, self._begin)

    def pdf(self):
        """Return the PDF as bytes."""
        self.paper.new_page()
        self._address()
        self._heading()
        brand = self.letterhead.brand
        table = Table(self.invoice, self.language, self.locale, brand, self.words, self.notes)
        table.draw(self.paper, self.closing.height)
        self.closing.draw(self.paper)
        self.paper.draw_footers(self._footer)
        author = fonts.clean(self.seller.get("name") or "")
        return self.paper.pdf(title=self.title, author=author, language=self.language)

    # Pages

    def _begin(self, paper):
        if self.draft:
            paper.watermark(self.words["draft"])
        elif self.is_sample:
            paper.watermark(self.words["sample"])
        if len(paper.pages) > 1:
            paper.y = 20
            paper.flow(fonts.wrap(self.title, SIZE, RIGHT - LEFT), size=SIZE, ink=QUIET)
            paper.y += 4
        else:
            self.letterhead.head(paper)
            for y in FOLDS:
                paper.line(4, y, 8, ink=QUIET)

    def _footer(self, page, pages):
        self.letterhead.foot(
            self.paper, self.title, self.words["page"].format(page=page, pages=pages)
        )

    # The first page, above the items

    def _address(self):
        paper = self.paper
        sender = " · ".join(fonts.clean(part) for part in address(self.seller, self.language)[:3])
        paper.text(LEFT, SENDER, sender, size=fonts.shrunk(sender, FOOT, ADDRESS_WIDTH), ink=QUIET)
        paper.line(LEFT, SENDER + 1, LEFT + ADDRESS_WIDTH)
        paper.y = max(self._recipient(), self._info(), 94)

    def _recipient(self):
        """Draw the address in the window, in a smaller size if it is long.

        Return the position below it.
        """
        texts = address(self.buyer, self.language, home_country=self.seller.get("country"))
        for size in (TEXT, 9, 8, 7, 6):
            lines = [line for text in texts for line in fonts.wrap(text, size, ADDRESS_WIDTH)]
            line_height = size * 0.43
            if len(lines) * line_height <= ADDRESS_HEIGHT:
                break
        for row, text in enumerate(lines):
            self.paper.text(LEFT, ADDRESS + row * line_height, text, size=size)
        return ADDRESS + len(lines) * line_height

    def _info(self):
        """Draw numbers, dates and references beside the address. Return the position below them."""
        y = 50
        for label, value in self._info_lines():
            self.paper.text(
                INFO, y, label, size=fonts.shrunk(label, SIZE, INFO_VALUE - INFO - 2), ink=QUIET
            )
            for line in fonts.wrap(value, SIZE, RIGHT - INFO_VALUE):
                self.paper.text(INFO_VALUE, y, line, size=SIZE)
                y += LINE_HEIGHT
        return y

    def _info_lines(self):
        """Yield (label, value) of the fields beside the address."""
        values = {
            **self.invoice,
            "buyer_vat_id": self.buyer.get("vat_id"),
            "customer_number": self.buyer.get("customer_number"),
        }
        if self.invoice["invoice_type"] == "credit_note":
            values["due_date"] = None
        number = values["buyer_vat_id"]
        values["buyer_vat_id"] = vat_number(number)
        if self.invoice.get("is_deposit") and values["service_date"] == values["issue_date"]:
            values["service_date"] = None  # nobody has said when the supply is
        for field in filter(values.get, INFO_FIELDS):
            if field == "service_date":
                yield self._service(values)
            elif field == "related_invoice_number":
                yield self.words[field], self._related(values)
            else:
                day = field.endswith("_date")
                label = "number" if field == "invoice_number" else field
                shown = (
                    vat_label(self.words, number, field)
                    if field == "buyer_vat_id"
                    else self.words[label]
                )
                yield shown, self._day(values[field]) if day else values[field]

    def _service(self, invoice):
        """Return label and value of the service date or period."""
        first, last = invoice["service_date"], invoice.get("service_date_to")
        is_period = last and last != first
        label = (
            "deposit_service"
            if invoice.get("is_deposit")
            else "service_period"
            if is_period
            else "service_date"
        )
        return self.words[label], formats.days(first, last, self.language)

    def _related(self, invoice):
        """Return number and date of the invoice that a credit note corrects."""
        number, date = invoice["related_invoice_number"], invoice.get("related_issue_date")
        return f"{number}\n{self.words['of'].format(date=self._day(date))}" if date else number

    def _day(self, day):
        return formats.day(day, self.language)

    def _title(self):
        """Draw the title, the event and where it is."""
        paper, event = self.paper, {name: self.invoice.get(f"event_{name}") for name in EVENT}
        paper.flow(
            fonts.wrap(self.title, TITLE, RIGHT - LEFT, True),
            size=TITLE,
            bold=True,
            line_height=6.8,
            ink=self.letterhead.brand.ink,
        )
        paper.y += 1 if event["title"] else 0
        for text, size, ink in ((event["title"], SUBTITLE, INK), (place(event), TABLE, QUIET)):
            paper.flow(fonts.wrap(text, size, RIGHT - LEFT), size=size, line_height=4.8, ink=ink)

    def _heading(self):
        paper, invoice = self.paper, self.invoice
        paper.y += 3
        self._title()
        reason = invoice["invoice_type"] == "credit_note" and invoice.get("cancellation_reason")
        for text in (
            self.words["reason"].format(reason=reason) if reason else None,
            self.words["deposit_note"] if invoice.get("is_deposit") else None,
            invoice.get("text"),
        ):
            if text:
                paper.y += 2
                paper.flow(fonts.wrap(text, TEXT, RIGHT - LEFT), size=TEXT, line_height=4.8)
        paper.y += 4
