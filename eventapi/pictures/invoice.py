"""The invoice as PDF: a business letter with window address (DIN 5008 B) that carries what Directive 2006/112/EC, Art. 226 asks for."""
from decimal import Decimal
from itertools import zip_longest

from eventapi import money
from eventapi.pictures import fonts
from eventapi.pictures.paper import GREY, LEFT, PALE, RIGHT, Paper
from eventapi.pictures.words import COUNTRIES, WORDS, day, number

SIZE, SMALL = 8.5, 7
LEAD, SMALL_LEAD = 4, 3.2
INFO, INFO_VALUE = 122, 152                         # the block beside the address: labels, values
ADDRESS, ADDRESS_WIDTH, ADDRESS_HEIGHT = 66, 80, 26
UNBROKEN = 8                                        # lines of an item that stay on one page
NUMBERS = ("quantity", "unit_price", "discount_percent", "tax_rate", "net")


def draw(invoice, seller, buyer, language="en"):
    """The bytes of the PDF; the same invoice gives the same bytes. 501 without reportlab or a font that has every letter."""
    fonts.require()
    with fonts.lock:
        return Sheet(invoice, seller, buyer, language).pdf()


class Sheet:
    """One invoice, seller and buyer as the API answers them, being laid out from top to bottom."""

    def __init__(self, invoice, seller, buyer, language):
        self.invoice, self.seller, self.buyer, self.language, self.words = invoice, seller, buyer, language, WORDS[language]
        self.draft = invoice["status"] == "draft"
        self.places = money.decimals(invoice["currency"])
        self.number = fonts.clean(invoice["invoice_number"])
        self.title = f"{self.words[invoice['invoice_type']]} {self.number}"
        if self.draft:
            self.title = f"{self.words['draft']}: {self.title}"
        self.imprint = self._imprint()
        self.foot = 287 - SMALL_LEAD * max(map(len, self.imprint))
        self.paper = Paper(self.foot - 11, self._begin)

    def pdf(self):
        self.paper.turn()
        self._letterhead()
        self._heading()
        self._items()
        self._totals()
        self._payment()
        self.paper.number(self._footer)
        return self.paper.pdf(title=self.title, author=fonts.clean(self.seller.get("name") or ""), language=self.language)

    def say(self, word, **values):
        return self.words[word].format(currency=self.invoice["currency"], **values)

    def money(self, value):
        return number(_decimal(value), self.places, self.words)

    # Pages

    def _begin(self, paper):
        if self.draft:
            paper.stamp(self.words["draft"])
        paper.y = 20
        if len(paper.pages) > 1:
            paper.flow(fonts.wrap(self.title, SIZE, RIGHT - LEFT), size=SIZE, ink=GREY)
            paper.y += 4
        else:
            for y in (105, 148.5, 210):             # where to fold and to punch
                paper.line(4, y, 8, ink=GREY)

    def _imprint(self):
        """Three columns of the seller's data."""
        seller, columns = self.seller, (RIGHT - LEFT) / 3 - 4
        lines = [_address(seller), [seller.get("email"), *self._labelled(seller, "vat_id", "tax_number")],
                 [*self._labelled({**seller, "iban": _by_four(seller.get("iban"))}, "iban", "bic")]]
        return [[line for text in column for line in fonts.wrap(text, SMALL, columns)] for column in lines]

    def _labelled(self, record, *members):
        return [f"{self.words[member]} {record[member]}" for member in members if record.get(member)]

    def _footer(self, page, pages):
        paper = self.paper
        size = _shrunk(self.title, SMALL, 120)
        paper.text(LEFT, self.foot - 5, self.title, size=size, ink=GREY)
        paper.text(RIGHT, self.foot - 5, self.say("page", page=page, pages=pages), size=SMALL, align="right", ink=GREY)
        paper.line(LEFT, self.foot - 3, RIGHT, ink=GREY)
        for column, lines in enumerate(self.imprint):
            for row, text in enumerate(lines):
                paper.text(LEFT + column * (RIGHT - LEFT) / 3, self.foot + row * SMALL_LEAD, text, size=SMALL, ink=GREY)

    # The letter's head

    def _letterhead(self):
        paper = self.paper
        paper.flow(fonts.wrap(self.seller.get("name"), 15, RIGHT - LEFT, True)[:3], size=15, bold=True, lead=6.5)
        sender = " · ".join(fonts.clean(part) for part in _address(self.seller)[:3])
        paper.text(LEFT, 60, sender, size=_shrunk(sender, SMALL, ADDRESS_WIDTH), ink=GREY)
        paper.line(LEFT, 61, LEFT + ADDRESS_WIDTH, ink=GREY)
        paper.y = max(self._recipient(), self._info(), 94)

    def _recipient(self):
        """The address in the window, smaller when it is long; gives where it ends."""
        texts = _address(self.buyer, at_home=self.seller.get("country"))
        for size in (10, 9, 8, 7, 6):
            lines, lead = [line for text in texts for line in fonts.wrap(text, size, ADDRESS_WIDTH)], size * 0.43
            if len(lines) * lead <= ADDRESS_HEIGHT:
                break
        for row, text in enumerate(lines):
            self.paper.text(LEFT, ADDRESS + row * lead, text, size=size)
        return ADDRESS + len(lines) * lead

    def _info(self):
        """What a bookkeeper looks for first, beside the address; gives where it ends."""
        invoice, y = {**self.invoice, **_of(self.buyer)}, 50
        for member in ("invoice_number", "issue_date", "service_date", "due_date", "related_invoice_number", "customer_number",
                       "buyer_vat_id", "buyer_reference"):
            value = invoice.get(member)
            if not value or member == "due_date" and invoice["invoice_type"] == "credit_note":
                continue
            label = self.words["number" if member == "invoice_number" else member]
            self.paper.text(INFO, y, label, size=SIZE, ink=GREY)
            for line in fonts.wrap(day(value, self.words) if member.endswith("_date") else value, SIZE, RIGHT - INFO_VALUE):
                self.paper.text(INFO_VALUE, y, line, size=SIZE)
                y += LEAD
        return y

    def _heading(self):
        paper = self.paper
        paper.y += 3
        paper.flow(fonts.wrap(self.title, 14, RIGHT - LEFT, True), size=14, bold=True, lead=6.5)
        paper.y += 2
        paper.flow(fonts.wrap(self.invoice.get("text"), SIZE + 0.5, RIGHT - LEFT), size=SIZE + 0.5)
        paper.y += 4

    # The table of items

    def _items(self):
        rows = [self._item(item) for item in self.invoice["items"]]
        heads = {member: self.say(member) for member in rows[0]} if rows else {}
        if all(not item.get("discount_percent") for item in self.invoice["items"]):
            heads.pop("discount_percent", None)
        columns = _columns(heads, rows)
        self._heads(heads, columns)
        for row in rows:
            self._row({member: fonts.wrap(row[member], SIZE, columns[member][1]) for member in heads}, heads, columns)

    def _item(self, item):
        """The texts of a row, in the order of the columns."""
        discount, rate, quantity = (number(_decimal(item.get(member) or 0), 0, self.words)
                                    for member in ("discount_percent", "tax_rate", "quantity"))
        return {"position": str(item["position"]), "description": item["description"], "quantity": quantity,
                "unit": item.get("unit") or "", "unit_price": self.money(item["unit_price"]),
                "discount_percent": f"{discount}%" if item.get("discount_percent") else "", "tax_rate": f"{rate}%",
                "net": self.money(item["net"])}

    def _heads(self, heads, columns):
        self.paper.keep(4 * LEAD)
        self.paper.y += LEAD
        for member, text in heads.items():
            self._cell(member, columns[member], text, bold=True)
        self.paper.y += 1.6
        self.paper.line(LEFT, self.paper.y, RIGHT, thickness=0.3)
        self.paper.y += 0.6

    def _row(self, cells, heads, columns):
        lines = list(zip_longest(*cells.values(), fillvalue=""))
        needed = min(len(lines), UNBROKEN)
        for place, line in enumerate(lines):
            if self.paper.y + (LEAD * needed if place == 0 else LEAD) > self.paper.bottom:
                self.paper.turn()
                self._heads(heads, columns)
            self.paper.y += LEAD
            for member, text in zip(cells, line):
                self._cell(member, columns[member], text)
        self.paper.y += 1.4
        self.paper.line(LEFT, self.paper.y, RIGHT, ink=PALE)
        self.paper.y += 0.4

    def _cell(self, member, column, text, **style):
        left, wide = column
        right = member in NUMBERS
        if text:
            self.paper.text(left + wide if right else left, self.paper.y, text, size=SIZE, align="right" if right else "left", **style)

    # What it comes to

    def _totals(self):
        invoice, paper = self.invoice, self.paper
        reasons = [line for reason in self._reasons() for line in fonts.wrap(reason, SIZE, RIGHT - LEFT)]
        paper.keep(min((len(invoice["taxes"]) + len(reasons) + 6) * 5, 200))
        paper.y += 2
        self._sum(self.say("subtotal"), invoice["subtotal"])
        for tax in invoice["taxes"]:
            kind = "" if tax["category"] == "S" else f" ({tax['category']})"
            self._sum(self.say("tax", rate=number(_decimal(tax["rate"]), 0, self.words), kind=kind, net=self.money(tax["net"])), tax["tax"])
        self._grand(self.say("total"), invoice["total"])
        if invoice.get("paid_amount") and invoice["invoice_type"] == "invoice":
            self._sum(self.say("paid"), -_decimal(invoice["paid_amount"]))
            self._grand(self.say("open"), invoice["open_amount"])
        paper.y += 3
        paper.flow(reasons, size=SIZE, lead=LEAD)

    def _sum(self, label, value, **style):
        self.paper.keep(5)
        self.paper.y += 5
        self.paper.text(LEFT + 80, self.paper.y, label, size=9, **style)
        self.paper.text(RIGHT, self.paper.y, self.money(value), size=9, align="right", **style)

    def _grand(self, label, value):
        self.paper.keep(8)
        self.paper.y += 2
        self.paper.line(LEFT + 80, self.paper.y, RIGHT, thickness=0.3)
        self._sum(label, value, bold=True)

    def _reasons(self):
        """Why no tax is asked for, each once: the words of the law, then those of the invoice."""
        found = []
        for tax in self.invoice["taxes"]:
            texts = dict.fromkeys(text for text in (self.words.get(tax["category"]), tax.get("reason")) if text)
            if texts:
                found.append(f"{tax['category']} – {': '.join(texts)}")
        return dict.fromkeys(found)

    def _payment(self):
        seller, paper = self.seller, self.paper
        rows = [] if self.invoice["invoice_type"] == "credit_note" or _decimal(self.invoice["open_amount"]) <= 0 else [
            (self.words[label], fonts.wrap(value, SIZE, RIGHT - LEFT - 32)) for label, value in
            (("holder", seller.get("name")), ("iban", _by_four(seller.get("iban"))), ("bic", seller.get("bic")))
            if value and seller.get("iban")]
        sentence = fonts.wrap(self._terms(), 9, RIGHT - LEFT)
        paper.keep(6 + LEAD * (len(sentence) + sum(len(lines) for _, lines in rows)))
        paper.y += 4
        paper.flow(sentence, size=9)
        paper.y += 1.5
        for label, lines in rows:
            paper.text(LEFT, paper.y + LEAD, label, size=SIZE, ink=GREY)
            paper.flow(lines, x=LEFT + 32, size=SIZE, lead=LEAD)

    def _terms(self):
        invoice = self.invoice
        if invoice["invoice_type"] == "credit_note":
            related = invoice.get("related_invoice_number")
            return self.say("refund" if related else "refund_unnamed", related=related, amount=self.money(-_decimal(invoice["total"])))
        if _decimal(invoice["open_amount"]) <= 0:
            return self.say("settled")
        due = invoice.get("due_date")
        return self.say("pay_by" if due else "pay", amount=self.money(invoice["open_amount"]), number=self.number,
                        due_date=due and day(due, self.words))


def _decimal(value):
    return Decimal(str(value))


def _of(buyer):
    return {"buyer_vat_id": buyer.get("vat_id"), "customer_number": buyer.get("customer_number")}


def _by_four(iban):
    iban = "".join((iban or "").split())
    return " ".join(iban[place:place + 4] for place in range(0, len(iban), 4))


def _address(party, at_home=None):
    """The lines of a postal address; the country is told only abroad."""
    streets = (party.get("street") or party.get("address") or "").splitlines()
    if len(streets) > 4:
        streets = [", ".join(street.strip() for street in streets if street.strip())]
    city = " ".join(part for part in (party.get("postal_code"), party.get("city")) if part)
    town = ", ".join(part for part in (city, party.get("state")) if part)
    country = party.get("country") or ""
    abroad = "" if country == at_home else COUNTRIES.get(country, country).upper()
    return [line for line in (party.get("name"), party.get("contact_name"), *streets, town, abroad) if line and line.strip()]


def _shrunk(text, size, room):
    """The size at which a text fits into one line."""
    return min(size, size * room / max(fonts.width(text, size), 1))


def _columns(heads, rows):
    """Where each column begins and how wide it is: numbers as wide as the widest of them, the description takes the rest."""
    def widest(member):
        wide = max([fonts.width(fonts.clean(row[member]), SIZE) for row in rows] + [fonts.width(heads[member], SIZE, True)])
        return min(wide, 22) if member == "unit" else wide
    gap = 4
    wide = {member: widest(member) for member in heads if member != "description"}
    if heads:
        wide["description"] = max(RIGHT - LEFT - sum(wide.values()) - gap * len(wide), 20)
    columns, x = {}, LEFT
    for member in heads:
        columns[member] = (x, wide[member] + 0.01)
        x += wide[member] + gap
    return columns
