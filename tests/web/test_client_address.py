"""The address of the client: who may set it, and how it is recorded."""

import ipaddress

import pytest

from eventapi.web import client


@pytest.fixture
def proxies(settings, monkeypatch):
    """Trust a proxy on this machine and two networks."""
    settings.trusted_proxies = tuple(
        map(ipaddress.ip_network, ("127.0.0.1", "10.0.0.0/8", "2001:db8:1::/48"))
    )
    monkeypatch.setattr(client, "_has_warned", False)
    return settings


def recorded(organiser, db, peer, headers):
    """Create an event from this peer with these headers, and return the client address in its audit
    entry.
    """
    if "REMOTE_ADDR" in organiser.app.extra_environ:
        del organiser.app.extra_environ["REMOTE_ADDR"]
    if peer:
        organiser.app.extra_environ["REMOTE_ADDR"] = peer
    organiser.post("/events", {"title": "Fair"}, headers=headers, status=201)
    return db.connection.execute("SELECT ip_address FROM audit_log ORDER BY id DESC").fetchone()[0]


# peer of the connection ("" is a unix socket), X-Real-IP, X-Forwarded-For, client
TRUSTED = [
    ("", "192.0.2.7", None, "192.0.2.7"),
    ("", "192.0.2.7", "198.51.100.3", "192.0.2.7"),
    ("", None, None, None),
    ("", "junk", None, None),
    ("", "", "", None),
    ("", "junk", "198.51.100.3", "198.51.100.3"),
    ("127.0.0.1", "192.0.2.7", None, "192.0.2.7"),
    ("::ffff:127.0.0.1", "192.0.2.7", None, "192.0.2.7"),
    ("10.1.2.3", None, "192.0.2.7", "192.0.2.7"),
    ("2001:db8:1::5", None, "2001:db8:2::9", "2001:db8:2::9"),
    # The last address that is no proxy of ours: a client can write only what stands before it.
    ("127.0.0.1", None, "6.6.6.6, 192.0.2.7, 10.9.9.9", "192.0.2.7"),
    ("127.0.0.1", None, "6.6.6.6, 192.0.2.7", "192.0.2.7"),
    ("127.0.0.1", None, "10.5.5.5, 10.9.9.9", "10.5.5.5"),
    ("127.0.0.1", None, "6.6.6.6, unknown, 10.9.9.9", "127.0.0.1"),
    ("127.0.0.1", None, "6.6.6.6,", "127.0.0.1"),
    # Other spellings
    ("127.0.0.1", "2001:DB8:2:0::9", None, "2001:db8:2::9"),
    ("127.0.0.1", "[2001:db8:2::9]", None, "2001:db8:2::9"),
    ("127.0.0.1", "::ffff:192.0.2.7", None, "192.0.2.7"),
    ("127.0.0.1", "192.0.2.7:51234", None, "192.0.2.7"),
    ("127.0.0.1", "[2001:db8:2::9]:443", None, "2001:db8:2::9"),
    ("127.0.0.1", "fe80::1%<b>", None, "fe80::1"),
    ("127.0.0.1", None, "::ffff:192.0.2.7, ::ffff:10.1.1.1", "192.0.2.7"),
    ("127.0.0.1", None, "192.0.2.7:5,10.1.1.1:9", "192.0.2.7"),
    # No address: the peer is recorded.
    *(
        ("127.0.0.1", junk, None, "127.0.0.1")
        for junk in (
            "junk",
            "192.0.2.7, 6.6.6.6",
            "192.0.2",
            "192.0.2.7.8",
            "0x7f.1",
            "192.0.2.007",
            "3232235777",
            "[192.0.2.7",
            "::g",
            "1" * 5000,
            "' OR 1=1",
            "192.0.2.7/24",
            "localhost",
        )
    ),
]
# An address that is not trusted cannot set anything.
UNTRUSTED = [
    (peer, real, forwarded, client)
    for peer, client in (
        ("192.0.2.66", "192.0.2.66"),
        ("127.0.0.2", "127.0.0.2"),
        ("::1", "::1"),
        ("::ffff:192.0.2.66", "192.0.2.66"),
        ("2001:db8:2::1", "2001:db8:2::1"),
    )
    for real, forwarded in (("6.6.6.6", None), (None, "6.6.6.6"))
]


@pytest.mark.parametrize("peer, real, forwarded, client", TRUSTED + UNTRUSTED)
def test_only_a_trusted_proxy_and_the_unix_socket_name_the_client(
    proxies, organiser, db, peer, real, forwarded, client
):
    headers = {"X-Real-IP": real, "X-Forwarded-For": forwarded}
    headers = {name: value for name, value in headers.items() if value is not None}
    assert recorded(organiser, db, peer, headers) == client


def test_by_default_no_tcp_peer_is_trusted_not_even_on_this_machine(organiser, db):
    for peer in ("127.0.0.1", "::1"):
        assert recorded(organiser, db, peer, {"X-Real-IP": "6.6.6.6"}) == peer


def test_a_proxy_that_is_not_trusted_is_reported_once(proxies, organiser, db, caplog):
    for peer in ("192.0.2.66", "192.0.2.67", "192.0.2.66"):
        recorded(organiser, db, peer, {"X-Real-IP": "6.6.6.6"})
    [message] = [
        record.getMessage() for record in caplog.records if record.name == "eventapi.client"
    ]
    assert "192.0.2.66" in message and "trusted_proxies" in message


def test_a_trusted_proxy_and_a_client_without_a_proxy_are_not_reported(
    proxies, organiser, db, caplog
):
    recorded(organiser, db, "127.0.0.1", {"X-Real-IP": "6.6.6.6"})
    recorded(organiser, db, "192.0.2.66", {})
    assert [record for record in caplog.records if record.name == "eventapi.client"] == []


@pytest.mark.parametrize(
    "peer, scheme", [("", "https"), ("127.0.0.1", "https"), ("192.0.2.66", "http")]
)
def test_only_a_trusted_proxy_sets_the_scheme_and_nobody_the_host_of_links(
    proxies, organiser, peer, scheme
):
    organiser.app.extra_environ["REMOTE_ADDR"] = peer
    headers = {
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "evil.example",
        "Forwarded": "host=evil.example",
    }
    answer = organiser.post("/events", {"title": "Fair"}, headers=headers, status=201)
    assert answer.headers["Location"].startswith(f"{scheme}://localhost:80/api/v1/events/")


@pytest.mark.parametrize(
    "peer, host, base_url, status",
    [
        ("192.0.2.7", "evil.example", "", 409),
        ("127.0.0.1", "localhost:8080", "", 201),
        ("192.0.2.7", "evil.example", "https://events.example.org", 201),
    ],
)
def test_no_client_elsewhere_chooses_the_host_of_links_in_mails(
    settings, organiser, db, peer, host, base_url, status
):
    settings.smtp_host = "mail.example.org"
    settings.smtp_sender = "news@messe.test"
    settings.base_url = base_url
    organiser.app.extra_environ["REMOTE_ADDR"] = peer
    answer = organiser.post(
        "/newsletter", {"email": "anna@rosen.example"}, headers={"Host": host}, status=status
    )
    queued = [address for (address,) in db.connection.execute("SELECT base_url FROM mails")]
    if status == 409:
        assert (
            answer.json["code"] == "mail_not_configured"
            and "base_url" in answer.json["detail"]
            and not queued
        )
    else:
        assert queued == [base_url or "http://localhost:8080"]
