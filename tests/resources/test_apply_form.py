"""What the form of exhibitors asks: `apply_form` of the pages of an event, and `form` of
GET /applications/events.
"""

import pytest

ADA = {"email": "ada@rosen.example", "company_name": "Rosen KG", "event_keys": ["fair"]}
NEW = [
    {"field": "company_name", "ask": "optional"},
    {"field": "person", "ask": "required"},
    {"field": "phone", "ask": "optional"},
    {"field": "address", "ask": "required"},
    {"field": "categories", "ask": "optional"},
    {"field": "message", "ask": "optional"},
]
SMALL = {
    "booth_type_name": "Small",
    "price_model": "per_m2",
    "price": 12.5,
    "usual_width": 2,
    "usual_depth": 2.5,
}


@pytest.fixture
def fair(organiser):
    return organiser.make("/events", {"title": "Fair", "event_key": "fair", "is_visible": True})


@pytest.fixture
def address(fair):
    return f"/events/{fair['id']}/pages"


def question(organiser, **fields):
    body = {
        "entity_type": "application",
        "field_label": "Own table?",
        "applicant_visibility": "editable",
        **fields,
    }
    return organiser.make("/custom-fields", body)


def test_a_new_event_asks_little_and_follows_sizes_and_questions(organiser, address):
    assert organiser.data(address)["apply_form"] == NEW
    organiser.make("/booths/types", SMALL)
    question(organiser, field_key="table", is_required=True)
    organiser.patch(address, {"contact_phone": "1"}, status=200)
    assert organiser.data(address)["apply_form"] == [
        *NEW[:-1],
        {"field": "booth_type", "ask": "optional"},
        {"field": "custom.table", "ask": "required"},
        NEW[-1],
    ]


def test_the_form_is_set_and_stays(organiser, address):
    question(organiser, field_key="table")
    form = [
        {"field": "custom.table", "ask": "required"},
        {"field": "is_business", "ask": "required"},
        {"field": "person", "ask": "optional"},
    ]
    changed = organiser.patch(address, {"apply_form": form, "price_display": "net"}, status=200)
    assert changed.json["data"]["apply_form"] == form
    question(organiser, field_key="later")
    found = organiser.data(address)
    assert (found["apply_form"], found["price_display"]) == (form, "net")
    again = organiser.patch(address, {"apply_form": form}, status=200).json["data"]
    assert again["updated_at"] == found["updated_at"]


@pytest.mark.parametrize(
    "form, pointer, code",
    [
        ([{"field": "fax", "ask": "optional"}], "/apply_form/0/field", "pattern"),
        ([{"field": "phone", "ask": "maybe"}], "/apply_form/0/ask", "enum"),
        ([{"field": "phone", "ask": "optional"}] * 2, "/apply_form/1/field", "repeated"),
        ([{"field": "custom.no", "ask": "optional"}], "/apply_form/0/field", "unknown"),
        ([{"field": "custom.secret", "ask": "optional"}], "/apply_form/0/field", "unknown"),
    ],
)
def test_a_form_names_what_exists_once(organiser, address, form, pointer, code):
    question(organiser, field_key="secret", applicant_visibility="hidden")
    problem = organiser.patch(address, {"apply_form": form}, status=422).json
    assert [(each["pointer"], each["code"]) for each in problem["errors"]] == [(pointer, code)]


def test_a_question_that_was_switched_off_may_stay_in_the_form(organiser, address):
    field = question(organiser, field_key="table")
    form = [{"field": "custom.table", "ask": "optional"}, *NEW]
    organiser.patch(address, {"apply_form": form}, status=200)
    organiser.patch(f"/custom-fields/{field['id']}", {"is_active": False}, status=200)
    moved = [*NEW, form[0]]
    organiser.patch(address, {"apply_form": moved}, status=200)
    assert organiser.data(address)["apply_form"] == moved


def test_the_copy_of_an_event_asks_the_same(organiser, fair, address):
    form = [{"field": "person", "ask": "required"}]
    organiser.patch(address, {"apply_form": form, "price_display": "net"}, status=200)
    organiser.patch(f"/events/{fair['id']}", {"date_from": "2027-05-01"}, status=200)
    copy = organiser.post(f"/events/{fair['id']}/copy", {"date_from": "2028-05-01"}, status=201)
    pages = organiser.data(f"/events/{copy.json['data']['id']}/pages")
    assert (pages["apply_form"], pages["price_display"]) == (form, "net")


def test_a_form_elsewhere_learns_what_is_asked_and_the_sizes(organiser, fair, address):
    organiser.make("/booths/types", {**SMALL, "booth_type_key": "s", "sort_order": 2})
    front = {"price_model": "per_front_m", "price": 100, "usual_width": 3.333, "tax_rate": 7}
    organiser.make(
        "/booths/types", {**SMALL, **front, "booth_type_name": "Row", "booth_type_key": "r"}
    )
    unsized = {"booth_type_name": "Any", "price_model": "fixed", "price": 1}
    organiser.make("/booths/types", unsized)

    row = organiser.data("/applications/events")[0]
    assert [each["field"] for each in row["form"]["fields"]] == [
        "company_name",
        "person",
        "phone",
        "address",
        "categories",
        "booth_type",
        "message",
    ]
    assert row["form"]["price_display"] == "gross"
    small = {
        "booth_type_key": "s",
        "booth_type_name": "Small",
        "description": None,
        "width": 2.0,
        "depth": 2.5,
        "available": None,
        "price": None,
        "tax_rate": None,
    }
    assert row["form"]["booth_types"][1] == small

    organiser.patch(address, {"show_prices": True, "show_plan": True}, status=200)
    plan = organiser.make(
        "/plans", {"plan_name": "Hall", "event_key": "fair", "width": 20, "height": 20}
    )
    for number in ("1", "2"):
        organiser.make(
            "/booths",
            {
                "plan_id": plan["id"],
                "booth_number": number,
                "booth_type_key": "s",
                "width": 2,
                "depth": 2.5,
            },
        )
    row, small_row = organiser.data("/applications/events")[0]["form"]["booth_types"]
    # 12.50 for each of 5 m2; 100.00 for each of 3.333 m
    assert small_row == {**small, "available": 2, "price": 62.5}
    assert (row["price"], row["tax_rate"], row["available"]) == (333.3, 7, 0)


def test_a_form_of_another_web_site_asks_no_question_that_is_gone(organiser, address):
    gone, off = (question(organiser, field_key=key) for key in ("gone", "off"))
    question(organiser, field_key="stays")
    asked = [{"field": f"custom.{key}", "ask": "optional"} for key in ("gone", "off", "stays")]
    organiser.patch(address, {"apply_form": asked}, status=200)
    organiser.delete(f"/custom-fields/{gone['id']}", status=204)
    organiser.patch(f"/custom-fields/{off['id']}", {"is_active": False}, status=200)
    assert organiser.data("/applications/events")[0]["form"]["fields"] == asked[2:]


def test_the_booth_types_of_the_pages_limit_the_sizes(organiser, address):
    organiser.make("/booths/types", {**SMALL, "booth_type_key": "s"})
    organiser.make("/booths/types", {**SMALL, "booth_type_key": "m"})
    organiser.patch(address, {"booth_types": ["m"]}, status=200)
    offered = organiser.data("/applications/events")[0]["form"]["booth_types"]
    assert [each["booth_type_key"] for each in offered] == ["m"]


@pytest.mark.parametrize("lacking", ["usual_width", "usual_depth"])
def test_a_usual_size_has_a_width_and_a_depth(organiser, lacking):
    problem = organiser.post("/booths/types", {**SMALL, lacking: None}, status=422).json
    assert [each["pointer"] for each in problem["errors"]] == [f"/{lacking}"]


# Wishes of applications


def test_an_application_wishes_a_type_and_says_whether_it_is_a_business(organiser, fair):
    made = organiser.make("/booths/types", {**SMALL, "booth_type_key": "s"})
    application = organiser.make(
        "/applications", {**ADA, "booth_type_key": "s", "is_business": False}
    )
    wish = application["booth_type_id"], application["booth_type_key"], application["is_business"]
    assert wish == (made["id"], "s", False)
    address = f"/applications/{application['id']}"
    row = organiser.data("/applications")[0]
    assert (row["booth_type_key"], row["is_business"]) == ("s", False)
    problem = organiser.delete(f"/booths/types/{made['id']}", status=409).json
    assert problem["code"] == "in_use" and problem["used_by"] == ["applications"]

    organiser.patch(address, {"booth_type_key": "no"}, status=422)
    organiser.patch(address, {"rating": 4}, status=200)
    assert organiser.data(address)["booth_type_key"] == "s"
    changed = organiser.patch(address, {"booth_type_key": None}, status=200).json["data"]
    assert (changed["booth_type_id"], changed["booth_type_key"]) == (None, None)
    organiser.delete(f"/booths/types/{made['id']}", status=204)


def test_the_key_of_a_form_names_sizes_only(organiser, person, fair):
    organiser.make("/booths/types", {**SMALL, "booth_type_key": "s"})
    unsized = {"booth_type_name": "Any", "booth_type_key": "any", "price_model": "fixed"}
    organiser.make("/booths/types", {**unsized, "price": 1})
    form = person("applications:create")
    problem = form.post("/applications", {**ADA, "booth_type_key": "any"}, status=422).json
    assert [each["pointer"] for each in problem["errors"]] == ["/booth_type_key"]
    form.post("/applications", {**ADA, "booth_type_key": "s"}, status=201)


def approved(organiser, **fields):
    application = organiser.make("/applications", {**ADA, **fields})
    address = f"/applications/{application['id']}/approve"
    found = organiser.post(address, {}, status=200).json["data"]
    return organiser.data(f"/contacts/{found['contact_id']}")


@pytest.mark.parametrize("value", [True, False, None])
def test_a_contact_that_approval_makes_is_a_business_or_not(organiser, fair, value):
    assert approved(organiser, is_business=value)["is_business"] is value


@pytest.mark.parametrize(
    "known, said, expected",
    [(None, False, False), (None, True, True), (True, False, True), (False, None, False)],
)
def test_approval_tells_a_contact_only_what_nobody_has_said(organiser, fair, known, said, expected):
    organiser.make("/contacts", {"email": ADA["email"], "last_name": "Rosen", "is_business": known})
    assert approved(organiser, is_business=said)["is_business"] is expected


# Questions


def test_a_question_has_labels_help_and_answers_in_two_languages(organiser, fair):
    options = [
        {"value": "yes", "label": "ja", "labels": {"de": "ja", "en": "yes"}},
        {"value": "no", "label": "no"},
    ]
    field = question(
        organiser,
        field_key="table",
        field_type="select",
        field_options=options,
        field_labels={"de": "Eigener Tisch?"},
        field_help={"de": "Tische kosten 12,00 EUR."},
    )
    assert field["field_options"] == options
    shown = organiser.get("/applications/events", status=200).json["meta"]["custom_fields"][0]
    assert (shown["field_labels"], shown["field_help"], shown["field_options"]) == (
        {"de": "Eigener Tisch?"},
        {"de": "Tische kosten 12,00 EUR."},
        options,
    )
    organiser.post("/custom-fields", {**field, "field_labels": {"fr": "Table ?"}}, status=422)


TABLE = {
    "field_labels": {"de": "Eigener Tisch?", "en": "Own table?"},
    "field_help": {"de": "Tische kosten 12,00 EUR."},
    "field_type": "select",
    "field_options": [
        {"value": "ja", "label": "ja", "labels": {"de": "ja", "en": "yes"}},
        {"value": "nein", "label": "nein"},
    ],
}


def entry(field, ask="optional", **question):
    return {"field": field, "ask": ask, **({"question": question} if question else {})}


def test_a_form_and_its_questions_change_in_one_step(organiser, address):
    body = {
        "form": [
            entry("person", "required"),
            entry("question", "required", **TABLE, asks_visitors=True),
            entry("question", field_labels={"en": "Own table?"}),
            entry("message", "none"),
        ],
        "apply_capacity": 60,
        "show_prices": True,
        "price_display": "net",
    }
    pages = organiser.put(f"{address}/form", body, status=200).json["data"]
    assert pages["apply_form"] == [
        {"field": "person", "ask": "required"},
        {"field": "custom.eigener_tisch", "ask": "required"},
        {"field": "custom.own_table", "ask": "optional"},
    ]
    assert pages["visit_fields"] == ["eigener_tisch"]
    assert (pages["apply_capacity"], pages["show_prices"]) == (60, True)
    assert pages == organiser.data(address)
    first = organiser.data("/custom-fields?sort=id&order=ASC")[0]
    assert {name: first[name] for name in TABLE} == TABLE
    assert (first["field_label"], first["applicant_visibility"]) == ("Eigener Tisch?", "editable")

    body = {"form": [entry("custom.eigener_tisch", **{**TABLE, "is_active": False})]}
    pages = organiser.put(f"{address}/form", body, status=200).json["data"]
    assert (pages["apply_form"], pages["visit_fields"]) == ([], [])
    first = organiser.data("/custom-fields?sort=id&order=ASC")[0]
    assert first["is_active"] is False
    assert pages["apply_capacity"] == 60


def test_two_questions_with_the_same_words_have_keys_of_their_own(organiser, address):
    body = {"form": [entry("question", field_labels={"de": "ID"})] * 3}
    pages = organiser.put(f"{address}/form", body, status=200).json["data"]
    keys = [each["field"] for each in pages["apply_form"]]
    assert keys == ["custom.field_id", "custom.field_id_2", "custom.field_id_3"]


def test_a_form_with_a_fault_changes_nothing(organiser, address):
    body = {
        "form": [
            entry("question", field_labels={"de": "Gut"}),
            entry("question", field_labels={"de": "Schlecht"}, field_type="select"),
        ],
        "apply_capacity": 60,
    }
    problem = organiser.put(f"{address}/form", body, status=422).json
    assert [(each["pointer"], each["code"]) for each in problem["errors"]] == [
        ("/form/1/question/field_options", "required")
    ]
    assert organiser.data("/custom-fields") == []
    assert organiser.data(address)["apply_capacity"] is None


@pytest.mark.parametrize(
    "wrong, pointer",
    [
        (entry("question"), "/form/0/question"),
        (entry("question", field_labels={}), "/form/0/question/field_labels"),
        (entry("phone", field_labels={"de": "Fax"}), "/form/0/question"),
        (entry("custom.no", field_labels={"de": "Fax"}), "/form/0/question"),
    ],
)
def test_a_question_has_words_and_is_one_of_applicants(organiser, address, wrong, pointer):
    problem = organiser.put(f"{address}/form", {"form": [wrong]}, status=422).json
    assert [each["pointer"] for each in problem["errors"]] == [pointer]


def test_an_answer_that_was_given_cannot_be_taken_from_a_question(organiser, address):
    organiser.put(f"{address}/form", {"form": [entry("question", "optional", **TABLE)]}, status=200)
    organiser.make("/applications", {**ADA, "custom_fields": {"eigener_tisch": "nein"}})
    fewer = {**TABLE, "field_options": TABLE["field_options"][:1]}
    body = {"form": [entry("custom.eigener_tisch", **fewer)]}
    problem = organiser.put(f"{address}/form", body, status=409).json
    assert problem["code"] == "in_use"
    assert problem["pointer"] == "/form/0/question/field_options"
    body = {
        "form": [entry("custom.eigener_tisch", field_labels={"de": "Tisch?"}, field_type="text")]
    }
    body["form"][0]["question"]["field_options"] = []
    problem = organiser.put(f"{address}/form", body, status=409).json
    assert problem["pointer"] == "/form/0/question/field_type"


def test_questions_need_the_scope_of_custom_fields(person, address):
    narrow = person("events")
    narrow.put(f"{address}/form", {"form": [entry("person")]}, status=200)
    body = {"form": [entry("question", field_labels={"de": "Tisch?"})]}
    problem = narrow.put(f"{address}/form", body, status=403).json
    assert problem["code"] == "insufficient_scope"
