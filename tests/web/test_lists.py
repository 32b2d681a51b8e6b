"""Rules for every list beyond those of test_routes.py: cursors of other lists, `after` with `page`,
and Vary.
"""

import pytest

from tests.support.examples import make
from tests.web.test_routes import LISTS, each, problem, stocked  # noqa: F401  (stocked is a fixture)

FORMS = ("application/json", "text/csv")


@each("route", LISTS)
def test_a_list_varies_by_accept(shared, stocked, route):  # noqa: F811
    path, query = stocked(route)
    for form in FORMS:
        for more in ("", "&page=2", "&after="):
            answer = shared.organiser.get(
                f"{path}{query}{more}", headers={"Accept": form}, status=200
            )
            assert "accept" in [name.strip().lower() for name in answer.headers["Vary"].split(",")]


@each("route", LISTS)
def test_a_cursor_of_another_list_is_refused(shared, stocked, route):  # noqa: F811
    make(shared.organiser, "task")
    make(shared.organiser, "task")
    foreign = "/tasks" if route.path != "/api/v1/tasks" else "/events"
    cursor = shared.organiser.get(f"{foreign}?after=&per_page=1&sort=id", status=200).json["meta"][
        "next"
    ]
    path, query = stocked(route)
    for form in FORMS:
        for wrong in (cursor, "nonsense"):
            found = problem(
                shared.organiser.get(
                    f"{path}{query}&after={wrong}&sort=id", headers={"Accept": form}
                ),
                422,
                "validation_failed",
            )
            assert [(entry["parameter"], entry["code"]) for entry in found["errors"]] == [
                ("after", "cursor")
            ]


@each("route", LISTS)
def test_after_and_page_exclude_each_other(shared, stocked, route):  # noqa: F811
    path, query = stocked(route)
    for form in FORMS:
        for more in ("after=&page=1", "page=2&after="):
            found = problem(
                shared.organiser.get(f"{path}{query}&{more}", headers={"Accept": form}),
                422,
                "validation_failed",
            )
            assert [entry["parameter"] for entry in found["errors"]] == ["page"]


def test_a_cursor_of_the_parts_of_another_record_is_refused(shared):
    first, second = make(shared.organiser, "webhook"), make(shared.organiser, "webhook")
    for hook in (first, second):
        shared.organiser.patch(f"/webhooks/{hook['id']}", {"is_active": True}, status=200)
        for _ in range(2):
            shared.organiser.post(f"/webhooks/{hook['id']}/test", status=202)
        shared.organiser.patch(f"/webhooks/{hook['id']}", {"is_active": False}, status=200)
    path = "/webhooks/{}/deliveries?per_page=1&after="
    cursor = shared.organiser.get(path.format(first["id"]), status=200).json["meta"]["next"]
    assert cursor
    shared.organiser.get(path.format(first["id"]) + cursor, status=200)
    shared.organiser.get(path.format(second["id"]) + cursor, status=422)


@pytest.mark.parametrize("slash", ["", "/"])
def test_csv_after_a_cursor_contains_the_records_after_it(shared, slash):
    ids = [make(shared.organiser, "event")["id"] for _ in range(5)]
    path = f"/events{slash}?sort=id&order=ASC&ids={','.join(map(str, ids))}"
    cursor = shared.organiser.get(f"{path}&per_page=2&after=", status=200).json["meta"]["next"]
    answer = shared.organiser.get(
        f"{path}&after={cursor}", headers={"Accept": "text/csv"}, status=200
    )
    assert [row.partition(",")[0] for row in answer.text.splitlines()[1:]] == [
        str(id) for id in ids[2:]
    ]
