"""A hundred people open the links of their mails at once, with real server processes: one gets the
last place.
"""

import http.client
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from eventapi.domain.public_forms import drafts
from eventapi.domain.shows import directory
from tests.pages.attack.conftest import category, pages, public_show, show  # noqa: F401
from tests.support import processes
from tests.support.concurrent_requests import ROUNDS

pytestmark = pytest.mark.processes
CLIENTS = 100


@pytest.fixture
def server(tmp_path, pages):  # noqa: F811
    with processes.Server(tmp_path, "--workers", "2") as running:
        yield running


def confirmations(db, form, count, number):
    """Store drafts of a form with addresses of their own, and return the secrets in the mails."""
    event = directory.show(db, "fair")
    columns = [
        name
        for (name,) in db.connection.execute("SELECT name FROM pragma_table_info('applications')")
    ]
    fields = {
        **dict.fromkeys(columns),
        "rating": 3,
        "country": "DE",
        "last_name": "V",
        "event_keys": ["fair"],
        "category_keys": ["visitors"] if form == "visit" else [],
        "late": False,
        "custom_fields": {},
    }
    with db.write():
        ids = [
            drafts.store(
                db,
                event,
                form,
                {**fields, "email": f"{form}{number}.{each}@mail.example"},
                f"{form}-{number}-{each}",
                "en",
                f"192.0.2.{each}",
                "https://show.example.org",
            )
            for each in range(count)
        ]
        return [drafts.add_secret(db, id) for id in ids]


def confirm_at_once(port, secrets):
    """Open all links at the same time.

    Return (status, Location) of each response, in which a busy server is 503.
    """
    start = Barrier(len(secrets))

    def client(secret):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        start.wait(60)
        try:
            while True:
                connection.request(
                    "POST",
                    f"/link/{secret}",
                    "",
                    {"Content-Type": "application/x-www-form-urlencoded"},
                )
                response = connection.getresponse()
                response.read()
                if response.status != 503:
                    return response.status, response.getheader("Location")
        finally:
            connection.close()

    with ThreadPoolExecutor(len(secrets)) as clients:
        return list(clients.map(client, secrets))


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_hundred_visitors_confirm_for_the_last_place(server, organiser, db, number):
    id = organiser.data("/categories?category_key=visitors")[0]["id"]
    organiser.patch(f"/categories/{id}", {"capacity": 1}, status=200)
    answers = confirm_at_once(server.port, confirmations(db, "visit", CLIENTS, number))
    assert {status for status, _ in answers} == {303} and len(
        {place for _, place in answers}
    ) == CLIENTS
    states = [row["status"] for row in organiser.data(f"/applications?per_page={CLIENTS}")]
    assert (states.count("approved"), states.count("new")) == (1, CLIENTS - 1)
    assert len(organiser.data("/participants?role=visitor")) == 1


@pytest.mark.parametrize("form", ["apply", "visit"])
@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_hundred_confirmations_of_one_link_make_one_application(
    server, organiser, db, form, number
):
    (secret,) = confirmations(db, form, 1, number)
    answers = confirm_at_once(server.port, [secret] * CLIENTS)
    assert {status for status, _ in answers} == {303} and len({place for _, place in answers}) == 1
    assert len(organiser.data("/applications")) == 1
    assert (
        db.connection.execute("SELECT count(*) FROM links WHERE application_id = 1").fetchone()[0]
        == 1
    )
