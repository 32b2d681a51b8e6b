"""The table of items of an invoice. Positions are in millimetres, font sizes in points.

`headings` and `columns` are dicts by the name of the column.
"""

from collections import Counter
from itertools import zip_longest

from eventapi.languages import formats, names
from eventapi.pictures import fonts, small_business
from eventapi.pictures.paper import LEFT, RIGHT
from eventapi.pictures.style import LINE, QUIET, RULE, TABLE

SIZE, LINE_HEIGHT = TABLE, 4.4
ABOVE, BELOW = 0.7, 2.0  # space above and below the text of a row
GAP = 3  # between columns
UNBROKEN = 8  # an item with at most this many lines is kept on one page
LAST = 2  # items that are kept with the totals
# columns that are aligned right
NUMBERS = (
    "quantity",
    "unit_price",
    "discount_percent",
    "tax_rate",
    "net",
)
OPTIONAL = ("unit", "discount_percent")  # columns that are left out if no item has a value


class Table:
    """The items of an invoice (API object).

    The event is above the table, and left out at the end of descriptions.
    """

    def __init__(self, invoice, language, locale, brand, words, notes):
        self.notes = notes
        self.currency = invoice["currency"]
        self.language = language
        self.locale = locale
        self.brand = brand
        self.event = invoice.get("event_title")
        found = {(item["tax_rate"], item.get("tax_category")) for item in invoice["items"]}
        self.shared = {
            rate for rate, number in Counter(rate for rate, _ in found).items() if number > 1
        }
        texts = [self._texts(item) for item in invoice["items"]]
        is_small_business = small_business.is_invoice(invoice)
        if is_small_business:  # its items have no tax
            for row in texts:
                del row["tax_rate"]
        self.headings = {
            name: words[name].format(currency=self.currency)
            for name in (texts or [{}])[0]
            if name not in OPTIONAL or any(row[name] for row in texts)
        }
        if is_small_business and texts:
            self.headings["net"] = f"{words['account_amount']} {self.currency}"
        self.columns = _columns(self.headings, texts)
        self.rows = [self._lines(row) for row in texts]

    def _texts(self, item):
        """Return the texts of a row, in the order of the columns."""
        discount = item.get("discount_percent")
        return {
            "position": str(item["position"]),
            "description": self._description(item),
            "quantity": formats.number(item["quantity"], self.locale),
            "unit": names.unit(item.get("unit"), self.language) or "",
            "unit_price": formats.amount(item["unit_price"], self.currency, self.locale),
            "discount_percent": formats.percent(discount, self.locale) if discount else "",
            "tax_rate": self._tax(item),
            "net": formats.amount(item["net"], self.currency, self.locale),
        }

    def _tax(self, item):
        """Return the rate, with the number of its note if items have this rate for several reasons:
        0 % ¹, 0 % ².
        """
        rate = formats.percent(item["tax_rate"], self.locale)
        if item["tax_rate"] not in self.shared:
            return rate
        return f"{rate}{self.notes.mark(item['tax_category'], item['tax_rate'])}"

    def _description(self, item):
        return (
            item["description"].removesuffix(f", {self.event}")
            if self.event
            else item["description"]
        )

    def _lines(self, texts):
        """Return the lines of a row, each with one text for each column."""
        cells = [fonts.wrap(texts[name], SIZE, self.columns[name][1]) for name in self.headings]
        return list(zip_longest(*cells, fillvalue=""))

    def draw(self, paper, closing):
        """Add the table.

        The last items begin a new page if `closing`, the height of what follows, has no room.
        """
        if not self.rows:
            return
        self._headings(paper)
        for place, row in enumerate(self.rows):
            if place == max(len(self.rows) - LAST, 1):
                rest = sum(map(_height, self.rows[place:])) + closing
                if paper.y + rest > paper.bottom and rest < 180:
                    self._new_page(paper)
            self._row(paper, row)

    def _new_page(self, paper):
        paper.new_page()
        self._headings(paper)

    def _headings(self, paper):
        paper.reserve(4 * LINE_HEIGHT)
        paper.y += LINE_HEIGHT
        for name, text in self.headings.items():
            self._cell(paper, name, text, bold=True, ink=QUIET)
        paper.y += 1.6
        paper.line(LEFT, paper.y, RIGHT, thickness=RULE, ink=self.brand.color)
        paper.y += 0.6

    def _row(self, paper, lines):
        needed = min(len(lines), UNBROKEN)
        paper.y += ABOVE
        for place, line in enumerate(lines):
            if paper.y + LINE_HEIGHT * (needed if place == 0 else 1) > paper.bottom:
                self._new_page(paper)
            paper.y += LINE_HEIGHT
            for name, text in zip(self.headings, line, strict=True):
                self._cell(paper, name, text)
        paper.y += BELOW - 0.4
        paper.line(LEFT, paper.y, RIGHT, ink=LINE)
        paper.y += 0.4

    def _cell(self, paper, name, text, **style):
        left, wide = self.columns[name]
        if text and name in NUMBERS:
            paper.text(left + wide, paper.y, text, size=SIZE, align="right", **style)
        elif text:
            paper.text(left, paper.y, text, size=SIZE, **style)


def _height(lines):
    return len(lines) * LINE_HEIGHT + ABOVE + BELOW


def _columns(headings, rows):
    """Return (left edge, width) by column.

    The description takes the width that the other columns leave.
    """

    def widest(name):
        texts = [fonts.width(fonts.clean(row[name]), SIZE) for row in rows]
        wide = max([fonts.width(headings[name], SIZE, True), *texts])
        return min(wide, 22) if name == "unit" else wide

    wide = {name: widest(name) for name in headings if name != "description"}
    if headings:
        wide["description"] = max(RIGHT - LEFT - sum(wide.values()) - GAP * len(wide), 20)
    columns, x = {}, LEFT
    for name in headings:
        columns[name] = (x, wide[name] + 0.01)
        x += wide[name] + GAP
    return columns
