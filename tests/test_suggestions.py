"""Suggestions for unknown names of fields and parameters, over all schemas."""

import pytest

from eventapi.app import routes
from eventapi.errors import Problem, suggestion
from eventapi.errors.synonyms import SYNONYMS
from eventapi.validation.bodies import Body
from eventapi.validation.queries import Query
from eventapi.validation.schema_files import (
    LIST_PARAMETERS,
    body_schema,
    document,
    resource_names,
)

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
        ("event", "date_start"),
        ("booth", "size"),
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
            # Of two fields that differ by an "s" only, such as field_label, both are near.
            near = [name for name in (field, field.removesuffix("s")) if name in fields]
            assert suggestion(word, fields) in [f"; did you mean {name}?" for name in near]


@pytest.mark.parametrize("name", RECORDS)
def test_no_read_only_field_is_suggested_for_a_body(name):
    read_only = {field for field, sub in body_schema(name)["properties"].items() if sub is True}
    for field in read_only:
        assert suggested(name, f"{field}x") not in read_only


@pytest.mark.parametrize(
    "schema, word, meant",
    [
        ("contact", "name", "company_name or last_name"),
        ("event", "name", "title"),
        ("plan", "name", "plan_name"),
        ("event", "start", "date_from"),
        ("event", "start_date", "date_from"),
        ("event", "endDate", "date_to"),
        ("schedule", "end", "end_time"),
        ("contact", "zip", "postal_code"),
        ("contact", "Postcode", "postal_code"),
        ("contact", "PLZ", "postal_code"),
        ("contact", "street", "address"),
        ("contact", "Straße", "address"),
        ("contact", "vat_id", "tax_id"),
        ("contact", "vat", "tax_id"),
        ("contact", "phone_number", "phone"),
        ("contact", "country-code", "country"),
        ("contact", "surname", "last_name"),
        ("contact.query", "q", "search"),
        ("contact.query", "query", "search"),
        ("contact.query", "limit", "per_page"),
        ("contact.query", "offset", "page or after"),
        ("contact.query", "cursor", "after"),
        ("payment.query", "date", "date_from"),
        ("invoice", "lines", "items"),
        ("invoice", "date", "issue_date"),
        ("payment", "date", "payment_date"),
        ("invoice", "customer_id", "contact_id or customer_number"),
        ("booth", "stand", "booth_number"),
        ("note", "content", "note_text"),
        # Nothing that these words mean is a field of a booth.
        ("booth", "zip", None),
        ("booth", "start", None),  # and not `status`
        ("booth", "limit", None),
    ],
)
def test_a_word_of_other_systems_suggests_the_name_that_it_means_here(schema, word, meant):
    assert suggested(schema, word) == meant


def test_a_word_in_a_part_of_a_body_suggests_a_name_of_this_part():
    item = {"text": "Stand", "qty": 1, "vat_rate": 19, "unit_price": 1, "description": "Stand"}
    with pytest.raises(Problem) as refused:
        Body("invoice", "POST", "Europe/Berlin")({"contact_id": 1, "items": [item]})
    details = {entry["pointer"]: entry["detail"] for entry in refused.value.errors}
    assert details["/items/0/qty"] == "is unknown; did you mean quantity?"
    assert details["/items/0/vat_rate"] == "is unknown; did you mean tax_rate?"


def names_of(schema):
    """Yield the names of all writable fields in a schema, also of nested ones."""
    if isinstance(schema, list):
        for part in schema:
            yield from names_of(part)
    elif isinstance(schema, dict):
        for name, sub in schema.get("properties", {}).items():
            if not (isinstance(sub, dict) and sub.get("readOnly")):
                yield name
        for part in schema.values():
            yield from names_of(part)


def test_every_name_that_a_synonym_means_is_a_field_a_parameter_or_a_path():
    known = set(LIST_PARAMETERS)
    for name in resource_names():
        known.update(names_of(document(name)))
    for route in routes():
        known.update(route.path.split("/"))
    assert {name for names in SYNONYMS.values() for name in names} - known == set()


def test_a_word_is_written_as_it_is_looked_up():
    assert [word for word in SYNONYMS if not word.isalpha() or word != word.lower()] == []
