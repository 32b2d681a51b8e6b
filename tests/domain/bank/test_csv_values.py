"""How the CSV of a bank that is not recognised writes amounts and days, and lines that are no rows."""

import io
import time
from contextlib import suppress
from pathlib import Path

import pytest

from eventapi.domain.bank import csv_files
from eventapi.domain.bank.entries import Refused
from tests.domain.bank.test_csv_files import FILES, ROW, SPARKASSE

OWN = "DE02120300000000202051"
DATA = Path(__file__).parent / "data"
NAMED = {"booked_on": "Datum", "amount": "Betrag", "text": "Text"}


def read(data, **own):
    data = data if isinstance(data, bytes) else data.encode()
    (found,) = csv_files.read(io.BytesIO(data), OWN, own=own or None)
    return found


def table(*rows):
    """Return a file with rows of day and amount."""
    return "Datum;Text;Betrag\n" + "".join(f"{day};Farn;{amount}\n" for day, amount in rows)


def amounts(*texts, **told):
    found = read(table(*(("20.11.2026", text) for text in texts)), **NAMED, **told)
    return [entry.amount for entry in found.entries]


def days(*texts, **told):
    return [
        entry.booked_on
        for entry in read(table(*((text, "1,00") for text in texts)), **NAMED, **told).entries
    ]


@pytest.mark.parametrize(
    ("texts", "units"),
    [
        (["9'766.50"], [976650]),
        (["9’766.50", "-1’234’567.05"], [976650, -123456705]),
        (["9'766"], [976600]),
        (["9 766,50", "9\u202f766,5"], [976650, 976650]),
        (["1.190,00"], [119000]),
        (["1,190.00"], [119000]),
        (["1.250", "12,50"], [125000, 1250]),
        (["1,250", "12.50"], [125000, 1250]),
        (["1.250", "12,5"], [125000, 1250]),
        (["1.250.000"], [125000000]),
        (["1,250,000"], [125000000]),
        (["1'250", "999"], [125000, 99900]),
        (["119"], [11900]),
        (["0.50"], [50]),
        (["1190.00", "-7"], [119000, -700]),
        (["9\u2007766,50", "9\xa0766,5"], [976650, 976650]),
        (["\u20131.190,50", "\u22121,00", "1,00 -"], [-119050, -100, -100]),
        (["9\u2018766.50", "9\u02bc766.50", "9\u00b4766.50"], [976650] * 3),
        (["- 1 190,00 \u20ac", "+  7,00 EUR"], [-119000, 700]),
    ],
)
def test_amounts_are_read_as_the_whole_file_writes_them(texts, units):
    assert amounts(*texts) == units


@pytest.mark.parametrize(
    ("texts", "told", "units"),
    [
        (["1.250"], {"decimal": ","}, [125000]),
        (["1.250"], {"thousands": "."}, [125000]),
        (["1,250"], {"thousands": ","}, [125000]),
        (["1,250"], {"decimal": "."}, [125000]),
        (["1'250"], {"thousands": "'"}, [125000]),
        (["1 250,5"], {"thousands": " "}, [125050]),
        (["1 250.5"], {"thousands": " ", "decimal": "."}, [125050]),
    ],
)
def test_the_request_decides_what_is_ambiguous(texts, told, units):
    assert amounts(*texts, **told) == units


@pytest.mark.parametrize("texts", [["1.250"], ["1,250"], ["119", "-1.250"], ["1.250", "2.500"]])
def test_an_amount_with_two_meanings_is_refused(texts):
    with pytest.raises(Refused) as caught:
        amounts(*texts)
    assert caught.value.code == "ambiguous_number"
    line = 1 + len(texts) if texts[0] == "119" else 2
    assert f'Line {line}, column "betrag": "{texts[line - 2]}" may be' in str(caught.value)
    assert "Send decimal_separator" in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["1.250"], {"decimal": "."}),
        (["1.250,00"], {"thousands": "'"}),
        (["1'250,00"], {"thousands": "."}),
        (["1'250.000,00"], {}),
        (["1.190,00", "1,190.00"], {}),
        (["12'50"], {}),
        (["0.125"], {}),
        (["119 00"], {}),
        (["1 2"], {}),
        (["1 19,00"], {"decimal": ","}),
        (["11 900 00"], {}),
        (["1 190.000,00"], {}),
    ],
)
def test_an_amount_that_is_written_in_another_way_refuses_the_file(texts, told):
    with pytest.raises(ValueError, match="is not an amount such as"):
        amounts(*texts, **told)


@pytest.mark.parametrize(
    ("name", "amount", "damaged"),
    [
        ("DKB", b"-62,3", b"-62 3"),
        ("N26", b"2500.00", b"2500 00"),
    ],
    ids=["dkb", "n26"],
)
def test_a_comma_that_became_a_space_refuses_the_file_of_a_known_bank(name, amount, damaged):
    data = FILES[name][0]
    data = data if isinstance(data, bytes) else data.encode()
    assert amount in data
    with pytest.raises(ValueError, match="is not an amount such as"):
        csv_files.read(io.BytesIO(data.replace(amount, damaged)), OWN)


@pytest.mark.parametrize(
    "text",
    ["1" * 130_000 + "x", "1'" * 65_000 + "x", "." * 130_000, "1 " * 65_000 + "x"],
    ids=["digits", "apostrophes", "points", "spaces"],
)
def test_a_cell_that_looks_like_an_amount_is_read_in_linear_time(text):
    started = time.process_time()
    with suppress(Refused):
        read(f"Datum;Text;Betrag\n20.11.2026;A;1,00\n;A;{text}\n", **NAMED)
    with suppress(Refused):
        read(f"Datum;Text;Betrag\n20.11.2026;A;{text}\n", **NAMED)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["30/12/2025"], ["2025-12-30"]),
        (["30-12-2025", "01-10-2026"], ["2025-12-30", "2026-10-01"]),
        (["12/30/2025", "1/10/2026"], ["2025-12-30", "2026-01-10"]),
        (["01.10.2026"], ["2026-10-01"]),
        (["1.10.26"], ["2026-10-01"]),
        (["2026/10/01", "2026-10-2"], ["2026-10-01", "2026-10-02"]),
        (["05/05/2026"], ["2026-05-05"]),
        (["30/12/25 09:12", "01/10/2026, 9:12 PM"], ["2025-12-30", "2026-10-01"]),
        (["30.12.2025 09:12:33", "2026-10-01T09:12:33.5Z"], ["2025-12-30", "2026-10-01"]),
    ],
)
def test_days_are_read_as_the_whole_file_writes_them(texts, found):
    assert days(*texts) == found


@pytest.mark.parametrize(
    ("text", "order", "found"),
    [
        ("01/10/2026", "dmy", "2026-10-01"),
        ("01/10/2026", "mdy", "2026-01-10"),
        ("01.10.2026", "mdy", "2026-01-10"),
        ("26-10-01", "ymd", "2026-10-01"),
        ("2026-10-01", "dmy", "2026-10-01"),
    ],
)
def test_the_request_decides_the_order_of_days(text, order, found):
    assert days(text, dates=order) == [found]


@pytest.mark.parametrize("texts", [["01/10/2026"], ["05/05/2026", "01-10-2026"]])
def test_a_day_with_two_meanings_is_refused(texts):
    with pytest.raises(Refused) as caught:
        days(*texts)
    assert caught.value.code == "ambiguous_dates"
    assert f'Line {1 + len(texts)}, column "datum": in "{texts[-1]}"' in str(caught.value)
    assert "Send dates=dmy or dates=mdy" in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["30/12/2025", "12/30/2025"], {}),
        (["30/12/2025"], {"dates": "mdy"}),
        (["30.12.2025"], {"dates": "ymd"}),
        (["31/02/2026"], {}),
        (["12.30.2025"], {}),
        (["30/12-2025"], {}),
        (["30/12/1999"], {}),
        (["300/12/2025"], {}),
        (["0012/1/1"], {}),
        (["1/1/0025"], {"dates": "dmy"}),
    ],
)
def test_a_day_that_is_none_refuses_the_file(texts, told):
    with pytest.raises(ValueError, match="is not a date such as"):
        days(*texts, **told)


# Lines that are no rows

POSTFINANCE = (DATA / "postfinance.csv").read_bytes().decode()
COLUMNS = {
    "booked_on": "Datum",
    "credit": "Gutschrift in EUR",
    "debit": "Lastschrift in EUR",
    "text": "Avisierungstext",
}


def test_the_disclaimer_of_postfinance_is_left_out():
    (found,) = csv_files.read(io.BytesIO(POSTFINANCE.encode()), own=COLUMNS)
    assert [(entry.booked_on, entry.amount, entry.reference) for entry in found.entries] == [
        ("2026-11-20", 11900, "Farn GmbH Rechnung 4711")
    ]
    assert (found.account, found.notes, found.note_lines) == (OWN, 2, (10, 11))


@pytest.mark.parametrize("name", FILES)
def test_a_note_below_the_rows_of_any_bank_is_left_out(name):
    data, _, _, expected = FILES[name]
    encoding = "utf-8" if isinstance(data, str) else "cp1252" if name != "DKB" else "utf-8"
    data = data if isinstance(data, str) else data.decode(encoding)
    found = read(data.rstrip("\r\n") + "\n\nDisclaimer:\nOhne Gewähr.\n")
    assert len(found.entries) == len(expected) and found.notes == 2


@pytest.mark.parametrize(
    "note",
    [
        "Total;;1250,00",
        "Summe der Umsätze;;-3,00",
        ";Total;",
        "Erstellt am 20.11.2026",
        "Erstellt am 20.11.2026;;",
        "Ohne Gewähr",
    ],
)
def test_sums_and_notes_below_the_rows_are_left_out(note):
    found = read(table(("20.11.2026", "1,00")) + note + "\n", **NAMED)
    assert ([entry.amount for entry in found.entries], found.note_lines) == ([100], (3,))


@pytest.mark.parametrize(
    "note", ["Summe;3,00", "Summe", "Disclaimer: Ohne Gewähr 2026", "*** Ende ***", "Anzahl;;2"]
)
@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_note_behind_the_last_row_needs_no_end_of_its_line(note, ending):
    found = read(table(("20.11.2026", "1,00")) + note + ending, **NAMED)
    assert ([entry.amount for entry in found.entries], found.note_lines) == ([100], (3,))


def test_lines_that_continue_a_row_are_left_out_wherever_they_are():
    data = (
        "Datum;Text;Betrag\n20.11.2026;Sammler;3,00\n;Farn 1,00;\n;Rosen 2,00;\n21.11.2026;B;4,00\n"
    )
    found = read(data, **NAMED)
    assert ([entry.amount for entry in found.entries], found.note_lines) == ([300, 400], (3, 4))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Ohne Gewähr", "Line 3 has 1 cells, but there are 3 columns"),
        ("Ohne Gewähr;;", 'Line 3, column "datum": "Ohne Gewähr" is not a date'),
        ("Farn;;Rosen", 'Line 3, column "datum": "Farn" is not a date'),
    ],
)
def test_a_text_between_two_rows_is_refused(line, reason):
    data = table(("20.11.2026", "1,00")) + line + "\n21.11.2026;Farn;2,00\n"
    with pytest.raises(ValueError) as caught:
        read(data, **NAMED)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (";Farn;2,00", 'column "datum": "" is not a date'),
        ("Farn;;2,00", 'column "datum": "Farn" is not a date'),
        (";Farn;1.2,00", 'column "betrag": "1.2,00" is not an amount'),
        ("21.11.2026;Farn;", 'column "betrag": "" is not an amount'),
        ("21.11.2026;Farn;x", 'column "betrag": "x" is not an amount'),
        ("21.11.2026", "Line 3 has 1 cells"),
        ("21.1", "Line 3 has 1 cells"),
        ("2", "Line 3 has 1 cells"),
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\n22.11.2026;Farn;3,00\n"])
def test_a_row_that_has_lost_its_day_or_amount_is_refused(line, reason, end):
    with pytest.raises(ValueError) as caught:
        read(table(("20.11.2026", "1,00")) + line + end, **NAMED)
    assert reason in str(caught.value)


def test_a_row_that_was_cut_off_before_its_day_is_no_note():
    whole = (SPARKASSE + ROW + ROW).replace('"', "")
    place = whole.rindex(OWN)
    for end in range(place + 1, whole.index(";", place) + 2):
        with pytest.raises(ValueError, match="Line 3 has"):
            read(whole[:end])


@pytest.mark.parametrize(
    "line", ["20.11.2026;119,00", "20.11.2026;119,00;Farn", "Farn GmbH;Farn;2026-11-20;1,5 EUR"]
)
def test_a_row_whose_cells_are_shifted_is_no_note(line):
    data = f"Text;Datum;Betrag;Rest\nA;20.11.2026;1,00;\n{line}\n"
    with pytest.raises(ValueError, match="Line 3"):
        read(data, **NAMED)


@pytest.mark.parametrize(
    "day", ["30.12.2025, 09:12", "2025-12-30T09:12:33.5Z", "30/12/2025 9:12 PM"]
)
def test_a_row_with_day_and_time_and_without_an_amount_is_no_note(day):
    with pytest.raises(ValueError, match='column "betrag": "" is not an amount'):
        read(table(("20.11.2026", "1,00"), (day, "")), **NAMED)
