"""Suggestions for unknown names of fields and parameters, over all schemas."""

import pytest

from eventapi.errors import Problem, suggestion
from eventapi.validation.bodies import Body
from eventapi.validation.queries import Query
from eventapi.validation.schema_files import body_schema, document, resource_names

RECORDS = [name for name in resource_names() if "properties" in document(name)]


def suggested(schema, word):
    """Return what a request with an unknown field, or parameter of a list, is told to send instead,
    or None.
    """
    with pytest.raises(Problem) as refused:
        if schema.endswith(".query"):
            Query(schema, listing=True, zone_name="Europe/Berlin")([(word, "1")])
        else:
            Body(schema, "PATCH", "Europe/Berlin")({word: 1})
    texts = [entry["detail"] for entry in refused.value.errors if entry["code"] == "unknown"]
    return texts[0].partition("did you mean ")[2].rstrip("?") or None


@pytest.mark.parametrize(
    "schema, word, meant",
    [
        ("contact", "phon", "phone"),
        ("contact", "mail", "email"),
        ("contact", "Company", "company_name"),
        ("contact", "companyName", "company_name"),
        ("contact", "firstname", "first_name"),
        ("event", "tittle", "title"),
        ("payment", "amout", "amount"),
        ("invoice", "duedate", "due_date"),
        ("invoice", "item", "items"),
        ("booth", "number", "booth_number"),
        ("schedule", "start", "start_time"),
        ("contact.query", "serch", "search"),
        ("event.query", "pages", "page"),
        ("invoice", "contcat_id", "contact_id"),
    ],
)
def test_what_was_probably_meant_is_suggested(schema, word, meant):
    assert suggested(schema, word) == meant


@pytest.mark.parametrize(
    "schema, word",
    [
        ("event", "opens_at"),
        ("schedule", "end"),
        ("event", "start_date"),
        ("event", "date_start"),
        ("booth", "size"),
        ("invoice", "customer_id"),
        ("payment", "price"),
        ("payment", "paid"),
        ("participant", "state"),
        ("event", "created"),
        ("event", "creatd_at"),
        ("event", "ids"),
        ("contact", "_"),
        ("contact", "ÄÖÜ"),
    ],
)
def test_a_name_with_another_meaning_or_of_a_read_only_field_is_not_suggested(schema, word):
    assert suggested(schema, word) is None


@pytest.mark.parametrize(
    "schema, word, meant",
    [
        ("service_category", "name", "category_name"),
        ("service", "Name", "service_name"),
        ("plan", "name", "plan_name"),
        ("booth_type", "name", "booth_type_name"),
        ("custom_field", "label", "field_label"),
        ("service", "key", None),
    ],
)
def test_the_last_word_of_a_required_field_that_is_missing_is_enough(schema, word, meant):
    with pytest.raises(Problem) as refused:
        Body(schema, "POST", "Europe/Berlin")({word: "1", "base_price": 1})
    text = next(entry["detail"] for entry in refused.value.errors if entry["pointer"] == f"/{word}")
    assert text == (f"is unknown; did you mean {meant}?" if meant else "is unknown")


@pytest.mark.parametrize("name", RECORDS)
def test_a_field_is_found_with_two_letters_exchanged_and_without_underscores(name):
    fields = [field for field, sub in body_schema(name)["properties"].items() if sub is not True]
    for field in fields:
        words = {
            field[:at] + field[at + 1] + field[at] + field[at + 2 :]
            for at in range(1, len(field) - 1)
            if "_" not in field[at : at + 2] and not field[at:].startswith(("en", "de"))
        }
        for word in {*words, field.replace("_", "")} - set(fields):
            assert suggestion(word, fields) == f"; did you mean {field}?"


@pytest.mark.parametrize("name", RECORDS)
def test_no_read_only_field_is_suggested_for_a_body(name):
    read_only = {field for field, sub in body_schema(name)["properties"].items() if sub is True}
    for field in read_only:
        assert suggested(name, f"{field}x") not in read_only
