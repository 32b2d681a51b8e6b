"""TLS: certificates are checked, and one that is not valid is reported at once."""

import ssl
import subprocess

import pytest

from eventapi.client import Client
from tests.client.middle import Middle, says

pytestmark = pytest.mark.processes


@pytest.fixture
def certificate(tmp_path):
    """Return a file with a certificate for 127.0.0.1 that no authority has signed, and its key."""
    file = tmp_path / "own.pem"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=own",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            file,
            "-out",
            tmp_path / "crt",
        ],
        check=True,
        capture_output=True,
    )
    file.write_text(file.read_text() + (tmp_path / "crt").read_text())
    return file


@pytest.fixture
def secure(certificate):
    """Return a server with this certificate that responds with an empty record."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Middle() as middle:
        middle.socket = context.wrap_socket(
            middle.socket, server_side=True, do_handshake_on_connect=False
        )
        middle.url = middle.url.replace("http:", "https:")
        middle.faults += [says(200, '{"data": {}, "meta": {}}')] * 3
        yield middle


def test_an_unknown_certificate_is_refused_at_once(secure, waits):
    with pytest.raises(ssl.SSLCertVerificationError):
        Client(secure.url, "key").get("/contacts/1")
    assert waits == [] and secure.got == []


def test_a_certificate_for_another_name_is_refused(secure, certificate, waits):
    context = ssl.create_default_context(cafile=certificate)
    with pytest.raises(ssl.SSLCertVerificationError, match="localhost"):
        Client(secure.url.replace("127.0.0.1", "localhost"), "key", context=context).get(
            "/contacts/1"
        )
    assert secure.got == []


def test_a_certificate_can_be_trusted(secure, certificate, monkeypatch):
    # on a slow machine, a second may pass between two requests
    monkeypatch.setattr("eventapi.client.IDLE", 60)
    with Client(secure.url, "key", context=ssl.create_default_context(cafile=certificate)) as api:
        api.get("/contacts/1")
        api.post("/contacts", {})
    assert len(secure.peers) == 1
