"""Numbers in imported lists: thousands and decimals, in CSV and as text in JSON."""

import json
from urllib.parse import quote

import pytest

from eventapi.domain.imports import job
from tests.resources.test_bulk_import import CSV, run_worker, send, send_csv
from tests.web.test_routes import problem

NARROW, NBSP, MINUS = "\u202f", "\u00a0", "\u2212"
AMBIGUOUS, TYPE, DECIMALS = "ambiguous_number", "type", "decimals"

# Cells of one column -> what each of them becomes: a number, or the code of the fault.
SEMICOLONS = [
    # groups of three behind points, spaces or apostrophes are thousands
    (["1.250"], [1250]),
    (["-1.250"], [-1250]),
    (["12.500"], [12500]),
    (["1.250.000"], [1250000]),
    (["1.250,00"], [1250]),
    (["12.500,50"], [12500.5]),
    (["1 250"], [1250]),
    ([f"1{NBSP}250"], [1250]),
    ([f"1{NARROW}250,5"], [1250.5]),
    (["1'250"], [1250]),
    (["1\u2019250,5"], [1250.5]),
    (["1'250.50"], [1250.5]),
    # a comma is decimal
    (["1,5"], [1.5]),
    (["12,50"], [12.5]),
    (["1,250"], [1.25]),
    (["0,75"], [0.75]),
    (["-0,5"], [-0.5]),
    # a number that fits no group has a decimal point
    (["12.5"], [12.5]),
    (["0.125"], [0.125]),
    (["2.1257"], [2.1257]),
    (["1234.567"], [1234.567]),
    (["4.0"], [4]),
    # each number of a column by the rule
    (["1.250", "12.5", "1,5", "0.375"], [1250, 12.5, 1.5, 0.375]),
    (["1250"], [1250]),
    ([f"{MINUS}1.250"], [-1250]),
    (["1,250,000"], [1250000]),
    (["007"], [7]),
]
SWISS_SEMICOLONS = [
    (["1.250"], [AMBIGUOUS]),
    (["-1.250", "1250"], [AMBIGUOUS, 1250]),
    (["1.250", "12.5"], [AMBIGUOUS, 12.5]),
    (["1.250.000"], [1250000]),
    (["1'250"], [1250]),
    (["1,5"], [1.5]),
    (["1,250"], [1.25]),
    (["1.250,00"], [1250]),
]
COMMAS = [
    (["1.250"], [AMBIGUOUS]),
    (["1,250"], [AMBIGUOUS]),
    (["1.250", "1250", "1,250"], [AMBIGUOUS, 1250, AMBIGUOUS]),
    (["-1.250"], [AMBIGUOUS]),
    (["1.000"], [AMBIGUOUS]),
    # another number of the column decides
    (["1.250", "0.375"], [1.25, 0.375]),
    (["1.250", "1,250", "12.5"], [1.25, 1250, 12.5]),
    (["1.250", "2.1257"], [1.25, 2.1257]),
    (["1.250", "12,5", "1.250,00"], [1250, 12.5, 1250]),
    (["1,250", "1,250.5"], [1250, 1250.5]),
    (["1.250", "1.250.000"], [1250, 1250000]),
    # two of them that contradict each other decide nothing, and are read as they are
    (["1.250", "12.5", "12,5"], [AMBIGUOUS, 12.5, 12.5]),
    (["1 250"], [1250]),
    (["1250"], [1250]),
]
NO_NUMBERS = [
    "1.250 €",
    "€ 1.250",
    "30 m²",
    "1e3",
    "1,25E+03",
    "NaN",
    "inf",
    "-inf",
    "1.25.000",
    "12.50.00",
    "1..5",
    "1.250.",
    ",5",
    "5,",
    "1,2,3",
    "1 25",
    "1.250'000",
    "--5",
    "5-",
    "(5)",
    "+5",
    "0x10",
    "1_250",
    "\uff11\uff12\uff15\uff10",
    "\u0663",
    "9" * 400,
    "1." + "250." * 100 + "250",
    f"\u2013{5}",
    "ca. 30",
    "½",
]


@pytest.fixture
def fields(organiser):
    for key, kind in (("area", "number"), ("count", "integer")):
        organiser.make(
            "/custom-fields",
            {"entity_type": "contact", "field_key": key, "field_label": key, "field_type": kind},
        )
    return organiser


def outcome(client, record, number, field="area"):
    """Return the value of the field, or the code of the fault, of each row of an import."""
    found = {error["index"]: error["code"] for error in record["errors"]}
    assert {error["field"] for error in record["errors"]} <= {f"custom_fields.{field}"}
    for contact in client.data("/contacts?include=custom_fields&per_page=100"):
        found[int(contact["external_id"])] = contact["custom_fields"].get(field)
    return [found[place] for place in range(number)]


def sheet(cells, separator, field="area"):
    rows = [["external_id", "last_name", f"custom_fields.{field}"]]
    rows += [[str(place), "A", cell] for place, cell in enumerate(cells)]
    return "".join(separator.join(f'"{cell}"' for cell in row) + "\r\n" for row in rows)


def objects(cells):
    return [
        {"external_id": str(place), "last_name": "A", "custom_fields": {"area": cell}}
        for place, cell in enumerate(cells)
    ]


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("cells, numbers", SEMICOLONS, ids=str)
def test_between_semicolons_groups_of_three_are_thousands_and_a_comma_is_decimal(
    fields, separator, cells, numbers
):
    assert outcome(fields, send_csv(fields, sheet(cells, separator)), len(cells)) == numbers


@pytest.mark.parametrize("country", ["CH", "LI"])
@pytest.mark.parametrize("cells, numbers", SWISS_SEMICOLONS, ids=str)
def test_between_semicolons_a_point_may_be_decimal_in_switzerland(
    fields, settings, country, cells, numbers
):
    settings.organiser_country = country
    assert outcome(fields, send_csv(fields, sheet(cells, ";")), len(cells)) == numbers


@pytest.mark.parametrize("cells, numbers", COMMAS, ids=str)
def test_between_commas_another_number_of_the_column_decides(fields, cells, numbers):
    assert outcome(fields, send_csv(fields, sheet(cells, ",")), len(cells)) == numbers


@pytest.mark.parametrize("cells, numbers", COMMAS, ids=str)
def test_text_in_json_is_read_as_between_commas(fields, cells, numbers):
    assert outcome(fields, send(fields, objects(cells)), len(cells)) == numbers


TOLD = [
    (".", ["1.250", "1,250", "-1.250", "1.250,00", "1,5"], [1.25, 1250, -1.25, 1250, 1.5]),
    (",", ["1.250", "1,250", "-1.250", "1.250,00", "12.5"], [1250, 1.25, -1250, 1250, 12.5]),
]


@pytest.mark.parametrize("country", ["DE", "CH"])
@pytest.mark.parametrize("separator", [";", ",", "\t", "JSON"])
@pytest.mark.parametrize("told, cells, numbers", TOLD)
def test_decimal_separator_decides_in_every_file(
    fields, settings, country, separator, told, cells, numbers
):
    settings.organiser_country = country
    query = f"decimal_separator={told}"
    if separator == "JSON":
        record = fields.post(
            f"/bulk-import/contacts?{query}", {"records": objects(cells)}, status=201
        ).json["data"]
    else:
        record = send_csv(fields, sheet(cells, separator), query)
    assert outcome(fields, record, len(cells)) == numbers


def test_an_ambiguous_number_names_both_readings_and_the_way_out(fields):
    mapping = quote(json.dumps({"Fläche m²": "cf.area", "Nr.": "external_id"}))
    (error,) = send_csv(fields, "Nr.,Fläche m²\n7,1.250\n", f"field_mapping={mapping}")["errors"]
    assert error == {
        "index": 0,
        "field": "custom_fields.area",
        "code": "ambiguous_number",
        "detail": 'is 1.250 in the column "Fläche m²", which can mean 1250 or 1.25. Add decimal_separator=, to the '
        "query if it means 1250, or decimal_separator=. if it means 1.25",
    }
    body = {
        "records": [{"external_id": "7", "m2": "-1,250"}],
        "field_mapping": {"m2": "custom_fields.area"},
    }
    (error,) = fields.post("/bulk-import/contacts", body, status=201).json["data"]["errors"]
    assert error["detail"].startswith(
        'is -1,250 in the column "m2", which can mean -1.25 or -1250. '
    )


def test_an_ambiguous_number_refuses_an_import_of_all_or_nothing(fields):
    found = problem(
        fields.post(
            "/bulk-import/contacts?skip_on_error=false",
            raw=sheet(["1.250", "5"], ",").encode(),
            headers=CSV,
        ),
        422,
        "import_rejected",
    )
    assert [(error["index"], error["code"]) for error in found["errors"]] == [
        (0, "ambiguous_number")
    ]
    assert fields.data("/contacts") == []


@pytest.mark.parametrize("text", NO_NUMBERS, ids=lambda text: text[:12])
@pytest.mark.parametrize("separator", [";", ","])
def test_a_text_that_is_no_number_is_refused(fields, text, separator):
    for field in ("area", "count"):
        (error,) = send_csv(fields, sheet([text], separator, field))["errors"]
        assert error["code"] == "type" and "without unit, currency and exponent" in error["detail"]
        assert text[:10] in error["detail"] and len(error["detail"]) < 200
    assert fields.data("/contacts") == []


def test_numbers_that_a_field_cannot_hold_are_refused(fields):
    record = send_csv(
        fields, sheet(["0,1234567", "0,10000000000000000001", "1.000.000.001", "0,1234560"], ";")
    )
    assert outcome(fields, record, 4) == ["decimals", "decimals", "maximum", 0.123456]


def test_integers_are_read_by_the_same_rules(fields):
    record = send_csv(fields, sheet(["1.250", "12,0", "12,5", "1 000"], ";", "count"))
    assert outcome(fields, record, 4, "count") == [1250, 12, "type", 1000]
    text = "external_id;last_name;rating\n10;A;4,0\n11;A;5.0\n12;A;1.000\n13;A;4,5\n14;A;99999999999999999999\n"
    record = send_csv(fields, text)
    assert [(error["index"], error["field"], error["code"]) for error in record["errors"]] == [
        (2, "rating", "maximum"),
        (3, "rating", "type"),
        (4, "rating", "type"),
    ]
    assert {
        contact["external_id"]: contact["rating"]
        for contact in fields.data("/contacts")
        if contact["external_id"] in ("10", "11")
    } == {"10": 4, "11": 5}
    (error,) = send_csv(fields, "last_name,rating\nA,1.000\n")["errors"]
    assert (error["field"], error["code"]) == ("rating", "ambiguous_number")


def test_numbers_of_participants_are_read_by_the_same_rules(organiser):
    organiser.make("/events", {"event_key": "fair", "title": "Fair", "date_from": "2027-05-01"})
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "event_participant",
            "field_key": "area",
            "field_label": "Area",
            "field_type": "number",
        },
    )
    record = send_csv(
        organiser, "email;cf.area\na@x.example;1.250\n", "event_key=fair", "participants"
    )
    assert record["created"] == 1
    (participant,) = organiser.data("/participants?event_key=fair&include=custom_fields")
    assert participant["custom_fields"] == {"area": 1250}
    record = send(
        organiser,
        [{"email": "b@x.example", "custom_fields": {"area": "1.250"}}],
        "participants",
        event_key="fair",
    )
    assert [error["code"] for error in record["errors"]] == ["ambiguous_number"]


def test_each_column_decides_for_itself(fields):
    organiser = fields
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "contact",
            "field_key": "power",
            "field_label": "Power",
            "field_type": "number",
        },
    )
    text = 'external_id,last_name,cf.area,cf.power\n0,A,1.250,1.250\n1,A,12.5,"12,5"\n'
    assert send_csv(organiser, text)["created"] == 2
    found = {
        contact["external_id"]: contact["custom_fields"]
        for contact in organiser.data("/contacts?include=custom_fields")
    }
    assert found == {"0": {"area": 1.25, "power": 1250}, "1": {"area": 12.5, "power": 12.5}}


def test_numbers_of_json_are_no_text_and_decide_nothing(fields):
    records = [
        {"external_id": "0", "last_name": "A", "custom_fields": {"area": 2.375}},
        {"external_id": "1", "last_name": "A", "custom_fields": {"area": "1.250"}},
        {"external_id": "2", "last_name": "A", "custom_fields": {"area": " 12 "}},
    ]
    assert outcome(fields, send(fields, records), 3) == [2.375, "ambiguous_number", 12]


# Our own lists


@pytest.mark.parametrize("fields_of", ["contacts", "participants"])
def test_our_own_lists_are_read_with_points(organiser, fields_of):
    organiser.make("/events", {"event_key": "fair", "title": "Fair", "date_from": "2027-05-01"})
    entity = {"contacts": "contact", "participants": "event_participant"}[fields_of]
    organiser.make(
        "/custom-fields",
        {"entity_type": entity, "field_key": "area", "field_label": "Area", "field_type": "number"},
    )
    contact = organiser.make("/contacts", {"last_name": "A"})
    one = contact
    if fields_of == "participants":
        one = organiser.make("/participants", {"event_key": "fair", "contact_id": contact["id"]})
    for number in (2.375, 1.25, 1250, 0.00001, -1.005):
        organiser.patch(
            f"/{fields_of}/{one['id']}", {"custom_fields": {"area": number}}, status=200
        )
        listed = organiser.get(
            f"/{fields_of}?include=custom_fields", headers={"Accept": "text/csv"}, status=200
        ).text
        organiser.patch(f"/{fields_of}/{one['id']}", {"custom_fields": {"area": 7}}, status=200)
        event = "&event_key=fair" if fields_of == "participants" else ""
        record = send_csv(
            organiser, listed, f"mode=upsert&match_field=customer_number{event}", fields_of
        )
        assert (record["updated"], record["errors"]) == (1, [])
        assert organiser.data(f"/{fields_of}/{one['id']}")["custom_fields"] == {"area": number}


@pytest.mark.parametrize("order", ["ASC", "DESC"])
def test_a_list_of_ours_that_a_spreadsheet_has_written_again_is_no_longer_read_with_points(
    fields, order
):
    fields.make(
        "/contacts", {"external_id": "0", "last_name": "A", "custom_fields": {"area": 2.375}}
    )
    fields.make(
        "/contacts", {"external_id": "1", "last_name": "A", "custom_fields": {"area": 1250.5}}
    )
    listed = fields.get(
        f"/contacts?include=custom_fields&sort=id&order={order}",
        headers={"Accept": "text/csv"},
        status=200,
    ).text
    query = "mode=upsert&match_field=external_id"
    rewritten = listed.replace("2.375", '"2,375"')
    assert [
        error["code"]
        for error in send_csv(fields, rewritten.replace("1250.5", "1250"), query)["errors"]
    ] == ["ambiguous_number"], "as LibreOffice writes it in German"
    shortened = "\r\n".join(",".join(line.split(",")[1:]) for line in listed.split("\r\n"))
    shortened = shortened.replace("1250.5", "1250")
    assert [error["code"] for error in send_csv(fields, shortened, query)["errors"]] == [
        "ambiguous_number"
    ]


@pytest.mark.parametrize(
    "typed, number",
    [
        ("1.250", AMBIGUOUS),
        ("12.500", AMBIGUOUS),
        ("1250.0", 1250),
        ("1250", 1250),
        ("12.5", 12.5),
        ("1.125", 1.125),
        ("1,250", AMBIGUOUS),
    ],
)
def test_a_number_with_a_zero_at_its_end_was_typed_into_a_list_of_ours(fields, typed, number):
    """Lists of ours have no zero behind decimals: an empty one may be the template of a German
    list.
    """
    head = fields.get(
        "/contacts?include=custom_fields&search=nobody", headers={"Accept": "text/csv"}, status=200
    ).text
    columns = head.strip().split(",")
    row = {"external_id": "0", "last_name": "A", "custom_fields.area": f'"{typed}"'}
    record = send_csv(
        fields, f"{','.join(columns)}\r\n{','.join(row.get(name, '') for name in columns)}\r\n"
    )
    assert outcome(fields, record, 1) == [number]


@pytest.mark.parametrize("number", [2.375, -1.005, 1250, 1250.5, 0.00001])
def test_rejected_numbers_of_json_come_back_as_they_were(fields, number):
    record = send(
        fields, [{"email": "nonsense", "external_id": "0", "custom_fields": {"area": number}}]
    )
    back = fields.get(f"/bulk-import/{record['id']}/errors", status=200).text
    record = send_csv(fields, back.replace("nonsense,0", "a@x.example,0"))
    assert outcome(fields, record, 1) == [number]


# Rejected records that are sent again: list, query of the first request, numbers of its rejected
# rows when sent again
REJECTED = [
    (
        "external_id;last_name;email;cf.area\n0;A;nonsense;1.250\n",
        "decimal_separator=.",
        [AMBIGUOUS],
    ),
    ("external_id;last_name;email;cf.area\n0;A;nonsense;1.250\n", "", [AMBIGUOUS]),
    (
        "external_id;last_name;email;cf.area\n0;A;nonsense;1,250\n1;A;nonsense;1.250,5\n",
        "",
        [AMBIGUOUS, 1250.5],
    ),
    (
        'external_id,last_name,email,cf.area\n0,A,nonsense,1.250\n1,A,nonsense,"12,5"\n2,A,b@x.example,12.5\n',
        "",
        [AMBIGUOUS, 12.5, 12.5],
    ),
    (
        'external_id,last_name,email,cf.area\n0,A,nonsense,1.250\n1,A,nonsense,"12,5"\n',
        "decimal_separator=.",
        [AMBIGUOUS, 12.5],
    ),
    (
        "external_id,last_name,email,cf.area\n0,A,nonsense,1.250\n1,A,nonsense,12.5\n",
        "",
        [AMBIGUOUS, 12.5],
    ),
]


def sent_again(fields, record, query=""):
    """Correct the addresses of the rejected records, and send them as they were downloaded."""
    back = fields.get(f"/bulk-import/{record['id']}/errors", status=200).text
    lines = back.split("\r\n")
    corrected = [
        line.replace("nonsense", f"p{place}@x.example", 1) for place, line in enumerate(lines)
    ]
    return send_csv(fields, "\r\n".join(corrected), query)


@pytest.mark.parametrize("text, query, numbers", REJECTED)
@pytest.mark.parametrize("country", ["DE", "CH"])
def test_rejected_records_that_are_sent_again_change_no_number(
    fields, settings, country, text, query, numbers
):
    """Neither their semicolons nor the numbers among them decide: other rows or the request did so
    before.
    """
    settings.organiser_country = country
    record = sent_again(fields, send_csv(fields, text, query))
    assert outcome(fields, record, len(numbers)) == numbers


@pytest.mark.parametrize("told, number", [(".", 1.25), (",", 1250)])
@pytest.mark.parametrize("separator", [";", ","])
def test_decimal_separator_decides_for_rejected_records_that_are_sent_again(
    fields, separator, told, number
):
    text = "external_id;last_name;email;cf.area\n0;A;nonsense;1.250\n".replace(";", separator)
    record = sent_again(fields, send_csv(fields, text), f"decimal_separator={told}")
    assert outcome(fields, record, 1) == [number]


def test_a_number_among_rejected_records_of_json_decides_nothing(fields):
    records = [
        {"external_id": "0", "last_name": "A", "custom_fields": {"area": "1.250"}},
        {
            "external_id": "1",
            "last_name": "A",
            "email": "nonsense",
            "custom_fields": {"area": 12.5},
        },
    ]
    record = send(fields, records)
    assert record["rejected"] == 2
    assert outcome(fields, sent_again(fields, record), 2) == [AMBIGUOUS, 12.5]


# Long files


def long_file(last):
    rows = "".join(f"{place},A,1.{place % 900 + 100}\n" for place in range(2500))
    return "external_id,last_name,cf.area\n" + rows + (f"2500,A,{last}\n" if last else "")


@pytest.mark.parametrize("skip_on_error", ["true", "false"])
@pytest.mark.parametrize("last, first", [("12.5", 1.1), ('"12,5"', 1100)])
def test_the_last_row_of_a_long_file_decides_for_the_first(fields, db, skip_on_error, last, first):
    record = send_csv(fields, long_file(last), f"skip_on_error={skip_on_error}", status=202)
    run_worker(db)
    record = fields.data(f"/bulk-import/{record['id']}")
    assert (record["created"], record["rejected"]) == (2501, 0)
    assert fields.data("/contacts?external_id=0&include=custom_fields")[0]["custom_fields"] == {
        "area": first
    }


def test_without_a_deciding_row_every_ambiguous_row_of_a_long_file_is_rejected(fields, db):
    id = send_csv(fields, long_file(None), status=202)["id"]
    run_worker(db)
    record = fields.data(f"/bulk-import/{id}")
    assert (record["created"], record["rejected"]) == (0, 2500)


def test_an_import_that_continues_reads_numbers_as_before(fields, db, settings):
    """Neither a new country of the organiser nor a new custom field changes how the rest of a file
    is read.
    """
    rows = "".join(f"{place};A;1.250\n" for place in range(2500))
    id = send_csv(fields, "external_id;last_name;cf.area\n" + rows, status=202)["id"]
    asked = iter([False, False, False, True, True, True])
    job.run(db, id, lambda: next(asked))
    between = fields.data(f"/bulk-import/{id}")
    assert between["status"] == "running" and 0 < between["created"] < 2500
    settings.organiser_country = "CH"
    run_worker(db)
    record = fields.data(f"/bulk-import/{id}")
    assert (record["created"], record["rejected"]) == (2500, 0)
    read = db.connection.execute("SELECT DISTINCT value FROM custom_field_values").fetchall()
    assert read == [("1250",)]


def test_an_ambiguous_number_can_be_corrected_by_sending_the_same_file_again(fields):
    key = {"Idempotency-Key": "list-1", **CSV}
    raw = sheet(["1.250"], ",").encode()
    assert (
        fields.post("/bulk-import/contacts", raw=raw, headers=key, status=201).json["data"][
            "rejected"
        ]
        == 1
    )
    problem(
        fields.post("/bulk-import/contacts?decimal_separator=.", raw=raw, headers=key),
        422,
        "idempotency_key_reused",
    )
    key["Idempotency-Key"] = "list-2"
    found = fields.post(
        "/bulk-import/contacts?decimal_separator=.", raw=raw, headers=key, status=201
    ).json["data"]
    assert outcome(fields, found, 1) == [1.25]


@pytest.mark.parametrize("value", [";", "comma", "", "..", "%2C%2E"])
def test_another_decimal_separator_is_refused(organiser, value):
    found = problem(
        organiser.post(
            f"/bulk-import/contacts?decimal_separator={value}", raw=b"last_name\nA\n", headers=CSV
        ),
        422,
        "validation_failed",
    )
    assert [(error["parameter"], error["code"]) for error in found["errors"]] == [
        ("decimal_separator", "enum")
    ]
    found = problem(
        organiser.post(f"/bulk-import/contacts?decimal_separator={value}", {"records": [{}]}),
        422,
        "validation_failed",
    )
    assert [(error["parameter"], error["code"]) for error in found["errors"]] == [
        ("decimal_separator", "enum")
    ]


def test_a_column_cannot_be_mapped_to_two_fields_nor_two_columns_to_one(fields):
    twice = quote('{"m2": "cf.area", "m2": "cf.count"}')
    found = problem(
        fields.post(f"/bulk-import/contacts?field_mapping={twice}", raw=b"m2\n1\n", headers=CSV),
        422,
        "validation_failed",
    )
    assert found["errors"][0]["parameter"] == "field_mapping"
    same = quote('{"m2": "cf.area", "qm": "cf.area"}')
    found = problem(
        fields.post(
            f"/bulk-import/contacts?field_mapping={same}", raw=b"m2;qm\n1;2\n", headers=CSV
        ),
        422,
        "validation_failed",
    )
    assert [(error["pointer"], error["code"]) for error in found["errors"]] == [("/qm", "repeated")]
    found = problem(
        fields.post("/bulk-import/contacts", raw=b"cf.area;custom_fields.area\n1;2\n", headers=CSV),
        422,
        "validation_failed",
    )
    assert [(error["pointer"], error["code"]) for error in found["errors"]] == [
        ("/custom_fields.area", "repeated")
    ]
