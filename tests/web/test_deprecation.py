"""Deprecated routes: headers of RFC 9745 and RFC 8594, and marks in the references. No route is deprecated now."""
import pytest
import webtest

from eventapi import app as application
from eventapi.errors import Problem
from eventapi.reference import document
from eventapi.web.rest import Response
from eventapi.web.routes import Deprecation, Routes
from tests.support.client import make_settings

GUIDE = "https://shows.example.org/docs/widgets"
ROUTES = Routes("events", "event", root="", public=True)


@ROUTES.get("/widgets", deprecated=Deprecation(since="2027-01-01", sunset="2028-07-01", link=GUIDE))
def list_widgets():
    return Response([], headers={"Link": '<http://localhost/widgets?page=1>; rel="first"'})


@ROUTES.get("/widgets/<id>", deprecated=Deprecation(since="2027-01-01", sunset="2028-07-01", link=GUIDE))
def get_widget(id):
    raise Problem("not_found", f"The widget {id} does not exist.")


@ROUTES.get("/gadgets")
def list_gadgets():
    return Response([])


@pytest.fixture
def settings(tmp_path, template, monkeypatch):
    """Return settings. The service has the routes of this file as well."""
    known = application.routes

    def routes():
        yield from known()
        yield from ROUTES.routes
    monkeypatch.setattr(application, "routes", routes)
    monkeypatch.setattr(document, "routes", routes)
    settings = make_settings(tmp_path, template)
    settings.base_url = "https://deprecation.example.org"        # of no other test: the references are cached by it
    return settings


def test_every_response_of_a_deprecated_route_says_until_when_it_exists(settings):
    client = webtest.TestApp(application.create_app(settings))
    for path, status in (("/widgets", 200), ("/widgets/7", 404)):
        response = client.get(path, status=status)
        assert response.headers["Deprecation"] == "@1798761600"                         # RFC 9745: 2027-01-01
        assert response.headers["Sunset"] == "Sat, 01 Jul 2028 00:00:00 GMT"            # RFC 8594
        assert response.headers.getall("Link")[-1] == f'<{GUIDE}>; rel="deprecation"'
    assert 'rel="first"' in client.get("/widgets").headers.getall("Link")[0]
    assert not {"Deprecation", "Sunset"} & set(client.get("/gadgets").headers)


def test_the_references_mark_a_deprecated_operation(settings):
    openapi = document.document(settings.base_url)
    operation = openapi["paths"]["/widgets"]["get"]
    assert operation["deprecated"] is True
    assert f"Deprecated since 2027-01-01. It may be removed from 2028-07-01 on. {GUIDE}" in operation["description"]
    assert "deprecated" not in openapi["paths"]["/gadgets"]["get"]
    page = webtest.TestApp(application.create_app(settings)).get("/docs").text
    assert page.count('<span class="mark">deprecated</span>') == 2
