"""Timestamps: what the service accepts it also accepts again, as it returns it."""

import pytest

from eventapi import times


@pytest.mark.parametrize(
    "text, is_valid",
    [
        ("0002-01-01T00:00:00Z", True),
        ("9998-12-31T23:59:59Z", True),
        ("9998-12-31T23:59:59+00:00", True),
        ("0001-12-31T23:59:59Z", False),
        ("9999-01-01T00:00:00Z", False),
        ("9997-12-31T23:59:59-14:00", True),
        # In UTC, or in some time zone, these are in the years 1 and 9999.
        ("0002-01-01T00:00:00+14:00", False),
        ("9998-12-31T23:59:59-14:00", False),
        ("9998-12-31T23:59:59", False),
    ],
)
def test_a_timestamp_at_the_end_of_the_calendar_is_valid_in_utc_as_well(text, is_valid):
    assert times.is_timestamp(text) == is_valid
    if is_valid:
        assert times.is_timestamp(times.utc(text, "Pacific/Apia"))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("2026-05-01T09:00:00Z", "2026-05-01T09:00:00Z"),
        ("2026-05-01t09:00:00z", "2026-05-01T09:00:00Z"),
        ("2026-05-01 09:00:00Z", "2026-05-01T09:00:00Z"),
        ("2026-05-01T09:00Z", "2026-05-01T09:00:00Z"),
        ("2026-05-01T09:00:00.5Z", "2026-05-01T09:00:00Z"),
        ("2026-05-01T09:00:00+02:00", "2026-05-01T07:00:00Z"),
        ("2026-05-01T09:00:00", "2026-05-01T07:00:00Z"),
        ("2026-01-01T09:00:00", "2026-01-01T08:00:00Z"),
        ("2026-05-01T09:00:00+0200", "2026-05-01T07:00:00Z"),
        ("2026-05-01T09:00:00+02", "2026-05-01T07:00:00Z"),
        ("2026-05-01 09:00-0330", "2026-05-01T12:30:00Z"),
        ("2026-05-01T09:00:00.5-03", "2026-05-01T12:00:00Z"),
        ("2026-05-01 09:00", "2026-05-01T07:00:00Z"),
    ],
)
def test_a_timestamp_in_any_form_becomes_one_in_utc(text, expected):
    assert times.is_timestamp(text)
    assert times.utc(text, "Europe/Berlin") == expected


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-01T09:00:00+2500",
        "2026-05-01T09:00:00+24",
        "2026-05-01T09:00:00+99",
        "2026-05-01T09:00:00+02:60",
        "2026-05-01T09:00:00+0260",
        "2026-05-01T09:00:00+2",
        "2026-05-01T09:00:00+020",
        "2026-05-01T09:00:00+02:00:00",
        "2026-05-01T09:00:00 0200",
        "2026-05-01+0200",
        "20260501",
        "20260501T090000Z",
    ],
)
def test_an_offset_out_of_range_and_a_compact_form_are_no_timestamp(text):
    assert not times.is_date_or_timestamp(text)
