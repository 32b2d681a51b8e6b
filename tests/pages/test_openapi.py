"""The served OpenAPI documents: the addresses in them, their compression and their entity tags."""

import json
import zlib

import pytest
import webob

from eventapi.pages import openapi as openapi_page

PATHS = ["/openapi.json", "/openapi-3.0.json"]
HOSTS = ["shows.example", "fairs.example:8443", "[::1]:8080"]


def get(app, path, host, **headers):
    """Return the response as its bytes were sent: webtest would decompress them."""
    request = webob.Request.blank(path, headers={"Host": host})
    for name, value in headers.items():
        request.headers[name.replace("_", "-")] = value
    return request.get_response(app.app)


def addresses(document):
    return {
        document["info"]["contact"]["url"],
        document["externalDocs"]["url"],
        *(f"{server['url']}/docs" for server in document["servers"]),
    }


def unzipped(body):
    """Return the text of a body that is one member of gzip: Chromium reads no second one."""
    reader = zlib.decompressobj(wbits=31)
    text = reader.decompress(body)
    assert reader.eof and not reader.unused_data
    return text


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("host", HOSTS)
def test_addresses_begin_with_the_root_of_the_request(app, path, host):
    for encoding in ("identity", "gzip"):
        response = get(app, path, host, Accept_Encoding=encoding)
        text = unzipped(response.body) if encoding == "gzip" else response.body
        assert addresses(json.loads(text)) == {f"http://{host}/docs"}


@pytest.mark.parametrize("path", PATHS)
def test_addresses_begin_with_base_url_whatever_the_host_is(app, settings, path):
    settings.base_url = "https://shows.example.org/fair"
    document = get(app, path, "other.example").json
    assert addresses(document) == {"https://shows.example.org/fair/docs"}


@pytest.mark.parametrize("path", PATHS)
def test_the_host_of_a_client_is_neither_kept_nor_sent_to_another_one(app, path):
    kept = {
        "/openapi.json": openapi_page._beginning,
        "/openapi-3.0.json": openapi_page._beginning_3_0,
    }[path]
    kept.cache_clear()
    for encoding in ("identity", "gzip"):
        assert get(app, path, "evil.example", Accept_Encoding=encoding).status_int == 200
    plain = get(app, path, "shows.example").body
    zipped = get(app, path, "shows.example", Accept_Encoding="gzip").body
    assert b"evil.example" not in plain + unzipped(zipped)
    assert kept.cache_info().currsize == 1, "no text is kept for each Host"


@pytest.mark.parametrize("path", PATHS)
def test_a_host_that_is_no_address_is_not_used(app, path):
    text = get(app, path, 'x"},"servers":[{"url":"https://evil.example').body
    assert b"evil" not in text and json.loads(text)["servers"]


@pytest.mark.parametrize("path", PATHS)
def test_each_address_and_encoding_has_an_entity_tag_of_its_own(app, path):
    tags = set()
    for host in HOSTS:
        plain = get(app, path, host)
        zipped = get(app, path, host, Accept_Encoding="gzip")
        assert unzipped(zipped.body) == plain.body
        for response, encoding in ((plain, "identity"), (zipped, "gzip")):
            tag = response.headers["ETag"]
            again = get(app, path, host, Accept_Encoding=encoding, If_None_Match=tag)
            assert (again.status_int, again.body) == (304, b"")
            other = get(app, path, "x.example", Accept_Encoding=encoding, If_None_Match=tag)
            assert other.status_int == 200
            tags.add(tag)
    assert len(tags) == 2 * len(HOSTS)


@pytest.mark.parametrize("path", PATHS)
def test_the_document_is_made_and_compressed_once_for_all_hosts(app, path, monkeypatch):
    get(app, path, HOSTS[0])
    monkeypatch.setattr(openapi_page, "document", None)
    monkeypatch.setattr(openapi_page, "Beginning", None)
    for host in HOSTS:
        zipped = get(app, path, host, Accept_Encoding="br, gzip;q=0.8")
        assert zipped.headers["Content-Encoding"] == "gzip"
        assert zipped.headers["Vary"] == "Accept-Encoding"
        assert len(zipped.body) < len(get(app, path, host).body) / 5
