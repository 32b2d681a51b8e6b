"""The DATEV format: letters, columns, accounts and amounts, compared with what DATEV and ISO have
published.
"""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from eventapi.domain.books import regions
from eventapi.domain.datev import accounts, bookings, export, lines
from eventapi.domain.datev.accounts import Missing, refuse_incomplete
from eventapi.errors import Problem
from eventapi.validation.identifiers import bookkeeping as parsers
from tests.support import extf


def config(**values):
    usual = {
        "datev_adviser": 29098,
        "datev_client": 55003,
        "datev_chart": "03",
        "datev_account_length": 4,
        "datev_debtor_base": 10000,
        "datev_debtors": {},
        "datev_bank": parsers.Account("1200"),
        "datev_gateways": {},
        "datev_revenue": {},
        "datev_write_offs": {},
        "datev_fees": None,
        "datev_claims": None,
        "datev_deposits": None,
        "datev_exchange_gains": None,
        "datev_exchange_losses": None,
        "currency": "EUR",
    }
    return SimpleNamespace(**{**usual, **values})


# Columns


def test_the_columns_are_those_of_the_sample_files():
    assert (";".join(lines.BOOKING), len(lines.BOOKING)) == (extf.BATCH_COLUMNS, 125)
    assert (";".join(lines.DEBTOR), len(lines.DEBTOR)) == (extf.DEBTORS_COLUMNS, 254)


@pytest.mark.parametrize(
    "sheet, sample", [(lines.bookings(), extf.BATCH_LINE), (lines.debtors(), extf.DEBTORS_LINE)]
)
def test_an_empty_line_quotes_the_texts_that_the_sample_files_quote(sheet, sample):
    extf.check_shape(sheet.empty, sample)


# Letters


@pytest.mark.parametrize(
    "text, written",
    [
        ("Müller & Söhne, Größe 5 €", "Müller & Söhne, Größe 5 €"),  # Windows-1252 has all of them
        ("Łódź Zażółć gęślą jaźń", "Lódz Zazólc gesla jazn"),
        ("Őrült Űr", "Orült Ur"),
        ("Dvořák, Šíma, Žižek", "Dvorák, Šíma, Žižek"),
        ("Đoković Čačak", "Dokovic Cacak"),
        ("Ħamrun", "Hamrun"),
        ("Țăndărei Ștefan", "Tandarei Stefan"),
        ("Ąžuolas Ėlė", "Ažuolas Ele"),
        ("Ķekava Ļaudona", "Kekava Laudona"),
        ("Þór Æskja Ísafjörður", "Þór Æskja Ísafjörður"),
        ("Çiğdem Işık İnce", "Çigdem Isik Ince"),
        ("Αθήνα Ψαρράς", "Athina Psarras"),
        ("Иван Щърков", "Ivan Shtarkov"),
        ("STRAẞE", "STRASSE"),
        ("10 \u2010 12 \u2212 3 № 7 ﬁx", "10 - 12 - 3 No 7 fix"),
        ("東京", "??"),
        ("a\tb\r\nc\u00a0d\u200be\x00f", "a b c de f"),
        ("O\u0308l", "Öl"),
        ("\x81\x9d", ""),
    ],
)
def test_letters_that_the_character_set_lacks_are_replaced_and_never_lost(text, written):
    assert lines.written(text) == written
    assert lines.written(text).encode("cp1252").decode("cp1252") == written


def test_every_letter_of_europe_becomes_something_that_can_be_written():
    """Latin, Greek and Cyrillic letters of the official languages of Europe become letters, not
    question marks.
    """
    every = [
        chr(number)
        for first, last in ((0xC0, 0x17E), (0x218, 0x21B), (0x386, 0x3CE), (0x400, 0x45F))
        for number in range(first, last + 1)
        if chr(number).isalpha()
    ]
    assert [letter for letter in every if "?" in lines.written(letter)] == []
    # the soft sign
    assert [letter for letter in every if not lines.written(letter)] == [
        "\u042c",
        "\u044c",
    ]


def test_a_text_is_replaced_before_it_is_cut_and_quotes_are_doubled():
    sheet = lines.bookings()
    assert sheet.text('Gasthaus "Zum Löwen"; Ulm', 60) == '"Gasthaus ""Zum Löwen""; Ulm"'
    assert extf.value(sheet.text("ﬀ" * 20, 30)) == "f" * 30
    assert sheet.replaced == {"ﬀ" * 20: "f" * 40}
    assert sheet.text("=HYPERLINK(A1)", 60) == '"=HYPERLINK(A1)"'  # DATEV runs no formulas
    assert sheet.text(None, 60) == sheet.text("", 60) == '""'


def test_a_detail_without_letters_is_left_out():
    """DATEV requires both or none of its two columns."""
    booking = bookings.Booking(
        "payment",
        "2026-05-01",
        100,
        "EUR",
        None,
        "1200",
        "10001",
        "INV-1",
        "",
        details=(("Transaktion", "\u200b"), ("Transaktion", "x")),
    )
    found = bookings.fields(booking, lines.bookings(), "EUR", is_locked=False)
    assert [found.get(column) for column in (21, 22, 23, 24)] == [
        '"Transaktion"',
        '"x"',
        None,
        None,
    ]


# Document numbers


@pytest.mark.parametrize(
    "number, key",
    [
        ("INV-2026-00001", "INV-2026-00001"),
        ("Rg32029/2024", "Rg32029/2024"),
        ("A$&%+-/1", "A$&%+-/1"),
        ("RE 2026.17", "RE-2026-17*5"),
        ("Rechnung Nr. Ä1", "Rechnung-Nr---1*5"),
        ("R*1", "R-1*5"),
        ("R_1", "R-1*5"),
        ("9" * 36, "9" * 36),
        ("9" * 37, "9" * 34 + "*5"),
    ],
)
def test_a_document_number_has_the_letters_that_open_items_are_matched_by(number, key):
    assert accounts.document(number, 5) == key and len(key) <= 36


def test_two_numbers_never_become_the_same_document_number():
    numbers = ["A.1", "A 1", "A-1", "A*1", "A:1", "x" * 40, "x" * 41, "x" * 36]
    assert len({accounts.document(number, id) for id, number in enumerate(numbers)}) == len(numbers)


# Accounts


@pytest.mark.parametrize(
    "base, length, number, account",
    [
        (10000, 4, "C-00042", "10042"),
        (10000, 4, "C-59999", "69999"),
        (100000, 5, "K7", "100007"),
        (0, 4, "10815", "10815"),
        (60000, 4, "C-00001", "60001"),
        (600000000, 8, "C-1", "600000001"),
    ],
)
def test_a_debtor_account_is_the_base_plus_the_digits_of_the_customer_number(
    base, length, number, account
):
    missing = Missing()
    found = accounts.Accounts(
        config(datev_debtor_base=base, datev_account_length=length, datev_bank=None),
        missing,
        {number: {1}},
    )
    assert (found.debtor(number), bool(missing)) == (account, False)


def test_customer_numbers_without_an_account_of_their_own_are_all_named():
    missing = Missing()
    numbers = {"C-1": {1}, "K-1": {2}, "ACME": {3}, "C-60000": {4}, "C-2": {5}, "C-02": {5}}
    found = accounts.Accounts(config(), missing, numbers)
    # one customer, renamed
    assert [found.debtor(number) for number in numbers][-2:] == [
        "10002",
        "10002",
    ]
    with pytest.raises(Problem) as caught:
        refuse_incomplete(missing)
    assert {
        record["number"]: record["detail"].split(". ")[0]
        for record in caught.value.members["records"]
    } == {
        "C-1": "has the same debtor account 10001 as K-1",
        "K-1": "has the same debtor account 10001 as C-1",
        "ACME": "has no digits, which the debtor account would be made of",
        "C-60000": "would get the debtor account 70000, which is not between 10000 and 69999",
    }
    assert (
        "Customer ACME: has no digits" in caught.value.detail
        and "datev_debtors" in caught.value.detail
    )


def test_customers_collide_only_if_they_have_an_account():
    missing = Missing()
    found = accounts.Accounts(
        config(datev_debtor_base=None), missing, {"C-1": {1}, "C-2": {2}, "A": {3}, "B": {4}}
    )
    assert [found.debtor(number) for number in ("C-1", "C-2", "A")] == ["", "", ""]
    assert (list(missing.options), list(missing.records)) == (
        ["datev_debtor_base"],
        [("customer", "A")],
    )


def test_an_account_of_datev_debtors_is_the_way_out():
    missing = Missing()
    found = accounts.Accounts(
        config(datev_debtors={"ACME": 10777, "K-1": 10778}),
        missing,
        {"C-1": {1}, "K-1": {2}, "ACME": {3}},
    )
    assert [found.debtor(number) for number in ("C-1", "K-1", "ACME")] == [
        "10001",
        "10778",
        "10777",
    ]
    assert not missing


def test_options_that_are_missing_or_contradict_each_other_are_all_named():
    missing = Missing()
    found = accounts.Accounts(
        config(
            datev_adviser=None,
            datev_chart="",
            datev_debtor_base=1000,
            datev_bank=parsers.Account("12000"),
            datev_revenue={"S19": parsers.Account("84000")},
        ),
        missing,
        {},
    )
    assert (
        found.revenue("S", 700, "EU", "2026-05-10"),
        found.revenue("AE", 0, "THIRD", "2026-05-10"),
        found.money("card"),
    ) == (accounts.UNKNOWN,) * 3
    with pytest.raises(Problem) as caught:
        refuse_incomplete(missing)
    assert caught.value.code == "datev_incomplete" and caught.value.members["missing"] == [
        "datev_adviser",
        "datev_chart",
        "datev_revenue: S7",
        "datev_revenue: AE_THIRD",
        "datev_gateways: card",
    ]
    assert [record["number"] for record in caught.value.members["records"]] == [
        "datev_debtor_base",
        "datev_bank",
        "datev_revenue: S19",
    ]


def test_payments_of_bank_statements_are_on_the_account_of_the_bank_unless_they_have_another():
    missing = Missing()
    bank = accounts.Accounts(config(), missing, {})
    assert [bank.money(key).number for key in (None, "bank")] == ["1200", "1200"]
    other = accounts.Accounts(config(datev_gateways={"bank": parsers.Account("1210")}), missing, {})
    assert [other.money(key).number for key in (None, "bank")] == ["1200", "1210"] and not missing
    accounts.Accounts(config(datev_bank=None), missing, {}).money("bank")
    assert list(missing.options) == ["datev_bank"]


# Amounts in other currencies


# Euros for one unit -> units for one euro, as the ECB quotes.
@pytest.mark.parametrize(
    "rate, quoted",
    [
        ("0.9223390518", "1.084200"),
        ("1.2048192771", "0.830000"),
        ("0.0061538462", "162.499999"),
        ("1", "1.000000"),
    ],
)
def test_the_rate_of_datev_is_the_reciprocal_of_ours(rate, quoted):
    assert bookings.quotation(int(Decimal(rate) * 10**10)) == Decimal(quoted)


def test_an_amount_in_another_currency_is_shown_in_both():
    """119.00 USD at 1.0842 USD for one euro are 109.76 euros: 119 / 1.0842 = 109.758…"""
    booking = bookings.Booking(
        "invoice",
        "2026-05-01",
        11900,
        "USD",
        int(Decimal("0.9223390518") * 10**10),
        "10001",
        "8400",
        "INV-1",
        "",
    )
    assert bookings.amounts(booking, "EUR") == (
        {1: "119,00", 3: '"USD"', 4: "1,084200", 5: "109,76", 6: '"EUR"'},
        (),
    )


# DATEV refuses 0.00
@pytest.mark.parametrize(
    "units, currency, rate, base, amount, original",
    [
        (123456, "KWD", "3", "EUR", "370,37", "123,456 KWD"),  # DATEV has two decimals
        (27000, "VND", "0.00003", "EUR", "0,81", "27000 VND"),  # 33333.33 for one euro: five digits
        (10000, "EUR", "1.08", "USD", "108,00", "100,00 EUR"),  # beside the euro only
        (10**12, "JPY", "0.006", "EUR", "6000000000,00", "1000000000000 JPY"),
        (100, "VND", "0.00003", "EUR", "0,01", "100 VND"),
    ],
)
def test_an_amount_that_datev_cannot_show_in_its_currency_is_converted(
    units, currency, rate, base, amount, original
):
    booking = bookings.Booking(
        "payment",
        "2026-05-01",
        units,
        currency,
        int(Decimal(rate) * 10**10),
        "1200",
        "10001",
        "INV-1",
        "",
    )
    assert bookings.amounts(booking, base) == ({1: amount}, (("Originalbetrag", original),))


@pytest.mark.parametrize(
    "text, found",
    [
        ("ATU12345678", "ATU12345678"),
        ("atu 123.456-78", "ATU12345678"),
        ("EL123456789", "EL123456789"),
        ("DE136695976", ""),
        ("CHE-123.456.789 MWST", ""),
        ("231/123/45678", ""),
        (None, ""),
        ("XI123456789", "XI123456789"),
        ("GR094259216", "EL094259216"),
        ("BELGIUM", ""),
        ("BELGIUM 12", ""),
        ("FRRGPP80A01H501X", ""),
        ("ATU1234567", ""),
        ("IT12345678901-00001", ""),
    ],
)
def test_only_vat_ids_of_other_countries_of_the_eu_are_exported(text, found):
    assert regions.eu_vat_id(text, "DE") == found


@pytest.mark.parametrize(
    "text, found",
    [
        ("DE136695976", ("DE", "136695976")),
        ("atu 135.856.27", ("AT", "U13585627")),
        ("GR094259216", ("EL", "094259216")),
        ("FRRGPP80A01H501X", ("", "")),
        ("DE136695976-00001", ("", "")),
        ("GB980780684", ("", "")),
        ("12-34", ("", "")),
        (None, ("", "")),
    ],
)
def test_the_file_of_debtors_contains_vat_ids_of_the_eu_alone(text, found):
    """An Italian tax code may begin with FR, and a German W-IdNr. is no VAT id."""
    assert export.vat_id(text) == found


# Options


@pytest.mark.parametrize(
    "parse, text, value",
    [
        (
            parsers.revenue_accounts,
            "S19=8400 S07.50=8200:0003, AE=8337",
            {"S19": ("8400", ""), "S7.5": ("8200", "0003"), "AE": ("8337", "")},
        ),
        (parsers.revenue_accounts, "", {}),
        (parsers.ledger_account, "1200", ("1200", "")),
        (parsers.ledger_account, "", None),
        (
            parsers.gateway_accounts,
            "card=1361\n paypal=1362",
            {"card": ("1361", ""), "paypal": ("1362", "")},
        ),
        (
            parsers.gateway_accounts,
            "card=1361 Bank transfer=1200:0003, Pay, later=1362",
            {"card": ("1361", ""), "Bank transfer": ("1200", "0003"), "Pay, later": ("1362", "")},
        ),
        (parsers.debtor_accounts, "ACME GmbH=10777 A=B=10778", {"ACME GmbH": 10777, "A=B": 10778}),
        (parsers.first_of_month, "07", "07-01"),
        (parsers.first_of_month, "07-01", "07-01"),
        (parsers.chart, "04", "04"),
    ],
)
def test_an_option_is_read(parse, text, value):
    assert parse(text) == value


@pytest.mark.parametrize(
    "parse, text, said",
    [
        (parsers.revenue_accounts, "S=8400", "S is none of them"),
        (parsers.revenue_accounts, "X=8400", "X is none of them"),
        (parsers.revenue_accounts, "S19=84", "84 is none"),
        (parsers.revenue_accounts, "S19=8400 S19=8401", "S19 occurs twice"),
        (parsers.revenue_accounts, "S19", "such as S19=8400"),
        (parsers.revenue_accounts, "AE7=8400", "AE7 is none of them"),
        (parsers.revenue_accounts, "AE_US=8338", "AE_US is none of them"),
        (parsers.ledger_account, "0000", "4 to 8 digits"),
        (parsers.ledger_account, "1200:3", "tax key of 4 digits"),
        (parsers.debtor_accounts, "ACME=1", "5 to 9 digits"),
        (parsers.gateway_accounts, "card=x", "such as card=1361"),
        (parsers.gateway_accounts, "card=1361 x", "such as card=1361"),
        (parsers.gateway_accounts, "=1361", "card=1361"),
        (parsers.debtor_accounts, "ACME=10777 ACME=10778", "ACME occurs twice"),
        (parsers.first_of_month, "02-30", "such as 01-01"),
        (parsers.first_of_month, "13", "such as 01-01"),
        (parsers.chart, "3", "03 (SKR03), 04 (SKR04), or empty"),
    ],
)
def test_an_option_that_is_not_valid_is_explained(parse, text, said):
    with pytest.raises(ValueError, match=r".+") as caught:
        parse(text)
    assert said in str(caught.value)
