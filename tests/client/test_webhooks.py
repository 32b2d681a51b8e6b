"""Verification of webhooks, compared with the vector of the specification and with the library
standardwebhooks.
"""

import base64
import hashlib
import hmac
from datetime import datetime

import pytest

from eventapi.client import Client, verify_webhook
from tests.support.processes import Server, eventapi, until
from tests.support.receiver import Receiver

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
BODY = b'{"type": "event.created", "timestamp": "2027-01-01T00:00:00Z", "data": {"title": "G\xc3\xa4rten"}}'
NOW = 1_800_000_000


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    monkeypatch.setattr("eventapi.client.time", lambda: float(NOW))


def signature(secret=SECRET, body=BODY, moment=NOW, version="v1"):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, b"evt_1_2.%d.%s" % (moment, body), hashlib.sha256).digest()
    return f"{version},{base64.b64encode(digest).decode()}"


def headers(signatures, moment=NOW, id="evt_1_2"):
    return {"webhook-id": id, "webhook-timestamp": str(moment), "webhook-signature": signatures}


# Whether a delivery is genuine: (its headers, its body, what the result must be)
CASES = {
    "genuine": (headers(signature()), BODY, True),
    "body as text": (headers(signature()), BODY.decode(), True),
    "names in capitals": (
        {name.title(): value for name, value in headers(signature()).items()},
        BODY,
        None,
    ),
    "old and new secret": (headers(f"{signature(OTHER)} {signature()}"), BODY, True),
    "new and old secret": (headers(f"{signature()} {signature(OTHER)}"), BODY, True),
    "and one of a later version": (
        headers(f"v2,abc {signature(version='v1a')} {signature()}"),
        BODY,
        True,
    ),
    "only another version": (headers(signature(version="v1a")), BODY, False),
    "another secret": (headers(signature(OTHER)), BODY, False),
    "another body": (headers(signature()), BODY.replace(b"G", b"g"), False),
    "another id": (headers(signature(), id="evt_2_2"), BODY, False),
    "another timestamp": (headers(signature(), moment=NOW + 1), BODY, False),
    "299 seconds old": (headers(signature(moment=NOW - 299), NOW - 299), BODY, True),
    "301 seconds old": (headers(signature(moment=NOW - 301), NOW - 301), BODY, False),
    "299 seconds early": (headers(signature(moment=NOW + 299), NOW + 299), BODY, True),
    "301 seconds early": (headers(signature(moment=NOW + 301), NOW + 301), BODY, False),
    "no signature": (headers(""), BODY, False),
    "half a signature": (headers(signature()[:20]), BODY, False),
    "a signature in other letters": (headers("v1,ä"), BODY, False),
    "no headers": ({}, BODY, False),
    "no timestamp": ({**headers(signature()), "webhook-timestamp": ""}, BODY, False),
    "a timestamp that is none": ({**headers(signature()), "webhook-timestamp": "now"}, BODY, False),
    "no version": (headers(signature().partition(",")[2]), BODY, False),
}


def accepts(verify, error):
    try:
        return verify()["data"]["title"] == "Gärten"
    except error:
        return False


@pytest.mark.parametrize("case", CASES)
def test_a_webhook_is_accepted_if_it_is_genuine(case):
    given, body, expected = CASES[case]
    assert accepts(lambda: verify_webhook(SECRET, given, body), ValueError) == (
        expected is not False
    )


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case][2] is not None])
def test_standardwebhooks_decides_the_same(case, monkeypatch):
    library = pytest.importorskip(
        "standardwebhooks.webhooks", reason="Debian has no standardwebhooks"
    )

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.fromtimestamp(NOW, tz)

    monkeypatch.setattr(library, "datetime", Clock)
    given, body, expected = CASES[case]
    assert accepts(lambda: library.Webhook(SECRET).verify(body, given), Exception) == expected


def test_the_sample_of_the_specification_is_accepted(monkeypatch):
    monkeypatch.setattr("eventapi.client.time", lambda: 1614265330.0)
    given = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    assert verify_webhook(SECRET, given, '{"test": 2432232314}') == {"test": 2432232314}


def test_the_tolerance_can_be_changed():
    old = headers(signature(moment=NOW - 1000), NOW - 1000)
    assert verify_webhook(SECRET, old, BODY, tolerance=2000)
    with pytest.raises(ValueError, match="webhook-timestamp"):
        verify_webhook(SECRET, old, BODY)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_???"])
def test_an_empty_secret_verifies_nothing(secret):
    """Everybody could make such a signature."""
    with pytest.raises(ValueError, match="empty"):
        verify_webhook(secret, headers(signature("")), BODY)


def test_errors_do_not_contain_the_secret():
    for secret in (SECRET, "whsec_short!"):
        with pytest.raises(ValueError) as caught:
            verify_webhook(secret, {}, BODY)
        assert secret[6:] not in str(caught.value)


@pytest.mark.processes
def test_deliveries_are_verified_also_with_the_old_secret_after_a_rotation(tmp_path, monkeypatch):
    monkeypatch.undo()
    eventapi(tmp_path, "migrate")
    key = eventapi(
        tmp_path, "key", "create", "--name", "client", "--all-scopes", "--quiet"
    ).stdout.strip()
    with (
        Receiver() as receiver,
        Server(
            tmp_path, "--with-worker", EVENTAPI_WEBHOOK_ALLOWED_NETWORKS="127.0.0.0/8"
        ) as server,
        Client(server.url, key) as api,
    ):
        webhook = api.post(
            "/webhooks", {"name": "test", "url": receiver.url(), "events": ["contact.*"]}
        )
        api.post("/contacts", {"company_name": "Rosen KG"})
        until(lambda: receiver.got, 60)
        rotated = api.post(f"/webhooks/{webhook['id']}/rotate-secret")
        api.post("/contacts", {"company_name": "Tulpen KG"})
        until(lambda: len(receiver.got) == 2, 60)
    (_, first, body), (_, second, later) = receiver.got
    assert verify_webhook(webhook["secret"], first, body)["data"]["company_name"] == "Rosen KG"
    for secret in (webhook["secret"], rotated["secret"]):
        assert verify_webhook(secret, second, later)["data"]["company_name"] == "Tulpen KG"
    with pytest.raises(ValueError):
        verify_webhook(rotated["secret"], first, body)
