"""Dunning letters as PDF: business letters for window envelopes, with a table of what is claimed.

Positions are in millimetres, font sizes in points.
"""

import re

from eventapi.languages import formats
from eventapi.pictures import fonts
from eventapi.pictures.invoice.closing import CAPTION, CODE
from eventapi.pictures.invoice.sheet import SIZE, Sheet
from eventapi.pictures.letterhead import Letterhead
from eventapi.pictures.paper import LEFT, RIGHT
from eventapi.pictures.style import PLAIN, QUIET, RULE, SUBTITLE, TEXT
from eventapi.pictures.words import grouped

LINE_HEIGHT = 4.8
ROW, GAP = 5.4, 4  # of the table: height of a row, least space between the columns
DETAIL, DETAIL_ROW = 7.5, 3.8  # of the table: font size and height of a detail
MOST = 8  # payments that have a row each
LABEL = LEFT + 40  # left edge of the labels of amounts
ACCOUNT = LEFT + 38  # left edge of the bank account


def draw(entry, invoice, seller, buyer, brand=PLAIN):
    """Return the PDF of a letter as bytes. The same letter results in the same bytes.

    entry: the letter, an API object. invoice: API object; its `girocode` is the text of the GiroCode, if it has one.
    seller, buyer: as on the invoice. brand: logo and colour of the seller.

    Raise 501 `not_installed` if reportlab is missing.
    """
    fonts.require()
    with fonts.boxes():
        return Letter(entry, invoice, seller, buyer, brand).pdf()


class Letter(Sheet):
    """The layout of one letter, from top to bottom.

    The letterhead, the address and the pages are as on an invoice.
    """

    def __init__(self, entry, invoice, seller, buyer, brand=PLAIN):
        super().__init__(invoice, seller, buyer, entry["language"], brand=brand)
        self.entry = entry
        self.reference = invoice.get("payment_reference") or self.number
        self.title = f"{fonts.clean(entry['title'])}: {self.words['invoice']} {self.number}"
        self.letterhead = Letterhead(
            seller, brand, entry["language"], has_bank=not seller.get("iban")
        )
        self.paper.bottom = self.letterhead.footer_top - 11

    def pdf(self):
        """Return the PDF as bytes."""
        paper = self.paper
        paper.new_page()
        self._address()
        paper.y += 3
        self._title()
        self._paragraphs([self._greeting(), *(self.entry["text"] or "").split("\n\n")])
        self._table()
        self._account_and_regards()
        paper.draw_footers(self._footer)
        return paper.pdf(
            title=self.title,
            author=fonts.clean(self.seller.get("name") or ""),
            language=self.language,
        )

    def _greeting(self):
        name = self.buyer.get("contact_name")
        return self.words["hello"].format(name=name) if name else self.words["hello_nobody"]

    def _paragraphs(self, texts, room=RIGHT - LEFT):
        for text in filter(None, texts):
            self.paper.y += 3
            self.paper.flow(
                fonts.wrap(self._joined(text), TEXT, room), size=TEXT, line_height=LINE_HEIGHT
            )

    def _joined(self, text):
        """Return a text in which no line ends between an amount and its currency."""
        code = re.escape(self.entry["currency"])
        return re.sub(rf"(?<=\d) (?={code}\b)|(?<=\b{code}) (?=\d)", "\u00a0", text)

    def _info_lines(self):
        """Yield (label, value) of the fields beside the address."""
        yield self.words["issue_date"], formats.day(self.entry["sent_on"], self.language)
        yield self.words["invoice"], f"{self.number}\n{self._of(self.invoice['issue_date'])}"
        yield self.words["due_date"], formats.day(self.entry["due_date"], self.language)
        if self.buyer.get("customer_number"):
            yield self.words["customer_number"], self.buyer["customer_number"]

    def _of(self, day):
        return self.words["of"].format(date=formats.day(day, self.language))

    # What is claimed

    def _table(self):
        """Add the table.

        A detail is a row below an amount, in smaller type and without an amount of its own.
        """
        paper, rows = self.paper, list(self._rows())
        paper.reserve(min(ROW * len(rows) + 12, 150))
        paper.y += 5
        for kind, label, amount in rows:
            if kind == "detail":
                paper.reserve(DETAIL_ROW)
                paper.y += DETAIL_ROW
                paper.text(
                    LABEL,
                    paper.y,
                    label,
                    size=fonts.shrunk(label, DETAIL, RIGHT - LABEL),
                    ink=QUIET,
                )
            else:
                paper.reserve(ROW + 1)
                self._amount(label, amount, kind)
        paper.y += 2

    def _amount(self, label, amount, kind):
        paper, is_total = self.paper, kind == "total"
        if kind != "amount":
            ink = self.letterhead.brand.color if is_total else QUIET
            paper.line(
                LABEL, paper.y + 1.4, RIGHT, thickness=RULE if is_total else RULE / 2, ink=ink
            )
            paper.y += 1
        paper.y += ROW
        value = formats.money(amount, self.entry["currency"], self.locale)
        size = SUBTITLE if is_total else SIZE
        room = RIGHT - LABEL - fonts.width(value, size, is_total) - GAP
        fitting = min(size, size * room / fonts.width(label, size, is_total))
        paper.text(LABEL, paper.y, label, size=fitting, bold=is_total)
        paper.text(RIGHT, paper.y, value, size=size, bold=is_total, align="right")

    def _rows(self):
        """Yield (kind, label, amount).

        Kinds: amount, sum (of the amounts before it), total, detail.
        """
        entry, words = self.entry, self.words
        paid = [*self._paid()]
        if paid:
            yield "amount", words["claim_invoice"].format(number=self.number), entry["total"]
            yield from paid
        yield (
            "sum" if paid else "amount",
            words["claim_open"].format(number=self.number),
            entry["open_amount"],
        )
        if entry["costs"]:
            is_lump_sum = entry["lump_sum"] and entry["costs"] == entry["lump_sum"]
            yield (
                "amount",
                words["claim_lump_sum" if is_lump_sum else "claim_costs"],
                entry["costs"],
            )
        if entry["interest"]:
            yield (
                "amount",
                words["claim_interest"].format(until=self._day(entry["sent_on"])),
                entry["interest"],
            )
            yield from (
                ("detail", self._period(period), None) for period in entry["interest_periods"]
            )
        if entry["claims_paid"]:
            yield "amount", words["claim_paid"], -entry["claims_paid"]
        yield (
            "total",
            words["claim_total"].format(deadline=self._day(entry["deadline"])),
            entry["total_claim"],
        )

    def _paid(self):
        """Yield the rows of what was credited, paid, refunded and written off.

        Letters of older versions have none.
        """
        entry, words = self.entry, self.words
        if entry["credited"]:
            yield "amount", words["claim_credited"], -entry["credited"]
        payments = entry["payments"]
        if len(payments) > MOST:
            days = self._day(payments[0]["date"]), self._day(payments[-1]["date"])
            yield (
                "amount",
                words["claim_payments"].format(first=days[0], last=days[1]),
                -sum(payment["amount"] for payment in payments),
            )
        else:
            for payment in payments:
                key = "claim_payment" if payment["amount"] > 0 else "claim_refund"
                yield (
                    "amount",
                    words[key].format(day=self._day(payment["date"])),
                    -payment["amount"],
                )
        if entry["written_off"]:
            yield "amount", words["claim_written_off"], -entry["written_off"]

    def _period(self, period):
        """Return the text of a period: days, rate, base rate, amount and interest."""
        base = ""
        if period["base_rate"] is not None:
            base = self.words["claim_base_rate"].format(
                rate=formats.percent(period["base_rate"], self.locale)
            )
        return self.words["claim_day" if period["days"] == 1 else "claim_days"].format(
            first=self._day(period["date_from"]),
            last=self._day(period["date_to"]),
            days=period["days"],
            rate=formats.percent(period["rate"], self.locale),
            base=base,
            **{
                name: formats.money(period[name], self.entry["currency"], self.locale)
                for name in ("amount", "interest")
            },
        )

    def _account_and_regards(self):
        """Draw the bank account, if there is one, and the greeting below it.

        The GiroCode is beside both.
        """
        paper, room = self.paper, RIGHT - LEFT - (CODE + GAP if self.closing.code else 0)
        paper.y += 3
        paper.reserve(max(CODE + CAPTION if self.closing.code else 0, 6 * LINE_HEIGHT + 6))
        if self.closing.code:
            self.closing.draw_code(paper, paper.y)
        if self.seller.get("iban"):
            self._account()
        self._paragraphs([self.words["regards"], self.seller.get("name") or ""], room)

    def _account(self):
        seller, paper = self.seller, self.paper
        values = {
            "holder": seller.get("name"),
            "iban": grouped(seller["iban"]),
            "bic": seller.get("bic"),
            "reference": self.reference,
        }
        for key, value in values.items():
            for row, line in enumerate(
                fonts.wrap(value, SIZE, RIGHT - ACCOUNT - CODE) if value else ()
            ):
                paper.y += LINE_HEIGHT
                if not row:
                    paper.text(LEFT, paper.y, self.words[key], size=SIZE, ink=QUIET)
                paper.text(ACCOUNT, paper.y, line, size=SIZE)
        paper.y += 2
