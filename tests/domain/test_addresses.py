"""Addresses that webhooks may call: forbidden URLs are refused at creation and at delivery."""

import ipaddress
import socket

import pytest

from eventapi.domain.webhooks import addresses
from eventapi.worker.webhooks import http_post

NO_NETWORK = ()
FORBIDDEN = """
    https://127.0.0.1/ https://127.0.0.1:8443/ https://127.255.255.254/ https://0.0.0.0/ https://0/ https://127.1/
    https://127.0.1/ https://2130706433/ https://017700000001/ https://0177.0.0.1/ https://0x7f.0.0.1/
    https://0x7f000001/ https://0X7F.1/ https://127.0.0.01/ https://127.0.0.1./ https://00000177.0.0.1/ https://0x/
    https://256.1.1.1/ https://1.2.3.4.5/ https://4294967297/ https://10.0.0.1/ https://10.255.255.255/
    https://172.16.0.1/ https://172.31.255.255/ https://192.168.0.1/ https://100.64.0.1/
    https://169.254.169.254/latest/meta-data/ https://169.254.1.1/ https://2852039166/ https://0xa9fea9fe/
    https://0251.0376.0251.0376/ https://192.0.0.192/ https://192.0.2.1/ https://198.18.0.1/ https://198.51.100.1/
    https://203.0.113.1/ https://192.88.99.1/ https://224.0.0.1/ https://239.255.255.255/ https://240.0.0.1/
    https://255.255.255.255/ https://[::1]/ https://[::]/ https://[0:0:0:0:0:0:0:1]/ https://[::ffff:127.0.0.1]/
    https://[::ffff:7f00:1]/ https://[::127.0.0.1]/ https://[::ffff:0:127.0.0.1]/ https://[::ffff:8.8.8.8]/
    https://[64:ff9b::7f00:1]/ https://[64:ff9b::127.0.0.1]/ https://[64:ff9b:1::a00:1]/ https://[2002:7f00:1::]/
    https://[2002:a9fe:a9fe::1]/ https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/ https://[2001:db8::1]/
    https://[fe80::1]/ https://[fe80::1%25eth0]/ https://[fe80::1%eth0]/ https://[fc00::1]/ https://[fd00:ec2::254]/
    https://[fec0::1]/ https://[ff02::1]/ https://[100::1]/ https://[5f00::1]/ https://[3fff::1]/ https://[::1
    https://::1/ https://[127.0.0.1]/ https://[]/ https://localhost/ https://LOCALHOST/ https://localhost./
    https://a.localhost/ https://localhost.localdomain/ https://metadata/
    https://metadata.google.internal/computeMetadata/v1/ https://printer.local/ https://router.lan/
    https://nas.home.arpa/ https://intranet/ https://user@example.org/ https://user:pw@example.org/
    https://example.org@127.0.0.1/ https://127.0.0.1@example.org/ https://example.org:80@127.0.0.1/
    https://example.org%40127.0.0.1/ https://127.0.0.1%2f@example.org/ https://%31%32%37.0.0.1/ https://１２７.0.0.1/
    https://①②⑦.0.0.1/ https://127。0。0。1/ https://ｌocalhost/ https://exämple.org/ https://example.org\\@127.0.0.1/
    https://example.org\\.evil.example.org/ https:\\\\127.0.0.1/ https:/example.org/ https:///127.0.0.1/
    https://example.org:0/ https://example.org:65536/ https://example.org:٤٤٣/ https://example.org:-1/
    https://example.org:443:80/ https://example.org./ https://.example.org/ https://example..org/
    https://-example.org/ https://example.org#@127.0.0.1/ https://?x https:// https://# http://example.org/
    http://93.184.216.34/ ftp://example.org/ file:///etc/passwd gopher://127.0.0.1:11211/ javascript:alert(1)
    //example.org/ https://127.0.0.1.nip.example.test/ https://rebinding.example.test/ https://mixed.example.test/
    https://six.example.test/
""".split()
CONTROLS = [
    "https://example.org/a b",
    "https://example.org/\tx",
    "https://exam\nple.org/",
    "https://example.org/\r\nHost: x",
    " https://example.org /",
    "https://example.org/\x7f",
]
NAMES = {
    "127.0.0.1.nip.example.test": ["127.0.0.1"],
    "rebinding.example.test": ["169.254.169.254"],
    "mixed.example.test": ["93.184.216.34", "10.0.0.1"],
    "six.example.test": ["::ffff:10.0.0.1"],
    "localhost": ["127.0.0.1", "::1"],
}
GOOD = [
    "https://example.org/",
    "https://example.org",
    "HTTPS://EXAMPLE.ORG/Hook?x=1",
    "https://example.org:8443/a%20b",
    "https://93.184.216.34/",
    "https://[2606:2800:220:1:248:1893:25c8:1946]:8443/x",
    "https://a_b.example.org/",
    "https://xn--exmple-cua.example.org/?q",
    "https://not-yet-known.example.test/",
]


@pytest.fixture(autouse=True)
def names(resolver):
    resolver.update(NAMES)
    return resolver


def test_the_table_holds_at_least_100_urls():
    assert len(set(FORBIDDEN + CONTROLS)) >= 100


@pytest.mark.parametrize("url", FORBIDDEN + CONTROLS)
def test_a_forbidden_url_is_refused_at_creation(url):
    assert addresses.fault_of(url, NO_NETWORK)


@pytest.mark.parametrize("url", FORBIDDEN + CONTROLS)
def test_a_forbidden_url_is_refused_at_delivery_without_a_connection(url, monkeypatch):
    def connect(*_, **__):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises((addresses.Refused, http_post.Failed)):
        http_post.post(url, b"{}", {}, seconds=2, allowed=NO_NETWORK)


@pytest.mark.parametrize("url", GOOD)
def test_a_public_address_is_accepted(url):
    assert addresses.fault_of(url, NO_NETWORK) is None


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1/", "https://10.1.2.3/", "https://hooks.internal/"]
)
def test_the_refusal_of_a_private_address_names_the_option(url):
    assert "webhook_allowed_networks" in addresses.fault_of(url, NO_NETWORK)


def test_only_configured_networks_are_allowed_and_http_is_allowed_there():
    allowed = (ipaddress.ip_network("10.1.0.0/16"), ipaddress.ip_network("fd00:1::/32"))
    for url in (
        "http://10.1.2.3:8080/x",
        "https://10.1.2.3/",
        "http://[fd00:1::7]/",
        "http://erp/",
        "https://erp.internal/",
    ):
        assert addresses.fault_of(url, allowed) is None, url
    for url in (
        "http://10.2.0.1/",
        "https://10.2.0.1/",
        "http://example.org/",
        "https://127.0.0.1/",
        "http://[fd00:2::7]/",
        "https://localhost/",
        "http://[::ffff:10.1.2.3]/",
        "https://167837955/",
    ):
        assert addresses.fault_of(url, allowed), url


def test_a_host_name_is_checked_again_at_delivery(names):
    assert addresses.fault_of("https://hook.example.org/", NO_NETWORK) is None
    names["hook.example.org"] = ["127.0.0.1"]
    with pytest.raises(addresses.Refused):
        http_post.post("https://hook.example.org/", b"{}", {}, seconds=2, allowed=NO_NETWORK)


def test_the_connection_uses_the_address_that_was_checked(names, monkeypatch):
    """The host name is resolved once, because the result of a second lookup would be unchecked."""
    asked, called = [], []

    def lookup(host, port):
        asked.append(host)
        return ["93.184.216.34"] if len(asked) == 1 else ["127.0.0.1"]

    def connect(address, timeout):
        called.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(addresses, "lookup", lookup)
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(http_post.Failed, match="Connection refused"):
        http_post.post("https://hook.example.org:8443/", b"{}", {}, seconds=2, allowed=NO_NETWORK)
    assert (asked, called) == (["hook.example.org"], [("93.184.216.34", 8443)])


def test_a_resolver_that_does_not_respond_delays_a_delivery_only_briefly(monkeypatch):
    import threading

    over = threading.Event()
    monkeypatch.setattr(addresses, "lookup", lambda host, port: over.wait(10) and [])
    try:
        assert addresses.fault_of("https://hook.example.org/", NO_NETWORK) is None
        with pytest.raises(http_post.Failed, match="not known"):
            http_post.post("https://hook.example.org/", b"{}", {}, seconds=0.2, allowed=NO_NETWORK)
    finally:
        over.set()
