"""Short texts are one line, and web addresses lead to web pages."""

import pytest

from eventapi.validation.schema_files import body_schema, document, resource_names


@pytest.mark.parametrize(
    "text", ["Fair\r\nX-Injected: 1", "a\nb", "a\tb", "a\x1b[31mb", "a\x7fb", "a\u2028b", "a\x85b"]
)
def test_names_with_control_characters_are_refused(organiser, text):
    for path, field, body in (
        ("/events", "title", {}),
        ("/contacts", "company_name", {}),
        ("/tasks", "title", {}),
    ):
        answer = organiser.post(path, {**body, field: text}, status=422)
        assert [(fault["pointer"], fault["code"]) for fault in answer.json["errors"]] == [
            (f"/{field}", "format")
        ]
        assert "must be one line" in answer.json["errors"][0]["detail"]


def test_white_space_around_a_name_is_trimmed_and_long_texts_keep_their_lines(organiser):
    event = organiser.make(
        "/events", {"title": "\r\n Fair \n", "description": "First.\r\n\tSecond."}
    )
    assert (event["title"], event["description"]) == ("Fair", "First.\r\n\tSecond.")
    contact = organiser.make("/contacts", {"last_name": "King", "address": "Hall 3\nMain Road 1"})
    assert contact["address"] == "Hall 3\nMain Road 1"


def test_a_stored_name_with_a_line_break_stays_readable_and_other_fields_can_change(organiser, db):
    event = organiser.make("/events", {"title": "Fair"})
    db.connection.execute("UPDATE events SET title = 'Fair' || char(10) || '2020'")
    path = f"/events/{event['id']}"
    assert organiser.data(path)["title"] == "Fair\n2020"
    assert (
        organiser.patch(path, {"city": "Halle"}, status=200).json["data"]["title"] == "Fair\n2020"
    )
    assert (
        organiser.patch(path, {"title": "Fair 2020"}, status=200).json["data"]["title"]
        == "Fair 2020"
    )


@pytest.mark.parametrize(
    "website",
    [
        "https://www.example.org/a?b#c",
        "http://example.org",
        "www.example.org",
        "example.org/a:1",
        "example.org:8080/x",
        "HTTPS://EXAMPLE.ORG",
        "ärzte.example",
    ],
)
def test_web_addresses_with_and_without_a_scheme_are_accepted(organiser, website):
    assert (
        organiser.make("/contacts", {"last_name": "King", "website": website})["website"] == website
    )


@pytest.mark.parametrize(
    "website",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x",
        "https:evil",
        "//evil.example",
        "java\nscript:alert(1)",
        "ftp://x.org",
        "\\\\server\\share",
        "a b.example",
    ],
)
def test_other_schemes_are_refused(organiser, website):
    for path in ("/contacts", "/applications"):
        answer = organiser.post(path, {"last_name": "King", "website": website}, status=422)
        assert "/website" in [fault["pointer"] for fault in answer.json["errors"]], answer.text


def test_every_short_text_of_a_body_has_a_rule():
    """A name or key that a client sends has a format, a pattern or an enum; only longer texts have
    several lines.
    """
    for name in resource_names():
        if "properties" not in document(name):
            continue
        for field, schema in body_schema(name)["properties"].items():
            if (
                schema is not True
                and "string" in schema.get("type", ())
                and schema.get("maxLength", 999) <= 255
            ):
                assert {"format", "pattern", "enum"} & schema.keys(), f"{name}.{field}"
