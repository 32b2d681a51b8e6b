"""The page of the desk on which the office decides what the form of exhibitors asks."""

import pytest

from eventapi.domain.public_forms import drafts
from eventapi.domain.records import field_definitions
from eventapi.pages.desk.form_editor import moved_order, options_of, order_of
from eventapi.web.html import tokens

ADDRESS = "/desk/setup/apply"


@pytest.fixture
def event(organiser):
    return organiser.make(
        "/events", {"title": "Fair", "event_key": "fair", "date_from": "2027-05-01"}
    )


@pytest.fixture
def pages(organiser, event):
    """Return a function that reads the settings of the pages."""
    return lambda: organiser.data(f"/events/{event['id']}/pages")


def fields_of(page):
    [form] = [form for form in page.forms.values() if "tag" in form.fields]
    return {name: value for name, value in form.submit_fields() if name != "form_token"}


def place_of(fields, field):
    """Return what the names of the row of a field begin with."""
    assert f"form/{field}/ask" in fields
    return f"form/{field}"


def rows_of(page):
    """Return the fields of the rows of the page, in their order."""
    return [each["name"].split("/")[1] for each in page.html.select(".qs select[id$='/ask']")]


def save(office, fields, status=303):
    return office.submit(office.get(ADDRESS), ADDRESS, fields, status)


def test_a_form_that_is_saved_as_it_is_asks_what_it_asked(office, organiser, event, pages):
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "application",
            "field_label": "Way",
            "field_type": "select",
            "field_options": [{"value": "a", "label": "Air"}, "b"],
            "applicant_visibility": "editable",
            "is_required": True,
        },
    )
    before = pages(), organiser.data("/custom-fields")
    save(office, fields_of(office.get(ADDRESS)))
    assert pages()["apply_form"] == before[0]["apply_form"]
    assert organiser.data("/custom-fields") == before[1]


@pytest.mark.parametrize("labels", [{"en": "Way"}, {"de": "Weg"}, {"de": "Weg", "en": "Way"}, {}])
def test_a_question_in_one_language_gets_no_other_one_by_saving(office, organiser, event, labels):
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "application",
            "field_label": "Way",
            "field_labels": labels,
            "applicant_visibility": "editable",
        },
    )
    before = organiser.data("/custom-fields")
    save(office, fields_of(office.get(ADDRESS)))
    assert organiser.data("/custom-fields") == before


def test_fields_are_asked_left_out_and_moved(office, event, pages):
    fields = fields_of(office.get(ADDRESS))
    fields[place_of(fields, "phone") + "/ask"] = "none"
    fields[place_of(fields, "website") + "/ask"] = "required"
    fields[place_of(fields, "message") + "/place"] = "1"
    save(office, fields)
    asked = [(each["field"], each["ask"]) for each in pages()["apply_form"]]
    assert asked == [
        ("message", "optional"),
        ("company_name", "optional"),
        ("person", "required"),
        ("address", "required"),
        ("categories", "optional"),
        ("website", "required"),
    ]


def test_a_question_is_added_changed_and_switched_off(office, organiser, event, pages):
    fields = fields_of(office.get(ADDRESS))
    new = place_of(fields, "question")
    typed = {
        "/place": "3",
        "/ask": "required",
        "/question/field_labels/de": "Haben Sie einen eigenen Tisch?",
        "/question/field_labels/en": "Do you bring your own table?",
        "/question/field_type": "select",
        "/question/field_options": "ja | yes\nnein, bitte stellen | no, please provide one\n",
        "/question/field_help/de": "Tische kosten 12,00 EUR.",
        "/question/asks_visitors": "1",
    }
    save(office, {**fields, **{new + name: value for name, value in typed.items()}})
    found = pages()
    [table] = organiser.data("/custom-fields")
    key = table["field_key"]
    assert found["apply_form"][2] == {"field": f"custom.{key}", "ask": "required"}
    assert found["visit_fields"] == [key]
    assert table["field_labels"] == {
        "de": "Haben Sie einen eigenen Tisch?",
        "en": "Do you bring your own table?",
    }
    assert table["field_options"] == [
        {"value": "ja", "label": "ja", "labels": {"de": "ja", "en": "yes"}},
        {
            "value": "nein, bitte stellen",
            "label": "nein, bitte stellen",
            "labels": {"de": "nein, bitte stellen", "en": "no, please provide one"},
        },
    ]

    page = office.get(ADDRESS)
    assert "Do you bring your own table?" in page
    fields = fields_of(page)
    row = place_of(fields, f"custom.{key}")
    fields[row + "/question/field_options"] = "ja, einen | yes\nnein, bitte stellen\nnur Wand"
    del fields[row + "/question/asks_visitors"]
    save(office, fields)
    [table] = organiser.data("/custom-fields")
    assert [(each["value"], each["label"]) for each in table["field_options"]] == [
        ("ja, einen", "ja, einen"),
        ("nein, bitte stellen", "nein, bitte stellen"),
        ("nur Wand", "nur Wand"),
    ]
    assert pages()["visit_fields"] == []

    fields = fields_of(office.get(ADDRESS))
    row = place_of(fields, f"custom.{key}")
    save(office, {**fields, row + "/question/is_off": "1"})
    [table] = organiser.data("/custom-fields")
    assert table["is_active"] is False
    assert f"custom.{key}" not in [each["field"] for each in pages()["apply_form"]]
    assert "switched off" in office.get(ADDRESS)


def test_a_question_that_is_refused_keeps_everything_that_was_typed(
    office, organiser, event, pages
):
    fields = fields_of(office.get(ADDRESS))
    new = place_of(fields, "question")
    fields[place_of(fields, "company_name") + "/ask"] = "required"
    fields |= {
        new + "/place": "1",
        new + "/question/field_labels/de": "<b>Tisch?</b>",
        new + "/question/field_type": "select",
    }
    page = save(office, fields, 422)
    assert page.html.title.text.startswith("Error:")
    # the row stands where it was moved to, and its fault beside its answers
    again = fields_of(page)
    assert rows_of(page)[:2] == ["question", "company_name"]
    assert again["form/question/question/field_labels/de"] == "<b>Tisch?</b>"
    assert again["form/company_name/ask"] == "required"
    assert page.html.find(id="e-form/question/question/field_options")
    assert "<b>Tisch" not in page.text
    assert organiser.data("/custom-fields") == []
    assert pages()["updated_at"] is None


def test_prices_are_shown_with_tax_until_the_office_says_otherwise(office, event, pages):
    fields = fields_of(office.get(ADDRESS))
    assert fields["price_display"] == "gross"
    save(office, {**fields, "show_prices": "1", "price_display": "net"})
    found = pages()
    assert (found["show_prices"], found["price_display"]) == (True, "net")


def test_a_person_without_the_scope_moves_questions_but_does_not_change_them(
    organiser, desk, event, pages
):
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "application",
            "field_key": "way",
            "field_label": "Way",
            "applicant_visibility": "editable",
        },
    )
    visitor = desk("events")
    page = visitor.get(ADDRESS)
    fields = fields_of(page)
    row = place_of(fields, "custom.way")
    fields |= {row + "/place": "1", row + "/question/field_labels/de": "Weg"}
    visitor.submit(page, ADDRESS, fields, 303)
    assert pages()["apply_form"][0] == {"field": "custom.way", "ask": "optional"}
    assert organiser.data("/custom-fields")[0]["field_labels"] == {}


ROWS = {f"form/{name}/ask": ["required"] for name in "abcd"}


@pytest.mark.parametrize(
    "places, expected",
    [
        ({}, "abcd"),
        ({"d": "1"}, "dabc"),
        ({"a": "3"}, "bcad"),
        ({"a": "99"}, "bcda"),
        ({"b": ""}, "abcd"),
        ({"b": "-1", "c": "x"}, "abcd"),
        ({"a": "4", "d": "1"}, "dbca"),
        ({"a": "2", "b": "3", "c": "1"}, "cabd"),
    ],
)
def test_a_row_goes_to_the_place_that_was_typed(places, expected):
    given = ROWS | {f"form/{name}/place": [place] for name, place in places.items()}
    assert "".join(order_of(given)) == expected


@pytest.mark.parametrize(
    "button, field, expected, focus",
    [
        ("up", "c", "acbd", "up"),
        ("down", "c", "abdc", "up"),
        ("up", "b", "bacd", "down"),
        ("down", "b", "acbd", "down"),
        ("up", "a", "abcd", "down"),
        ("down", "d", "abcd", "up"),
        ("up", "x", "abcd", None),
    ],
)
def test_a_button_moves_a_row_and_has_the_focus_again(button, field, expected, focus):
    """At an end of the list, the focus goes to the button that leads back."""
    order, moved = moved_order({**ROWS, button: [field]})
    assert "".join(order) == expected
    assert moved == (focus and (field, focus))


def test_the_arrows_move_a_row_on_the_page_and_store_nothing(office, event, pages):
    fields = fields_of(office.get(ADDRESS))
    fields["form/phone/ask"] = "required"
    page = save(office, {**fields, "up": "phone"}, 200)
    assert rows_of(page)[:3] == ["company_name", "phone", "person"]
    assert "not saved" in page
    focused = page.html.find("button", autofocus=True)
    assert (focused["name"], focused["value"]) == ("up", "phone")
    assert focused.text.split() == "↑ Move field “Telephone” up".split()
    assert pages()["updated_at"] is None

    page = save(office, {**fields_of(page), "up": "phone"}, 200)
    assert rows_of(page)[:3] == ["phone", "company_name", "person"]
    assert page.html.find("button", autofocus=True)["name"] == "down"
    save(office, fields_of(page))
    assert pages()["apply_form"][0] == {"field": "phone", "ask": "required"}


def test_an_answer_keeps_its_value_when_its_words_change():
    known = {
        "field_options": [
            {"value": "y", "label": "ja", "labels": {"de": "ja", "en": "yes"}},
            {"value": "n", "label": "nein"},
        ]
    }
    given = {"q/field_options": ["nein\nja, gern | yes"]}
    assert options_of(given, "q", known) == [
        {"value": "n", "label": "nein"},
        {"value": "ja, gern", "label": "ja, gern", "labels": {"de": "ja, gern", "en": "yes"}},
    ]
    given = {"q/field_options": ["ja, gern | yes\nnein"]}
    assert options_of(given, "q", known)[0] == {
        "value": "y",
        "label": "ja, gern",
        "labels": {"de": "ja, gern", "en": "yes"},
    }


def test_an_answer_that_was_given_is_named_when_it_goes(office, organiser, event):
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "application",
            "field_label": "Way",
            "field_type": "select",
            "field_options": ["air", "rail"],
            "applicant_visibility": "editable",
        },
    )
    sent = {"email": "ada@rosen.example", "event_keys": ["fair"], "custom_fields": {"way": "rail"}}
    organiser.make("/applications", sent)
    fields = fields_of(office.get(ADDRESS))
    row = place_of(fields, "custom.way")
    page = save(office, {**fields, row + "/question/field_options": "air"}, 409)
    fault = page.html.find(id=f"e-{row}/question/field_options")
    assert fault.text == "An answer that somebody has chosen must stay."
    kind = {row + "/question/field_type": "text", row + "/question/field_options": ""}
    page = save(office, {**fields, **kind}, 409)
    assert page.html.find(id=f"e-{row}/question/field_type")


def test_rows_that_no_page_has_are_refused_and_shown(office, event, pages):
    fields = fields_of(office.get(ADDRESS))
    page = save(office, {**fields, "form/fax<b>/ask": "maybe"}, 422)
    assert "fax&lt;b&gt;" in page.text and "fax<b>" not in page.text
    assert page.html.find(id="f-form/fax<b>/ask")["aria-invalid"] == "true"
    only_tag = {"tag": fields["tag"]}
    save(office, only_tag, 422)
    assert pages()["updated_at"] is None


def test_a_question_that_somebody_else_changed_is_not_changed_back(office, organiser, event, pages):
    field = organiser.make(
        "/custom-fields",
        {"entity_type": "application", "field_label": "Way", "applicant_visibility": "editable"},
    )
    mine = fields_of(office.get(ADDRESS))
    organiser.patch(f"/custom-fields/{field['id']}", {"field_labels": {"de": "Weg"}}, status=200)
    row = place_of(mine, f"custom.{field['field_key']}")
    mine[row + "/question/field_help/de"] = "Wie kommen Sie?"
    page = save(office, mine, 412)
    [found] = organiser.data("/custom-fields")
    assert (found["field_labels"], found["field_help"]) == ({"de": "Weg"}, {})
    # what was typed is there, and saving it again is meant
    again = fields_of(page)
    assert again[row + "/question/field_help/de"] == "Wie kommen Sie?"
    save(office, again)
    [found] = organiser.data("/custom-fields")
    assert found["field_help"] == {"de": "Wie kommen Sie?"}


@pytest.mark.parametrize("count", [179, 180, 181, 200])
def test_a_form_keeps_each_of_many_questions(office, event, pages, db, count):
    """200 custom fields of applications are the most that there can be."""
    ask(db, count)
    fields = fields_of(office.get(ADDRESS))
    fields["form/website/ask"] = "required"
    save(office, fields)
    asked = [each["field"] for each in pages()["apply_form"]]
    assert [each for each in asked if each.startswith("custom.")] == [
        f"custom.question_{number}" for number in range(count)
    ]
    assert len(asked) == count + 7

    # all of the fields, and the row of a new question, which is empty
    names = ("phone", "tax_id", "is_business", "booth_type", "requested_area")
    fields = fields_of(office.get(ADDRESS)) | {f"form/{name}/ask": "required" for name in names}
    save(office, fields)
    assert len(pages()["apply_form"]) == count + 11


def test_a_question_too_many_is_refused_with_a_sentence_and_nothing_is_lost(
    office, organiser, event, pages, db
):
    ask(db, 200)
    fields = fields_of(office.get(ADDRESS))
    fields["form/company_name/ask"] = "required"
    fields["form/question/question/field_labels/en"] = "The last straw?"
    page = save(office, fields, 409)
    fault = page.html.find(id="e-form/question/question/field_labels/de")
    assert fault.text.startswith("There are 200 custom fields of applications already")
    again = fields_of(page)
    assert again["form/question/question/field_labels/en"] == "The last straw?"
    assert again["form/company_name/ask"] == "required"
    assert pages()["updated_at"] is None

    again["form/question/question/field_labels/en"] = ""
    save(office, again)
    found = pages()["apply_form"]
    assert found[0] == {"field": "company_name", "ask": "required"}
    assert len(found) == 206


def test_more_rows_than_a_form_can_have_are_refused_with_a_sentence(office, event, pages, db):
    ask(db, 200)
    fields = fields_of(office.get(ADDRESS))
    more = {f"form/custom.gone_{number}/ask": "optional" for number in range(2)}
    page = save(office, {**fields, **more}, 422)
    assert page.html.find(id="e-form").text.startswith("The form has too many fields: at most 212")
    assert "form/custom.gone_1/ask" in fields_of(page)
    assert pages()["updated_at"] is None


def ask(db, count):
    with db.write():
        for number in range(count):
            question = {**field_definitions.BLANK, "field_label": f"Question {number}"}
            field_definitions.create(db, question)


# The preview


def test_the_preview_shows_what_is_saved_and_then_what_was_typed(office, event, pages):
    page = office.get(ADDRESS)
    preview = page.html.find("aside", class_="preview")
    assert "as it is saved" in preview.text
    assert [each["name"] for each in preview.find_all("input", type="text")][:3] == [
        "company_name",
        "first_name",
        "last_name",
    ]
    assert "Own table?" not in preview.text

    fields = fields_of(page)
    fields |= {
        "form/message/place": "1",
        "form/phone/ask": "none",
        "form/question/ask": "required",
        "form/question/place": "1",
        "form/question/question/field_labels/de": "<i>Eigener Tisch?",
        "form/question/question/field_labels/en": "Own table?",
        "form/question/question/field_type": "select",
        "form/question/question/field_options": "ja | yes\nnein | no",
    }
    typed = office.submit(page, ADDRESS + "/preview", fields, 200)
    assert "not saved yet" in typed and "<html" not in typed.text
    labels = [each.text.strip() for each in typed.html.find_all("label")]
    assert labels[:3] == ["Message", "Own table? *", "Company"]
    own = typed.html.find("select", attrs={"name": "custom.question"})
    assert [each.text for each in own.find_all("option")] == ["Please choose", "yes", "no"]
    assert "Phone" not in typed and "Telephone" not in typed
    assert pages()["updated_at"] is None

    german = office.submit(page, ADDRESS + "/preview?language=de", fields, 200)
    assert "&lt;i&gt;Eigener Tisch?" in german and "noch nicht gespeichert" in german

    # what cannot be shown is left out
    odd = {"form/question/question/field_type": "nothing", "form/fax/ask": "required"}
    left = office.submit(page, ADDRESS + "/preview", {**fields, **odd}, 200)
    assert "Own table?" not in left and "Company" in left


def test_the_preview_has_the_prices_that_are_typed(office, organiser, event, pages):
    organiser.make("/categories", {"title": "Plants", "event_keys": ["fair"], "base_price": 100})
    page = office.get(ADDRESS)
    fields = {**fields_of(page), "show_prices": "1"}
    gross = office.submit(page, ADDRESS + "/preview", fields, 200)
    net = office.submit(page, ADDRESS + "/preview", {**fields, "price_display": "net"}, 200)
    assert "Plants · EUR 119.00 incl. 19 % VAT" in gross
    assert "Plants · EUR 100.00" in net
    assert "EUR" not in page.html.find("aside", class_="preview").text


# The trial


def test_the_form_is_tried_and_nothing_is_stored(office, organiser, event, pages, db):
    fields = fields_of(office.get(ADDRESS))
    fields[place_of(fields, "address") + "/ask"] = "none"
    save(office, {**fields, "show_prices": "1"})
    assert 'href="../../desk/setup/apply/trial?event=fair"' in office.get(ADDRESS)
    trial = ADDRESS + "/trial"
    page = office.get(trial)
    assert "Trial: nothing is stored." in page and "city" not in page
    [form] = [form for form in page.forms.values() if "first_name" in form.fields]
    sent = {name: value for name, value in form.submit_fields() if name != "form_token"}

    missing = office.submit(page, trial, sent, 422)
    assert missing.html.find(id="e-first_name") and missing.html.find(id="e-terms")
    typed = {"first_name": "Ada", "last_name": "Lovelace", "email": "ada@rosen.example"}
    done = office.submit(page, trial, {**sent, **typed, "terms": "1"}, 200)
    assert "everything is filled in" in done and 'value="Ada"' in done
    assert db.connection.execute("SELECT count(*) FROM application_drafts").fetchone() == (0,)
    assert organiser.data("/applications") == []


def test_the_trial_shows_only_what_a_person_may_read(desk, event):
    desk("events").get(ADDRESS + "/trial", status=403)
    visitor = desk("events")
    page = visitor.get(ADDRESS)
    assert page.html.find("aside", class_="preview") is None
    visitor.submit(page, ADDRESS + "/preview", fields_of(page), 403)
    assert "setup/apply/trial" not in desk("events").get(ADDRESS)
    desk("events:read categories:read booths:read").get(ADDRESS + "/trial")


def test_a_form_with_own_questions_and_sizes_leads_to_an_exhibitor(
    office, organiser, event, pages, app, settings, monkeypatch, db
):
    """From the desk to the public form, to the application, and to the exhibitor."""
    public = {"base_url": "https://show.example.org", "smtp_host": "mail"}
    for name, value in {**public, "smtp_sender": "office@example.org"}.items():
        monkeypatch.setattr(settings, name, value)
    monkeypatch.setattr(tokens, "YOUNGEST", 0)
    for name, width, price in (("Small", 2, 50), ("Middle", 3, 95), ("Large", 4, 300)):
        form = office.get("/desk/edit/booth_types")
        typed = {"booth_type_name": name, "price_model": "fixed", "price": str(price)}
        size = {"usual_width": str(width), "usual_depth": "2,5", "open_sides": "1"}
        office.submit(form, "/desk/edit/booth_types", {**typed, **size})
    terms = {"is_public": True, "apply_terms": {"en": "Paid in advance."}}
    organiser.patch(f"/events/{event['id']}/pages", terms, status=200)

    for place, (text, kind, lines) in enumerate(
        (("Own table?", "select", "yes\nno"), ("What do you show?", "textarea", ""))
    ):
        fields = fields_of(office.get(ADDRESS))
        new = place_of(fields, "question")
        fields |= {
            new + "/place": str(place + 1),
            new + "/ask": "required",
            new + "/question/field_labels/en": text,
            new + "/question/field_type": kind,
            new + "/question/field_options": lines,
            "show_prices": "1",
            "apply_is_open": "1",
        }
        save(office, fields)

    address = "/e/fair/apply"
    page = app.get(address, headers={"Accept-Language": "en"})
    assert "Small, 2 × 2.5 m · EUR 59.50 incl. 19 % VAT" in page
    [form] = [form for form in page.forms.values() if "first_name" in form.fields]
    sent = dict(form.submit_fields()) | {
        "custom.own_table": "no",
        "custom.what_do_you_show": "Pots",
        "first_name": "Ada",
        "last_name": "Wolf",
        "email": "ada@wolf.example",
        "address": "Weg 1",
        "postal_code": "01067",
        "city": "Dresden",
        "booth_type": "middle",
        "terms": "1",
    }
    answer = app.post(address, sent, headers={"Accept-Language": "en"}, status=200)
    assert "Please look into your e-mail" in answer
    [(draft,)] = db.connection.execute("SELECT id FROM application_drafts").fetchall()
    with db.write():
        secret = drafts.add_secret(db, draft, "mailed")
    app.post(f"/link/{secret}", status=303)

    page = office.get("/desk/applications/1")
    assert "Middle" in page and "Own table?" in page and "Pots" in page
    approve = "/desk/do/approve_application/1"
    office.submit(page, approve, {"back": "applications/1"})
    application = organiser.data("/applications/1")
    assert (application["status"], application["booth_type_key"]) == ("approved", "middle")
    assert organiser.data("/participants")[0]["application_id"] == 1
    assert "Middle" in office.get("/desk/applications/1")
