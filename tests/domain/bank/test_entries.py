"""The identity of entries: the same entry in each file, and never the same for two entries."""

import random
from dataclasses import replace

import pytest

from eventapi.domain.bank.entries import Entry, compact, identified, reference, text

OWN = "DE02120300000000202051"
BADGE = Entry(
    "2026-12-04",
    1300,
    "EUR",
    party="Eva Klein",
    party_iban="DE02100500000054540402",
    reference="Ausstellerausweis",
)
NAMED = Entry(
    "2026-12-04", 119000, "EUR", bank_reference="2026120400000002", reference="inv 2026 18"
)
DAY = [
    NAMED,
    BADGE,
    BADGE,
    replace(BADGE, amount=-1300),
    replace(BADGE, booked_on="2026-12-05"),
    replace(BADGE, currency="USD"),
    replace(BADGE, reference="Ausstellerausweis 2"),
    replace(NAMED, amount=-119000),
    replace(BADGE, party="Eva Groß"),
    replace(BADGE, end_to_end_id="A-1"),
    replace(BADGE, party_iban=None),
    replace(BADGE, creditor_references=("RF18539007547034",)),
    replace(NAMED, bank_reference="2026120400000003"),
]


def keys(entries, account=OWN):
    return [entry.key for entry in identified(account, entries)]


def test_entries_of_a_statement_have_different_keys():
    assert len(set(keys(DAY))) == len(DAY)
    assert all(len(key) == 40 for key in keys(DAY))


def test_the_account_is_part_of_the_key():
    assert not set(keys(DAY)) & set(keys(DAY, "DE27100777770209299700"))
    assert not set(keys(DAY)) & set(keys(DAY, None))


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_entries_does_not_matter(seed):
    shuffled = random.Random(seed).sample(DAY, len(DAY))
    assert set(keys(shuffled)) == set(keys(DAY))


def test_a_part_of_a_statement_has_keys_of_the_whole():
    for start in range(len(DAY)):
        for end in range(start, len(DAY) + 1):
            assert set(keys(DAY[start:end])) <= set(keys(DAY))


@pytest.mark.parametrize(
    "changed",
    [
        {"reference": " Aussteller ausweis"},
        {"reference": "AUSSTELLER\nAUSWEIS"},
        {"party": "EvaKlein"},
        {"party_iban": "DE02 1005 0000 0054 5404 02"},
        {"description": "GUTSCHRIFT"},
        {"valued_on": "2026-12-05"},
        {"code": "NTRF+166"},
        {"batch_position": 2, "batch_size": 3},
    ],
)
def test_what_a_bank_writes_in_several_ways_does_not_matter(changed):
    assert keys([replace(BADGE, **changed)]) == keys([BADGE])


def test_the_text_does_not_matter_beside_a_reference_of_the_bank():
    assert keys([replace(NAMED, reference="INV-2026-00018", party="ROSEN TANTAU")]) == keys([NAMED])


def test_keys_stay_the_same():
    """Keys are stored.

    A change of their computation would book each entry of an overlapping file again.

    Computed with sha256sum from the parts, such as account, EUR, 2026-12-04, 119000, bank,
    2026120400000002 and 1.
    """
    assert keys([NAMED, BADGE, BADGE]) == [
        "027fa162b365959402c33b9bcbb11522bb81cd08",
        "ff0f553db69901582a3234e2d927f726d9c3e4aa",
        "7fc16b9f04bcb5457901aed68154bc294a5ae6c9",
    ]


def test_fields_cannot_be_confused():
    """The separator of the digest is no character of a text."""
    one = Entry("2026-12-04", 1, "EUR", reference=text("a\x1fb"), party=text("c"))
    other = Entry("2026-12-04", 1, "EUR", reference=text("a"), party=text("b\x1fc"))
    assert keys([one]) != keys([other])


def test_texts_are_cleaned():
    assert text("  a \n\t b\0\x07 ") == "a b"
    assert text("x" * 200, 35) == "x" * 35
    assert text(" ") is None and text(None) is None
    assert compact("de02 1203 0000 0000 2020 51") == OWN
    assert (
        reference("NotProvided") is None
        and reference("NONREF ") is None
        and reference("A-1") == "A-1"
    )
