"""Lists of people as spreadsheet programs damage them: postal codes, telephone numbers, countries,
line breaks.

`lists/` has one list of eight exhibitors with many kinds of damage. `lists/expected.json` says for
each file what is
right: its rows, values, refusals and suggestions; its entry `keys` explains it.
"""

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from eventapi.domain.imports import countries, fields, runs
from eventapi.languages.countries import NAMES
from tests.resources.test_bulk_import import CSV, run_worker, send, send_csv
from tests.web.test_routes import problem

LISTS = Path(__file__).parent / "lists"
EXPECTED = json.loads((LISTS / "expected.json").read_text(encoding="utf-8"))
RESULTS = {
    file: result
    for kind in EXPECTED["kinds"]
    for result in kind["results"]
    for file in result["files"]
    if file.endswith(".csv")
}
# What only an import with a trial at the desk will read, and why these routes do not.
LATER = {
    "cp850_without_ue.csv": "signs between letters do not refuse a file",
    "nul.csv": "the refusal does not name the line",
    "title_above_header.csv": "the header must be the first row",
    "two_header_rows.csv": "as before",
    "two_header_rows_known_names.csv": "as before",
    "totals_row_below.csv": "a row of totals becomes a contact",
    "column_twice.csv": "nobody can choose one of two columns",
    "days_31_02_and_1_3_27.csv": "a year has four digits",
    "email_with_display_name.csv": "a name beside an address is refused",
}
# The same of single rows, which have `"decided": false`: line breaks in an address and no-break
# spaces stay.
PARTLY_LATER = ("line_break_in_cell.csv", "no_break_space.csv")


def prepared(client, settings, result):
    for field in EXPECTED["before"]:
        client.make("/custom-fields", field)
    settings.organiser_country = result.get("organiser_country", "DE")


def sent(client, file, result):
    mapping = quote(json.dumps(EXPECTED["check"]["field_mapping"]))
    separator = result.get("decimal_separator")
    query = f"field_mapping={mapping}" + (f"&decimal_separator={separator}" if separator else "")
    return client.post(
        f"/bulk-import/contacts?{query}", raw=(LISTS / file).read_bytes(), headers=CSV
    )


def values(contact):
    """Return the values of a contact by their targets, without those that are not in the list."""
    flat = {
        **contact,
        **{f"custom_fields.{key}": value for key, value in contact["custom_fields"].items()},
    }
    return {
        name: value
        for name, value in flat.items()
        if name in EXPECTED["check"]["field_mapping"].values() and value is not None
    }


def compare(client, file, result):
    answer = sent(client, file, result)
    if "refusal" in result:
        refusal = result["refusal"]
        found = problem(answer, refusal["status"], refusal["code"])
        assert [error["code"] for error in found["errors"]] == [refusal["error"]]
        assert (
            f"line {refusal['line']}" in found["errors"][0]["detail"] if "line" in refusal else True
        )
        return
    assert answer.status_int == 201, answer.json
    record = answer.json["data"]
    assert (record["created"], record["rejected"]) == (
        result["counts"]["created"],
        result["counts"]["rejected"],
    )
    rows = []
    for error in record["errors"]:
        row = {"row": error["index"] + 2, "field": error["field"], "code": error["code"]}
        rows.append((row, error.get("suggestion"), error["detail"]))
    for (row, suggestion, detail), right in zip(rows, result["errors"], strict=True):
        assert row == {name: right[name] for name in row}
        assert right["value"] in detail
        if "suggestion" in right:
            assert suggestion == right["suggestion"]
    stored = {
        contact["id"]: contact
        for contact in client.data("/contacts?include=custom_fields&per_page=100")
    }
    created = {
        detail["index"] + 2: stored[detail["id"]]
        for detail in record["details"]
        if detail["action"] == "created"
    }
    right = {}
    for row in result["rows"]:
        if file in PARTLY_LATER and not row.get("decided", True):
            del created[row["row"]]
            continue
        listed = (
            EXPECTED["list"][row["exhibitor"] - 1]
            if row["exhibitor"] <= len(EXPECTED["list"])
            else {}
        )
        right[row["row"]] = {
            name: value
            for name, value in {**listed, **row.get("but", {})}.items()
            if value is not None
        }
    assert {row: values(contact) for row, contact in created.items()} == right


@pytest.mark.parametrize("file", sorted(RESULTS.keys() - LATER.keys()))
def test_a_damaged_list_gives_the_right_rows_and_refusals(organiser, settings, file):
    prepared(organiser, settings, RESULTS[file])
    compare(organiser, file, RESULTS[file])


@pytest.mark.parametrize("file", sorted(LATER))
def test_a_list_that_is_read_later_is_not_yet_right(organiser, settings, file):
    """A file that has become right belongs to the test above."""
    prepared(organiser, settings, RESULTS[file])
    with pytest.raises(AssertionError):
        compare(organiser, file, RESULTS[file])


def test_a_german_number_with_thousands_is_not_read_as_decimals(organiser):
    organiser.make(
        "/custom-fields",
        {"entity_type": "contact", "field_key": "m2", "field_label": "m²", "field_type": "number"},
    )
    mapping = quote(json.dumps({"Firma": "company_name", "m²": "custom_fields.m2"}))
    record = send_csv(
        organiser, (LISTS / "f15_numbers.csv").read_bytes(), f"field_mapping={mapping}"
    )
    assert record["created"] == 1
    assert organiser.data("/contacts?include=custom_fields")[0]["custom_fields"] == {"m2": 1250}


def test_names_of_countries_are_read(organiser):
    mapping = quote(json.dumps({"Firma": "company_name", "Land": "country"}))
    record = send_csv(
        organiser, (LISTS / "f17_countries.csv").read_bytes(), f"field_mapping={mapping}"
    )
    assert record["created"] == 7
    assert [contact["country"] for contact in organiser.data("/contacts?sort=id&order=ASC")] == [
        "DE",
        "DE",
        "AT",
        "CH",
        "NL",
        "PL",
        "DE",
    ]


# Countries

OWN_NAMES = {
    "AT": "Österreich",
    "BE": "België Belgique Belgien",
    "BG": "България",
    "CH": "Schweiz Suisse Svizzera Svizra",
    "CY": "Κύπρος Kıbrıs",
    "CZ": "Česko",
    "DE": "Deutschland",
    "DK": "Danmark",
    "EE": "Eesti",
    "ES": "España",
    "FI": "Suomi Finland",
    "FR": "France",
    "GB": "United-Kingdom",
    "GR": "Ελλάδα ΕΛΛΆΔΑ",
    "HR": "Hrvatska",
    "HU": "Magyarország",
    "IE": "Éire Ireland",
    "IS": "Ísland",
    "IT": "Italia",
    "LI": "Liechtenstein",
    "LT": "Lietuva",
    "LU": "Lëtzebuerg Luxembourg Luxemburg",
    "LV": "Latvija",
    "MT": "Malta",
    "NL": "Nederland",
    "NO": "Norge Noreg",
    "PL": "Polska",
    "PT": "Portugal",
    "RO": "România",
    "SE": "Sverige",
    "SI": "Slovenija",
    "SK": "Slovensko",
}
SPELLINGS = {
    "D": "DE",
    "d": "DE",
    "A": "AT",
    "CH": "CH",
    "UK": "GB",
    "uk": "GB",
    "de": "DE",
    " De ": "DE",
    "OESTERREICH": "AT",
    "Osterreich": "AT",
    "ÖSTERREICH": "AT",
    "o\u0308sterreich": "AT",
    "U.S.A.": "US",
    "Tschechien": "CZ",
    "Czechia": "CZ",
    "Grossbritannien": "GB",
    "Türkei": "TR",
    "Turkey": "TR",
    "united  states": "US",
    "Cote d'Ivoire": "CI",
    "Süd-Korea": "KR",
    "The Netherlands": "NL",
}


@pytest.mark.parametrize("code", OWN_NAMES)
def test_countries_of_the_eu_the_eea_switzerland_and_the_uk_have_their_own_names(code):
    assert {countries.code(name) for name in OWN_NAMES[code].split()} == {code}


def test_each_country_is_found_by_its_code_and_by_both_names():
    for code, names in NAMES.items():
        found = {
            countries.code(text) for text in (code, code.lower(), names["de"], names["en"].upper())
        }
        assert found == {code}


def test_no_name_belongs_to_two_countries():
    known = [(text, code) for code, names in NAMES.items() for text in {*names.values()}]
    for entry in f"{countries.FURTHER};{countries.OWN}".split(";"):
        code, names = entry.split(maxsplit=1)
        known += [(text.strip(), code) for text in names.split(",")]
    assert [(text, code) for text, code in known if countries.code(text) != code] == []


@pytest.mark.parametrize("text", SPELLINGS)
def test_case_accents_and_the_letters_of_cars_do_not_matter(text):
    assert countries.code(text) == SPELLINGS[text]


@pytest.mark.parametrize(
    "text", ["Absurdistan", "X", "EU", "Europa", "Kongo", "Korea", "-", "?", "DEU", "49", "ß"]
)
def test_a_country_that_is_not_known_says_what_to_write(organiser, text):
    record = send(organiser, [{"last_name": "A", "country": text}])
    (error,) = record["errors"]
    assert (error["field"], error["code"]) == ("country", "format")
    assert error["detail"] == (
        "must be a country code (ISO 3166-1) such as DE, or the name of a country in German or "
        f"English such as Deutschland or Germany, but is {text}"
    )


def test_a_misspelt_country_gets_a_suggestion(organiser):
    (error,) = send_csv(organiser, "last_name;country\nA;Deutchland\n")["errors"]
    assert error["detail"].endswith("but is Deutchland; did you mean Deutschland?")


def test_only_the_first_unknown_countries_are_compared_with_the_known_ones(organiser):
    record = send_csv(organiser, "last_name;country\n" + "A;Deutchland\n" * 150)
    assert sum("did you mean" in error["detail"] for error in record["errors"]) == 100


@pytest.mark.parametrize("kind", ["contacts", "participants"])
def test_a_new_contact_without_country_gets_that_of_the_organiser(organiser, settings, kind):
    settings.organiser_country = "AT"
    organiser.make("/events", {"title": "Fair", "event_key": "fair"})
    event = {"event_key": "fair"} if kind == "participants" else {}
    rows = [
        {"email": "a@x.example", "postal_code": "1010"},
        {"email": "b@x.example", "country": "Deutschland"},
    ]
    send(organiser, rows, kind, **event)
    assert [contact["country"] for contact in organiser.data("/contacts?sort=id&order=ASC")] == [
        "AT",
        "DE",
    ]


def test_a_contact_that_exists_keeps_its_country(organiser):
    organiser.make("/contacts", {"email": "a@x.example", "country": "AT", "city": "Wien"})
    record = send_csv(organiser, "email;postal_code\na@x.example;1010\n", "mode=upsert")
    assert record["updated"] == 1
    (contact,) = organiser.data("/contacts")
    assert (contact["country"], contact["postal_code"]) == ("AT", "1010")


# Postal codes

FOUR_DIGITS = [
    ("DE", "1067", "DE", "01067"),
    ("DE", "1067", "Deutschland", "01067"),
    ("DE", "1067", None, "01067"),
    ("AT", "1067", "DE", "01067"),
    ("AT", "1067", None, None),
    ("DE", "1067", "AT", None),
    ("DE", "1067", "CH", None),
    ("DE", "106", None, None),
    ("DE", "01067", None, None),
    ("DE", "W-1000", None, None),
]


@pytest.mark.parametrize("kind", ["contacts", "participants"])
@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("home, postal_code, country, suggestion", FOUR_DIGITS)
def test_four_digits_are_no_german_postal_code(
    organiser, settings, kind, as_json, home, postal_code, country, suggestion
):
    settings.organiser_country = home
    organiser.make("/events", {"title": "Fair", "event_key": "fair"})
    row = {"email": "a@x.example", "postal_code": postal_code}
    if country:
        row["country"] = country
    if as_json:
        record = send(
            organiser, [row], kind, **({"event_key": "fair"} if kind == "participants" else {})
        )
    else:
        text = ";".join(row) + "\n" + ";".join(row.values()) + "\n"
        record = send_csv(organiser, text, "event_key=fair" if kind == "participants" else "", kind)
    if suggestion is None:
        assert (
            record["created"] == 1 and organiser.data("/contacts")[0]["postal_code"] == postal_code
        )
        return
    (error,) = record["errors"]
    assert (error["field"], error["code"], error["suggestion"]) == (
        "postal_code",
        "spreadsheet_damage",
        suggestion,
    )
    assert f"is {postal_code}, " in error["detail"] and f"Write {suggestion} " in error["detail"]
    assert organiser.data("/contacts") == []


def test_a_changed_postal_code_is_judged_by_the_country_that_is_stored(organiser):
    for name, country in (("a", "DE"), ("b", "AT")):
        organiser.make(
            "/contacts", {"email": f"{name}@x.example", "country": country, "postal_code": "99999"}
        )
    text = "email;postal_code\na@x.example;1067\nb@x.example;1067\n"
    for mode in ("upsert", "update"):
        record = send_csv(organiser, text, f"mode={mode}")
        assert [(error["index"], error["suggestion"]) for error in record["errors"]] == [
            (0, "01067")
        ]
    assert [
        contact["postal_code"] for contact in organiser.data("/contacts?sort=id&order=ASC")
    ] == ["99999", "1067"]
    assert send_csv(organiser, text)["errors"] == [], "mode `create` skips contacts that exist"


WITH_DECIMALS = [
    ("1067.0", "DE", "01067"),
    ("1067,0", "DE", "01067"),
    ("80331.0", "DE", "80331"),
    ("1067.00", None, None),
    ("80331.0", None, None),
    ("01067.0", "DE", None),
    ("00107,0", "DE", None),
    ("0101.0", "AT", None),
    ("0100.0", "CH", None),
    ("1010.0", "AT", "1010"),
    ("8004.0", "CH", "8004"),
    ("9490.0", "LI", "9490"),
    ("100.0", "IT", None),
    ("75001.0", "FR", None),
    ("67.0", "DE", None),
    ("1,067E+03", "DE", "01067"),
    ("1,067E+04", "DE", None),
]


@pytest.mark.parametrize("postal_code, country, suggestion", WITH_DECIMALS)
def test_a_postal_code_that_was_a_number_is_refused(organiser, postal_code, country, suggestion):
    row = {
        "last_name": "A",
        "postal_code": postal_code,
        **({"country": country} if country else {}),
    }
    (error,) = send(organiser, [row])["errors"]
    assert (error["field"], error["code"], error.get("suggestion")) == (
        "postal_code",
        "spreadsheet_damage",
        suggestion,
    )
    assert (
        f"Write {suggestion or 'the postal code'} in a column that is formatted as text"
        in error["detail"]
    )


def test_a_postal_code_that_was_a_number_gets_no_suggestion_by_the_country_of_the_organiser(
    organiser,
):
    """Without a country in the list, the contact that exists may live elsewhere: in Zürich, or in
    Milan.
    """
    organiser.make("/contacts", {"email": "a@x.example", "country": "CH", "postal_code": "8004"})
    organiser.make("/contacts", {"email": "b@x.example", "country": "IT", "postal_code": "20121"})
    text = "email;postal_code\na@x.example;8005.0\nb@x.example;20122.0\n"
    errors = send_csv(organiser, text, "mode=upsert")["errors"]
    assert [(error["code"], error.get("suggestion")) for error in errors] == [
        ("spreadsheet_damage", None)
    ] * 2
    assert [
        contact["postal_code"] for contact in organiser.data("/contacts?sort=id&order=ASC")
    ] == ["8004", "20121"]


# Telephone numbers

PHONES = [
    ("4,93511E+11", None),
    ("4.94067E+11", None),
    ("4,93511e+11", None),
    ("4,96990009103E+11", "+496990009103"),
    ("4E+11", None),
    ("4,96990009103E+12", None),
    ("493023125101.0", "+493023125101"),
    ("3023125101,0", None),
    ("493023125101,00", "+493023125101"),
    ("3023125101.00", None),
]
SOUND_PHONES = [
    "+49 30 23125 101",
    "030/23125-101",
    "(030) 23125.101",
    "493023125101",
    "112",
    "0341 12 34 E 5",
    "030.0",
    "1-800-FLOWERS",
    "07141.000",
]


@pytest.mark.parametrize("field", ["phone", "mobile", "fax"])
@pytest.mark.parametrize("phone, suggestion", PHONES)
def test_a_telephone_number_that_was_a_number_is_refused(organiser, field, phone, suggestion):
    (error,) = send_csv(organiser, f"last_name;{field}\nA;{phone}\n")["errors"]
    assert (error["field"], error["code"], error.get("suggestion")) == (
        field,
        "spreadsheet_damage",
        suggestion,
    )
    assert (
        f"is {phone}, " in error["detail"]
        and "in a column that is formatted as text" in error["detail"]
    )


@pytest.mark.parametrize("phone", SOUND_PHONES)
def test_other_telephone_numbers_are_stored_as_they_are(organiser, phone):
    assert send_csv(organiser, f"last_name;phone\nA;{phone}\n")["created"] == 1
    assert organiser.data("/contacts")[0]["phone"] == phone


def test_all_damage_of_a_row_is_reported_together_with_its_other_faults(organiser):
    row = {
        "email": "nonsense",
        "phone": "4,93511E+11",
        "postal_code": "1067",
        "country": "D",
        "rating": "9",
    }
    errors = send(organiser, [row])["errors"]
    assert {(error["field"], error["code"]) for error in errors} == {
        ("email", "format"),
        ("phone", "spreadsheet_damage"),
        ("postal_code", "spreadsheet_damage"),
        ("rating", "maximum"),
    }


def test_faults_of_custom_fields_are_reported_together_with_others(organiser):
    for key, kind in (("area", "number"), ("day", "date"), ("size", "select")):
        organiser.make(
            "/custom-fields",
            {
                "entity_type": "contact",
                "field_key": key,
                "field_label": key,
                "field_type": kind,
                "field_options": ["S"] if kind == "select" else [],
            },
        )
    text = "last_name;email;cf.area;cf.day;cf.size;cf.none\nA;nonsense;30 m²;31.02.2027;XXL;x\n"
    assert sorted(
        (error["field"], error["code"]) for error in send_csv(organiser, text)["errors"]
    ) == [
        ("custom_fields.area", "type"),
        ("custom_fields.day", "format"),
        ("custom_fields.none", "unknown"),
        ("custom_fields.size", "enum"),
        ("email", "format"),
    ]


def test_the_download_of_rejected_rows_contains_the_suggestion(organiser):
    record = send_csv(organiser, "email;postal_code;country\na@x.example;1067;DE\n")
    back = organiser.get(f"/bulk-import/{record['id']}/errors", status=200).text
    assert (
        "postal_code: is 1067, but German postal codes have five digits" in back
        and "Write 01067 " in back
    )
    assert send_csv(organiser, back.replace("example;1067;", "example;01067;"))["created"] == 1


def test_damage_is_found_by_the_worker_and_in_a_trial(organiser, db):
    rows = "".join(
        f"a{number}@x.example;{'1067' if number % 2 else '01067'}\n" for number in range(2100)
    )
    for query in ("", "dry_run=true", "skip_on_error=false"):
        id = send_csv(organiser, "email;postal_code\n" + rows, query, status=202)["id"]
        run_worker(db)
        record = organiser.data(f"/bulk-import/{id}")
        assert record["rejected"] == 1050 and record["errors"][0]["suggestion"] == "01067"


# Names

BREAKS = [
    "Töpferei\nAmsel",
    "Töpferei\r\nAmsel",
    "Töpferei \n  Amsel",
    "Töpferei\n\nAmsel\n",
    "\nTöpferei\u2028Amsel",
]


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("text", BREAKS)
def test_a_line_break_inside_a_name_is_a_space(organiser, as_json, text):
    names = dict.fromkeys(("company_name", "first_name", "last_name", "city", "state"), text)
    if as_json:
        record = send(organiser, [names])
    else:
        record = send_csv(
            organiser,
            ";".join(names) + "\n" + ";".join(f'"{name}"' for name in names.values()) + "\n",
        )
    assert record["created"] == 1
    (contact,) = organiser.data("/contacts")
    assert {contact[name] for name in names} == {"Töpferei Amsel"}


def test_a_line_break_inside_a_badge_name_is_a_space(organiser):
    organiser.make("/events", {"title": "Fair", "event_key": "fair"})
    send_csv(
        organiser, 'email;badge_name\na@x.example;"Dr.\nAmsel"\n', "event_key=fair", "participants"
    )
    assert organiser.data("/participants")[0]["badge_name"] == "Dr. Amsel"


def test_a_line_break_in_a_number_is_refused_and_in_an_address_it_stays(organiser):
    """Two telephone numbers in one cell would become a third one."""
    text = 'last_name;phone;external_id;address\nA;"030 1\n030 2";"1\n2";"Am Markt 2\nHinterhaus"\n'
    assert {(error["field"], error["code"]) for error in send_csv(organiser, text)["errors"]} == {
        ("phone", "format"),
        ("external_id", "format"),
    }
    send_csv(organiser, 'last_name;address\nA;"Am Markt 2\nHinterhaus"\n')
    assert organiser.data("/contacts")[0]["address"] == "Am Markt 2\nHinterhaus"


@pytest.mark.parametrize(
    "field", ["phone", "postal_code", "country", "city", "company_name", "rating", "cf.area"]
)
@pytest.mark.parametrize(
    "text",
    [
        "1" * 300_000,
        "1," + "1" * 300_000 + "E+11",
        "1." + "0" * 300_000,
        "ä" * 300_000,
        "\u2028" * 300_000 + "x",
        "1.250 " * 50_000 + "x",
    ],
    ids=lambda text: text[:4],
)
def test_a_very_long_text_is_refused_in_few_words(organiser, field, text):
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "contact",
            "field_key": "area",
            "field_label": "Area",
            "field_type": "number",
        },
    )
    record = send(organiser, [{"last_name": "A", field: text}])
    if text.strip() == "x" and field in ("phone", "postal_code", "city", "company_name"):
        assert record["created"] == 1
        return
    (error,) = record["errors"]
    assert error["field"] in (field, "custom_fields.area") and len(error["detail"]) < 300


# JSON of other types

NO_COUNTRY = [["DE"], {"a": 1}, 5, True, [["DE"]], 1.5]
OF_OTHER_TYPES = [
    [],
    ["DE"],
    [["x"]],
    [{"a": 1}],
    [None],
    {},
    {"a": ["b"]},
    {"": None},
    0,
    -1,
    5,
    2**63 - 1,
    1.5,
    1e15,
    -0.0,
    True,
    False,
    None,
    "",
    "x" * 70_000,
    "1" * 70_000,
    "1067.0",
    "4,93511E+11",
    "1.250",
]


@pytest.mark.parametrize("country", NO_COUNTRY, ids=str)
@pytest.mark.parametrize("kind", ["contacts", "participants"])
def test_a_country_of_another_type_is_refused_beside_a_damaged_postal_code(
    organiser, kind, country
):
    organiser.make("/events", {"title": "Fair", "event_key": "fair"})
    event = {"event_key": "fair"} if kind == "participants" else {}
    row = {"email": "a@x.example", "postal_code": "1067.0", "country": country}
    errors = send(organiser, [row], kind, **event)["errors"]
    assert {(error["field"], error["code"]) for error in errors} == {
        ("postal_code", "spreadsheet_damage"),
        ("country", "type"),
    }


@pytest.mark.parametrize("mode, at_once, status", [("create", 100, 201), ("upsert", 600, 202)])
@pytest.mark.parametrize("kind", ["contacts", "participants"])
def test_no_json_of_another_type_stops_an_import(organiser, db, kind, mode, at_once, status):
    """Each field of both kinds with each type, alone and beside damaged values: at once, and by the
    worker.
    """
    organiser.make("/events", {"title": "Fair", "event_key": "fair"})
    entity = {"contacts": "contact", "participants": "event_participant"}[kind]
    names = [name for name in fields.fields(kind) if name != "external_id"]
    for field_type in ("number", "integer", "text", "date", "boolean", "select", "multiselect"):
        options = {"field_options": ["S"]} if "select" in field_type else {}
        organiser.make(
            "/custom-fields",
            {
                "entity_type": entity,
                "field_key": f"a_{field_type}",
                "field_label": field_type,
                "field_type": field_type,
                **options,
            },
        )
        names.append(f"custom_fields.a_{field_type}")
    damaged = {"postal_code": "1067.0", "phone": "4,93511E+11", "country": "Deutschland"}
    values = [
        {**beside, name: value}
        for beside in ({}, damaged)
        for name in names
        for value in OF_OTHER_TYPES
    ]
    rows = [
        {"last_name": "A", "external_id": f"x{place}", **row} for place, row in enumerate(values)
    ]
    event = {"event_key": "fair"} if kind == "participants" else {}
    rejected = 0
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        body = {"records": part, "mode": mode, "match_field": "external_id", **event}
        answer = organiser.post(f"/bulk-import/{kind}", body)
        assert answer.status_int == status or (start and len(part) < at_once), answer.text[:300]
        run_worker(db)
        record = organiser.data(f"/bulk-import/{answer.json['data']['id']}")
        assert record["status"] == "done"
        assert record["created"] + record["updated"] + record["skipped"] == len(part)
        rejected += record["rejected"]
    assert rejected > 500 and not runs.waiting(db)
