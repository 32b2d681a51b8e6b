"""Statements in camt.053: what is booked, who paid, and what is refused.

The files in data/ are invented. Their expected values are written down from the rules of ISO 20022.
"""

import io
import random
import re
from pathlib import Path

import pytest

from eventapi.domain.bank import camt
from tests.support.camt import document, statement

DATA = Path(__file__).parent / "data"
OWN, DOLLARS = "DE02120300000000202051", "DE27100777770209299700"
PAID = {
    "amount": 119000,
    "day": "2025-03-04",
    "bank_reference": "R1",
    "party": "A",
    "text": "INV-2025-00001",
}


def read(data):
    return list(camt.read(io.BytesIO(data if isinstance(data, bytes) else data.encode())))


def one(entry, version="02"):
    """Return the entries of a statement with this entry."""
    return read(document([statement(OWN, [entry], version=version)], version))[0].entries


def sample(name):
    return read((DATA / name).read_bytes())


def values(entries, *names):
    return [tuple(getattr(entry, name) for name in names) for entry in entries]


def test_a_plain_statement():
    (found,) = sample("plain.xml")
    assert (found.account, found.currency, found.number, found.form) == (
        OWN,
        "EUR",
        "231",
        "camt.053.001.02",
    )
    assert (found.opening, found.closing, found.skipped, found.empty) == (1000000, 1716327, 0, 0)
    assert (found.starts_on, found.ends_on) == ("2026-12-04", "2026-12-04")
    assert values(found.entries, "amount", "party", "party_iban", "reference") == [
        (296002, "Bergmann & Söhne GmbH", "DE89370400440532013000", "INV-2026-00017 Gartenmesse"),
        (119000, "ROSEN TANTAU KG", "DE75512108001245126199", "inv 2026 18"),
        (
            300000,
            "Baumschule Nord eG",
            "DE12500105170648489890",
            "RECHNUNGEN INV-2026-00019 UND INV-2026-00020 ABZGL. NICHTS",
        ),
        (1300, "Eva Klein", "DE02100500000054540402", "Ausstellerausweis"),
        (1300, "Eva Klein", "DE02100500000054540402", "Ausstellerausweis"),
        (-1275, None, None, None),
    ]
    first, fee = found.entries[0], found.entries[-1]
    assert (first.party_bic, first.end_to_end_id, first.code) == (
        "COBADEFFXXX",
        None,
        "NTRF+166+00931",
    )
    assert (fee.description, fee.code) == ("KONTOFUEHRUNG", "NCHG+808+00931")
    assert len({entry.key for entry in found.entries}) == 6


def test_a_batch_is_split_if_its_amounts_add_up():
    (found,) = sample("batch.xml")
    assert found.form == "camt.053.001.08"
    assert values(
        found.entries, "amount", "party", "party_bic", "reference", "creditor_references"
    ) == [
        (119000, "Gärtnerei Süd GmbH", "BEVODEBBXXX", "INV-2026-00021", ()),
        (178500, "Kräuterhof Ost", None, None, ("RF91INV202600022",)),
        (59500, "Unbekannt", None, "Danke für die schöne Messe", ()),
        (-43050, None, None, None, ()),
    ]
    assert values(found.entries, "booked_on", "bank_reference", "batch_position", "batch_size") == [
        ("2026-12-07", "2026120700000001-1", 1, 3),
        ("2026-12-07", "2026120700000001-2", 2, 3),
        ("2026-12-07", "2026120700000001-3", 3, 3),
        ("2026-12-07", "2026120700000002", None, 2),
    ]


def test_pending_reversed_foreign_and_empty_entries():
    euros, dollars = sample("difficult.xml")
    assert (euros.skipped, euros.empty) == (1, 1)
    assert values(
        euros.entries,
        "amount",
        "currency",
        "is_reversal",
        "return_reason",
        "party",
        "end_to_end_id",
    ) == [
        (-119000, "EUR", True, "AC01", "ROSEN TANTAU KG", "ZAHLUNG 4"),
        (47578, "EUR", False, None, "Garten Huber AG", "CH-77"),
    ]
    assert values(euros.entries, "sent_amount", "sent_currency") == [(None, None), (50000, "CHF")]
    assert (dollars.account, dollars.currency) == (DOLLARS, "USD")
    assert values(dollars.entries, "amount", "currency", "party") == [
        (296002, "USD", "Bergmann Inc.")
    ]


@pytest.mark.parametrize("version", ["02", "04", "08", "11"])
def test_all_versions_say_the_same(version):
    entry = {
        **PAID,
        "iban": "DE89370400440532013000",
        "bic": "COBADEFFXXX",
        "rf": "RF18539007547034",
        "end_to_end_id": "E1",
        "is_timestamp": True,
    }
    (found,) = one(entry, version)
    assert values(
        [found],
        "amount",
        "booked_on",
        "party",
        "party_iban",
        "party_bic",
        "reference",
        "end_to_end_id",
    ) == [
        (119000, "2025-03-04", "A", "DE89370400440532013000", "COBADEFFXXX", "INV-2025-00001", "E1")
    ]
    assert found.creditor_references == ("RF18539007547034",)
    assert found.key == one(entry, "02")[0].key


PARTS = [{**PAID, "amount": 100, "bank_reference": None, "party": name} for name in "ABC"]


@pytest.mark.parametrize("version", ["02", "08"])
def test_parts_of_a_batch_without_references_have_their_own_keys(version):
    found = one(
        {"amount": 300, "day": "2025-03-04", "bank_reference": "B1", "parts": PARTS}, version
    )
    assert values(found, "amount", "party", "bank_reference") == [
        (100, name, "B1") for name in "ABC"
    ]
    assert len({entry.key for entry in found}) == 3


@pytest.mark.parametrize("version", ["02", "08"])
@pytest.mark.parametrize("amount", [299, 301, 600, 100])
def test_a_batch_that_does_not_add_up_is_one_amount_without_a_payer(version, amount):
    (found,) = one({"amount": amount, "day": "2025-03-04", "parts": PARTS}, version)
    assert (found.amount, found.party, found.batch_position, found.batch_size) == (
        amount,
        None,
        None,
        3,
    )
    assert found.batch_sum == 300


def test_a_part_of_a_batch_in_another_currency_is_not_added():
    data = document([statement(OWN, [{"amount": 300, "day": "2025-03-04", "parts": PARTS}])])
    (found,) = read(data.replace(b'<TxAmt><Amt Ccy="EUR">', b'<TxAmt><Amt Ccy="CHF">', 1))
    assert values(found.entries, "amount", "party", "batch_sum") == [(300, None, None)]


def test_a_batch_of_version_8_may_contain_a_debit():
    parts = [*PARTS, {**PAID, "amount": -50, "bank_reference": None, "party": "D"}]
    found = one({"amount": 250, "day": "2025-03-04", "parts": parts}, "08")
    assert values(found, "amount", "party") == [(100, "A"), (100, "B"), (100, "C"), (-50, "D")]


@pytest.mark.parametrize(
    "lines, text",
    [
        (
            ["RECHNUNG INV-2025-00001 UND INV-202", "5-00002"],
            "RECHNUNG INV-2025-00001 UND INV-2025-00002",
        ),
        (["STANDMIETE HERBST INV-2025-", "00001"], "STANDMIETE HERBST INV-2025-00001"),
        (["STANDMIETE JULI INV-2025-0", "00001"], "STANDMIETE JULI INV-2025-0 00001"),
        (
            ["STANDMIETE  INV-2025-00001", "INV-2025-00002"],
            "STANDMIETE INV-2025-00001 INV-2025-00002",
        ),
        (
            ["STANDMIETE.  INV-2025-00001", "INV-2025-00002"],
            "STANDMIETE. INV-2025-00001 INV-2025-00002",
        ),
        (["INV-2025-00001", "INV-2025-00002", "", "DANKE"], "INV-2025-00001 INV-2025-00002 DANKE"),
    ],
)
def test_lines_are_joined_without_a_space_behind_those_of_27_characters(lines, text):
    (found,) = one({**PAID, "text": lines})
    assert found.reference == text
    assert found.key == one({**PAID, "text": "".join(lines)})[0].key


@pytest.mark.parametrize("balances", [("OPBD",), ("OPBD", "CLAV"), ("OPBD", "ITBD"), ()])
def test_a_statement_without_closing_balance_is_refused(balances):
    data = document([statement(OWN, [PAID])])
    opening, closing, end = (
        data.index(part) for part in (b"<Bal>", b"<Bal><Tp><CdOrPrtry><Cd>CLBD", b"<Ntry>")
    )
    kept = {
        "OPBD": data[opening:closing],
        **{code: data[closing:end].replace(b"CLBD", code.encode()) for code in ("CLAV", "ITBD")},
    }
    with pytest.raises(ValueError, match=f"account {OWN}: the closing balance <CLBD> is missing"):
        read(data[:opening] + b"".join(kept[code] for code in balances) + data[end:])
    (found,) = read(data[:opening] + data[closing:])  # the opening balance may be missing
    assert (found.opening, found.closing) == (None, PAID["amount"])


def test_an_entry_in_another_currency_than_its_account_is_named():
    """It changes no balance, so the sums do not fit; the file is complete nevertheless."""
    data = document([statement(OWN, [PAID, {**PAID, "bank_reference": "R2"}])])
    start = data.rindex(b"<Ntry>")
    data = data[:start] + data[start:].replace(b'Ccy="EUR"', b'Ccy="USD"')
    with pytest.raises(
        ValueError, match="Entries in USD do not count: <Amt> has to be the amount on the account"
    ):
        read(data)


def test_structured_texts_are_part_of_the_reference():
    data = document([statement(OWN, [PAID])]).replace(
        b"</Ustrd>",
        b"</Ustrd><Strd><RfrdDocInf><Nb>INV-2025-00002</Nb></RfrdDocInf></Strd><Strd><CdtrRefInf>"
        b"<Ref>RF18 5390 0754 7034</Ref></CdtrRefInf></Strd><Strd><CdtrRefInf><Ref>RF91INV202600022</Ref></CdtrRefInf>"
        b"<AddtlRmtInf>thanks</AddtlRmtInf></Strd>",
    )
    (found,) = read(data)[0].entries
    assert found.reference == "INV-2025-00001 INV-2025-00002 thanks"
    assert found.creditor_references == ("RF18539007547034", "RF91INV202600022")


@pytest.mark.parametrize(
    ("change", "party"),
    [
        ({"amount": -119000, "is_reversal": True}, "A"),  # a credit is taken back: the payer
        ({"amount": 119000, "is_reversal": True}, "A"),  # a debit is taken back: the payee
        ({"amount": -119000}, "A"),
    ],
)
def test_the_party_of_a_reversal_is_that_of_the_original_payment(change, party):
    (found,) = one({**PAID, **change})
    assert (found.party, found.is_reversal) == (party, "is_reversal" in change)


@pytest.mark.parametrize("status", ["PDNG", "INFO", "FUTR", "XXXX"])
@pytest.mark.parametrize("version", ["02", "08"])
def test_only_booked_entries_are_money(status, version):
    entries = [{**PAID, "status": status, "bank_reference": None}, PAID]
    (found,) = read(document([statement(OWN, entries, version=version)], version))
    assert (len(found.entries), found.skipped) == (1, 1)


def test_several_statements_keep_accounts_and_currencies_apart():
    data = document(
        [
            statement(OWN, [PAID]),
            statement(DOLLARS, [PAID], "USD"),
            statement("123456789", [PAID], "CHF"),
            statement(OWN, []),
        ]
    )
    assert [(found.account, found.currency, len(found.entries)) for found in read(data)] == [
        (OWN, "EUR", 1),
        (DOLLARS, "USD", 1),
        ("123456789", "CHF", 1),
        (OWN, "EUR", 0),
    ]
    assert len({entry.key for found in read(data) for entry in found.entries}) == 3


def test_balances_of_several_days_are_the_first_and_the_last():
    later = (
        '<Bal><Tp><CdOrPrtry><Cd>{}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">{}</Amt><CdtDbtInd>CRDT</CdtDbtInd>'
        "<Dt><Dt>2025-03-05</Dt></Dt></Bal>"
    )
    data = document(
        [statement(OWN, [PAID, {**PAID, "day": "2025-03-05"}], closing=119000)]
    ).decode()
    end = data.index("<Ntry>")
    data = (
        data.replace("2025-03-05</Dt></Dt></Bal>", "2025-03-04</Dt></Dt></Bal>")[:end]
        + later.format("OPBD", "1190.00")
        + later.format("CLBD", "2380.00")
        + later.format("CLAV", "1.00")
        + data[end:]
    )
    (found,) = read(data)
    assert (found.opening, found.closing) == (0, 238000)


FILE = document([statement(OWN, [PAID])])
# follows the amount of the entry, and no other one
SIGN = b"</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>"
REFUSED = {
    "closing balance": (
        document([statement(OWN, [PAID], closing=119001)]),
        "opening balance 0.00 EUR and the booked entries 1190.00 EUR make 1190.00 EUR, but the closing "
        "balance is 1190.01 EUR",
    ),
    "missing entry": (re.sub(b"<Ntry>.*?</Ntry>", b"", FILE, flags=re.S), "is cut off or"),
    "doubled entry": (
        re.sub(b"(<Ntry>.*?</Ntry>)", rb"\1\1", FILE, flags=re.S),
        "is cut off or was changed",
    ),
    "negative amount": (
        FILE.replace(b">1190.00" + SIGN, b">-1190.00" + SIGN),
        'The amount "-1190.00" EUR of entry 1 (R1)',
    ),
    "no amount": (FILE.replace(b"1190.00", b""), 'The amount "" EUR of entry 1 (R1)'),
    "comma": (FILE.replace(b"1190.00", b"1190,00"), 'The amount "1190,00" EUR'),
    "exponent": (FILE.replace(b"1190.00", b"1E3"), 'The amount "1E3" EUR'),
    "Arabic digits": (FILE.replace(b"1190.00", "\u0661".encode()), 'The amount "\u0661" EUR'),
    "three decimals": (FILE.replace(b"1190.00", b"1190.001"), "more digits than the curr"),
    "large": (FILE.replace(b"1190.00", b"119000000000000"), "more digits than the curr"),
    "currency": (FILE.replace(b'"EUR">1190', b'"EURO">1190'), '"1190.00" EURO of entry 1'),
    "another currency": (
        FILE.replace(b'"EUR">1190.00' + SIGN, b'"USD">1190.00' + SIGN),
        "the booked entries 0.00 EUR",
    ),
    "sign": (
        FILE.replace(b"CRDT</CdtDbtInd><Sts>", b"CR</CdtDbtInd><Sts>"),
        "<CdtDbtInd> of entry 1 (R1) must be CRDT or DBIT",
    ),
    "status": (FILE.replace(b"<Sts>BOOK</Sts>", b""), "status <Sts> of entry 1 (R1) is mis"),
    "date": (
        FILE.replace(b"2025-03-04</Dt></BookgDt>", b"04.03.2025</Dt></BookgDt>"),
        'The date "04.03.2025" of entry 1 (R1)',
    ),
    **{
        f"date {value}": (
            FILE.replace(b"2025-03-04</Dt></BookgDt>", f"{value}</Dt></BookgDt>".encode()),
            f'The date "{value}" of entry 1 (R1) is not a date such as',
        )
        for value in (
            "2025-W10-2",
            "20250304",
            "2025-03-04'--",
            "2025-03-04 10:00",
            "2025-03-04T25:00:00",
            "2025-03-04T10:00",
            "2025-03-04Zulu",
            "2025-02-29",
            "\u0662025-03-04",
        )
    },
    "no statement": (document([]), "contains no statement"),
    "entry outside": (
        document([statement(OWN, []), "<Ntry><Sts>PDNG</Sts></Ntry>"]),
        "entries outside of it",
    ),
    "report in a statement": (
        FILE.replace(b"BkToCstmrStmt", b"BkToCstmrAcctRpt"),
        "contains no statement (<Rpt>)",
    ),
    "camt.054": (
        document([]).replace(b"BkToCstmrStmt", b"BkToCstmrDbtCdtNtfctn"),
        "camt.054, the details of single",
    ),
    "pain.001": (
        document([]).replace(b"BkToCstmrStmt", b"CstmrCdtTrfInitn"),
        "not a bank statement: it is the message camt.053.001.02.",
    ),
    "pain.001 with its name": (
        document([])
        .replace(b"BkToCstmrStmt", b"CstmrCdtTrfInitn")
        .replace(b"camt.053.001.02", b"pain.001.001.09"),
        "not a bank statement: it is the message pain.001.001.09.",
    ),
    "camt.053 in version 01": (
        document([]).replace(b"BkToCstmrStmt", b"BkToCstmrStmtV01"),
        "The file is camt.053.001.01, a version that banks no longer use",
    ),
    "camt.052 in version 01": (
        document([]).replace(b"BkToCstmrStmt", b"BkToCstmrAcctRptV01"),
        "The file is camt.052.001.01, a version that banks no longer use",
    ),
    "camt.054 in version 01": (
        document([]).replace(b"BkToCstmrStmt", b"BkToCstmrDbtCdtNtfctnV01"),
        "The file is camt.054.001.01, a version that banks no longer use",
    ),
    "web page": (
        b"<html><body/></html>",
        "is not a bank statement: it is XML with the root <html>",
    ),
    "DOCTYPE": (
        b"<!DOCTYPE Document>" + document([])[39:],
        "a DOCTYPE and entity declarations are not allowed",
    ),
}


@pytest.mark.parametrize(
    "value",
    [
        "2025-03-04",
        "2025-03-04Z",
        "2025-03-04+01:00",
        "2025-03-04T23:30:00",
        "2025-03-04T23:30:00.000+01:00",
        "2025-03-04T00:15:00Z",
    ],
)
def test_the_day_of_an_entry_is_the_one_that_the_bank_wrote(value):
    (found,) = read(FILE.replace(b"2025-03-04</Dt></BookgDt>", f"{value}</Dt></BookgDt>".encode()))
    assert [entry.booked_on for entry in found.entries] == ["2025-03-04"]


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_not_a_sound_statement_is_refused(name):
    data, reason = REFUSED[name]
    with pytest.raises(ValueError) as caught:
        read(data)
    assert reason in str(caught.value)
    assert str(caught.value).endswith(".") and len(str(caught.value)) < 400


@pytest.mark.parametrize("name", ["plain.xml", "batch.xml", "difficult.xml"])
def test_each_cut_is_refused(name):
    data = (DATA / name).read_bytes().rstrip()
    for end in range(0, len(data), 7):
        with pytest.raises(ValueError):
            read(data[:end])


def keys(data):
    return {entry.key for found in read(data) for entry in found.entries}


@pytest.mark.parametrize("name", ["plain.xml", "batch.xml", "difficult.xml"])
@pytest.mark.parametrize("seed", range(10))
def test_a_shuffled_file_has_the_same_keys(name, seed):
    data = (DATA / name).read_text(encoding="utf-8")
    for tag in ("Ntry", "TxDtls"):
        for block in re.findall(rf"(?:<{tag}>(?:(?!<{tag}>).)*</{tag}>\s*)+", data, re.S):
            parts = re.findall(rf"<{tag}>.*?</{tag}>", block, re.S)
            data = data.replace(block, "".join(random.Random(seed).sample(parts, len(parts))))
    assert keys(data) == keys((DATA / name).read_bytes())


def days(entries, first, last):
    """Return a file with the statement of these days."""
    kept = [entry for entry in entries if first <= entry["day"] <= last]
    before = sum(entry["amount"] for entry in entries if entry["day"] < first)
    return document([statement(OWN, kept, opening=before, number=int(first[-2:]))])


@pytest.mark.parametrize("seed", range(30))
def test_overlapping_statements_contain_the_same_entries(seed):
    """Each day is in a file with all its entries, so files of any days have the keys of the whole."""
    dice = random.Random(seed)
    entries = [
        {
            "amount": dice.choice([100, 100, -100, 250]),
            "day": f"2025-03-{dice.randint(1, 9):02}",
            "text": dice.choice(["A", "a", "A B", "AB", "C"]),
            "party": dice.choice("XY"),
            "bank_reference": dice.choice([None, None, f"R{dice.randint(1, 3)}"]),
        }
        for _ in range(40)
    ]
    whole = keys(days(entries, "2025-03-01", "2025-03-09"))
    assert len(whole) == 40
    found = set()
    for _ in range(12):
        first, last = sorted((dice.randint(1, 9), dice.randint(1, 9)))
        part = keys(days(dice.sample(entries, 40), f"2025-03-{first:02}", f"2025-03-{last:02}"))
        assert part <= whole
        assert len(part) == sum(first <= int(entry["day"][-2:]) <= last for entry in entries)
        found |= part
    assert found <= whole


@pytest.mark.parametrize("seed", range(200))
def test_a_changed_file_is_refused_or_keeps_its_sum(seed):
    """One random change of a character never changes what is booked in total."""
    dice = random.Random(seed)
    data = bytearray(
        document([statement(OWN, [PAID, {**PAID, "amount": -500, "bank_reference": "R2"}])])
    )
    data[dice.randrange(len(data))] = dice.choice(b"0123456789<>/ABCD\0\xff")
    try:
        found = read(bytes(data))
    except ValueError:
        return
    for one_ in found:
        assert (
            one_.opening is None
            or one_.closing is None
            or sum(entry.amount for entry in one_.entries) == one_.closing - one_.opening
        )


def test_xml_is_recognised():
    for start in (b"<?xml", b"\xef\xbb\xbf<?xml", b"  <Document", "<?xml".encode("utf-16")):
        assert camt.recognise(start)
    for start in (b"", b"Buchungstag;Betrag", b"PK\x03\x04", b'"<'):
        assert not camt.recognise(start)


def report(*entries, **more):
    """Return a report in camt.052 with these entries."""
    data = document([statement(OWN, entries, version="08", **more)], "08")
    for old, new in (
        (b"camt.053", b"camt.052"),
        (b"BkToCstmrStmt", b"BkToCstmrAcctRpt"),
        (b"Stmt>", b"Rpt>"),
        (b"OPBD", b"PRCD"),
    ):
        data = data.replace(old, new)
    return data


def test_a_report_of_a_day_is_read_as_a_statement():
    (found,) = sample("camt052.xml")
    (entry,) = found.entries
    assert (found.form, found.account, found.opening, found.closing, found.is_unproven) == (
        "camt.052.001.08",
        "DE02120300000000202051",
        100000,
        111900,
        False,
    )
    assert (entry.booked_on, entry.amount, entry.party, entry.reference) == (
        "2026-11-20",
        11900,
        "Farn GmbH",
        "Rechnung 4711",
    )


def test_the_entries_of_a_report_are_those_of_its_statement():
    """So a report that is followed by the statement of the day brings no transfer twice."""
    day = [PAID, {**PAID, "amount": -1275, "bank_reference": None, "text": "Fee"}]
    (early,), (late,) = read(report(*day)), read(document([statement(OWN, day)]))
    assert [entry.key for entry in early.entries] == [entry.key for entry in late.entries]
    assert (early.number, late.number) == (None, "1")


def test_only_booked_entries_of_a_report_are_money():
    (found,) = read(report(PAID, {**PAID, "status": "PDNG"}, {**PAID, "status": "INFO"}))
    assert ([entry.amount for entry in found.entries], found.skipped) == ([PAID["amount"]], 2)


@pytest.mark.parametrize("lacking", [("PRCD",), ("CLBD",), ("PRCD", "CLBD")])
def test_a_report_without_a_balance_is_unproven(lacking):
    data = report(PAID, closing=1)
    with pytest.raises(
        ValueError, match=r"make 1190\.00 EUR, but the closing balance is 0\.01 EUR"
    ):
        read(data)
    for code in lacking:
        data = data.replace(code.encode(), b"ITBD")
    (found,) = read(data)
    assert (len(found.entries), found.is_unproven) == (1, True)


@pytest.mark.parametrize(
    ("description", "addition", "found"),
    [
        (None, "Rechnung 4711", "Rechnung 4711"),
        ("GUTSCHRIFT", "Rechnung 4711", "GUTSCHRIFT / Rechnung 4711"),
        ("GUTSCHRIFT", " GUTSCHRIFT ", "GUTSCHRIFT"),
        ("A" * 500, "B" * 500, "A" * 500 + " / " + "B" * 500),
        ("A" * 600, None, "A" * 500),
        (None, " ", None),
    ],
)
def test_what_the_bank_adds_to_a_transaction_is_part_of_the_description(
    description, addition, found
):
    entry = {**PAID, "bank_reference": None, "description": description, "addition": addition}
    (found_entry,) = one(entry)
    assert found_entry.description == found
    (before,) = one({**entry, "addition": None})
    assert found_entry.key == before.key  # so transfers that were imported before are known


def test_each_part_of_a_batch_has_its_own_addition():
    parts = [{**part, "addition": f"for {part['party']}"} for part in PARTS]
    batch = {**PAID, "amount": 300, "parts": parts, "description": "BATCH"}
    found = one(batch)
    assert [entry.description for entry in found] == [
        "BATCH / for A",
        "BATCH / for B",
        "BATCH / for C",
    ]
    (whole,) = one({**batch, "amount": 301})
    assert whole.description == "BATCH / for A / for B / for C"
    many = [{**part, "addition": part["party"] * 400} for part in PARTS]
    (whole,) = one({**batch, "amount": 301, "parts": many})
    assert whole.description == "BATCH / " + "A" * 400 + " / " + "B" * 400


@pytest.mark.parametrize("value", ["2026-11-20 10:00", "20.11.2026", "x", "2026-02-30T10:00:00"])
def test_days_of_a_statement_that_cannot_be_read_are_those_of_its_entries(value):
    head = f"<FrToDt><FrDtTm>{value}</FrDtTm><ToDtTm>{value}</ToDtTm></FrToDt><Acct>".encode()
    (found,) = read(FILE.replace(b"<Acct>", head))
    assert (found.starts_on, found.ends_on) == ("2025-03-04", "2025-03-04")
    sound = head.replace(value.encode(), b"2025-03-01T10:00:00")
    (found,) = read(FILE.replace(b"<Acct>", sound))
    assert (found.starts_on, found.ends_on) == ("2025-03-01", "2025-03-01")


UNUSED = (
    "<Bal><Tp><CdOrPrtry>{}</CdOrPrtry></Tp><Amt Ccy='EUR'>-5.00</Amt><CdtDbtInd>?</CdtDbtInd>"
    "<Dt><Dt>x</Dt></Dt></Bal><Bal>"
)


@pytest.mark.parametrize("code", ["<Cd>CLAV</Cd>", "<Cd>ITBD</Cd>", "<Prtry>OWN</Prtry>", ""])
def test_a_balance_that_is_not_used_need_not_be_readable(code):
    data = FILE.replace(b"<Bal>", UNUSED.format(code).encode(), 1)
    assert read(data) == read(FILE)
    with pytest.raises(ValueError, match="is not a positive amount"):
        read(FILE.replace(b"<Bal>", UNUSED.format("<Cd>CLBD</Cd>").encode(), 1))


@pytest.mark.parametrize("day", ["<DtTm>2025-03-04T25:00</DtTm>", "<Dt>04.03.2025</Dt>", ""])
def test_the_day_of_the_only_balance_need_not_be_readable(day):
    before = b"<Dt><Dt>2025-03-04</Dt></Dt></Bal>"
    assert FILE.count(before) == 2
    assert read(FILE.replace(before, f"<Dt>{day}</Dt></Bal>".encode())) == read(FILE)
