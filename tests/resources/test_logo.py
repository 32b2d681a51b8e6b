"""The logo of the organiser: how it is set, what shows it, and what counts before it."""

import io
import json
from contextlib import closing
from hashlib import sha256

import pytest
import webtest

from eventapi import images
from eventapi.app import App
from eventapi.domain.organiser import logo
from eventapi.domain.organiser import settings as organiser_settings
from eventapi.parsing import processes, shrinking
from eventapi.pictures import style
from eventapi.storage.database import Database
from tests.domain.test_settings import load
from tests.support.client import Client
from tests.support.images import jpeg, png

ADDRESS = "/settings/logo"
PNG = {"Content-Type": "image/png"}
SMALL, OTHER = png(60, 20), png(30, 20, (0, 0, 200))
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"


def facts(data, kind, width, height):
    return {"width": width, "height": height, "type": kind, "sha256": sha256(data).hexdigest()}


SMALL_FACTS = facts(SMALL, "image/png", 60, 20)
OTHER_FACTS = facts(OTHER, "image/png", 30, 20)


@pytest.fixture
def settings(tmp_path, template):
    """The settings of a server whose administrator has set nothing."""
    (tmp_path / "eventapi.db").write_bytes(template)
    return load(tmp_path)


@pytest.fixture
def as_it_is(monkeypatch):
    """Without Pillow, no process starts, and the bytes are those that were sent."""
    monkeypatch.setattr(shrinking, "find_spec", lambda name: None)


@pytest.fixture
def with_file(settings, tmp_path):
    """Return a function that returns a client of a server whose administrator has set a logo."""
    apps = []
    (tmp_path / "logo.png").write_bytes(OTHER)

    def client(key):
        app = App(load(settings.data_dir, organiser_logo=str(tmp_path / "logo.png")))
        apps.append(app)
        return Client(webtest.TestApp(app), key)

    yield client
    for app in apps:
        app.connections.close()


def put(client, data, *, status=200, **headers):
    return client.put(ADDRESS, raw=data, status=status, headers={**PNG, **headers})


def entries(client):
    return client.data("/audit-log?entity_type=setting&sort=id&order=asc")


def revision(db):
    return db.connection.execute("SELECT settings_revision FROM tenant").fetchone()[0]


@pytest.mark.processes
def test_a_logo_is_stored_as_a_small_png_and_returned(organiser):
    Image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    Image.new("RGB", (3000, 1000), (200, 30, 40)).save(file, "JPEG")
    answer = organiser.put(
        ADDRESS, raw=file.getvalue(), status=200, headers={"Content-Type": "image/jpeg"}
    )
    shown = organiser.get(ADDRESS, status=200, headers={"Accept": "image/png"})
    assert shown.content_type == "image/png" and shown.body.startswith(b"\x89PNG")
    assert answer.json["data"]["logo"] == facts(shown.body, "image/png", 1200, 400)
    assert Image.open(io.BytesIO(shown.body)).size == (1200, 400)


@pytest.mark.processes
def test_a_file_that_is_no_picture_is_refused_and_the_logo_stays(organiser):
    pytest.importorskip("PIL.Image")
    put(organiser, SMALL)
    before = organiser.data("/settings")
    [fault] = put(organiser, HEIC, status=422).json["errors"]
    assert (fault["pointer"], fault["code"]) == ("", "picture_format")
    assert "HEIC" in fault["detail"] and "Save it as PNG or JPEG" in fault["detail"]
    assert organiser.data("/settings") == before


def test_the_logo_is_part_of_the_settings_and_can_be_removed(organiser, as_it_is):
    assert organiser.data("/settings")["logo"] is None
    organiser.get(ADDRESS, status=404)
    data = put(organiser, SMALL).json["data"]
    assert data["logo"] == SMALL_FACTS
    assert organiser.data("/settings") == data
    shown = organiser.get(ADDRESS, status=200)
    assert (shown.body, shown.content_type) == (SMALL, "image/png")
    assert shown.headers["Content-Disposition"] == 'inline; filename="logo.png"'
    organiser.delete(ADDRESS, status=204)
    assert organiser.data("/settings")["logo"] is None
    organiser.get(ADDRESS, status=404)
    organiser.delete(ADDRESS, status=204)


def test_a_jpeg_without_pillow_stays_a_jpeg(organiser, as_it_is):
    put(organiser, jpeg())
    shown = organiser.get(ADDRESS, status=200)
    assert (shown.body, shown.content_type) == (jpeg(), "image/jpeg")


def test_each_change_is_journalled_and_counted_once(organiser, db, as_it_is):
    put(organiser, SMALL)
    put(organiser, SMALL)
    put(organiser, OTHER)
    organiser.delete(ADDRESS, status=204)
    organiser.delete(ADDRESS, status=204)
    found = [
        (entry["action"], entry["entity_title"], entry["old_values"], entry["new_values"])
        for entry in entries(organiser)
    ]
    name = "organiser_logo"
    assert found == [
        ("updated", name, {name: None}, {name: SMALL_FACTS}),
        ("updated", name, {name: SMALL_FACTS}, {name: OTHER_FACTS}),
        ("updated", name, {name: OTHER_FACTS}, {name: None}),
    ]
    assert revision(db) == 3


def test_in_a_shared_commit_the_logo_is_that_of_the_change_before(db):
    """The Config of the connection stays as it was at the beginning of the transaction."""
    with db.write():
        logo.put(db, images.load(SMALL))
        assert db.config.organiser_logo is None
        assert logo.get(db) == SMALL_FACTS
        config = organiser_settings.change(db, {"organiser_name": "Messe Eins"})
        assert config.organiser_logo.data == SMALL


def test_another_change_of_the_settings_keeps_the_logo(organiser, as_it_is):
    put(organiser, SMALL)
    changed = organiser.patch("/settings", {"organiser_name": "Messe Eins"}, status=200)
    assert changed.json["data"]["logo"] == SMALL_FACTS
    assert organiser.data("/settings")["logo"] == SMALL_FACTS


def test_if_match_compares_with_the_logo(organiser, as_it_is):
    tag = put(organiser, SMALL).headers["ETag"]
    assert tag == f'"{SMALL_FACTS["sha256"]}"'
    assert organiser.get(ADDRESS, status=200).headers["ETag"] == tag
    organiser.get(ADDRESS, status=304, headers={"If-None-Match": tag})
    put(organiser, OTHER, status=412, **{"If-Match": '"other"'})
    organiser.delete(ADDRESS, status=412, headers={"If-Match": '"other"'})
    put(organiser, OTHER, **{"If-Match": tag})
    organiser.delete(ADDRESS, status=412, headers={"If-Match": tag})
    assert organiser.data("/settings")["logo"] == OTHER_FACTS


def test_only_the_scope_settings_reaches_the_logo(organiser, person, as_it_is):
    put(organiser, SMALL)
    reader, other = person("settings:read"), person("events participants documents")
    assert reader.get(ADDRESS, status=200).body == SMALL
    put(reader, OTHER, status=403)
    reader.delete(ADDRESS, status=403)
    for method in ("GET", "PUT", "DELETE"):
        other(method, ADDRESS, raw=OTHER if method == "PUT" else None, status=403, headers=PNG)
    assert organiser.data("/settings")["logo"] == SMALL_FACTS


def test_a_body_that_is_empty_or_too_long_starts_no_process(organiser, monkeypatch):
    monkeypatch.setattr(processes, "run", None)
    put(organiser, b"", status=422)
    put(organiser, bytes(25 * 1024 * 1024 + 1), status=413)


def test_the_option_max_upload_mb_limits_the_logo_as_well(organiser, settings, monkeypatch):
    monkeypatch.setattr(processes, "run", None)
    app = App(load(settings.data_dir, max_upload_mb="1"))
    put(Client(webtest.TestApp(app), organiser.key), bytes(1024 * 1024 + 1), status=413)
    app.connections.close()


# What shows it


def test_the_next_request_of_another_process_has_the_logo(organiser, settings, as_it_is):
    app = App(load(settings.data_dir))
    other = Client(webtest.TestApp(app), organiser.key)
    assert other.data("/settings")["logo"] is None
    put(organiser, SMALL)
    assert other.get(ADDRESS, status=200).body == SMALL
    assert style.brand(app.connections.reader().config).logo.data == SMALL
    organiser.delete(ADDRESS, status=204)
    assert other.data("/settings")["logo"] is None
    assert style.brand(app.connections.reader().config).logo is None
    app.connections.close()


def test_a_process_that_starts_later_has_the_logo(organiser, settings, as_it_is):
    put(organiser, SMALL)
    with closing(Database(load(settings.data_dir))) as db:
        with db.write():
            assert style.brand(db.config).logo.data == SMALL


def test_a_letter_has_the_logo_at_once(organiser, as_it_is):
    contact = organiser.make("/contacts", {"company_name": "Messebau AG"})
    template = organiser.make("/documents/templates", {"name": "Letter", "body": "<p>Hello</p>"})
    letter = organiser.make(
        "/documents",
        {"entity_type": "contact", "entity_id": contact["id"], "template_id": template["id"]},
    )

    def page():
        address = f"/documents/{letter['id']}/content"
        return organiser.get(address, status=200, headers={"Accept": "text/html"}).text

    assert "data:image/png" not in page()
    put(organiser, SMALL)
    assert '<img alt="" src="data:image/png;base64,' in page()
    organiser.delete(ADDRESS, status=204)
    assert "data:image/png" not in page()


# The option of the administrator


def test_the_logo_of_the_administrator_counts_and_is_closed(organiser, with_file, as_it_is):
    put(organiser, SMALL)
    closed = with_file(organiser.key)
    found = closed.data("/settings")
    assert (found["logo"], found["set_by_administrator"]) == (OTHER_FACTS, ["organiser_logo"])
    assert closed.get(ADDRESS, status=200).body == OTHER
    for refusal in (put(closed, SMALL, status=409), closed.delete(ADDRESS, status=409)):
        assert refusal.json["code"] == "set_by_administrator"
        assert refusal.json["settings"] == ["organiser_logo"]
        assert "administrator" in refusal.json["detail"]
    assert organiser.data("/settings")["logo"] == SMALL_FACTS
    assert len(entries(organiser)) == 1


def test_the_logo_is_no_text_of_the_settings(organiser, as_it_is):
    put(organiser, SMALL)
    organiser.patch("/settings", {"organiser_logo": "/etc/passwd"}, status=422)
    assert "organiser_logo" not in organiser.data("/settings")
    assert json.dumps(organiser.data("/settings")).count("sha256") == 1
