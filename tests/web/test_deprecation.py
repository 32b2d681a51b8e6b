"""Deprecated routes: headers of RFC 9745 and RFC 8594, and marks in the references.

No route is deprecated now.
"""

import pytest
import webtest

from eventapi import app as application
from eventapi.errors import Problem
from eventapi.reference import document
from eventapi.storage.database import Database
from eventapi.web.rest import Response
from eventapi.web.routes import Deprecation, Routes
from tests.support.client import add_key, make_settings

GUIDE = "https://shows.example.org/docs/widgets"
ROUTES = Routes("events", "event", scope="events")
END = Deprecation(since="2027-01-01", sunset="2028-07-01", link=GUIDE)


@ROUTES.list("/widgets", deprecated=END)
def list_widgets():
    return Response([], headers={"Link": '<http://localhost/api/v1/widgets?page=1>; rel="first"'})


@ROUTES.get("/widgets/<id>", deprecated=END)
def get_widget(id):
    raise Problem("not_found", f"The widget {id} does not exist.")


@ROUTES.list("/gadgets")
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
    # not that of other tests
    monkeypatch.setattr(application, "router", application.router.__wrapped__)
    monkeypatch.setattr(document, "routes", routes)
    settings = make_settings(tmp_path, template)
    # of no other test: the references are cached by it
    settings.base_url = "https://deprecation.example.org"
    return settings


def test_every_response_of_a_deprecated_route_says_until_when_it_exists(settings):
    app, db = webtest.TestApp(application.App(settings)), Database(settings)
    key = {"Authorization": f"Bearer {add_key(db, 'events')}"}
    db.close()
    responses = [
        app.get("/api/v1/widgets", headers=key, status=200),
        app.get("/api/v1/widgets/7", headers=key, status=404),
        app.get("/api/v1/widgets", status=401),
    ]
    for response in responses:
        assert response.headers["Deprecation"] == "@1798761600"  # RFC 9745: 2027-01-01
        assert response.headers["Sunset"] == "Sat, 01 Jul 2028 00:00:00 GMT"  # RFC 8594
        assert response.headers["Link"].endswith(f'<{GUIDE}>; rel="deprecation"')
    assert 'rel="first"' in responses[0].headers.getall("Link")[0]
    assert not {"Deprecation", "Sunset"} & set(app.get("/api/v1/gadgets", headers=key).headers)


def test_the_references_mark_a_deprecated_operation(settings):
    openapi = document.document(settings.base_url)
    operation = openapi["paths"]["/api/v1/widgets"]["get"]
    assert operation["deprecated"] is True
    assert (
        f"Deprecated since 2027-01-01. It may be removed from 2028-07-01 on. {GUIDE}"
        in operation["description"]
    )
    assert "deprecated" not in openapi["paths"]["/api/v1/gadgets"]["get"]
    page = webtest.TestApp(application.App(settings)).get("/docs").text
    assert page.count('<span class="mark">deprecated</span>') == 2
