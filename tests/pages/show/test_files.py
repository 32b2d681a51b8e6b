"""Files of a public show: each is drawn once for each state, one at a time, and beside everything
else.
"""

import io
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from eventapi import times
from eventapi.domain.events import calendar_feed
from eventapi.domain.halls import plan_pictures
from eventapi.errors import Problem
from eventapi.pages.show import cards, views
from eventapi.pictures import fonts
from eventapi.web.html import shell
from eventapi.web.html.page_cache import FileCache, PageCache
from tests.support.plans import add_plan

NOON = "2027-01-10T12:00:00Z"
LIMIT = 10  # seconds for which a test waits at most


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    """Keep nothing of other tests, and nothing for them."""
    forget(monkeypatch)


def forget(monkeypatch):
    monkeypatch.setattr(shell, "PAGES", PageCache(shell.LARGEST))
    monkeypatch.setattr(shell, "FILES", FileCache(shell.LARGEST_FILES))
    # Tests whose folders have the same name, one after the other, would share these.
    monkeypatch.setattr(views, "LISTS", {})
    monkeypatch.setattr(views, "MOMENTS", {})


@pytest.fixture
def noon(monkeypatch):
    """Stop the clock: what time alone changes is read once a minute."""
    monkeypatch.setattr(times, "now", lambda: NOON)


@pytest.fixture
def addresses(organiser, show):
    """Return the addresses of the files of the show: picture and PDF of its plan, an address card,
    the calendar.
    """
    plan = organiser.data(f"/plans/{show['plan']}")["plan_key"]
    return {
        "svg": f"/e/fair/plan/{plan}.svg",
        "pdf": f"/e/fair/plan/{plan}.pdf",
        "vcf": f"/e/fair/exhibitors/{show['exhibitor']['id']}-x.vcf",
        "ics": "/e/fair/calendar.ics",
    }


@pytest.fixture
def drawings(monkeypatch):
    """Count what is drawn, by form."""
    found, draw, card, write = Counter(), plan_pictures.draw, cards.card, calendar_feed.write

    def counted(form, function, *values):
        found[form] += 1
        return function(*values)

    monkeypatch.setattr(
        plan_pictures,
        "draw",
        lambda config, hall, form: counted(
            "pdf" if form == plan_pictures.PDF else "svg", draw, config, hall, form
        ),
    )
    monkeypatch.setattr(cards, "card", lambda *values: counted("vcf", card, *values))
    monkeypatch.setattr(calendar_feed, "write", lambda *values: counted("ics", write, *values))
    return found


class Hall:
    """The drawing of plans, which waits until it may go on.

    Attributes:
        names: the form of each drawing that has begun.
        most: how many were drawn at the same time, at most.
    """

    def __init__(self, draw):
        self.draw = draw
        self.names = []
        self.running = self.most = 0
        self.begun = threading.Event()
        self.may_end = threading.Event()

    def __call__(self, config, hall, form):
        self.names.append(form)
        self.running += 1
        self.most = max(self.most, self.running)
        self.begun.set()
        try:
            assert self.may_end.wait(LIMIT)
            return self.draw(config, hall, form)
        finally:
            self.running -= 1


@pytest.fixture
def hall(monkeypatch):
    """Return the Hall in which plans are drawn."""
    hall = Hall(plan_pictures.draw)
    monkeypatch.setattr(plan_pictures, "draw", hall)
    return hall


@pytest.fixture
def ask(app):
    """Return a function that asks for an address in a thread of its own: a Future of (status,
    headers, body).
    """

    def request(path, method="GET", **headers):
        path, _, query = path.partition("?")
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "SERVER_NAME": "x",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(),
            "wsgi.errors": sys.stderr,
            "REMOTE_ADDR": "192.0.2.7",
            **headers,
        }
        head = []
        body = b"".join(
            app.app(environ, lambda status, fields, exc_info=None: head.extend([status, fields]))
        )
        return int(head[0][:3]), dict(head[1]), body

    with ThreadPoolExecutor(64) as pool:
        yield lambda path, *rest, **headers: pool.submit(request, path, *rest, **headers)


def until(is_true):
    """Wait until `is_true()`."""
    end = time.monotonic() + LIMIT
    while not is_true():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.002)


def test_each_file_is_drawn_once_for_each_state_and_language(
    organiser, read, show, addresses, drawings, noon
):
    def read_all():
        return [
            read(f"{address}{query}", language).body
            for language in ("en", "de", "fr", "de-AT,en;q=0.5")
            for query in ("", "?q=1", "?embed=1&category=x", "?language=de")
            for address in addresses.values()
        ]

    once = read_all()
    assert drawings == {"svg": 2, "pdf": 2, "vcf": 2, "ics": 1}
    assert read_all() == once and drawings == {"svg": 2, "pdf": 2, "vcf": 2, "ics": 1}
    organiser.patch(
        f"/contacts/{show['exhibitor']['contact_id']}",
        {"notes": "nothing that pages show"},
        status=200,
    )
    assert read_all() == once and drawings == {"svg": 2, "pdf": 2, "vcf": 2, "ics": 1}
    organiser.patch(
        f"/contacts/{show['exhibitor']['contact_id']}", {"company_name": "New Ltd"}, status=200
    )
    assert read_all() != once and drawings == {"svg": 4, "pdf": 4, "vcf": 4, "ics": 2}


def test_each_plan_and_each_exhibitor_has_a_file_of_its_own(organiser, read, show, addresses, db):
    other = add_plan(db, "fair", "hall-b", "B")
    contact = organiser.make("/contacts", {"company_name": "Rosen KG"})
    organiser.make(
        "/booths",
        {"plan_id": other, "booth_number": "B99", "width": 3, "depth": 3, "pos_x": 1, "pos_y": 1},
    )
    rosen = organiser.make(
        "/participants",
        {
            "event_id": show["event"]["id"],
            "contact_id": contact["id"],
            "role": "exhibitor",
            "is_confirmed": True,
        },
    )
    read(addresses["svg"])
    assert (
        "B99" in read("/e/fair/plan/hall-b.svg").text and "B99" not in read(addresses["svg"]).text
    )
    assert read("/e/fair/plan/hall-b.pdf").body != read(addresses["pdf"]).body
    read(addresses["vcf"])
    assert "FN:Rosen KG" in read(f"/e/fair/exhibitors/{rosen['id']}-rosen-kg.vcf").text
    assert "FN:Erdőháti" in read(addresses["vcf"]).text


def test_a_hold_draws_the_plan_again_and_no_card_and_no_calendar(
    organiser, read, show, addresses, drawings
):
    free = organiser.make(
        "/booths",
        {
            "plan_id": show["plan"],
            "booth_number": "Z9",
            "width": 3,
            "depth": 3,
            "pos_x": 1,
            "pos_y": 9,
            "fixed_price": 100,
        },
    )
    before = [read(address).body for address in addresses.values()]
    organiser.make(
        "/booth-reservations",
        {"booth_id": free["id"], "event_participant_id": show["exhibitor"]["id"]},
    )
    after = [read(address).body for address in addresses.values()]
    assert [one == other for one, other in zip(before, after, strict=True)] == [
        False,
        False,
        True,
        True,
    ]
    assert drawings == {"svg": 2, "pdf": 2, "vcf": 1, "ics": 1}


def test_a_kept_file_costs_one_statement_beside_that_of_the_settings(app, read, addresses, noon):
    for address in addresses.values():
        read(address)
        found, connection = [], app.app.connections.reader().connection
        connection.set_trace_callback(found.append)
        read(address)
        connection.set_trace_callback(None)
        assert len(found) == 2 and found[0] == "SELECT settings_revision FROM tenant", found


@pytest.mark.parametrize(
    "change",
    [
        ("/contacts/{contact}", {"company_name": "New Ltd"}),
        ("/contacts/{contact}", {"city": "Szeged"}),
        ("/participants/{exhibitor}/profile", {"phone": "+36 2"}),
        ("/participants/{exhibitor}", {"role": "visitor"}),
        ("/participants/{exhibitor}/profile", {"display_name": "New"}),
        ("/plans/{plan}", {"plan_key": "hall-z"}),
        ("/booths/{booth}", {"booth_number": "B7"}),
        ("/booths/{booth}", {"pos_y": 20}),
        ("/booths/{booth}", {"booth_name": "Corner"}),
        ("/plans/{plan}", {"plan_name": "Great hall"}),
        ("/plans/{plan}", {"width": 80}),
        ("/plans/{plan}", {"is_active": False}),
        ("/events/{event}", {"title": "Rose Fair"}),
        ("/events/{event}", {"date_to": "2027-05-04"}),
        ("/events/{event}", {"timezone": "Asia/Tokyo"}),
        ("/events/{event}", {"venue": "Hall 2"}),
        ("/schedules/{slot}", {"title": "Start"}),
        ("/schedules/{slot}", {"is_public": False}),
        ("/schedules/{slot}", {"assignments": []}),
        ("/events/{event}/pages", {"show_plan": False}),
        ("/events/{event}/pages", {"show_programme": False}),
        ("/events/{event}/pages", {"show_directory": False}),
        ("/events/{event}/pages", {"language": "de"}),
        ("/events/{event}", {"is_visible": False}),
    ],
)
def test_after_each_change_the_files_are_those_that_are_drawn_anew(
    organiser, app, show, addresses, monkeypatch, change
):
    path, fields = change
    ids = {
        "contact": show["exhibitor"]["contact_id"],
        "exhibitor": show["exhibitor"]["id"],
        "plan": show["plan"],
        "booth": show["booth_exhibitor"]["id"],
        "event": show["event"]["id"],
        "slot": show["slot"]["id"],
    }

    def seen():
        found = [app.get(address, status="*") for address in addresses.values()]
        return [
            (one.status_int, one.headers.get("ETag"), one.body if one.status_int == 200 else b"")
            for one in found
        ]

    before = seen()
    organiser.patch(path.format(**ids), fields, status=200)
    after = seen()
    forget(monkeypatch)
    assert after == seen() and after != before


def test_a_hold_that_ends_is_seen_on_the_kept_files(organiser, read, show, addresses, monkeypatch):
    booth = organiser.make(
        "/booths",
        {
            "plan_id": show["plan"],
            "booth_number": "Z9",
            "width": 3,
            "depth": 3,
            "pos_x": 1,
            "pos_y": 9,
            "fixed_price": 100,
        },
    )
    organiser.make(
        "/booth-reservations",
        {
            "booth_id": booth["id"],
            "event_participant_id": show["exhibitor"]["id"],
            "expires_at": NOON,
        },
    )

    def at(moment):
        monkeypatch.setattr(times, "now", lambda: moment)
        return [read(addresses[form]).body for form in ("svg", "pdf")]

    held = at("2027-01-10T11:59:00Z")
    free = at(NOON)
    assert held[0] != free[0] and held[1] != free[1]
    assert b"Z9, taken" in held[0] and b"Z9, available" in free[0]


def test_forty_threads_that_ask_at_once_get_one_drawing(ask, settings, addresses, hall):
    settings.threads = 82
    asked = [ask(addresses["pdf"]) for _ in range(40)]
    until(lambda: shell.FILES.waiting == 39)
    hall.may_end.set()
    found = [each.result(LIMIT) for each in asked]
    assert hall.names == [plan_pictures.PDF] and {status for status, *_ in found} == {200}
    assert len({body for *_, body in found}) == 1 and found[0][2].startswith(b"%PDF")
    assert len({headers["X-Request-ID"] for _, headers, _ in found}) == 40


def test_plans_are_drawn_one_at_a_time_in_all_forms_and_languages(ask, settings, addresses, hall):
    settings.threads = 82
    asked = [
        ask(f"{addresses[form]}?language={language}")
        for form in ("svg", "pdf")
        for language in ("de", "en")
    ]
    until(lambda: shell.FILES.waiting == 3)
    hall.may_end.set()
    assert [each.result(LIMIT)[0] for each in asked] == [200] * 4
    assert (len(hall.names), hall.most) == (4, 1)


def test_while_a_plan_is_drawn_half_of_the_threads_serve_everything_else(
    ask, settings, addresses, hall
):
    """Eight threads: one draws, three wait for it, and all others who ask for a file are refused at
    once.
    """
    settings.threads = 8
    waiting = [ask(addresses["pdf"])]
    hall.begun.wait(LIMIT)
    waiting += [ask(addresses[form]) for form in ("pdf", "svg", "pdf")]
    until(lambda: shell.FILES.waiting == 3)
    for form in ("pdf", "svg"):
        status, headers, body = ask(addresses[form], HTTP_ACCEPT="application/pdf").result(LIMIT)
        assert (status, headers["Retry-After"]) == (503, "5") and b'"code":"unavailable"' in body
        status, headers, body = ask(
            addresses[form], HTTP_ACCEPT="text/html", HTTP_ACCEPT_LANGUAGE="de"
        ).result(LIMIT)
        assert (status, headers["Retry-After"], headers["Cache-Control"]) == (503, "5", "no-store")
        assert "Der Server ist gerade sehr beschäftigt." in body.decode()
    for path in (
        "/healthz",
        "/e/fair",
        "/e/fair/exhibitors",
        addresses["pdf"][:-4],
        addresses["vcf"],
        addresses["ics"],
    ):
        status, _, body = ask(path).result(LIMIT)
        assert status == 200, body[:300]
    assert ask("/e/fair/plan/made-up.pdf").result(LIMIT)[0] == 404, "there is nothing to wait for"
    hall.may_end.set()
    assert [each.result(LIMIT)[0] for each in waiting] == [200] * 4
    assert sorted(hall.names) == sorted([plan_pictures.PDF, plan_pictures.SVG])


def test_a_kept_file_is_served_while_another_one_is_drawn(ask, settings, addresses, hall):
    settings.threads = 2
    hall.may_end.set()
    kept = ask(addresses["svg"]).result(LIMIT)
    hall.begun.clear()
    hall.may_end.clear()
    drawn = ask(addresses["pdf"])
    hall.begun.wait(LIMIT)
    assert ask(addresses["svg"]).result(LIMIT)[2] == kept[2]
    hall.may_end.set()
    assert drawn.result(LIMIT)[0] == 200


def test_a_change_while_a_plan_is_drawn_is_on_the_next_drawing(
    ask, organiser, settings, show, addresses, hall
):
    """Who asks after the change waits for the drawing of the state before, and gets another one."""
    early = ask(addresses["svg"])
    hall.begun.wait(LIMIT)
    organiser.patch(
        f"/contacts/{show['exhibitor']['contact_id']}", {"company_name": "New Ltd"}, status=200
    )
    late = ask(addresses["svg"])
    until(lambda: shell.FILES.waiting == 1)
    hall.may_end.set()
    assert (
        b"Erd\xc5\x91h\xc3\xa1ti" in early.result(LIMIT)[2] and b"New Ltd" in late.result(LIMIT)[2]
    )
    assert b"New Ltd" in ask(addresses["svg"]).result(LIMIT)[2] and len(hall.names) == 2


@pytest.mark.parametrize("name", ["Garten \U0001f339", "\u16a0\u16a2 Ltd", "\u05d2\u05df"])
def test_a_name_with_a_letter_that_no_font_has_stops_no_pdf_of_a_hall(
    organiser, read, show, addresses, name
):
    """Exhibitors write their display names on their own pages.

    A browser has the fonts of its device.
    """
    organiser.patch(
        f"/participants/{show['exhibitor']['id']}/profile", {"display_name": name}, status=200
    )
    assert name in read(addresses["svg"]).text
    file = read(addresses["pdf"], status=200).body
    if not fonts.installed(fonts.EUROPE):
        pytest.skip("needs fonts-dejavu-core")
    pypdf = pytest.importorskip("pypdf")
    assert "\u25a1" in pypdf.PdfReader(io.BytesIO(file)).pages[0].extract_text()


def test_a_drawing_that_is_refused_is_not_drawn_for_each_request(ask, addresses, monkeypatch):
    drawings = []

    def refuse(*_):
        drawings.append(True)
        raise Problem("not_installed", "PDF needs reportlab.")

    monkeypatch.setattr(plan_pictures, "draw", refuse)
    assert [ask(addresses["pdf"]).result(LIMIT)[0] for _ in range(5)] == [501] * 5 and len(
        drawings
    ) == 1
    assert ask(addresses["svg"]).result(LIMIT)[0] == 501 and len(drawings) == 2


def test_a_drawing_that_fails_is_not_kept_and_the_next_one_is(ask, addresses, monkeypatch):
    draw = plan_pictures.draw

    def fail(*_):
        raise MemoryError("too large")

    monkeypatch.setattr(plan_pictures, "draw", fail)
    assert [ask(addresses["pdf"]).result(LIMIT)[0] for _ in range(2)] == [500, 500]
    monkeypatch.setattr(plan_pictures, "draw", draw)
    status, _, body = ask(addresses["pdf"]).result(LIMIT)
    assert status == 200 and body.startswith(b"%PDF")


def test_forty_threads_that_ask_for_a_page_get_one_rendering(ask, addresses, monkeypatch):
    html, made, may_end, asking = shell.html, [], threading.Event(), threading.Semaphore(0)

    def rendered(*values, **options):
        made.append(True)
        assert may_end.wait(LIMIT)
        return html(*values, **options)

    find = PageCache.find

    def noted(keeper, key):
        asking.release()
        return find(keeper, key)

    monkeypatch.setattr(shell, "html", rendered)
    monkeypatch.setattr(PageCache, "find", noted)
    asked = [ask("/e/fair/exhibitors") for _ in range(40)]
    assert all(asking.acquire(timeout=LIMIT) for _ in range(40))
    time.sleep(0.05)  # all have looked for the page once
    may_end.set()
    assert {each.result(LIMIT)[0] for each in asked} == {200} and made == [True]


def test_addresses_and_languages_that_somebody_makes_up_fill_no_memory(read, addresses):
    for address in addresses.values():
        read(address)
        read(address, "de")
    kept = len(shell.FILES.pages), len(shell.PAGES.pages), shell.FILES.bytes, shell.PAGES.bytes
    for number in range(20):
        for form, address in addresses.items():
            read(
                f"{address}?x={number}&language=x{number}&q={number}", f"x{number},de;q=0.{number}"
            )
            read(f"{address}/?embed=1", "de")
            if form == "vcf":
                read(f"{address[:-4]}{number}.vcf")
                read(f"/e/fair/exhibitors/999{number}-x.vcf", status=404)
            elif form != "ics":
                read(f"{address[:-4]}{number}.{form}", status=404)
    assert kept == (
        len(shell.FILES.pages),
        len(shell.PAGES.pages),
        shell.FILES.bytes,
        shell.PAGES.bytes,
    )


def test_what_is_kept_of_files_is_bounded_in_bytes(organiser, read, show, addresses, monkeypatch):
    monkeypatch.setattr(shell, "FILES", FileCache(30_000))
    for number in range(12):
        organiser.patch(
            f"/booths/{show['booth_exhibitor']['id']}", {"booth_number": f"B{number}"}, status=200
        )
        read(addresses["svg"])
        read(addresses["pdf"])
        assert 0 < shell.FILES.bytes <= 30_000
        assert sum(len(file.raw) for file in shell.FILES.pages.values()) < shell.FILES.bytes
    assert 1 < len(shell.FILES.pages) < 24


@pytest.mark.parametrize("form", ["svg", "pdf", "vcf", "ics"])
def test_a_kept_file_has_the_headers_of_the_first_response(app, addresses, form):
    """And its own id of the request. HEAD has no body, and a client that has the file gets 304."""
    first, second = app.get(addresses[form]), app.get(addresses[form])
    names = set(first.headers) - {"X-Request-ID"}
    assert {name: first.headers[name] for name in names} == {
        name: second.headers[name] for name in names
    }
    assert (
        first.headers["X-Request-ID"] != second.headers["X-Request-ID"]
        and "Set-Cookie" not in names
    )
    assert first.headers["Cache-Control"] == "public, max-age=60" and first.body == second.body
    head, tag = app.head(addresses[form]), first.headers["ETag"]
    assert (head.headers["ETag"], head.body) == (tag, b"")
    assert head.headers["Content-Length"] == str(len(first.body))
    known = app.get(addresses[form], headers={"If-None-Match": f'"x", W/{tag}'}, status=304)
    assert (known.headers["ETag"], known.body) == (tag, b"") and "Content-Type" not in known.headers


def test_the_host_that_a_client_on_this_machine_names_is_on_no_card_of_others(
    ask, show, settings, addresses, organiser
):
    """Without base_url, such as behind a tunnel, the client chooses the header Host."""
    organiser.patch(
        f"/participants/{show['exhibitor']['id']}/profile", {"website": None}, status=200
    )
    settings.base_url = ""
    for _ in range(2):
        here = ask(addresses["vcf"], HTTP_HOST="evil.example", REMOTE_ADDR="127.0.0.1").result(
            LIMIT
        )[2]
        there = ask(addresses["vcf"], HTTP_HOST="evil.example", REMOTE_ADDR="192.0.2.7").result(
            LIMIT
        )[2]
        assert b"http://evil.example/e/fair/exhibitors/" in here and b"evil" not in there
    assert [key for key in shell.PAGES.pages if "card" in key and "evil" in str(key)] == []
