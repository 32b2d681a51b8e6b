"""What each role opens and sends at the desk, compared with section 6 of the design: each page and
each form, for a holder of each role.

tests/pages/office/test_team.py has the forms of the team.
"""

import pytest

from eventapi.plugins import sessions
from tests.pages.desk.test_scopes import ADDRESSES, NEEDS, PAGES, send
from tests.support.people import add_person, at_desk

# role -> scopes of NEEDS that it may write
WRITES = {
    "owner": " ".join(NEEDS),
    "office": "events contacts participants applications categories invoices booths plans services "
    "service_orders documents submissions schedules tasks checkins links",
    "finance": "contacts invoices payments documents tasks",
    "door": "checkins links",
    "reader": "",
}
# What depends on the record that it is about.
DEPEND = {"do/create_note", "do/delete_note/1"}
OWN = ("account", "account/factor", "start", "team", "team/new")  # pages of persons
# role -> pages that it does not open; all of a folder for `folder/`
CLOSED = {
    "owner": "",
    "office": "start team team/new",
    "finance": "start team team/new exhibitors/remind exhibitors/new visitors/new setup/called_off",
    "door": "start team team/new applications applications/ exhibitors/submissions exhibitors/orders exhibitors/new "
    "exhibitors/1/hand_in/1 visitors/new hall hall/ booths/ money money/ invoices/ tasks log company/ "
    "setup/categories setup/stands setup/halls setup/services setup/submissions setup/contracts setup/dunning "
    "setup/apply/trial setup/called_off",
    "reader": "start team team/new exhibitors/new visitors/new setup/called_off",
}


@pytest.fixture(autouse=True)
def no_pace(monkeypatch):
    monkeypatch.setattr(sessions, "PER_MINUTE", 100_000)


@pytest.fixture
def holder(app, db):
    """Return a function that signs in a person of a role."""
    return lambda role: at_desk(app, db, add_person(db, role))


def is_closed(page, role):
    """Return whether CLOSED names a page, without its query."""
    path = page.partition("?")[0]
    names = CLOSED[role].split()
    return path in names or (f"{path.partition('/')[0]}/" in names and "/" in path)


@pytest.mark.parametrize("role", CLOSED)
def test_pages(holder, busy_fair, role):
    visitor = holder(role)
    opened = {}
    for page in (*PAGES, *OWN):
        status = visitor.get(f"/desk/{page}", "*").status_int
        assert status in (200, 403, 404), f"{page}: {status}"
        opened[page] = status == 200
    assert opened == {page: not is_closed(page, role) for page in opened}


@pytest.mark.parametrize("role", WRITES)
def test_forms(holder, busy_fair, role):
    visitor = holder(role)
    page = visitor.get("/desk/")
    wrong = []
    for address in sorted({*ADDRESSES} - DEPEND):
        needed = {scope for scope, addresses in NEEDS.items() if address in addresses}
        is_allowed = needed <= {*WRITES[role].split()}
        status = send(visitor, page, address).status_int
        assert status < 500, address
        if (status != 403) != is_allowed:
            wrong.append((address, status))
    assert wrong == []
