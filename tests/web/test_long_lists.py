"""Long lists: pages far from the beginning, and `updated_since` where few or many records have
changed.
"""

import pytest

from tests.web.test_routes import each

MANY = 700  # tasks; a CSV response reads 500 at a time
OLD, NEW = "2024-01-01T00:00:00Z", "2026-01-01T00:00:00Z"
ORDERS = [(sort, order) for sort in ("id", "due_date", "status") for order in ("ASC", "DESC")]
# Which tasks have changed at NEW, as SQL. The rest has changed at OLD.
CHANGED = {
    "none": "id < 0",
    "few": "id % 100 = 7",
    "scattered": "id % 2 = 0",
    "first": "id <= 300",
    "last": "id > 400",
    "all": "TRUE",
}


@pytest.fixture(scope="module")
def tasks(shared):
    """Fill the list.

    Return a function that marks tasks as changed and returns (id, due_at, status) of them.
    """
    connection = shared.db.connection
    connection.execute(
        """WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < :many)
        INSERT INTO tasks (id, title, title_folded, status, priority, created_by, created_at, updated_at, due_date,
                           due_at)
        SELECT id, 'Task', 'task', iif(id % 3, 'pending', 'cancelled'), 'low', 1, :old, :old,
               iif(id % 5, '{"before":"date_from","days":1}', NULL),
               iif(id % 5, date('2026-01-01', (id * 7919 % 400) || ' days') || 'T23:59:59Z', NULL)
          FROM n""",
        {"many": MANY, "old": OLD},
    )

    def mark(kind):
        connection.execute(f"UPDATE tasks SET updated_at = iif({CHANGED[kind]}, '{NEW}', '{OLD}')")
        return connection.execute(
            f"SELECT id, due_at, status FROM tasks WHERE updated_at = '{NEW}'"
        ).fetchall()

    return mark


def ordered(rows, sort, order):
    """Return the ids of the rows in the order of the list: rows without a value last."""
    column = {"id": 0, "due_date": 1, "status": 2}[sort]
    with_value = [row for row in rows if row[column] is not None]
    without = [row for row in rows if row[column] is None]
    is_down = order == "DESC"
    return [
        row[0]
        for part in (with_value, without)
        for row in sorted(part, key=lambda row: (row[column] or "", row[0]), reverse=is_down)
    ]


def ids(page):
    return [task["id"] for task in page["data"]]


@each("sort, order", ORDERS)
def test_each_page_contains_the_records_at_its_place(shared, tasks, sort, order):
    expected = ordered(tasks("all"), sort, order)
    for number in (1, 2, 35, 69, 70, 71, 900):
        page = shared.organiser.get(
            f"/tasks?sort={sort}&order={order}&per_page=10&page={number}", status=200
        ).json
        assert ids(page) == expected[(number - 1) * 10 : number * 10]
        assert page["meta"]["total"] == MANY
    filtered = [id for id in expected if id % 3]
    for number in (1, 7, 46, 47, 48):
        page = shared.organiser.get(
            f"/tasks?sort={sort}&order={order}&status=pending&per_page=10&page={number}", status=200
        ).json
        assert ids(page) == filtered[(number - 1) * 10 : number * 10]
        assert page["meta"]["total"] == len(filtered)


@each("kind", CHANGED)
def test_updated_since_lists_what_has_changed(shared, tasks, kind):
    rows = tasks(kind)
    for sort, order in ORDERS:
        expected, last = ordered(rows, sort, order), max(1, -(-len(rows) // 10))
        path = f"/tasks?updated_since={NEW}&sort={sort}&order={order}&per_page=10"
        for number in {1, 2, 15, last - 1, last, last + 1} - {0}:
            page = shared.organiser.get(f"{path}&page={number}", status=200).json
            assert ids(page) == expected[(number - 1) * 10 : number * 10], (sort, order, number)
            assert page["meta"]["total"] == len(expected)
        if sort == "status":
            continue
        whole = shared.organiser.get(
            path, headers={"Accept": "text/csv"}, status=200
        ).text.splitlines()[1:]
        assert [int(line.partition(",")[0]) for line in whole] == expected, (sort, order)


@each("kind", CHANGED)
def test_updated_since_with_a_filter_lists_what_has_changed(shared, tasks, kind):
    rows = [row for row in tasks(kind) if row[2] == "cancelled"]
    for sort, order in ORDERS[:4]:
        expected = ordered(rows, sort, order)
        page = shared.organiser.get(
            f"/tasks?updated_since={NEW}&status=cancelled&sort={sort}&order={order}", status=200
        ).json
        assert (ids(page), page["meta"]["total"]) == (expected[:20], len(expected))
        whole = shared.organiser.get(
            f"/tasks?updated_since={NEW}&status=cancelled&sort={sort}&order={order}",
            headers={"Accept": "text/csv"},
            status=200,
        ).text.splitlines()[1:]
        assert [int(line.partition(",")[0]) for line in whole] == expected
