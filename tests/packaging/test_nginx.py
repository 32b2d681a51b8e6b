"""The nginx site of conf/nginx in front of a real server on a unix socket: TLS, limits, request id
and its own problem documents.
"""

import http.client
import json
import re
import secrets
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace
from urllib.parse import urlencode

import gunicorn
import pytest

from eventapi import app as application
from tests.support import camt, nginx_site
from tests.support.processes import eventapi, free_port, get, start, until

pytestmark = [pytest.mark.processes, nginx_site.required]


IBAN = "DE02120300000000202051"
LIMITS = SimpleNamespace(max_upload_mb=25, max_import_mb=64)  # the defaults


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nginx")
    socket = folder / "web.sock"
    with running(
        folder, f"unix:{socket}", f"unix:{socket}", socket.exists, EVENTAPI_ORGANISER_IBAN=IBAN
    ) as site:
        yield site


@contextmanager
def running(folder, bind, upstream, is_ready, **options):
    """Run the server on `bind` and nginx in front of it, and return the Site.

    The log of the server is FOLDER/log.
    """
    data = folder / "data"
    data.mkdir()
    assert eventapi(data, "migrate").returncode == 0
    key = eventapi(
        data, "key", "create", "--name", "test", "--all-scopes", "--quiet"
    ).stdout.strip()
    with (
        open(folder / "log", "w") as log,
        start(data, "serve", "--bind", bind, "--workers", "2", log=log, **options) as server,
    ):
        until(is_ready)
        with nginx_site.running(folder, upstream) as (port, plain):
            site = Site(port, plain, key, data)
            try:
                yield site
            finally:
                for connection in site.connections:
                    connection.close()
                server.terminate()


class Site:
    def __init__(self, port, plain, key, data):
        self.port, self.plain, self.key, self.data, self.connections = port, plain, key, data, []

    def connection(self, address="127.0.0.1"):
        """Return a connection from this address."""
        trusting = ssl.create_default_context()
        # The certificate is self-signed by this test.
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, context=trusting, timeout=20, source_address=(address, 0)
        )

        def connected():
            try:
                connection.connect()
                return True
            except OSError:
                return False

        until(connected)
        self.connections.append(connection)
        return connection

    def ask(self, method, path, body=None, connection=None, **headers):
        connection = connection or self.connection()
        connection.request(
            method,
            path,
            body,
            {
                "Authorization": f"Bearer {self.key}",
                "Host": "events.example.org",
                **{name.replace("_", "-"): value for name, value in headers.items()},
            },
        )
        answer = connection.getresponse()
        return answer, answer.read()


def test_a_request_goes_through_nginx_and_the_unix_socket(site):
    answer, text = site.ask(
        "POST", "/api/v1/events", json.dumps({"title": "Fair"}), Content_Type="application/json"
    )
    assert answer.status == 201, text
    assert answer.getheader("Location").startswith("https://events.example.org/api/v1/events/")
    assert answer.getheader("Strict-Transport-Security")


def routes_of_files(site):
    """Yield (method, path, media type) of each operation whose body is a file, from /openapi.json."""
    document = json.loads(site.ask("GET", "/openapi.json")[1])
    for path, operations in document["paths"].items():
        for method in operations.keys() & {"post", "put", "patch"}:
            content = operations[method].get("requestBody", {}).get("content", {})
            media_type = next((name for name in content if name != "application/json"), None)
            if media_type:
                yield method.upper(), re.sub("{[a-z_]+}", "1", path), media_type


def test_files_of_the_greatest_size_reach_eventapi(site):
    """Images and documents may have max_upload_mb, all other files max_import_mb.

    Both have their default here.

    The logo of an exhibitor has at most 300,000 bytes, as any JSON body may.
    """
    found = {}
    for method, path, media_type in (
        found for found in routes_of_files(site) if not found[1].endswith("/profile/logo")
    ):
        ends = ("/image", "/content", "/settings/logo", "/submissions/files", "/file")
        size = 25 if path.endswith(ends) else 64
        answer, text = site.ask(method, path, b"x" * (size * 2**20), Content_Type=media_type)
        found[method, path] = answer.status
        assert answer.status in (404, 415, 422), (method, path, size, answer.status, text[:300])
        assert (
            site.ask(method, f"{path}/", b"x" * 2**22, Content_Type=media_type)[0].status
            == answer.status
        )
    assert {
        ("POST", "/api/v1/payments/import"),
        ("PUT", "/api/v1/documents/1/content"),
        ("PUT", "/api/v1/events/1/image"),
        ("PUT", "/api/v1/settings/logo"),
        ("POST", "/api/v1/bulk-import/contacts"),
    } <= found.keys(), found


def test_slow_readers_behind_nginx_occupy_no_thread(site):
    """eventapi would wait ten seconds for each, then disconnect those beyond half of its threads."""
    event = json.loads(
        site.ask("POST", "/api/v1/events", '{"title": "Fair"}', Content_Type="application/json")[1]
    )
    body = json.dumps(
        {"entity_type": "event", "entity_id": event["data"]["id"], "filename": "plan.txt"}
    )
    document = json.loads(
        site.ask("POST", "/api/v1/documents", body, Content_Type="application/json")[1]
    )["data"]["id"]
    path, size = f"/api/v1/documents/{document}/content", 20_000_000
    assert (
        site.ask("PUT", path, b"x" * size, Content_Type="application/octet-stream")[0].status == 200
    )
    readers = [site.connection() for _ in range(12)]
    for reader in readers:
        reader.request(
            "GET",
            path,
            headers={"Authorization": f"Bearer {site.key}", "Host": "events.example.org"},
        )
    time.sleep(1)
    before = time.monotonic()
    assert site.ask("GET", "/healthz")[0].status == 200
    assert time.monotonic() - before < 8, "the server waits for the readers"
    assert [len(reader.getresponse().read()) for reader in readers] == [size] * len(readers)


def test_the_request_id_is_the_same_on_both_sides(site):
    answer, text = site.ask("GET", "/api/v1/events", X_Request_ID="abc-123")
    assert answer.getheader("X-Request-ID") == json.loads(text)["meta"]["request_id"] == "abc-123"
    answer, text = site.ask("GET", "/api/v1/events", X_Request_ID="<script>")
    assert answer.getheader("X-Request-ID") == json.loads(text)["meta"]["request_id"] != "<script>"


EVENT = json.dumps({"title": "Fair"})


def recorded(site):
    """Return the client address in the audit entry of the newest event."""
    from eventapi.storage import database

    connection = database.connect(site.data / "eventapi.db", readonly=True)
    (address,) = connection.execute(
        "SELECT ip_address FROM audit_log WHERE entity_type = 'event' ORDER BY id DESC"
    ).fetchone()
    connection.close()
    return address


def test_the_client_address_is_journalled(site):
    site.ask(
        "POST",
        "/api/v1/events",
        EVENT,
        site.connection("127.0.0.6"),
        Content_Type="application/json",
        X_Real_IP="6.6.6.6",
        X_Forwarded_For="6.6.6.6",
    )
    assert recorded(site) == "127.0.0.6"


def test_behind_nginx_on_tcp_the_address_is_that_of_the_client_and_nobody_else_can_set_it(tmp_path):
    """nginx connects from 127.0.0.1, which is trusted.

    A client that connects directly comes from 127.0.0.9.
    """
    port = free_port()
    with running(
        tmp_path,
        f"127.0.0.1:{port}",
        f"127.0.0.1:{port}",
        lambda: get(f"http://127.0.0.1:{port}/healthz")[0] == 200,
        EVENTAPI_TRUSTED_PROXIES="127.0.0.1",
        EVENTAPI_LOG_LEVEL="info",
    ) as site:
        forged = {
            "X_Real_IP": "6.6.6.6",
            "X_Forwarded_For": "6.6.6.6",
            "Content_Type": "application/json",
        }
        answer, text = site.ask(
            "POST", "/api/v1/events", EVENT, site.connection("127.0.0.6"), **forged
        )
        assert (answer.status, recorded(site)) == (201, "127.0.0.6"), text
        assert answer.getheader("Location").startswith("https://events.example.org/api/v1/events/")
        for _ in range(20):  # both processes
            direct = http.client.HTTPConnection(
                "127.0.0.1", port, timeout=20, source_address=("127.0.0.9", 0)
            )
            answer, text = site.ask(
                "POST", "/api/v1/events", EVENT, direct, X_Forwarded_Proto="https", **forged
            )
            assert (answer.status, recorded(site)) == (201, "127.0.0.9"), text
            assert answer.getheader("Location").startswith(
                "http://events.example.org/api/v1/events/"
            )
            direct.close()
        if gunicorn.version_info >= (22,):  # older ones obey this header from everybody
            local = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            local.request("GET", "/healthz", headers={"SCRIPT_NAME": "/healthz"})
            assert local.getresponse().status == 200, "gunicorn takes the path from a header"
            local.close()
        until(lambda: (tmp_path / "log").read_text().count("client=127.0.0.9") == 20)
        log = (tmp_path / "log").read_text()
        assert "client=127.0.0.6" in log and "client=6.6.6.6" not in log
        warnings = [line for line in log.splitlines() if "trusted_proxies" in line]
        assert 1 <= len(warnings) <= 2 and all("127.0.0.9" in line for line in warnings), (
            "once in each process"
        )


def test_a_body_that_nginx_refuses_is_a_problem_document(site):
    answer, text = site.ask(
        "POST", "/api/v1/events", b"x" * (3 * 1024 * 1024), Content_Type="application/json"
    )
    assert (answer.status, json.loads(text)["code"]) == (413, "body_too_large")
    assert answer.getheader("Content-Type") == "application/problem+json"


@pytest.mark.own_server("gthread closes the connection before nginx has read the response")
@pytest.mark.parametrize(
    "header, status, code",
    [({}, 413, "body_too_large"), ({"Authorization": "Bearer ea_guessed"}, 401, "invalid_api_key")],
)
def test_a_long_body_that_the_application_refuses_gets_its_response_and_no_502(
    site, header, status, code
):
    for _ in range(5):
        answer, text = site.ask(
            "POST",
            "/api/v1/events",
            b"x" * (1024 * 1024 + 10),
            Content_Type="application/json",
            **header,
        )
        assert (answer.status, json.loads(text)["code"]) == (status, code)


def hurry(site, addresses, key=None):
    """Send 400 requests from each of the addresses at once, to exceed the rate on a slow machine as
    well.

    Return the statuses, and the first response 429 with its body. Without `key`, each request has a
    key of its own.
    """

    def ask(connection):
        return [
            site.ask(
                "GET",
                "/api/v1/nothing",
                connection=connection,
                Authorization=f"Bearer {key or secrets.token_hex(8)}",
            )
            for _ in range(400)
        ]

    with ThreadPoolExecutor(4) as pool:
        answers = [
            answer for part in pool.map(ask, map(site.connection, addresses)) for answer in part
        ]
    problem, text = next(answer for answer in answers if answer[0].status == 429)
    return [answer.status for answer, _ in answers], problem, json.loads(text)


def test_too_many_requests_with_one_key_get_429_and_other_keys_are_served(site):
    """Each address sends no more than one address may send at once."""
    statuses, problem, document = hurry(
        site, [f"127.0.1.{place}" for place in range(1, 5)], site.key
    )
    assert set(statuses) == {404, 429} and statuses.count(404) >= 400
    assert document["code"] == "rate_limited" and problem.getheader("Retry-After")
    other, _ = site.ask(
        "GET",
        "/api/v1/events",
        connection=site.connection("127.0.1.5"),
        Authorization="Bearer other",
    )
    assert other.status == 401


def test_too_many_requests_from_one_address_get_429_and_other_addresses_are_served(site):
    """The client chooses the key that it sends, so the limit for each key does not stop one client."""
    statuses, problem, document = hurry(site, ["127.0.2.1"] * 4)
    assert set(statuses) == {404, 429} and statuses.count(404) >= 400
    assert document["code"] == "rate_limited" and problem.getheader("Retry-After")
    other, _ = site.ask(
        "GET",
        "/api/v1/events",
        connection=site.connection("127.0.2.2"),
        Authorization="Bearer other",
    )
    assert other.status == 401


@pytest.mark.parametrize(
    ("place", "path", "is_file"),
    [
        (1, "plan/hall.pdf", True),
        (2, "plan/hall.svg", True),
        (3, "plan/hall.pdf/", True),
        (4, "plan/hall%2Epd%66", True),
        (5, "plan/hall%2F1.svg?language=de", True),
        (6, "share.png", True),
        (7, "plan/hall-small.svg", False),
        (8, "plan/hall", False),
        (9, "calendar.ics", False),
        (10, "exhibitors/1-x.vcf", False),
    ],
)
def test_files_that_are_drawn_have_a_limit_of_their_own(site, place, path, is_file):
    """400 requests at once are as many as an address may send."""

    def ask(connection):
        return [site.ask("GET", f"/e/fair/{path}", connection=connection) for _ in range(100)]

    with ThreadPoolExecutor(4) as pool:
        connections = [site.connection(f"127.0.7.{place}") for _ in range(4)]
        answers = [answer for part in pool.map(ask, connections) for answer in part]
    statuses = [answer.status for answer, _ in answers]
    assert set(statuses) <= {404, 429} and statuses.count(404) >= 200
    assert (429 in statuses) == is_file
    if is_file:
        answer, text = next(answer for answer in answers if answer[0].status == 429)
        assert answer.getheader("Retry-After") == "10" and "Please wait a minute" in text.decode()
        page, _ = site.ask("GET", "/e/fair", connection=site.connection(f"127.0.7.{place}"))
        assert page.status == 404, "pages have another limit"


def test_a_certificate_can_be_renewed_while_the_site_is_enabled(site):
    """The certificate authority asks without TLS and follows redirects."""
    proof = site.data.parent / "html" / ".well-known" / "acme-challenge" / "token"
    proof.parent.mkdir(parents=True)
    proof.write_text("proof")
    plain = http.client.HTTPConnection("127.0.0.1", site.plain, timeout=20)
    plain.request(
        "GET", "/.well-known/acme-challenge/token", headers={"Host": "events.example.org"}
    )
    sent = plain.getresponse()
    plain.close()
    assert (sent.status, sent.getheader("Location")) == (
        308,
        "https://events.example.org/.well-known/acme-challenge/token",
    )
    answer, text = site.ask("GET", "/.well-known/acme-challenge/token")
    assert (answer.status, text) == (200, b"proof")


def test_metrics_are_served_to_localhost_only(site):
    answer, _ = site.ask("GET", "/metrics")
    assert answer.status == 200  # requested from localhost


def test_prometheus_gets_metrics_and_health_on_a_port_of_their_own_and_nothing_else(site):
    port = re.search(
        r"listen 127\.0\.0\.1:(\d+);", (site.data.parent / "metrics.conf").read_text()
    )[1]
    status, text = get(f"http://127.0.0.1:{port}/metrics")
    assert (status, "eventapi_info" in text) == (200, True)
    assert get(f"http://127.0.0.1:{port}/healthz")[0] == 200
    for path in ("/", "/api/v1/events", "/docs", "/openapi.json"):
        assert get(f"http://127.0.0.1:{port}{path}")[0] == 404, path


def test_no_spelling_of_metrics_is_served_to_another_address(site):
    connection = site.connection("127.0.0.2")
    for path in (
        "/metrics",
        "/metrics/",
        "/metrics%2f",
        "/metrics%2F/",
        "//metrics",
        "/%6detrics",
        "/a/../metrics",
        "/./metrics",
        "/metrics?x=1",
        "/metrics/?x",
        "/METRICS",
        "/metrics;x",
    ):
        answer, text = site.ask("GET", path, connection=connection)
        assert answer.status in (403, 404) and b"eventapi_info" not in text, path


def forms_sent(site, address, path, count, **headers):
    """Send empty forms from an address.

    Return the statuses, and the last response of status 429 with its body, else the last one.
    """
    connection = site.connection(address)
    statuses = []
    refusal = None
    for _ in range(count):
        answer, text = site.ask(
            "POST",
            path,
            b"",
            connection=connection,
            Origin="https://events.example.org",
            Content_Type="application/x-www-form-urlencoded",
            **headers,
        )
        statuses.append(answer.status)
        if answer.status == 429:
            refusal = answer, text  # the next one may pass: nginx fills the allowance while we send
    answer, text = refusal or (answer, text)
    return statuses, answer, text.decode()


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (0, "/e/fair/visit"),
        (1, "/my"),
        (2, "/desk/sign-in"),
        (3, "/link/evl_x"),
        (4, "/apply/"),
        (5, "/door/sign-in"),
        (6, "/desk/sign-in/link"),
        (7, "/desk/sign-in/code"),
    ],
)
def test_forms_without_a_session_are_limited_by_address_and_the_page_says_so(site, place, path):
    """A cookie that looks like that of a session lifts no limit of a form that needs none."""
    statuses, answer, text = forms_sent(
        site, f"127.0.3.{place + 1}", path, 75, Cookie="evs-language=de; __Host-evs-x=evs_x"
    )
    assert 429 not in statuses[:40]
    assert 429 in statuses
    assert (
        answer.getheader("Content-Type") == "text/html; charset=utf-8"
        and "Please wait a minute" in text
    )
    other, _ = site.ask("POST", path, b"", connection=site.connection(f"127.0.3.{place + 101}"))
    assert other.status != 429
    page, _ = site.ask("GET", "/e/fair", connection=site.connection(f"127.0.3.{place + 1}"))
    assert page.status == 404, "pages are not forms"


def test_forms_of_a_session_and_requests_of_programs_have_no_limit_of_forms(site):
    statuses, *_ = forms_sent(
        site, "127.0.4.1", "/my/abcdefgh/profile", 75, Cookie="__Host-evs-abcdefgh=evs_x"
    )
    assert set(statuses) == {403}
    statuses, *_ = forms_sent(site, "127.0.4.2", "/api/v1/nothing", 75)
    assert set(statuses) == {404}


def test_a_site_on_another_port_is_the_same_site_for_its_forms(site):
    place = "events.example.org:8443"
    assert (
        site.ask(
            "POST",
            "/link/unknown",
            b"",
            Host=place,
            Origin=f"https://{place}",
            Content_Type="application/x-www-form-urlencoded",
        )[0].status
        == 404
    )
    assert (
        site.ask(
            "POST",
            "/link/unknown",
            b"",
            Host=place,
            Origin="https://events.example.org",
            Content_Type="application/x-www-form-urlencoded",
        )[0].status
        == 403
    )


def test_a_file_of_a_page_may_be_large_and_other_forms_may_not(site):
    large = b"x" * (3 * 1024 * 1024)
    answer, text = site.ask(
        "POST", "/apply/abcdefgh/files", large, connection=site.connection("127.0.5.1")
    )
    assert answer.status != 413, text[:300]
    answer, text = site.ask(
        "POST", "/apply/abcdefgh/answer", large, connection=site.connection("127.0.5.1")
    )
    assert answer.status == 413 and "The file is too large" in text.decode()


def pages_that_take_files():
    """Return the addresses of the forms with a file of more than nginx allows other forms."""
    found = set()
    for route in application.routes():
        if route.options.page and route.options.file and route.options.file(LIMITS) > 2 * 2**20:
            path = re.sub("<[a-z_]+:int>", "1", route.path)
            path = path.replace("<id>", "1").replace("<item_id>", "1")
            found.add(re.sub("<[a-z_]+>", "abcdefgh", path))
    return found


def test_each_page_that_takes_a_file_gets_one_through_nginx(site):
    """Without a session the file is refused by eventapi, and not by nginx."""
    pages = pages_that_take_files()
    assert {"/desk/company/look/logo", "/desk/money/statement", "/apply/abcdefgh/files"} <= pages
    head = b'Content-Disposition: form-data; name="file"; filename="large.png"'
    large = b"--b0\r\n%s\r\n\r\n%s\r\n--b0--\r\n" % (head, b"x" * (3 * 2**20))
    refused = {}
    for number, path in enumerate(sorted(pages)):
        connection = site.connection(f"127.0.8.{number + 1}")
        answer, text = site.ask(
            "POST",
            path,
            large,
            connection,
            Content_Type="multipart/form-data; boundary=b0",
            Origin="https://events.example.org",
        )
        if answer.status not in (403, 404):
            refused[path] = answer.status, text[:300]
    assert refused == {}


def test_the_office_works_behind_nginx(site):
    """Sign in, send a form, and a bank statement larger than other forms may be.

    The cookie is for this host by https.
    """
    connection, cookies = site.connection("127.0.0.20"), {}

    def ask(path, fields=None, status=200):
        kind, body = "application/x-www-form-urlencoded", fields and urlencode(fields)
        if fields and "file" in fields:
            kind = "multipart/form-data; boundary=b0"
            body = (
                "".join(
                    f'--b0\r\nContent-Disposition: form-data; name="{name}"'
                    f"""{'; filename="bank.xml"' if name == "file" else ""}\r\n\r\n{text}\r\n"""
                    for name, text in fields.items()
                )
                + "--b0--\r\n"
            )
        answer, text = site.ask(
            "POST" if fields else "GET",
            f"/desk/{path}",
            body,
            connection,
            Accept="text/html",
            **cookies,
            **({"Content_Type": kind, "Origin": "https://events.example.org"} if fields else {}),
        )
        assert answer.status == status, text[-900:]
        return answer, text.decode()

    def token(page, name="form_token"):
        return re.search(rf'name="{name}" value="([^"]+)"', page)[1]

    answer, _ = ask("sign-in", {"token": token(ask("sign-in")[1], "token"), "key": site.key}, 303)
    cookie, *attributes = answer.getheader("Set-Cookie").split("; ")
    assert cookie.startswith("__Host-evs-desk=evs_") and set(attributes) == {
        "Path=/",
        "HttpOnly",
        "SameSite=Lax",
        "Secure",
    }
    cookies["Cookie"] = cookie
    page = ask("edit/categories")[1]
    assert (
        ask("edit/categories", {"form_token": token(page), "title": "Plants"}, 303)[0].getheader(
            "Location"
        )
        == "../../desk/setup/categories?done=saved&of=categories/1"
    )
    assert "Plants" in ask("setup/categories?done=saved")[1]
    today = time.strftime("%Y-%m-%d", time.gmtime())
    statement = camt.document(
        [camt.statement(IBAN, [{"amount": 500, "day": today, "party": "Rosen KG", "text": "x"}])]
    )
    large = statement.decode().replace("<Stmt>", " " * (3 * 1024 * 1024) + "<Stmt>", 1)
    page = ask("money/bank")[1]
    answer, _ = ask("money/statement", {"form_token": token(page), "file": large}, 303)
    assert "imported=1" in answer.getheader("Location") and "Rosen KG" in ask("money/bank")[1]
    refused = ask("edit/categories", {"form_token": token(page), "title": large}, 413)[1]
    assert "The file is too large" in refused


def test_no_log_of_nginx_has_the_secret_of_a_link(site):
    secret = f"evl_{secrets.token_hex(16)}"
    statuses, last, _ = forms_sent(site, "127.0.6.1", f"/link/{secret}", 100)
    assert 429 in statuses
    large, _ = site.ask(
        "POST", f"/link/{secret}", b"x" * (3 * 1024 * 1024), connection=site.connection("127.0.6.2")
    )
    # The browser that shows such a page asks for an icon next, and names this URL to the log,
    # unless it must not.
    assert {answer.getheader("Referrer-Policy") for answer in (last, large)} == {"no-referrer"}
    logs = [
        file for file in site.data.parent.iterdir() if file.suffix == ".log" or file.name == "log"
    ]
    assert {"error.log", "log"} <= {file.name for file in logs}
    assert [file.name for file in logs if secret in file.read_text()] == []
