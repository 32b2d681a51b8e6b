"""Templates of documents."""

import pytest


def test_a_template_is_created_read_changed_and_deleted(organiser):
    template = organiser.make(
        "/documents/templates",
        {"name": "Offer", "body": "<h1>Offer to {{contact.company_name}}</h1>"},
    )
    address = f"/documents/templates/{template['id']}"
    assert (
        template["key"] == "offer"
        and template["is_contract"] is False
        and organiser.data(address) == template
    )
    changed = organiser.patch(
        address, {"body": "<p>{{ today }}</p>", "is_contract": True}, status=200
    ).json["data"]
    assert changed["body"] == "<p>{{ today }}</p>" and changed["is_contract"] is True
    assert organiser.data("/documents/templates?is_contract=1") == [changed]
    assert organiser.data("/documents/templates?is_contract=0") == []
    organiser.delete(address, status=204)


@pytest.mark.parametrize(
    "body, place",
    [
        ("<p>{{contact.password}}</p>", "line 1, column 4"),
        ("<p>\n<script>alert(1)</script></p>", "line 2, column 1"),
        ("<p onclick='x'>a</p>", "line 1, column 1"),
        ("<p>a", "line 1, column 1"),
        ("<!-- a -->", "line 1, column 1"),
        ("a &bogus; b", "line 1, column 3"),
    ],
)
def test_unsupported_markup_is_refused_with_line_and_column(organiser, body, place):
    errors = organiser.post("/documents/templates", {"name": "x", "body": body}, status=422).json[
        "errors"
    ]
    assert errors[0]["pointer"] == "/body" and errors[0]["detail"].startswith(place)
    template = organiser.make("/documents/templates", {"name": "x", "body": "<p>fine</p>"})
    organiser.patch(f"/documents/templates/{template['id']}", {"body": body}, status=422)


def test_all_faults_are_reported_together(organiser):
    errors = organiser.post(
        "/documents/templates",
        {"name": "x", "category_key": "none", "body": "<p>{{a}} {{b}}</p><img>"},
        status=422,
    ).json["errors"]
    assert [(entry["pointer"], entry["code"]) for entry in errors] == [
        ("/category_key", "unknown"),
        ("/body", "placeholder"),
        ("/body", "placeholder"),
        ("/body", "not_allowed"),
    ]


def test_every_listed_placeholder_can_be_used(organiser):
    listed = organiser.data("/documents/templates/placeholders")
    names = [entry["placeholder"] for entry in listed["placeholders"]]
    assert "{{contact.company_name}}" in names and "{{today}}" in names
    organiser.make(
        "/documents/templates", {"name": "all", "body": "".join(f"<p>{name}</p>" for name in names)}
    )


def test_a_template_with_documents_cannot_be_deleted(organiser):
    template = organiser.make("/documents/templates", {"name": "Offer", "body": "<p>x</p>"})
    event = organiser.make("/events", {"title": "Fair"})
    organiser.make(
        "/documents",
        {"entity_type": "event", "entity_id": event["id"], "template_id": template["id"]},
    )
    assert organiser.delete(f"/documents/templates/{template['id']}", status=409).json[
        "used_by"
    ] == ["documents"]


def test_every_placeholder_of_a_contact_shows_its_value(organiser):
    values = {
        "company_name": "Stadt Musterstadt",
        "first_name": "Eva",
        "last_name": "Muster",
        "phone": "+49 341 1",
        "email": "eva@stadt.example",
        "address": "Markt 1",
        "postal_code": "12345",
        "city": "Musterstadt",
        "state": "Sachsen",
        "website": "https://stadt.example",
        "tax_id": "DE136695976",
        "leitweg_id": "991-33333TEST-33",
        "gln": "4012345000009",
    }
    contact = organiser.make("/contacts", {**values, "country": "DE", "language": "en"})
    shown = {
        **values,
        "customer_number": contact["customer_number"],
        "name": values["company_name"],
        "person": "Eva Muster",
        "country": "Germany",
    }
    listed = organiser.data("/documents/templates/placeholders")["placeholders"]
    names = [
        entry["placeholder"][2:-2]
        for entry in listed
        if entry["placeholder"].startswith("{{contact.")
    ]
    template = organiser.make(
        "/documents/templates",
        {"name": "all", "body": "".join(f"<p>{name} {{{{{name}}}}}</p>" for name in names)},
    )
    made = organiser.make(
        "/documents",
        {"entity_type": "contact", "entity_id": contact["id"], "template_id": template["id"]},
    )
    assert made["content"] == "".join(
        f"<p>{name} {shown.pop(name.partition('.')[2])}</p>" for name in names
    )
    assert shown == {}


BODY = "<h1>{{document.title}}</h1><p>{{contact.name}} &amp; {{organiser.name}}</p>"


@pytest.fixture
def exhibitor(organiser):
    organiser.make("/events", {"title": "Fair", "event_key": "fair"})
    contact = organiser.make("/contacts", {"company_name": "Rosen <KG>", "language": "de"})
    return organiser.make("/participants", {"event_key": "fair", "contact_id": contact["id"]})


def test_a_preview_has_the_values_of_a_participant_and_stores_nothing(organiser, exhibitor):
    asked = {"body": BODY, "is_contract": True, "participant_id": exhibitor["id"]}
    page = organiser.post("/documents/templates/preview", asked, status=200)
    assert page.content_type == "text/html" and "sandbox" in page.headers["Content-Security-Policy"]
    assert "<p>Rosen &lt;KG&gt; &amp;" in page.text and "Unterschrift" in page.text
    assert "<title>Vorschau</title>" in page.text
    accept = {"Accept": "application/pdf"}
    pdf = organiser.post("/documents/templates/preview", asked, status=200, headers=accept)
    assert pdf.content_type == "application/pdf" and pdf.body.startswith(b"%PDF")
    assert organiser.data("/documents") == [] and organiser.data("/documents/templates") == []


def test_a_preview_needs_a_body(organiser, exhibitor):
    refused = organiser.post("/documents/templates/preview", {"participant_id": 1}, status=422)
    assert [(each["pointer"], each["code"]) for each in refused.json["errors"]] == [
        ("/body", "required")
    ]


def test_a_preview_is_no_longer_than_a_document(organiser, exhibitor):
    """Drawing what the same name a thousand times becomes took 18 seconds."""
    contact = organiser.make("/contacts", {"company_name": "R" * 200})
    other = organiser.make("/participants", {"event_id": 1, "contact_id": contact["id"]})
    body = f"<p>{'{{contact.name}} ' * 1500}</p>"
    asked = {"body": body, "participant_id": other["id"]}
    refused = organiser.post("/documents/templates/preview", asked, status=422).json["errors"]
    assert [(each["pointer"], each["code"]) for each in refused] == [("/body", "too_long")]
    organiser.post("/documents/templates/preview", {"body": body}, status=200)


def test_a_preview_without_a_participant_has_gaps(organiser):
    page = organiser.post("/documents/templates/preview", {"body": BODY}, status=200).text
    assert "<p>________ &amp;" in page and "Signature" not in page
    asked = {"body": BODY, "is_contract": True}
    page = organiser.post("/documents/templates/preview", asked, status=200).text
    assert "<b>________</b>" in page and "Signature" in page


def test_a_preview_refuses_what_a_template_cannot_have(organiser):
    asked = {"body": "<p>{{contact.nick}} {{contact.nick}} {{ x }}</p><img>", "participant_id": 99}
    errors = organiser.post("/documents/templates/preview", asked, status=422).json["errors"]
    assert [(each["pointer"], each["code"]) for each in errors] == [
        ("/participant_id", "unknown"),
        ("/body", "not_allowed"),
        ("/body", "unknown_placeholder"),
        ("/body", "unknown_placeholder"),
    ]


def test_a_preview_with_a_participant_needs_the_scopes_of_its_values(person, exhibitor):
    asked = {"body": BODY, "participant_id": exhibitor["id"]}
    reader = person("documents:read")
    reader.post("/documents/templates/preview", {"body": BODY}, status=200)
    for scopes in ("documents:read", "documents:read participants:read", "participants contacts"):
        person(scopes).post("/documents/templates/preview", asked, status=403)
    reader = person("documents:read participants:read contacts:read")
    assert "Rosen" in reader.post("/documents/templates/preview", asked, status=200).text
