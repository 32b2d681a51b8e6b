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
