"""How the desk writes values, names fields and records, and counts the pages of a list."""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from eventapi.pages.desk import labels, lists
from eventapi.pages.desk.writing import Writer

LATE = "2026-05-01T22:30:00Z"  # the next day in Berlin


@pytest.mark.parametrize(
    ("language", "written"),
    [
        (
            "en",
            ("EUR 1,190.00", "1,190.00", "12.5", "2 May 2026", "2 May 2026, 00:30", "Austria"),
        ),
        (
            "de",
            (
                "1.190,00 EUR",
                "1.190,00",
                "12,5",
                "02.05.2026",
                "02.05.2026, 00:30 Uhr",
                "Österreich",
            ),
        ),
    ],
)
def test_values_are_written_in_the_language_and_the_zone(language, written):
    write = Writer(language, "Europe/Berlin")
    price = Decimal(1190)
    assert written == (
        write.money(price, "EUR"),
        write.amount(price, "EUR"),
        write.number(12.5),
        write.day(LATE),
        write.moment(LATE),
        write.country("AT"),
    )


def test_zero_is_a_number_and_a_missing_value_is_empty():
    write = Writer("en", "Europe/Berlin")
    assert (write.money(0, "EUR"), write.number(0)) == ("EUR 0.00", "0")
    assert {write.money(None, "EUR"), write.amount(None, "EUR"), write.number(None)} == {""}
    assert {write.day(None), write.moment(None), write.country(None)} == {""}


def test_a_label_may_be_for_one_kind_of_record():
    texts = {"field_events.key": "Key", "field_key": "Show", "help_events/key": "Of the show"}
    assert labels.label(texts, "events", "key") == ("Key", "")
    assert labels.label(texts, "", "events/key") == ("Show", "Of the show")
    assert labels.label(texts, "", "no_word") == ("no word", "")
    assert labels.label({"=new": "New", "status=new": "Just in"}, "", "a/status=new") == (
        "Just in",
        "",
    )


def test_a_record_has_its_number_or_its_title_or_the_name_of_its_person():
    person = {"first_name": "Ada", "last_name": "Blum", "customer_number": "C-7", "id": 3}
    assert labels.record_name({**person, "invoice_number": "R-1", "title": "Fair"}) == "R-1"
    assert labels.record_name({**person, "badge_number": "B"}) == "C-7"
    assert labels.record_name(person) == "Ada Blum"
    assert labels.record_name({"id": 3}) == "#3"


@pytest.mark.parametrize(
    ("title", "date_from", "language", "shown"),
    [
        ("Blütenland", "2027-05-12", "de", "Blütenland · Mai 2027"),
        ("Blütenland", "2027-05-12", "en", "Blütenland · May 2027"),
        ("Blütenland 2027", "2027-05-12", "de", "Blütenland 2027"),
        ("Blütenland 2026", "2027-05-12", "de", "Blütenland 2026 · Mai 2027"),
        # midnight of the first of May in Berlin
        ("Blütenland", "2027-04-30T22:00:00Z", "de", "Blütenland · Mai 2027"),
        ("Blütenland", None, "de", "Blütenland"),
    ],
)
def test_a_show_is_named_with_its_month_unless_its_title_has_the_year(
    title, date_from, language, shown
):
    event = {"title": title, "date_from": date_from, "date_to": None}
    assert labels.show_name(event, language, "Europe/Berlin") == shown


def test_prices_have_two_decimals_in_a_list_and_days_have_none():
    texts = labels.words(SimpleNamespace(language="en"))
    service = {"base_price": Decimal("12.5"), "unit": "m"}
    assert labels.summary(texts, "en", "EUR", "services", service) == "EUR 12.50 · m"
    assert (
        labels.summary(texts, "en", "EUR", "dunning_levels", {"days": 14})
        == "14 days after the due date"
    )
    category = {"base_price": None, "approval": "manual"}
    assert labels.summary(texts, "en", "EUR", "categories", category) == texts["approval=manual"]


@pytest.mark.parametrize(
    ("asked", "total", "page"),
    [
        ({}, 50, (1, None, None)),
        ({}, 51, (1, None, 2)),
        ({"page": "2"}, 100, (2, 1, None)),
        ({"page": "two"}, 101, (1, None, 2)),
    ],
)
def test_a_page_of_a_list_has_the_neighbours_that_exist(asked, total, page):
    paging = lists.paging(asked, total)
    assert (paging.page, paging.before, paging.after) == page
