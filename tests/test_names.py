"""The name of a person or a company: which fields it is made of, and what stands in for it."""

import pytest

from eventapi.names import display_name, full_name

ADA = {"first_name": "Ada", "last_name": "Lovelace", "company_name": None}


@pytest.mark.parametrize(
    "row, others, name",
    [
        (ADA, (), "Ada Lovelace"),
        ({**ADA, "company_name": "Rosen KG"}, (), "Rosen KG"),
        ({**ADA, "first_name": None}, (), "Lovelace"),
        ({"company_name": None}, (None, "", "info@rosen.example", "C-1"), "info@rosen.example"),
        ({"first_name": "", "last_name": "", "company_name": ""}, (None,), ""),
    ],
)
def test_a_name_is_the_company_or_the_person_or_what_stands_in_for_it(row, others, name):
    assert display_name(row, *others) == name


def test_the_name_of_a_person_has_no_space_without_one_of_its_parts():
    assert full_name(ADA) == "Ada Lovelace"
    assert full_name({"first_name": "Ada", "last_name": None}) == "Ada"
    assert full_name({"company_name": "Rosen KG"}) == ""
