"""The rule of tax treatment against a table that was written from the law before it."""

import csv
from pathlib import Path

import pytest

from eventapi.domain.vat import treatment, warnings
from eventapi.domain.vat.buyers import Buyer

with (Path(__file__).parent / "treatments.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
# Countries whose VAT ids are those of another one; Greek ones begin with EL.
PREFIXES = {"MC": "FR", "IM": "GB", "GR": "EL"}
NUMBERS = {
    "AT": "ATU13585627",
    "BE": "BE0403170701",
    "CH": "CHE116281710MWST",
    "CY": "CY10259033P",
    "DE": "DE136695976",
    "EL": "EL094259216",
    "FR": "FR40303265045",
    "GB": "GB980780684",
    "IE": "IE6433435F",
    "IT": "IT00743110157",
    "NL": "NL004495445B01",
    "US": "12-3456789",
}


def number_of(row):
    """Return the tax id that the column vat_id means."""
    kind = row["vat_id"]
    own = PREFIXES.get(row["organiser_country"], row["organiser_country"])
    country = row["buyer_country"] or row["organiser_country"]
    theirs = PREFIXES.get(country, country)
    if kind == "none":
        return None
    if kind == "home":
        return NUMBERS.get({"LI": "CH"}.get(own, own))
    if kind == "other_state":
        return NUMBERS[next(state for state in ("IT", "NL", "BE") if state not in (own, theirs))]
    if kind == "greek_EL":
        return NUMBERS["EL"]
    if kind == "northern_ireland_XI":
        return "XI110305878"
    number = NUMBERS.get({"LI": "CH"}.get(theirs, theirs))
    return number[:-1] if kind == "invalid_form" else number


def of(row):
    """Return (organiser, show, buyer, places of the lines) of a row."""
    begins = row["small_business"].removeprefix("yes from ")
    is_small = row["small_business"] == "yes" or (
        "from" in row["small_business"] and begins <= row["day"]
    )
    organiser = treatment.Organiser(
        row["organiser_country"], row["organiser_vat_id"] == "yes", is_small
    )
    show = None
    if row["event"] == "yes":
        country = row["event_country"] or row["organiser_country"]
        show = treatment.Show(country, row["place_of_supply"] or None)
    buyer = Buyer(
        country=row["buyer_country"] or None,
        is_company=row["buyer_name"] == "company",
        is_business={"true": True, "false": False, "": None}[row["is_business"]],
        tax_id=number_of(row),
        vat_check={"checked_valid": "valid", "checked_invalid": "invalid"}.get(row["vat_id"]),
    )
    places = [None if place == "inherit" else place for place in row["line_places"].split()]
    return organiser, show, buyer, places


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_rule_says_what_the_law_says(row):
    organiser, show, buyer, places = of(row)
    found = treatment.suggest(organiser, show, buyer, places)
    taxes = treatment.categories(found.treatment, organiser, show, places)
    lines = list(zip(taxes, treatment.places(show, places), strict=True))
    codes = warnings.codes(found, organiser, show, buyer, lines)
    assert (found.treatment, found.because, " ".join(taxes), " ".join(sorted(codes))) == (
        row["treatment"],
        row["because"],
        row["line_categories"],
        row["warnings"],
    ), row["law"]
