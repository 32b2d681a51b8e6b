"""The command that prints the OpenAPI document."""

import json

import pytest


@pytest.mark.parametrize(
    ("option", "value", "address"),
    [
        ("BASE_URL", "https://shows.example.org", "https://shows.example.org"),
        ("BIND", "127.0.0.1:8123", "http://127.0.0.1:8123"),
        ("BIND", "unix:/run/eventapi/socket", "https://YOUR-SERVER"),
    ],
)
def test_addresses_are_complete_also_without_base_url(run, monkeypatch, option, value, address):
    """Generators of clients refuse a document whose addresses have no host."""
    monkeypatch.setenv(f"EVENTAPI_{option}", value)
    code, lines, _ = run("openapi")
    document = json.loads("\n".join(lines))
    assert code == 0
    assert document["servers"] == [{"url": address}]
    assert document["info"]["contact"]["url"] == f"{address}/docs"
    assert document["externalDocs"]["url"] == f"{address}/docs"


def test_the_help_names_the_option_of_the_addresses(run):
    text = " ".join(" ".join(run("openapi", "--help")[1]).split())
    assert "its addresses begin with the option base_url" in text


def test_version_3_0_is_what_the_server_returns_at_openapi_3_0(run, app, monkeypatch):
    monkeypatch.setenv("EVENTAPI_BIND", "localhost:80")
    code, lines, _ = run("openapi", "--version", "3.0")
    printed = json.loads("\n".join(lines))
    served = app.get("/openapi-3.0.json", status=200).json
    assert (code, printed["openapi"], served["openapi"]) == (0, "3.0.3", "3.0.3")
    assert printed["paths"] == served["paths"]
    assert printed["components"]["schemas"] == served["components"]["schemas"]


def test_an_unknown_version_is_refused(run):
    code, _, error = run("openapi", "--version", "2.0")
    assert code == 2 and "'2.0'" in error and "3.1 or 3.0" in error
