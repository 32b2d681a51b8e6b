"""Forms that are made from the schemas of the API: their fields, the body that their texts mean,
and their faults.
"""

import pytest

from eventapi.errors import Problem
from eventapi.plugins.validation import body_of
from eventapi.web.html import forms, schema_forms
from eventapi.web.html.forms import Group, Sentences


def form(body, method="POST", **options):
    return schema_forms.Form(body, method, lambda path: (path, ""), **options)


def checked(of, given, method="POST"):
    """Return the body that the API reads from the texts of a form."""
    return body_of(of, method, "Europe/Berlin")(form(of, method).body(given))


def kinds(made):
    return {part.name: part.kind for part in forms.leaves(made.fields)}


WORDS = {
    "fault_other": "Look at this.",
    "fault_max_length": "At most {limit}.",
    "fault_type_money": "An amount.",
    "fault_type_text": "A text.",
    "fault_required": "Fill in.",
    "fault_duplicate": "{value} exists.",
    "fault_duplicate_plain": "It exists.",
    "fault_pattern": "For example {example}.",
}
SENTENCES = Sentences(WORDS, "en")


def beside(made, *errors, given=None):
    """Return name of a field -> sentence about its fault, for (pointer, code)."""
    found = [{"pointer": pointer, "code": code} for pointer, code in errors]
    return made.faults(found, given or {}, SENTENCES).beside


def test_fields_have_the_kind_of_their_schema():
    found = kinds(form("event"))
    assert (
        found["title"] == "text"
        and found["description"] == "textarea"
        and found["country"] == "select"
    )
    assert (
        found["date_from"] == "day"
        and found["day_ends_at"] == "time"
        and found["is_visible"] == "checkbox"
    )
    assert found["opening_hours"] == "rows"
    assert "id" not in found and "participant_count" not in found  # only read


def test_a_form_has_the_fields_that_it_names_in_their_order():
    assert [part.name for part in form("service", names=["base_price", "service_name"]).fields] == [
        "base_price",
        "service_name",
    ]


def test_texts_become_the_types_of_json():
    given = {
        "service_name": [" Power "],
        "base_price": ["1.189,50"],
        "max_quantity": ["20"],
        "tax_rate": [""],
        "is_active": ["1"],
        "unit": [""],
    }
    body = form("service", language="de").body(given)
    assert (
        body["service_name"] == "Power"
        and body["base_price"] == 1189.5
        and body["max_quantity"] == 20
    )
    assert body["is_active"] is True and body["requires_specification"] is False
    assert "tax_rate" not in body and "unit" not in body  # their defaults apply
    assert checked("service", {**given, "base_price": ["1,189.50"]})["unit"] == "piece"


def test_a_change_makes_an_empty_field_null():
    body = form("service", "PATCH", names=["service_name", "tax_rate"]).body(
        {"service_name": [""], "tax_rate": [""]}
    )
    assert body == {"service_name": None, "tax_rate": None}


def test_a_title_cannot_be_emptied():
    with pytest.raises(Problem) as refused:
        body_of("event", "PATCH", "Europe/Berlin")(
            form("event", "PATCH", names=["title"]).body({"title": [" "]})
        )
    assert [fault["pointer"] for fault in refused.value.errors] == ["/title"]


def test_a_number_that_cannot_be_read_is_a_fault_beside_it():
    made = form("service", names=["service_name", "base_price"])
    with pytest.raises(Problem) as refused:
        body_of("service", "POST", "Europe/Berlin")(
            made.body({"service_name": ["x"], "base_price": ["much"]})
        )
    faults = made.faults(refused.value.errors, {"base_price": ["much"]}, SENTENCES)
    assert faults.beside == {"base_price": "An amount."} and not faults.top


def test_rows_of_a_list_become_objects_without_the_empty_ones():
    made = form(
        "service", names=["service_name", "base_price", "events"], without=["events/event_id"]
    )
    given = made.compact(
        {
            "events/0/event_key": [""],
            "events/0/is_active": ["1"],
            "events/1/event_key": ["fair"],
            "events/1/stock": ["400"],
            "events/1/is_active": ["1"],
            "events/2/event_key": ["other"],
            "events/2/base_price": ["7"],
        }
    )
    assert made.body(given)["events"] == [
        {
            "event_key": "fair",
            "base_price": None,
            "early_bird_price": None,
            "early_bird_until": None,
            "order_deadline": None,
            "stock": 400,
            "is_active": True,
        },
        {
            "event_key": "other",
            "base_price": 7,
            "early_bird_price": None,
            "early_bird_until": None,
            "order_deadline": None,
            "stock": None,
            "is_active": False,
        },
    ]


def test_a_page_shows_the_rows_and_three_empty_ones():
    [hours] = form("event", names=["opening_hours"]).fields
    shown = forms.rows(hours, {"opening_hours/0/opens": ["09:00"]})
    assert [[part.name for part in row][:2] for row in shown][:2] == [
        ["opening_hours/0/date", "opening_hours/0/opens"],
        ["opening_hours/1/date", "opening_hours/1/opens"],
    ]
    assert len(shown) == 4


def test_the_number_of_rows_is_limited():
    [hours] = form("event", names=["opening_hours"]).fields
    assert len(forms.rows(hours, {"opening_hours/999/opens": ["09:00"]})) == forms.MOST_ROWS


def test_a_fault_of_a_row_stands_beside_its_field():
    made = form("event", names=["title", "opening_hours"])
    given = made.compact(
        {
            "title": ["Fair"],
            "opening_hours/1/date": ["2027-05-01"],
            "opening_hours/1/opens": ["9 o'clock"],
            "opening_hours/1/closes": ["18:00"],
        }
    )
    with pytest.raises(Problem) as refused:
        body_of("event", "POST", "Europe/Berlin")(made.body(given))
    faults = made.faults(refused.value.errors, given, SENTENCES)
    assert list(faults.beside) == ["opening_hours/0/opens"] and not faults.top


def test_objects_within_objects_are_groups():
    made = form("event_pages", "PATCH", names=["texts"])
    given = {"texts/intro/de": ["Hallo"], "texts/intro/en": [""], "texts/visit/en": ["By tram"]}
    assert made.body(given) == {"texts": {"intro": {"de": "Hallo"}, "visit": {"en": "By tram"}}}
    assert made.texts({"texts": {"intro": {"de": "Hallo"}}}) == {"texts/intro/de": ["Hallo"]}


def test_a_due_date_is_a_day_or_counted_from_the_event():
    made = form("submission_type", names=["due"])
    assert made.body({"due": ["2027-04-01"]}) == {"due": "2027-04-01"}
    counted = {"due/days": ["30"], "due/anchor": ["before date_from"]}
    assert made.body(counted) == {"due": {"before": "date_from", "days": 30}}
    assert made.texts({"due": {"before": "date_from", "days": 30}}) == counted
    assert made.body({}) == {}


def test_lists_of_texts_have_a_line_each_and_choices_a_box_each():
    made = form("submission_type", names=["allowed_extensions", "roles"])
    given = {"allowed_extensions": ["pdf\n\n svg "], "roles": ["exhibitor", "sponsor"]}
    assert made.body(given) == {
        "allowed_extensions": ["pdf", "svg"],
        "roles": ["exhibitor", "sponsor"],
    }
    assert made.texts({"allowed_extensions": ["pdf", "svg"], "roles": ["sponsor"]}) == {
        "allowed_extensions": ["pdf\nsvg"],
        "roles": ["sponsor"],
    }


def test_a_choice_of_records_sends_their_ids():
    made = form("booth", names=["booth_type_id"], choices={"booth_type_id": [("12", "Corner")]})
    assert made.body({"booth_type_id": ["12"]}) == {"booth_type_id": 12}


def test_yes_no_or_nothing():
    made = form("profile", "PATCH", names=["is_listed"])
    assert [made.body({"is_listed": [text]})["is_listed"] for text in ("yes", "no", "")] == [
        True,
        False,
        None,
    ]
    assert made.texts({"is_listed": False}) == {"is_listed": ["no"]}


def test_a_record_comes_back_as_it_is():
    record = {
        "title": "Garden Fair",
        "date_from": "2027-05-01",
        "is_visible": True,
        "country": "DE",
        "day_ends_at": "05:00",
        "description": None,
        "opening_hours": [
            {"date": "2027-05-01", "opens": "09:00", "closes": "18:00", "label": None}
        ],
    }
    made = form("event", "PATCH", names=list(record))
    assert made.body(made.texts(record)) == record


def test_prices_are_written_as_the_language_does():
    made = form("service", names=["base_price"], language="de")
    assert made.texts({"base_price": 189.5}) == {"base_price": ["189,50"]}
    assert made.body({"base_price": ["189,5"]}) == {"base_price": 189.5}


def test_a_sentence_names_limit_example_and_what_was_typed():
    made = form("application.reject", names=["reason"])
    assert beside(made, ("/reason", "max_length"), given={"reason": ["x"]}) == {
        "reason": "At most 20,000."
    }
    made = form("category", names=["title", "category_key"])
    typed = {"title": ["Roses"], "category_key": ["x y"]}
    assert beside(made, ("/category_key", "pattern"), given=typed) == {
        "category_key": "For example plants-and-seeds."
    }
    assert beside(made, ("/title", "duplicate"), given=typed) == {"title": "Roses exists."}
    assert beside(made, ("/title", "duplicate")) == {"title": "It exists."}


def test_what_is_empty_is_required_whatever_the_api_says():
    made = form("service", "PATCH", names=["service_name", "base_price"])
    errors = ("/service_name", "type"), ("/base_price", "type")
    assert beside(made, *errors, given={"base_price": ["ca. 18"]}) == {
        "service_name": "Fill in.",
        "base_price": "An amount.",
    }


def test_a_fault_of_no_field_is_told_on_top():
    faults = form("event", names=["title"]).faults(
        [{"pointer": "/venue", "code": "type"}, {"pointer": "", "code": "any_of"}], {}, SENTENCES
    )
    assert not faults.beside and faults.top == ["venue: Look at this.", "Look at this."]


def test_texts_that_mean_the_same_are_no_difference():
    made = form("service", "PATCH", names=["base_price", "service_name"], language="de")
    stored = {"base_price": ["25,00"], "service_name": ["Strom"]}
    typed = {"base_price": ["25"], "service_name": ["Wasser"]}
    assert made.is_same("base_price", stored, typed)
    assert not made.is_same("service_name", stored, typed)


# Groups


PLACE = Group("place", "venue:8 city:6 postal_code:3 country:3")


def placed(made):
    """Return the groups of a form as (title, sentence, names with their widths)."""
    return [
        (title, sentence, " ".join(f"{each.name}:{width}" for each, width in fields))
        for title, sentence, fields in made.groups
    ]


def test_groups_have_the_fields_that_they_name_with_their_widths():
    made = form("event", groups=(PLACE, Group("what", "title")), rare="cost_centre:6 timezone")
    assert placed(made) == [
        ("group:place", "", "venue:8 city:6 postal_code:3 country:3"),
        ("group:what", "", "title:12"),
    ]
    assert [(each.name, width) for each, width in made.rare] == [
        ("cost_centre", 6),
        ("timezone", 12),
    ]
    assert made.body({"title": ["Fair"], "cost_centre": ["7"]}) == {
        "title": "Fair",
        "cost_centre": "7",
    }


def test_a_form_without_groups_is_one_and_loses_no_field():
    assert placed(form("event", names=["title", "venue"])) == [("", "", "title:12 venue:12")]
    made = form("event", names=["title", "venue", "timezone"], groups=(PLACE,), rare=["timezone"])
    assert placed(made) == [("group:place", "", "venue:8"), ("", "", "title:12")]


# Forms whose fields come from a page


FREE = forms.Form(
    [
        forms.Field(
            "colour", "/custom_fields/colour", "Colour", "select", options=[("red", "Red")]
        ),
        forms.Field("size", "/custom_fields/size", "Size", "number", is_required=True),
        forms.Field("more", "/message", "Message", "textarea"),
    ],
    "de",
)


def test_values_stand_where_the_pointers_of_their_fields_say():
    given = {"colour": ["red"], "size": [" 1,5 "], "more": ["  "]}
    assert FREE.body(given) == {"custom_fields": {"colour": "red", "size": 1.5}}


def test_a_required_field_without_a_text_is_empty():
    assert FREE.empty({"size": [" "]}) == ["/custom_fields/size"]
    assert FREE.empty({"size": ["0"]}) == []


def test_a_field_without_a_schema_may_be_emptied_unless_it_is_required():
    colour, size, _ = FREE.fields
    assert colour.may_be_empty({"colour": ["red"]})
    assert size.may_be_empty({}) and not size.may_be_empty({"size": ["1"]})


def test_a_fault_of_a_field_stands_beside_it_also_if_it_is_about_a_part():
    errors = ("/custom_fields/size", "type"), ("/message/0", "pattern")
    assert beside(FREE, *errors, given={"size": ["much"], "more": ["x"]}) == {
        "size": "Look at this.",
        "more": "Look at this.",
    }
