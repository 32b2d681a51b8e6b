"""The page of contracts below "Set up": templates that are written as text, and their preview."""

import re

import pytest

from tests.support import own_script

TEXT = "# Contract {{document.number}}\n\n**{{contact.name}}** takes part.\n\n- Booth {{booths.numbers}}"
HTML = (
    "<h1>Contract {{document.number}}</h1>\n<p><strong>{{contact.name}}</strong> takes part.</p>\n"
    "<ul><li>Booth {{booths.numbers}}</li></ul>"
)
TABLE = "<table><tr><td>{{booths.numbers}}</td></tr></table>"


def form_of(visitor, address):
    """Return the form of a template: the one with its body."""
    forms = visitor.get(address).forms.values()
    return next(form for form in forms if "body" in form.fields)


def submit(visitor, form, button=None, status=303):
    return form.submit(button, headers=visitor.headers, status=status)


def test_a_template_is_written_as_text_and_stored_as_html(office, organiser, fair):
    page = office.get("/desk/setup/contracts?event=fair")
    assert "No template yet" in page.text
    form = form_of(office, "/desk/edit/document_templates?back=setup/contracts")
    assert form["is_contract"].checked
    form["name"] = "Exhibitor contract"
    form["body"] = TEXT
    assert "setup/contracts" in submit(office, form).headers["Location"]

    [template] = organiser.data("/documents/templates")
    assert template["body"] == HTML and template["is_contract"] is True
    assert template["key"] == "exhibitor-contract"
    page = office.get("/desk/setup/contracts?event=fair")
    assert "Exhibitor contract" in page.text

    form = form_of(office, f"/desk/edit/document_templates/{template['id']}")
    assert form["body"].value.replace("\r\n", "\n") == TEXT and form["written"].value == "text"
    form["body"] = TEXT + "\n- <b>Power</b> & light"
    submit(office, form)
    changed = organiser.data(f"/documents/templates/{template['id']}")
    item = "<li>&lt;b&gt;Power&lt;/b&gt; &amp; light</li></ul>"
    assert changed["body"] == HTML.replace("</ul>", item)


def test_a_body_with_a_table_is_edited_as_html(office, organiser, fair):
    template = organiser.make("/documents/templates", {"name": "Table", "body": TABLE})
    address = f"/desk/edit/document_templates/{template['id']}"
    assert "That is why its HTML stands here." in office.get(address).text
    form = form_of(office, address)
    assert form["body"].value == TABLE and form["written"].value == "html"
    form["body"] = TABLE + "<p># no heading</p>"
    submit(office, form)
    changed = organiser.data(f"/documents/templates/{template['id']}")
    assert changed["body"] == TABLE + "<p># no heading</p>"

    form["body"] = "<script>alert(1)</script>"
    page = submit(office, form, status=(412, 422))
    assert "<script" not in own_script.without(page.text)


def test_an_unknown_placeholder_is_named_and_nothing_is_lost(office, organiser, fair):
    form = form_of(office, "/desk/edit/document_templates")
    form["name"] = "Contract"
    form["body"] = "Dear {{contact.nick}},\n\nsee {{event.title}}"
    page = submit(office, form, status=422)
    assert "These do not exist: {{contact.nick}}" in page.text
    assert form_in(page)["body"].value.replace("\r\n", "\n") == form["body"].value
    assert organiser.data("/documents/templates") == []


def form_in(page):
    return next(form for form in page.forms.values() if "body" in form.fields)


def test_a_preview_is_a_pdf_of_what_was_typed_and_stores_nothing(office, organiser, fair):
    form = form_of(office, "/desk/edit/document_templates?event=fair")
    assert [text for _, _, text in form["exhibitor"].options] == [
        "Nobody: gaps stay empty",
        "Rosen KG",
    ]
    form["name"] = "Contract"
    form["body"] = TEXT
    form["exhibitor"] = str(fair.exhibitor["id"])
    answer = submit(office, form, "preview", 200)
    assert answer.content_type == "application/pdf" and answer.body.startswith(b"%PDF")
    assert answer.headers["Cache-Control"] == "no-store"
    assert organiser.data("/documents/templates") == [] and organiser.data("/documents") == []

    form["body"] = "{{contact.nick}}"
    page = submit(office, form, "preview", 422)
    assert "These do not exist: {{contact.nick}}" in page.text


@pytest.mark.parametrize("language", ["de", "en"])
def test_all_placeholders_stand_beside_the_form(desk, organiser, fair, language):
    page = desk(language=language).get("/desk/edit/document_templates?event=fair").text
    shown = re.findall(r'<code data-insert="f-body">([^<]*)</code>', page)
    listed = organiser.data("/documents/templates/placeholders")["placeholders"]
    known = {each["placeholder"] for each in listed} - {"{{metadata.NAME}}"}
    assert set(shown) == known and len(shown) == len(known)


def test_a_reader_sees_templates_and_no_form(desk, organiser, fair):
    template = organiser.make("/documents/templates", {"name": "Contract", "body": "<p>a</p>"})
    reader = desk("documents:read events:read")
    page = reader.get("/desk/setup/contracts?event=fair").text
    assert "Contract" in page and "edit/document_templates" not in page
    reader.get(f"/desk/edit/document_templates/{template['id']}", 403)
    desk("events:read").get("/desk/setup/contracts?event=fair", 403)


def test_without_contacts_a_preview_offers_nobody(desk, fair):
    writer = desk("documents events:read participants:read")
    page = writer.get("/desk/edit/document_templates?event=fair").text
    assert "Rosen KG" not in page and 'name="exhibitor"' not in page
