"""Bookings: what an invoice, a credit note, a claim, a payment, a refund or a write-off is in the
accounts.

A booking has a positive amount on one side of an account and on the other side of its contra
account. What takes back another booking turns the sides; the amount never becomes negative. Amounts
of rows are in minor units and include tax.
"""

from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

from eventapi import money
from eventapi.domain.books import taxes
from eventapi.domain.books.regions import eu_vat_id, region
from eventapi.domain.datev.accounts import document
from eventapi.domain.datev.lines import amount, date, quoted

DEBIT, CREDIT = "S", "H"  # Soll, Haben
MOST_DIGITS = 10  # of an amount, before the decimal comma
MOST_RATE = Decimal("9999.999999")


@dataclass(frozen=True)
class Booking:
    """One line of a batch.

    kind: invoice, credit_note, claim, payment, refund, move, write_off, advance, deposit, exchange or fee; the control
    sums are separated by it.
    units: minor units, positive if the account is debited. worth: the same in the tenant's currency,
    if it was converted with other amounts of the invoice; None if it is converted by itself. rate:
    ten-billionths of the tenant's currency for one unit.
    account, contra: numbers. document: number of the invoice, the key of the open item. day: of the
    document. service_date, tax_day: last day of the supply, and the day on which the tax counts.
    link: GUID of the document. details: (kind, content) pairs, such as the number of a credit note.
    cost_centre: that of the event, for revenue and what corrects it.
    """

    kind: str
    day: str
    units: int
    currency: str
    rate: int | None
    account: str
    contra: str
    document: str
    text: str
    tax_key: str = ""
    due_date: str | None = None
    service_date: str | None = None
    tax_day: str | None = None
    vat_id: str = ""
    link: str | None = None
    cost_centre: str | None = None
    details: tuple = ()
    worth: int | None = None


def of_invoice(row, accounts, country, link=None, worth=None):
    """Return the booking of one tax group of an invoice or credit note: the debtor against revenue.

    A credit note has the document number of the invoice that it credits. `country` is that of the
    organiser. link: the GUID of the PDF. worth: see Booking. Deposits are no revenue and have no
    tax until money comes: see `of_deposit`.
    """
    where, number = region(row["vat_id"], row["country"], country), row["invoice_number"]
    account = (
        accounts.deposits()
        if row["is_deposit"]
        else accounts.revenue(row["category"], row["rate"], where, _supplied_on(row))
    )
    is_invoice, key = (
        row["invoice_type"] == "invoice",
        document(row["paid_number"], row["invoice_id"]),
    )
    return Booking(
        kind=row["invoice_type"],
        day=row["issue_date"],
        units=row["gross"],
        currency=row["currency"],
        rate=row["exchange_rate"],
        account=accounts.debtor(row["debtor_number"]),
        contra=account.number,
        document=key,
        tax_key=account.tax_key,
        text=_text("Rechnung" if is_invoice else "Rechnungskorrektur", number, row["name"]),
        due_date=row["due_date"] if is_invoice else None,
        service_date=row["service_date_to"] or row["service_date"],
        tax_day=_tax_day(row, row["issue_date"], is_invoice=is_invoice),
        vat_id="" if row["is_deposit"] else _eu_vat_id(row, country),
        link=link,
        cost_centre=None if row["is_deposit"] else row["cost_centre"],
        details=() if key == number else (("Belegnummer", number),),
        worth=worth,
    )


def _supplied_on(row):
    """Return the last day of the supply. Documents of version 1.0 have none: it is the day of the document."""
    return row["service_date_to"] or row["service_date"] or row.get("issue_date") or row["day"]


def _tax_day(row, day, *, is_invoice=False):
    """Return the day on which the tax of a booking of a day counts, or None if it follows the
    money.
    """
    first = taxes.begins(
        row["tax_basis"], row["tax_date"], row["paid_issue_date"], row["category"], row["rate"]
    )
    return first and taxes.counts_at(first, day, is_invoice=is_invoice)


def of_advance(row, accounts):
    """Yield the two bookings of money that came before the supply, or was given back (§ 13 (1) no.

    1a sentence 4 UStG).

    They are the same in the accounts, with the sides turned: one moves the tax to the day of the
    money, the other takes it from the day of the supply.
    """
    number = row["invoice_number"]
    account = accounts.revenue(row["category"], row["rate"], None, _supplied_on(row))
    for sign, tax_day in ((1, row["day"]), (-1, row["tax_date"])):
        yield Booking(
            kind="advance",
            day=row["day"],
            units=sign * row["gross"],
            worth=None if row["worth"] is None else sign * row["worth"],
            currency=row["currency"],
            rate=row["exchange_rate"],
            account=accounts.debtor(row["debtor_number"]),
            contra=account.number,
            tax_key=account.tax_key,
            document=document(number, row["invoice_id"]),
            text=_text("Steuer auf Anzahlung", number, row["name"]),
            service_date=row["service_date_to"] or row["service_date"],
            tax_day=tax_day,
            cost_centre=row["cost_centre"],
        )


def of_deposit(row, accounts, country):
    """Return the booking of one tax group of a deposit that becomes revenue: the account of deposits
    against revenue.

    It counts on its day: that of the money or, with rate 0, that of the supply.
    """
    account = accounts.revenue(row["category"], row["rate"], row["region"], _supplied_on(row))
    number = row["invoice_number"]
    return Booking(
        kind="deposit",
        day=row["day"],
        units=row["gross"],
        worth=row["worth"],
        currency=row["currency"],
        rate=row["exchange_rate"],
        account=accounts.deposits().number,
        contra=account.number,
        tax_key=account.tax_key,
        document=document(number, row["invoice_id"]),
        text=_text("Anzahlung", number, row["name"]),
        service_date=row["service_date_to"] or row["service_date"],
        tax_day=row["day"],
        vat_id=_eu_vat_id(row, country),
        cost_centre=row["cost_centre"],
    )


def _eu_vat_id(row, country):
    """Return the VAT id of a buyer in the EU who owes the tax, or who was supplied goods without
    it.
    """
    return eu_vat_id(row["vat_id"], country) if row["category"] in ("AE", "K") else ""


def of_payment(row, accounts):
    """Return the booking of a payment: the account of the money against the debtor, with what the
    bank received.
    """
    if row["bank_amount"]:
        came = {**row, "currency": row["bank_currency"], "exchange_rate": None}
        return _of_money("payment", came, accounts, row["bank_amount"], "Zahlung")
    return _of_money("payment", row, accounts, row["amount"], "Zahlung")


def of_exchange(row, accounts, config):
    """Return the booking of what a payment in another currency brought more or less than the
    invoice says.

    The amount is in the organiser's currency: the part of the invoice at its rate, less what the
    bank received.
    """
    booked, came = (
        _in_base(units, currency, rate, config)
        for units, currency, rate in (
            (row["amount"], row["currency"], row["exchange_rate"]),
            (row["bank_amount"], row["bank_currency"], None),
        )
    )
    for currency, found in ((row["currency"], booked), (row["bank_currency"], came)):
        if found is None:
            accounts.missing.option("exchange_rates", currency)
    difference = 0 if None in (booked, came) else booked - came
    account = accounts.exchange(is_gain=difference < 0) if difference else None
    return Booking(
        kind="exchange",
        day=row["day"],
        units=difference,
        currency=config.currency,
        rate=None,
        account=account.number if account else "",
        tax_key=account.tax_key if account else "",
        contra=accounts.debtor(row["debtor_number"]),
        document=document(row["invoice_number"], row["invoice_id"]),
        text=_text("Kursdifferenz", row["invoice_number"], row["name"]),
        details=_transaction(row),
    )


def _in_base(units, currency, rate, config):
    """Return an amount in the organiser's currency, or None without an exchange rate."""
    if currency == config.currency:
        return units
    rate = rate or money.usual_rate(config, currency)
    return rate and money.converted(units, currency, rate, config.currency)


def of_refund(row, accounts):
    """Return the booking of a refund: that of a payment with the sides turned."""
    return _of_money("refund", row, accounts, -row["amount"], "Erstattung")


def of_move(row, accounts):
    """Return the booking of one side of a payment that moved from one invoice to another.

    `amount` is negative for the invoice that loses the payment. Both sides are booked over the
    account of the money, whose balance stays the same, because an account cannot be booked against
    itself.
    """
    return _of_money("move", row, accounts, row["amount"], "Umbuchung")


def of_write_off(row, accounts, movement, worth=None):
    """Return the booking of what a write-off takes from one tax group: the account of write-offs
    against the debtor.

    `movement` is a Movement of `books.taxes`, `worth` its amount in the organiser's currency, which
    is negative as well. A recovery turns the sides. The write-off of a deposit, which is no revenue
    yet, has no tax: it is booked against the account of deposits.
    """
    # Otherwise the tax counts on the day of the booking, or not at all.
    is_dated = row["tax_basis"] != "issue_date" and not row["is_deposit"]
    account = (
        accounts.deposits()
        if row["is_deposit"]
        else accounts.write_off(movement.category, movement.rate)
    )
    group = {"category": movement.category, "rate": movement.rate}
    return Booking(
        kind="write_off",
        day=row["day"],
        units=-movement.net - movement.tax,
        worth=None if worth is None else -worth,
        currency=row["currency"],
        rate=row["exchange_rate"],
        account=account.number,
        tax_key=account.tax_key,
        contra=accounts.debtor(row["debtor_number"]),
        document=document(row["invoice_number"], row["invoice_id"]),
        text=_text("Ausbuchung", row["invoice_number"], row["name"]),
        service_date=(row["service_date_to"] or row["service_date"]) if is_dated else None,
        tax_day=_tax_day({**row, **group}, row["day"]) if is_dated else None,
        cost_centre=None if row["is_deposit"] else row["cost_centre"],
        details=(("Grund", row["reason"]),) if row["reason"] else (),
    )


def of_claim(row, accounts, claims):
    """Return the booking of what a dunning letter claims: the debtor against the account of claims,
    without tax.

    Costs of a reminder and interest are damages, and no turnover (section 1.3 (6) UStAE). A
    withdrawal turns the sides.
    """
    return Booking(
        kind="claim",
        day=row["day"],
        units=row["amount"],
        currency=row["currency"],
        rate=row["exchange_rate"],
        account=accounts.debtor(row["debtor_number"]),
        contra=claims.number,
        tax_key=claims.tax_key,
        document=document(row["invoice_number"], row["invoice_id"]),
        text=_text("Mahnkosten und Zinsen", row["invoice_number"], row["name"]),
        details=(("Mahnung", row["title"]),),
    )


def of_fee(row, accounts, fees):
    """Return the booking of the fee of a gateway: the account of fees against that of the gateway."""
    account = accounts.money(row["gateway_key"])
    return Booking(
        kind="fee",
        day=row["day"],
        units=row["gateway_fee"],
        currency=row["currency"],
        rate=row["exchange_rate"],
        account=fees.number,
        contra=account.number,
        tax_key=fees.tax_key,
        document=document(row["invoice_number"], row["invoice_id"]),
        text=_text("Gebühr", row["invoice_number"], row["gateway_key"]),
        details=_transaction(row),
    )


def _of_money(kind, row, accounts, units, word):
    account, number = accounts.money(row["gateway_key"]), row["invoice_number"]
    return Booking(
        kind=kind,
        day=row["day"],
        units=units,
        currency=row["currency"],
        rate=row["exchange_rate"],
        account=account.number,
        contra=accounts.debtor(row["debtor_number"]),
        document=document(number, row["invoice_id"]),
        text=_text(word, number, row["name"]),
        details=_transaction(row),
    )


def _text(word, number, name):
    return " ".join(filter(None, (word, number, name)))


def _transaction(row):
    return (("Transaktion", row["transaction_id"]),) if row["transaction_id"] else ()


# Amounts in two currencies


def with_rate(booking, rate):
    """Return the booking with an exchange rate, which is a Decimal: the tenant's currency for one
    unit.
    """
    return replace(booking, rate=int((rate * 10**money.RATE_PLACES).to_integral_value()))


def parts(booking, base):
    """Return a booking as a list of bookings, each with at most ten digits in the currency `base`,
    as DATEV requires.

    It is one booking up to 9,999,999,999.99, and none if it is worth 0.00 together with the other
    amounts of its invoice, because DATEV refuses that.
    """
    worth = worth_of(booking, base)
    count = -(-abs(worth) // (10 ** (MOST_DIGITS + money.decimals(base)) - 1))
    if count <= 1:
        return [booking] * count
    sizes = taxes.shares(booking.units, [1] * count)
    if booking.worth is None:
        return [replace(booking, units=size) for size in sizes]
    worths = taxes.shares(booking.worth, [1] * count)
    pairs = zip(sizes, worths, strict=True)
    return [replace(booking, units=size, worth=part) for size, part in pairs]


def worth_of(booking, base):
    """Return the amount of a booking in minor units of the currency `base`.

    One that is converted by itself is at least 1 or at most -1, because DATEV refuses 0.00.
    """
    if booking.currency == base:
        return booking.units
    if booking.worth is not None:
        return booking.worth
    found = money.converted(abs(booking.units), booking.currency, booking.rate, base)
    return max(1, found) if booking.units > 0 else -max(1, found)


def quotation(rate):
    """Return DATEV's rate (Kurs) for an exchange rate: units of the other currency for one euro.

    DATEV quotes as the ECB does: 1.0842 for USD, 0.83 for GBP. Ours is the reciprocal. Return None
    if it has more than the four digits before the decimal comma that DATEV allows.
    """
    found = (Decimal(10) ** money.RATE_PLACES / rate).quantize(Decimal("0.000001"), ROUND_HALF_UP)
    return found if 0 < found <= MOST_RATE else None


def amounts(booking, base):
    """Return (fields of the amounts, details) of a booking: {1-based column: field}, and further
    pairs.

    An amount in another currency is shown in both. DATEV allows that only beside the euro, with two
    decimals, ten digits of an amount and four of a rate. Where they do not suffice, the amount is
    in the tenant's currency alone, and a detail shows the original one.
    """
    units, currency = abs(booking.units), booking.currency
    places = money.decimals(currency)
    if currency == base:
        return {1: amount(units, places)}, ()
    own = amount(abs(worth_of(booking, base)), money.decimals(base))
    rate = quotation(booking.rate)
    if base == "EUR" and places <= 2 and rate is not None and units < 10 ** (MOST_DIGITS + places):
        return {
            1: amount(units, places),
            3: quoted(currency),
            4: f"{rate:f}".replace(".", ","),
            5: own,
            6: quoted(base),
        }, ()
    original = f"{Decimal(units).scaleb(-places):f}".replace(".", ",")
    return {1: own}, (("Originalbetrag", f"{original} {currency}"),)


def fields(booking, lines, base, *, is_locked):
    """Return the fields of a booking, {1-based column: field}.

    `lines` writes the texts, see lines.py.
    """
    found, further = amounts(booking, base)
    found.update(
        {
            2: quoted(DEBIT if booking.units > 0 else CREDIT),
            7: booking.account,
            8: booking.contra,
            9: quoted(booking.tax_key),
            10: date(booking.day, "DDMM"),
            11: quoted(booking.document),
            14: lines.text(booking.text, 60),
            114: str(int(is_locked)),
        }
    )
    if booking.due_date:
        found[12] = quoted(date(booking.due_date, "DDMMYY"))
    if booking.link:
        found[20] = quoted(f'BEDI "{booking.link}"')
    if booking.cost_centre:
        found[37] = quoted(booking.cost_centre)
    if booking.vat_id:
        found[40] = quoted(booking.vat_id)
    # DATEV requires both: the supply, and the month of the tax
    if booking.service_date and booking.tax_day:
        found[115] = date(booking.service_date, "DDMMYYYY")
        found[116] = date(booking.tax_day, "DDMMYYYY")
    details = [
        (lines.text(kind, 20), lines.text(content, 210))
        for kind, content in booking.details + further
    ]
    for place, pair in enumerate(pair for pair in details if pair[1] != '""'):
        found[21 + 2 * place], found[22 + 2 * place] = pair
    return found
