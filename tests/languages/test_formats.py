"""Numbers, dates and names in each language."""

import re
from decimal import Decimal

import pytest

from eventapi.languages import choice, countries, formats, names

# ISO 3166-1, and XK (Kosovo)
CODES = frozenset(
    """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY
    BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK
    FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR
    IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK
    ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
    PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF
    TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW""".split()
)


@pytest.mark.parametrize(
    ("value", "places", "english", "german"),
    [
        (0, 0, "0", "0"),
        (Decimal("-0.00"), 2, "0.00", "0,00"),
        (1234, 0, "1,234", "1.234"),
        (1234567.5, 2, "1,234,567.50", "1.234.567,50"),
        (Decimal("95.1234"), 2, "95.1234", "95,1234"),
        (-12.5, 0, "-12.5", "-12,5"),
        (Decimal("1E+3"), 0, "1,000", "1.000"),
        (10**12 - 1, 0, "999,999,999,999", "999.999.999.999"),
    ],
)
def test_numbers(value, places, english, german):
    assert formats.number(value, "en", places) == english
    assert formats.number(value, "de", places) == german


@pytest.mark.parametrize(
    ("value", "currency", "english", "german"),
    [
        (1190, "EUR", "EUR 1,190.00", "1.190,00 EUR"),
        (-0.5, "EUR", "EUR -0.50", "-0,50 EUR"),
        (150000, "JPY", "JPY 150,000", "150.000 JPY"),
        (1.234, "KWD", "KWD 1.234", "1,234 KWD"),
    ],
)
def test_amounts_have_the_decimals_of_the_currency(value, currency, english, german):
    assert formats.money(value, currency, "en") == english
    assert formats.money(value, currency, "de") == german


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (19, "19%", "19 %"),
        (7.5, "7.5%", "7,5 %"),
        (Decimal("8.10"), "8.1%", "8,1 %"),
    ],
)
def test_percentages(value, english, german):
    assert formats.percent(value, "en") == english
    assert formats.percent(value, "de") == german


@pytest.mark.parametrize(
    ("first", "last", "english", "german"),
    [
        ("2027-03-01", "2027-03-04", "1–4 March 2027", "01.–04.03.2027"),
        ("2027-02-28", "2027-03-03", "28 February – 3 March 2027", "28.02.–03.03.2027"),
        ("2026-12-30", "2027-01-02", "30 December 2026 – 2 January 2027", "30.12.2026–02.01.2027"),
        ("2027-03-01", "2027-03-01", "1 March 2027", "01.03.2027"),
        ("2027-03-01", None, "1 March 2027", "01.03.2027"),
        (None, "2027-03-04", "4 March 2027", "04.03.2027"),
        (None, None, "", ""),
    ],
)
def test_days_from_the_first_to_the_last(first, last, english, german):
    assert formats.days(first, last, "en") == english
    assert formats.days(first, last, "de") == german


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        ("2027-03-01T22:30:00Z", "1 March 2027, 23:30", "01.03.2027, 23:30 Uhr"),
        ("2027-06-30T22:30:00Z", "1 July 2027, 00:30", "01.07.2027, 00:30 Uhr"),
        ("2027-03-01", "1 March 2027", "01.03.2027"),
    ],
)
def test_timestamps_in_the_local_zone(value, english, german):
    assert formats.moment(value, "Europe/Berlin", "en") == english
    assert formats.moment(value, "Europe/Berlin", "de") == german


@pytest.mark.parametrize(
    ("name", "english", "german"),
    [
        ("2026-05-01", "1 May 2026", "01.05.2026"),
        ("2026-W08", "Week 8, 2026", "KW 8/2026"),
        ("2026-05", "May 2026", "Mai 2026"),
        ("2026-12", "Dec 2026", "Dez. 2026"),
        ("2026-Q2", "Q2 2026", "Q2 2026"),
        ("2026", "2026", "2026"),
    ],
)
def test_periods(name, english, german):
    assert formats.period(name, "en") == english
    assert formats.period(name, "de") == german


def test_every_country_that_records_may_have_is_named_in_each_language():
    assert set(countries.NAMES) == CODES
    for language in choice.AVAILABLE:
        named = [countries.name(code, language) for code in CODES]
        assert len(set(named)) == len(named)
        assert all(re.fullmatch(r"[A-ZÅÄÖ][^=;|]+", name) for name in named)
    for code, english, german in (
        ("DE", "Germany", "Deutschland"),
        ("AT", "Austria", "Österreich"),
        ("CH", "Switzerland", "Schweiz"),
        ("FR", "France", "Frankreich"),
        ("AD", "Andorra", "Andorra"),
        ("ZW", "Zimbabwe", "Simbabwe"),
    ):
        assert countries.name(code, "en") == english and countries.name(code, "de") == german
    assert countries.name("??", "de") == "??"


@pytest.mark.parametrize(
    ("text", "english", "german"),
    [
        ("piece", "piece", "Stück"),
        ("Stück", "piece", "Stück"),
        ("Pcs", "piece", "Stück"),
        ("Stunden", "hour", "Stunde"),
        ("m²", "m²", "m²"),
        ("Palette", "Palette", "Palette"),
        (None, None, None),
    ],
)
def test_units(text, english, german):
    assert names.unit(text, "en") == english
    assert names.unit(text, "de") == german


@pytest.mark.parametrize(
    ("unit", "label", "language", "expected"),
    [
        ("piece", "Stk", "de", "Stk"),
        ("piece", "Stk", "en", "piece"),
        ("piece", None, "de", "Stück"),
        ("pallet", "Palette", "en", "Palette"),
        ("pallet", None, "de", "pallet"),
    ],
)
def test_the_organisers_label_of_a_unit_is_in_the_organisers_language(
    unit, label, language, expected
):
    assert names.unit_of_service(unit, label, language, "de") == expected


def test_every_role_and_status_has_a_name_in_each_language():
    for table in (names.ROLES, names.STATUSES, names.UNITS, names.TRUTH):
        assert all(
            set(texts) == set(choice.AVAILABLE) and all(texts.values()) for texts in table.values()
        )
    assert (
        names.role("exhibitor", "de") == "Aussteller"
        and names.role("exhibitor", "en") == "exhibitor"
    )
    assert names.status("cancelled", "de") == "abgesagt" and names.truth(True, "de") == "ja"
