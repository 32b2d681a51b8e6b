"""The form and the relay of docs/guides/applications.md, run against a real server; the form in a
real browser.
"""

import functools
import http.server
import re
import subprocess
import urllib.request
from io import BytesIO

import pytest

from eventapi.validation.schema_files import body_schema
from tests.support.background_server import BackgroundServer
from tests.support.browser import BROWSER
from tests.support.http_client import HttpClient
from tests.support.processes import ROOT, Server, eventapi

pytestmark = pytest.mark.processes
GUIDE = (ROOT / "docs" / "guides" / "applications.md").read_text(encoding="utf-8")
VISITOR = """
<script>
  const wait = setInterval(() => {
    if (!eventList.options.length) return;
    clearInterval(wait);
    const values = {company_name: "Rosen KG", email: "ada@rosen.example", address: "Rosenweg 1", postal_code: "25436",
                    city: "Uetersen", category_key: "roses"};
    for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
    document.getElementById("question-area").value = "24.5";
    form.requestSubmit();
  }, 50);
</script>"""


def sample(language):
    """Return the last sample of the guide in this language."""
    *_, text = re.finditer(rf"^( *)```{language}\n(.*?)^ *```", GUIDE, re.M | re.S)
    return re.sub(f"^{text[1]}", "", text[2], flags=re.M)


class Site(BackgroundServer):
    """A web site on another port, with one page."""

    def __init__(self, folder):
        super().__init__(
            functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
        )
        self.origin = f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def show(tmp_path):
    """Yield (server, site, key of the form, organiser): a server with one visible event, and a web
    site it allows.
    """
    pages = tmp_path / "site"
    pages.mkdir()
    eventapi(tmp_path, "migrate")
    keys = [
        eventapi(tmp_path, "key", "create", "--name", "k", "--quiet", *scopes).stdout.strip()
        for scopes in (["--scope", "applications:create"], ["--all-scopes"])
    ]
    with (
        Site(pages) as site,
        Server(tmp_path, EVENTAPI_CORS_ORIGINS=site.origin) as server,
        HttpClient(server.url, keys[1]) as organiser,
    ):
        organiser.data(
            "POST",
            "/events",
            {"title": "Garden Fair", "event_key": "garden", "date_from": "2099-05-01"},
            status=201,
        )
        organiser.data(
            "POST", "/categories", {"title": "Roses", "event_keys": ["garden"]}, status=201
        )
        organiser.data(
            "POST",
            "/custom-fields",
            {
                "entity_type": "application",
                "field_label": "Area",
                "field_type": "number",
                "applicant_visibility": "editable",
            },
            status=201,
        )
        yield server, site, keys[0], organiser


@pytest.mark.skipif(not BROWSER, reason="needs chromium")
def test_the_form_sends_an_application_from_a_browser(show, tmp_path):
    server, site, key, organiser = show
    page = (
        sample("html")
        .replace("https://events.example.org", server.url)
        .replace("evk_YOUR_KEY", key)
    )
    (tmp_path / "site" / "apply.html").write_text(page + VISITOR)
    done = subprocess.run(
        [
            BROWSER,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
            f"--user-data-dir={tmp_path}/profile",
            "--virtual-time-budget=8000",
            "--dump-dom",
            f"{site.origin}/apply.html",
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (
        "Thank you. We have received your application." in done.stdout.partition("<script>")[0]
    ), done.stderr[-2000:]
    (application,) = organiser.data("GET", "/applications?include=events,categories,custom_fields")
    assert (application["company_name"], application["event_keys"]) == ("Rosen KG", ["garden"])
    assert (application["address"], application["category_keys"]) == ("Rosenweg 1", ["roses"])
    assert application["custom_fields"] == {"area": 24.5}


def test_the_form_asks_for_what_an_invoice_needs_and_fits_on_a_phone():
    """Its fields are those of an application, so that the service refuses none of them."""
    page = sample("html")
    assert '<meta name="viewport" content="width=device-width' in page
    controls = {
        name: tag
        for tag, name in re.findall(r'(<(?:input|select|textarea) name="([a-z_]+)"[^>]*>)', page)
    }
    assert (
        controls.keys() - {"event_key", "category_key"}
        <= body_schema("application", "POST")["properties"].keys()
    )
    assert [name for name, tag in controls.items() if " required" in tag] == [
        "event_key",
        "company_name",
        "email",
        "address",
        "postal_code",
        "city",
    ]


def test_the_relay_passes_an_application_on(show, monkeypatch):
    server, _, key, organiser = show
    monkeypatch.setenv("EVENTAPI_URL", server.url)
    monkeypatch.setenv("EVENTAPI_KEY", key)
    names = {"__name__": "relay"}
    exec(compile(sample("python"), "relay.py", "exec"), names)

    def send(text):
        seen = []
        body = names["relay"](
            {"CONTENT_LENGTH": str(len(text)), "wsgi.input": BytesIO(text.encode())},
            lambda status, headers: seen.append(status),
        )
        return seen[0][:3], b"".join(body).decode()

    assert send("event_key=garden&company_name=Rosen+KG&email=ada%40rosen.example&message=Hi") == (
        "200",
        "Thank you. We have received your application.",
    )
    assert send("event_key=garden&company_name=Rosen+KG&email=ada%40rosen.example") == (
        "422",
        "We have received an application with this email address for this event before.",
    )
    assert [application["message"] for application in organiser.data("GET", "/applications")] == [
        "Hi"
    ]


def test_the_preflight_is_answered_by_a_real_server(show):
    server, site, *_ = show
    request = urllib.request.Request(
        f"{server.url}/api/v1/applications",
        method="OPTIONS",
        headers={"Origin": site.origin, "Access-Control-Request-Method": "POST"},
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (
            204,
            site.origin,
        )
