"""A `sort` as other APIs have it, with a sign or several fields, is told what to send instead."""

import pytest

EVENTS = "must be one of: title, event_key, date_from, date_to, city, id, but is "


@pytest.mark.parametrize(
    "sent, shown, advice",
    [
        ("-date_from", "-date_from", ". Send sort=date_from&order=DESC"),
        ("%2Btitle", "+title", ". Send sort=title&order=ASC"),
        ("+title", " title", ". Send sort=title&order=ASC"),
        ("city,title", "city,title", ". One field is possible. Send sort=city"),
        (
            "-city,title",
            "-city,title",
            ". One field is possible. Send sort=city&order=DESC",
        ),
        ("-created_at", "-created_at", ""),
        ("--title", "--title", ""),
        ("-", "-", ""),
        ("created_at,title", "created_at,title", ""),
        ("-title%0Ax", "-title\nx", ""),
    ],
)
def test_a_sort_with_a_sign_or_a_list_names_the_right_parameters(organiser, sent, shown, advice):
    answer = organiser.get(f"/events?sort={sent}", status=422).json
    assert answer["errors"] == [
        {"parameter": "sort", "code": "enum", "detail": EVENTS + shown + advice}
    ]


def test_what_the_advice_says_is_accepted(organiser):
    for title in ("Garden", "Boats"):
        organiser.make("/events", {"title": title})
    detail = organiser.get("/events?sort=-title", status=422).json["errors"][0]["detail"]
    parameters = detail.partition(". Send ")[2]
    titles = [event["title"] for event in organiser.data(f"/events?{parameters}")]
    assert titles == ["Garden", "Boats"]


def test_other_faults_of_a_sort_have_no_advice(organiser):
    faults = organiser.get("/events?sort=-title&sort=title&status=1", status=422).json["errors"]
    assert [(fault["parameter"], fault["code"]) for fault in faults] == [
        ("sort", "enum"),
        ("sort", "repeated"),
        ("status", "unknown"),
    ]
