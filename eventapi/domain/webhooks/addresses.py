"""Addresses that a client may have us call: none of this machine, of a private network or of a metadata service,
whatever they are disguised as.
"""
import ipaddress
import re
import socket
from dataclasses import dataclass
from threading import Thread

URL = re.compile(r"(https?)://([^/?#]*)(/[^?#]*)?(\?[^#]*)?", re.I)
PLACE = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]]*)(?::(\d{1,5}))?", re.I)
NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?)*",
                  re.I)
NUMBER = re.compile(r"\d+|0x[0-9a-f]*", re.I)

# What the Internet does not route, or routes to somebody else than it says (RFC 6890 and the registries of IANA).
CLOSED = tuple(map(ipaddress.ip_network, """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
    192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 2001::/23 2001:db8::/32 2002::/16
    3fff::/20""".split()))
# Of IPv6 only this is given out; mapped, compatible, translated (NAT64), local and multicast addresses all lie outside.
GIVEN_OUT = ipaddress.ip_network("2000::/3")
# Names that no public server has.
INSIDE = re.compile(r"[^.]+|(.+\.)?(localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa)",
                    re.I)


class Refused(Exception):
    """An address that is not called; the text says why, and names nothing that a client could not know."""


@dataclass(frozen=True)
class Target:
    """A URL taken apart. `host` is a name or the text of an IP address, without brackets."""
    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self):
        """As the header Host has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == {"http": 80, "https": 443}[self.scheme] else f"{host}:{self.port}"


def parsed(url):
    """The URL as a Target; Refused where two programs could read it differently."""
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise Refused("must have ASCII characters only, without spaces and backslashes: a name in punycode, "
                      "the rest percent-encoded")
    found = URL.fullmatch(url)
    if not found:
        raise Refused("must be https:// and a host, without a fragment")
    if "@" in found[2]:
        raise Refused("must not hold a user or password; use headers")
    place = PLACE.fullmatch(found[2])
    if not place or (place[2] and not 1 <= int(place[2]) <= 65535):
        raise Refused("must have a host, and a port from 1 to 65535 if any")
    scheme = found[1].lower()
    return Target(scheme, host_of(place[1]), int(place[2] or {"http": 80, "https": 443}[scheme]),
                  (found[3] or "/") + (found[4] or ""))


def host_of(text):
    """The host in one spelling. Numbers such as 2130706433, 0x7f.1 or 127.1 are addresses too, to some."""
    try:
        if text.startswith("["):
            return str(ipaddress.IPv6Address(text[1:-1]))
        if NUMBER.fullmatch(text.rpartition(".")[2]):
            return str(ipaddress.IPv4Address(text))
    except ValueError:
        raise Refused("must write an IP address in its usual form, such as 192.0.2.7 or [2001:db8::7]") from None
    if not NAME.fullmatch(text):
        raise Refused("must have a host name of letters, digits, hyphens and dots, without a dot at its end")
    return text.lower()


def is_open(address, allowed):
    """Whether the IP address may be called: a public one, or one of the `allowed` networks."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if is_allowed(address, allowed):
        return True
    if any(ip in network for network in CLOSED if network.version == ip.version):
        return False
    return ip.version == 4 or ip in GIVEN_OUT


def is_allowed(address, allowed):
    ip = ipaddress.ip_address(address.partition("%")[0])
    return any(ip in network for network in allowed if network.version == ip.version)


def refuse_closed(target, found, allowed):
    """Refused when any one of the addresses `found` for the target is closed, so that none slips through."""
    if not all(is_open(address, allowed) for address in found):
        raise Refused("leads to an address that must not be called: of this machine, a private network "
                      "or a reserved range")
    if target.scheme == "http" and not all(is_allowed(address, allowed) for address in found):
        raise Refused("must begin with https://; http:// is for the networks of webhook_allowed_networks")


def acceptable(url, allowed, seconds=2):
    """What is wrong with a URL that is to be called later, as text, or None.

    A name that is not known yet may be known then.
    """
    try:
        target = parsed(url)
        if INSIDE.fullmatch(target.host) and not is_ip(target.host) and not allowed:
            raise Refused("has a name of a private network")
        found = resolved(target, seconds)
        if found:
            refuse_closed(target, found, allowed)
        elif target.scheme == "http" and not allowed:
            raise Refused("must begin with https://")
    except Refused as refused:
        return str(refused)
    return None


def resolved(target, seconds):
    """The IP addresses of the target's host; none where nobody knows it in time."""
    if is_ip(target.host):
        return [target.host]
    found = []
    # The resolver knows no time limit.
    asking = Thread(target=lambda: found.extend(lookup(target.host, target.port)), daemon=True)
    asking.start()
    asking.join(seconds)
    return list(dict.fromkeys(found))


def is_ip(host):
    return ":" in host or NUMBER.fullmatch(host.rpartition(".")[2]) is not None


def lookup(host, port):
    """What the resolver says; nothing where it knows nothing."""
    try:
        return [place[0] for *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        return []
