"""Keys for web pages: narrow scopes, the list of events open for applications, and CORS (contract,
sections 2 to 4).
"""

import re
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

import pytest
import webtest

from eventapi.app import App
from eventapi.config import ConfigError
from eventapi.config import load as load_config
from eventapi.web import cors
from tests.support.client import SCOPES, Client, add_key
from tests.support.examples import all_routes

PAGE = "https://www.example.org"
NARROW = [("POST", "/api/v1/applications"), ("GET", "/api/v1/applications/events")]


def day(days):
    return (datetime.now(timezone.utc) + timedelta(days=days)).date().isoformat()


@pytest.fixture
def fair(organiser):
    return organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "garden",
            "date_from": day(30),
            "date_to": day(31),
            "opening_hours": [{"date": day(30), "opens": "09:00", "closes": "18:00"}],
        },
    )


@pytest.fixture
def shared_with_pages(settings):
    """Return the app with cors_origins set."""
    settings.cors_origins = (PAGE, "http://localhost:3000")
    app = App(settings)
    yield webtest.TestApp(app)
    app.connections.close()


def client(app, db, scopes):
    return Client(app, add_key(db, scopes))


# Scopes


@pytest.mark.parametrize(
    "scopes, allowed",
    [
        ("applications:create", NARROW),
        ("public", NARROW[1:]),
        ("applications:create public", NARROW),
    ],
)
def test_a_narrow_scope_opens_its_routes_and_no_other(person, fair, scopes, allowed):
    page = person(scopes)
    for route in all_routes():
        path = re.sub(
            r"<(\w+)>", lambda name: "event" if name[1] == "entity_type" else "1", route.path
        )
        response = page(
            route.method, path, {} if route.method in ("POST", "PUT", "PATCH") else None
        )
        # the handler checks it, after the input
        if route.options.scope in (
            "by_entity_type",
            "all",
        ):
            assert response.status_int >= 400 or response.json["data"] == [], path
        elif route.options.scope == "none":
            assert response.json["data"]["admin"] is None
        elif (route.method, route.path) not in allowed:
            assert response.status_int == 403, (route.method, path)
        else:
            assert response.status_int in (200, 422), (route.method, path)


def test_a_key_of_a_form_creates_an_application_and_reads_none(person, fair):
    page = person("applications:create")
    application = page.post(
        "/applications", {"email": "ada@rosen.example", "event_keys": ["garden"]}, status=201
    ).json
    refused = page.get(f"/applications/{application['data']['id']}", status=403).json
    assert (refused["code"], refused["scope"]) == ("insufficient_scope", "applications:read")


def test_a_refusal_names_the_narrow_scopes_that_allow_the_same(person, fair):
    assert person("public").post("/applications", {}, status=403).json["detail"] == (
        "The API key needs the scope applications or applications:create. Use a key that has it."
    )
    assert person("contacts").get("/applications/events", status=403).json["detail"] == (
        "The API key needs the scope applications:read, applications:create or public. Use a key that has it."
    )
    assert person("public").get("/events", status=403).json["detail"] == (
        "The API key needs the scope events:read. Use a key that has it."
    )


def test_a_key_of_a_form_cannot_pass_the_deadline(organiser, person):
    organiser.make(
        "/events", {"title": "Fair", "event_key": "closed", "application_deadline": day(-2)}
    )
    body = {"email": "ada@rosen.example", "event_keys": ["closed"]}
    page = person("applications:create")
    assert page.post("/applications", body, status=409).json["code"] == "deadline_passed"
    refused = page.post("/applications", {**body, "late": True}, status=403).json
    assert (refused["code"], refused["scope"]) == ("insufficient_scope", "applications")
    person("applications").post("/applications", {**body, "late": True}, status=201)


def test_internal_fields_are_unknown_to_a_key_of_a_form(organiser, person, fair):
    """Fields of the office, categories that applicants cannot choose, and custom fields that they
    do not fill in.
    """
    for visibility in ("selectable", "container", "admin_only"):
        organiser.make("/categories", {"title": visibility, "applicant_visibility": visibility})
    for visibility in ("editable", "visible", "hidden"):
        organiser.make(
            "/custom-fields",
            {
                "entity_type": "application",
                "field_label": visibility,
                "is_required": True,
                **({} if visibility == "hidden" else {"applicant_visibility": visibility}),
            },
        )
    body = {"email": "ada@rosen.example", "event_keys": ["garden"]}
    filled = {**body, "custom_fields": {"editable": "x"}}
    for scopes in ("applications:create", "applications:create public"):
        page = person(scopes)
        for field, value in (("notes", "x"), ("rating", 5)):
            [entry] = page.post("/applications", {**filled, field: value}, status=422).json[
                "errors"
            ]
            assert (entry["pointer"], entry["code"], entry["detail"]) == (
                f"/{field}",
                "unknown",
                "is unknown",
            )
        for key, unknown in (
            ("container", "container"),
            ("admin_only", "admin-only"),
            ("no", "no"),
        ):
            found = page.post(
                "/applications", {**filled, "category_keys": ["selectable", unknown]}, status=422
            ).json
            [entry] = found["errors"]
            assert (entry["pointer"], entry["code"]) == ("/category_keys/1", "unknown"), key
            assert entry["detail"] == f"is unknown: no category has the key {unknown}"
        for key in ("visible", "hidden"):
            values = {"editable": "x", key: "x"}
            [entry] = page.post(
                "/applications", {**body, "custom_fields": values}, status=422
            ).json["errors"]
            assert (entry["pointer"], entry["code"]) == (f"/custom_fields/{key}", "unknown")
            assert entry["detail"] == "is not a custom field of this kind of record"
        for more in ({"custom_fields": {}}, {}):
            [entry] = page.post("/applications", {**body, **more}, status=422).json["errors"]
            assert (entry["pointer"], entry["code"]) == ("/custom_fields/editable", "required"), (
                "and no other field"
            )
    sent = {**body, "category_keys": ["selectable"], "custom_fields": {"editable": "x"}}
    made = person("applications:create").post("/applications", sent, status=201).json["data"]
    assert (made["category_keys"], made["custom_fields"]) == (["selectable"], {"editable": "x"})
    person("applications applications:create").post(
        "/applications",
        {
            **body,
            "email": "eve@rosen.example",
            "notes": "x",
            "rating": 5,
            "category_keys": ["admin-only"],
            "custom_fields": {"editable": "x", "visible": "y", "hidden": "z"},
        },
        status=201,
    )


# Events that are open for applications


def test_the_list_holds_visible_events_until_their_deadline_or_end(organiser, person, fair):
    for key, dates in {
        "hidden": {"is_visible": False, "date_from": day(30)},
        "closed": {"date_from": day(30), "application_deadline": day(-2)},
        "over": {"date_from": day(-9), "date_to": day(-8)},
        "running": {"date_from": day(-1), "date_to": day(3)},
        "late": {"date_from": day(-9), "date_to": day(-8), "application_deadline": day(3)},
        "undated": {},
    }.items():
        organiser.make("/events", {"title": key.title(), "event_key": key, **dates})
    found = person("public").get("/applications/events?per_page=100", status=200).json["data"]
    assert {event["event_key"] for event in found} == {"garden", "running", "late", "undated"}
    (garden,) = (event for event in found if event["event_key"] == "garden")
    assert garden["opening_hours"] == fair["opening_hours"]
    assert "custom_fields" not in garden and garden["title"] == "Garden Fair"
    csv = person("public").get("/applications/events", headers={"Accept": "text/csv"}, status=200)
    assert "opening_hours.opens" in csv.text.splitlines()[0] and "09:00" in csv.text


def test_the_list_has_what_a_form_asks_for(organiser, person, fair):
    """The categories of each event that applicants can choose, and the custom fields that they fill
    in.
    """
    for number, (title, more) in enumerate(
        (
            ("Plants", {"sort_order": 2, "content": "Nurseries", "base_price": 250}),
            ("Garden", {"applicant_visibility": "container"}),
            ("Roses", {"sort_order": 1, "parent_category_key": "garden"}),
            ("Partners", {"applicant_visibility": "admin_only"}),
            ("Elsewhere", {"event_keys": []}),
        )
    ):
        organiser.make("/categories", {"title": title, "event_keys": ["garden"], **more})
        organiser.make(
            "/custom-fields",
            {
                "entity_type": "application",
                "field_label": title,
                "field_key": f"field{number}",
                "applicant_visibility": "editable" if number < 2 else "visible",
                "display_order": 9 - number,
                **(
                    {"field_type": "select", "field_options": ["a"], "is_required": True}
                    if number
                    else {}
                ),
            },
        )
    organiser.make(
        "/custom-fields",
        {"entity_type": "contact", "field_label": "x", "applicant_visibility": "editable"},
    )
    answer = person("public").get("/applications/events", status=200).json
    assert answer["data"][0]["categories"] == [
        {
            "category_key": "roses",
            "parent_category_key": "garden",
            "title": "Roses",
            "description": None,
            "approval": "manual",
        },
        {
            "category_key": "plants",
            "parent_category_key": None,
            "title": "Plants",
            "description": "Nurseries",
            "approval": "manual",
        },
    ]
    text = {"field_type": "text", "field_options": [], "is_required": False}
    choice = {
        "field_type": "select",
        "field_options": [{"value": "a", "label": "a"}],
        "is_required": True,
    }
    assert answer["meta"]["custom_fields"] == [
        {
            "field_key": "field1",
            "field_label": "Garden",
            "field_labels": {},
            "field_help": {},
            "section_key": None,
            "validation_rules": {},
            **choice,
        },
        {
            "field_key": "field0",
            "field_label": "Plants",
            "field_labels": {},
            "field_help": {},
            "section_key": None,
            "validation_rules": {},
            **text,
        },
    ]


def test_categories_have_prices_at_events_whose_pages_show_them(organiser, person, fair):
    show, hidden = (
        organiser.make(
            "/events", {"title": title, "event_key": title.lower(), "date_from": day(30)}
        )["id"]
        for title in ("Shown", "Hidden")
    )
    for title, price, rate in (("Free", None, None), ("Plants", 450.5, 7.7)):
        organiser.make(
            "/categories",
            {
                "title": title,
                "base_price": price,
                "tax_rate": rate,
                "event_keys": ["garden", "shown", "hidden"],
            },
        )
    for id, shown in ((show, True), (hidden, True), (hidden, False)):
        organiser.patch(f"/events/{id}/pages", {"show_prices": shown}, status=200)

    def offered(scope):
        found = person(scope).get("/applications/events", status=200).json["data"]
        return {
            event["event_key"]: [
                {name: one[name] for name in ("price", "tax_rate") if name in one}
                for one in event["categories"]
            ]
            for event in found
        }

    prices = [{"price": None, "tax_rate": None}, {"price": 450.5, "tax_rate": 7.7}]
    for scope in ("public", "applications:create", "applications:read"):
        assert offered(scope) == {"garden": [{}, {}], "shown": prices, "hidden": [{}, {}]}


# CORS


def ask(app, key, method="GET", path="/api/v1/applications/events", **headers):
    sent = {"Authorization": f"Bearer {key}", "Origin": PAGE, **headers}
    return app.request(path, method=method, headers=sent, expect_errors=True)


def test_without_the_option_no_response_has_cors_headers(app, db):
    response = ask(app, add_key(db, "public"))
    assert response.status_int == 200 and "Access-Control-Allow-Origin" not in response.headers
    preflight = {"Origin": PAGE, "Access-Control-Request-Method": "POST"}
    assert app.request("/api/v1/applications", method="OPTIONS", headers=preflight, status=401)


@pytest.mark.parametrize(
    "scopes, is_shared",
    [
        ("public", True),
        ("applications:create", True),
        ("applications:create public", True),
        ("applications", False),
        ("applications:create applications:read", False),
        (SCOPES, False),
    ],
)
def test_only_keys_for_web_pages_get_cors_headers(shared_with_pages, db, scopes, is_shared):
    response = ask(shared_with_pages, add_key(db, scopes))
    assert response.status_int == 200
    assert (response.headers.get("Access-Control-Allow-Origin") == PAGE) == is_shared
    assert "Access-Control-Allow-Credentials" not in response.headers
    assert "Origin" in ", ".join(response.headers.getall("Vary"))


def test_other_origins_get_no_cors_headers(shared_with_pages, db):
    key = add_key(db, "public")
    for origin in (
        "https://example.org",
        "https://www.example.org.evil.example",
        "https://www.example.org:8443",
        "http://www.example.org",
        "null",
        "*",
        "HTTPS://WWW.EXAMPLE.ORG",
    ):
        response = ask(shared_with_pages, key, Origin=origin)
        assert (
            response.status_int == 200 and "Access-Control-Allow-Origin" not in response.headers
        ), origin


def test_a_page_can_read_the_faults_of_its_form(shared_with_pages, db, organiser, fair):
    key = add_key(db, "applications:create")
    response = shared_with_pages.post_json(
        "/api/v1/applications",
        {"event_keys": ["garden"], "emial": "x"},
        expect_errors=True,
        headers={"Authorization": f"Bearer {key}", "Origin": PAGE},
    )
    assert response.status_int == 422 and response.headers["Access-Control-Allow-Origin"] == PAGE


def test_a_preflight_from_an_allowed_origin_needs_no_key(shared_with_pages):
    def preflight(path="/api/v1/applications", origin=PAGE, **headers):
        sent = {
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
            **headers,
        }
        return shared_with_pages.request(path, method="OPTIONS", headers=sent, expect_errors=True)

    response = preflight()
    assert (response.status_int, response.headers["Access-Control-Allow-Origin"]) == (204, PAGE)
    assert "POST" in response.headers["Access-Control-Allow-Methods"].split(", ")
    assert {"Authorization", "Content-Type"} <= set(
        response.headers["Access-Control-Allow-Headers"].split(", ")
    )
    assert preflight(path="/api/v1/nothing").status_int == 404
    plain = shared_with_pages.request(
        "/api/v1/applications", method="OPTIONS", headers={"Origin": PAGE}, status=401
    )
    assert "Access-Control-Allow-Origin" not in plain.headers


def test_a_preflight_from_another_origin_says_which_option_to_change(
    shared_with_pages, caplog, monkeypatch
):
    clock = [1000.0]
    monkeypatch.setattr(cors, "_next_warning", 0.0)
    monkeypatch.setattr(cors, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def preflight(origin):
        headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        return shared_with_pages.request(
            "/api/v1/applications", method="OPTIONS", headers=headers, status=403
        )

    response = preflight("https://example.org")
    assert (response.content_type, response.json["code"]) == (
        "application/problem+json",
        "origin_not_allowed",
    )
    assert (
        "https://example.org" in response.json["detail"]
        and "`cors_origins`" in response.json["detail"]
    )
    assert (
        "Access-Control-Allow-Origin" not in response.headers
        and response.headers["Vary"] == "Origin"
    )
    for origin in ("http://www.example.org", "null", "*", "HTTPS://WWW.EXAMPLE.ORG", "x" * 5000):
        assert len(preflight(origin).json["detail"]) < 500
    clock[0] += 59
    preflight("https://example.org")
    assert [record.args for record in caplog.records if record.name == "eventapi.cors"] == [
        ("https://example.org",)
    ]
    clock[0] += 1
    preflight("https://other.example")
    logged = [record.args for record in caplog.records if record.name == "eventapi.cors"]
    assert logged == [("https://example.org",), ("https://other.example",)]


@pytest.mark.parametrize(
    "text, origins",
    [
        ("", ()),
        ("https://a.example", ("https://a.example",)),
        (
            "https://a.example, http://localhost:3000",
            ("https://a.example", "http://localhost:3000"),
        ),
    ],
)
def test_origins_are_read_from_the_configuration(text, origins):
    assert load_config(environ={"EVENTAPI_CORS_ORIGINS": text}).cors_origins == origins


@pytest.mark.parametrize(
    "text",
    [
        "*",
        "https://a.example/",
        "https://*.example.org",
        "a.example",
        "null",
        "https://a.example,*",
        "https://A.example",
    ],
)
def test_other_values_are_refused_at_start_up(text):
    with pytest.raises(ConfigError, match="cors_origins"):
        load_config(environ={"EVENTAPI_CORS_ORIGINS": text})
