"""The form of exhibitors asks what `apply_form` of the pages says, with sizes and prices."""

import re

import pytest

from tests.pages.show.conftest import EVERYTHING
from tests.pages.show.test_apply import applications, follow, form, link_of, mails, send  # noqa: F401

SIZES = (
    ("Klein", "s", 2, 2, "fixed", 50),
    ("Mittel", "m", 3, 2.5, "per_m2", 12.67),
    ("Groß", "l", 4, 3, "per_m2", 25),
)
TABLE = {
    "field_labels": {"de": "Eigener <b>Tisch</b>?", "en": "Own <b>table</b>?"},
    "field_help": {"en": "Tables cost EUR 12.00."},
    "field_type": "select",
    "field_options": [
        {"value": "y", "label": "ja", "labels": {"de": "ja", "en": "yes"}},
        {"value": "n", "label": "nein", "labels": {"de": "nein", "en": "no"}},
    ],
}
POWER = {"field_labels": {"de": "Strom?", "en": "Power?"}, "field_type": "boolean"}


@pytest.fixture
def pages(show):
    return f"/events/{show['event']['id']}/pages"


@pytest.fixture
def sizes(organiser, show):
    """Three sizes of booths, of which one booth is free."""
    made = {}
    for place, (name, key, width, depth, model, price) in enumerate(SIZES):
        made[key] = organiser.make(
            "/booths/types",
            {
                "booth_type_name": name,
                "booth_type_key": key,
                "usual_width": width,
                "usual_depth": depth,
                "price_model": model,
                "price": price,
                "sort_order": place,
            },
        )
    organiser.make(
        "/booths",
        {
            "plan_id": show["plan"],
            "booth_number": "Z9",
            "booth_type_key": "m",
            "width": 3,
            "depth": 2.5,
        },
    )
    return made


def ask(organiser, pages, *entries, **settings):
    """Set what the form asks: (field, ask) or (field, ask, question)."""
    body = [{"field": field, "ask": whether} for field, whether, *_ in entries]
    for entry, (_, _, *question) in zip(body, entries, strict=True):
        if question:
            entry["question"] = question[0]
    return organiser.put(f"{pages}/form", {"form": body, **settings}, status=200).json["data"]


def opened(app, language="en"):
    return app.get("/e/fair/apply", headers={"Accept-Language": language})


def names_of(page):
    """Return the names of the fields of the form, each once, in their order."""
    found = re.findall(r'name="([^"]+)"', page.text[page.text.index('name="token"') :])
    return [name for name in dict.fromkeys(found) if name not in ("token", "fax_number")]


def faults_of(page):
    return set(re.findall(r'class="fault" id="e-([^"]+)"', page.text))


def test_the_fields_stand_in_their_order_and_the_address_after_the_person(app, organiser, pages):
    ask(
        organiser,
        pages,
        ("message", "optional"),
        ("question", "optional", TABLE),
        ("person", "required"),
        ("phone", "required"),
    )
    page = opened(app)
    assert names_of(page) == [
        "message",
        "custom.eigener_b_tisch_b",
        "first_name",
        "last_name",
        "email",
        "phone",
        "terms",
    ]
    assert "Own &lt;b&gt;table&lt;/b&gt;?" in page.text and "<b>table" not in page.text
    assert "Tables cost EUR 12.00." in page.text
    german = opened(app, "de").text
    assert "Eigener &lt;b&gt;Tisch" in german and ">ja</option>" in german


def test_a_form_that_names_nobody_asks_for_the_person(app, organiser, pages):
    ask(organiser, pages, ("phone", "optional"))
    assert names_of(opened(app)) == ["first_name", "last_name", "email", "phone", "terms"]


def test_required_fields_are_missed_together(organiser, pages, send, sizes):  # noqa: F811
    ask(
        organiser,
        pages,
        ("person", "required"),
        ("address", "required"),
        ("is_business", "required"),
        ("booth_type", "required"),
        ("question", "required", TABLE),
        ("question", "required", POWER),
    )
    page = send(422, last_name="", city="")
    assert faults_of(page) == {
        "first_name",
        "last_name",
        "address",
        "postal_code",
        "city",
        "is_business",
        "booth_type",
        "custom.eigener_b_tisch_b",
        "custom.strom",
    }
    # nothing is chosen by itself in the form that comes back
    assert (
        "selected"
        not in page.html.find(id="f-custom.eigener_b_tisch_b").decode().split("</option>", 1)[1]
    )


def test_a_form_of_companies_misses_the_company(organiser, pages, send):  # noqa: F811
    ask(organiser, pages, ("company_name", "optional"))
    assert faults_of(send(422, company_name="")) == {"company_name"}


def test_what_is_not_asked_is_ignored(app, organiser, pages, send, db, sizes):  # noqa: F811
    question = organiser.make(
        "/custom-fields",
        {
            "entity_type": "application",
            "field_label": "Way",
            "applicant_visibility": "editable",
            "is_required": True,
        },
    )
    assert question["field_key"] == "way"
    ask(organiser, pages, ("company_name", "optional"))
    hidden = {"phone": "1", "booth_type": "m", "is_business": "yes", "custom.way": "Air"}
    send(message="Hello", **hidden)
    app.post(link_of(mails(db)[0]))
    [found] = applications(organiser)
    assert (found["phone"], found["message"], found["city"]) == (None, None, None)
    assert (found["booth_type_key"], found["is_business"], found["custom_fields"]) == (
        None,
        None,
        {},
    )


def test_a_size_that_the_form_does_not_offer_is_refused(organiser, pages, send, sizes):  # noqa: F811
    ask(organiser, pages, ("company_name", "optional"), ("booth_type", "optional"))
    organiser.patch(pages, {"booth_types": ["m"]}, status=200)
    assert faults_of(send(422, booth_type="s")) == {"booth_type"}
    assert faults_of(send(422, booth_type="no")) == {"booth_type"}


def test_a_required_choice_is_answered_with_one_of_its_options(organiser, pages, send):  # noqa: F811
    question = {**POWER, "field_labels": {"en": "Power?"}}
    entries = (("person", "required"), ("is_business", "required"))
    ask(organiser, pages, *entries, ("question", "required", question))
    answer = send(422, is_business="maybe", **{"custom.power": "1"})
    assert {"is_business", "custom.power"} <= faults_of(answer)


def test_sizes_say_what_they_cost_and_what_is_free(app, organiser, pages, sizes):
    ask(
        organiser,
        pages,
        ("company_name", "optional"),
        ("booth_type", "required"),
        ("message", "optional"),
        show_prices=True,
    )
    german = " ".join(opened(app, "de").html.find(id="f-booth_type").get_text().split())
    assert german == (
        "Standgröße * "
        "Klein, 2 × 2 m · 59,50 EUR inkl. 19 % USt · zurzeit ausgebucht: Sie kommen auf die Warteliste "
        "Mittel, 3 × 2,5 m · 113,09 EUR inkl. 19 % USt · noch 1 frei "
        "Groß, 4 × 3 m · 357,00 EUR inkl. 19 % USt · zurzeit ausgebucht: Sie kommen auf die Warteliste"
    )
    page = opened(app, "de").text
    assert "Wunsch zum Platz" in page and "Nachricht" not in page
    assert "Verbindlich wird es erst mit unserer Zusage." in page

    organiser.patch(pages, {"show_plan": False, "price_display": "net"}, status=200)
    found = " ".join(opened(app, "de").html.find(id="f-booth_type").get_text().split())
    assert "Klein, 2 × 2 m · 50,00 EUR zzgl. USt Mittel" in found
    organiser.patch(pages, {"show_prices": False}, status=200)
    assert "EUR" not in opened(app).text


def test_the_sum_is_computed_and_sends_nothing(app, organiser, pages, send, db, sizes):  # noqa: F811
    organiser.make(
        "/categories",
        {
            "title": "Hobby",
            "category_key": "hobby",
            "event_keys": ["fair"],
            "applicant_visibility": "selectable",
            "base_price": 25,
        },
    )
    ask(
        organiser,
        pages,
        ("company_name", "optional"),
        ("categories", "required"),
        ("booth_type", "optional"),
        show_prices=True,
    )
    assert "Choose category and size" in opened(app).text
    # also before the seconds that programs do not wait
    page = send(200, after=0, compute="1", category="hobby", booth_type="m", terms=None)
    amounts = " ".join(page.html.find("dl", "amounts").get_text().split())
    # 25.00 and 95.03 are 120.03, and 19 % of it 22.81
    assert amounts == (
        "Participation Hobby EUR 29.75 Booth Mittel EUR 113.09 Sum incl. 19 % VAT EUR 142.84"
    )
    assert page.html.find(id="f-company_name")["value"] == "Rosen KG"
    assert faults_of(page) == set() and mails(db) == []
    send(403, compute="1", token="wrong")


def test_from_the_form_to_the_exhibitor(app, organiser, pages, send, db, sizes):  # noqa: F811
    ask(
        organiser,
        pages,
        ("company_name", "optional"),
        ("person", "required"),
        ("address", "optional"),
        ("is_business", "required"),
        ("question", "required", TABLE),
        ("booth_type", "required"),
        ("message", "optional"),
        ("question", "required", POWER),
        show_prices=True,
    )
    typed = {
        "first_name": "Ada",
        "is_business": "no",
        "custom.eigener_b_tisch_b": "y",
        "custom.strom": "no",
        "booth_type": "s",
        "message": "Beside the door",
    }
    send(**typed)
    page = follow(app, app.post(link_of(mails(db)[0])))
    assert "Klein" in page.text and "Private person" in page.text
    [application] = applications(organiser)
    assert application["custom_fields"] == {"eigener_b_tisch_b": "y", "strom": False}
    assert (application["booth_type_key"], application["is_business"]) == ("s", False)

    address = f"/applications/{application['id']}"
    approved = organiser.post(f"{address}/approve", {}, status=200).json["data"]
    contact = organiser.data(f"/contacts/{approved['contact_id']}")
    assert (contact["is_business"], contact["city"]) == (False, "Uetersen")
    assert approved["booth_type_key"] == "s"


def test_a_draft_outlives_a_question_that_is_not_asked_any_more(
    app,
    organiser,
    pages,
    send,  # noqa: F811
    db,
):
    ask(organiser, pages, ("company_name", "optional"), ("question", "required", TABLE))
    send(**{"custom.eigener_b_tisch_b": "n"})
    organiser.patch(pages, {"apply_form": EVERYTHING}, status=200)
    app.post(link_of(mails(db)[0]), status=303)
    assert applications(organiser)[0]["custom_fields"] == {"eigener_b_tisch_b": "n"}


def test_a_draft_of_before_the_upgrade_is_confirmed(app, organiser, send, db):  # noqa: F811
    send()
    with db.write():
        db.connection.execute(
            "UPDATE application_drafts SET fields = "
            "json_remove(fields, '$.booth_type_id', '$.booth_type_key', '$.is_business')"
        )
    app.post(link_of(mails(db)[0]), status=303)
    [found] = applications(organiser)
    assert (found["company_name"], found["is_business"]) == ("Rosen KG", None)
