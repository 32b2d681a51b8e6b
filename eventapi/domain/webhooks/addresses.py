"""Addresses that webhooks may call.

Addresses of this server, of private networks and of metadata services are blocked.

Each URL is parsed strictly, so that no spelling of an address passes the checks and leads
elsewhere.
"""

import ipaddress
import re
import socket
from dataclasses import dataclass
from threading import Thread

URL = re.compile(r"(https?)://([^/?#]*)(/[^?#]*)?(\?[^#]*)?", re.I)
AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]]*)(?::(\d{1,5}))?", re.I)
NAME = re.compile(
    r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?)*",
    re.I,
)
NUMBER = re.compile(r"\d+|0x[0-9a-f]*", re.I)

# Networks that the Internet does not route, or that lead to another address (RFC 6890 and the
# registries of IANA).
BLOCKED = tuple(
    map(
        ipaddress.ip_network,
        """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
    192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 2001::/23 2001:db8::/32 2002::/16
    3fff::/20""".split(),
    )
)
# The part of IPv6 from which public addresses are assigned. Mapped, compatible, translated (NAT64),
# local and multicast addresses are all outside it.
PUBLIC_IPV6 = ipaddress.ip_network("2000::/3")
# Host names that no public server has.
PRIVATE_NAME = re.compile(
    r"[^.]+|(.+\.)?(localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa)",
    re.I,
)
EXCEPTION = (
    ". The administrator of the server can allow a network with the option webhook_allowed_networks"
)


class Refused(Exception):
    """A URL that must not be called.

    The text says why, without anything that the client does not know already.
    """


@dataclass(frozen=True)
class Target:
    """A parsed URL. `host` is a name or the text of an IP address, without brackets.

    `path` includes the query.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self):
        """Return the value of the header Host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return (
            host if self.port == {"http": 80, "https": 443}[self.scheme] else f"{host}:{self.port}"
        )


def parse(url):
    """Return the URL as a Target. Raise Refused if two programs could read it differently."""
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise Refused(
            "must contain only ASCII characters, and neither spaces nor backslashes. Write the host name "
            "in punycode and percent-encode the rest"
        )
    found = URL.fullmatch(url)
    if not found:
        raise Refused("must begin with https:// and a host, and must not have a fragment")
    if "@" in found[2]:
        raise Refused("must not contain a user name or password. Use headers instead")
    place = AUTHORITY.fullmatch(found[2])
    if not place or (place[2] and not 1 <= int(place[2]) <= 65535):
        raise Refused("must have a host, and a port from 1 to 65535 if any")
    scheme = found[1].lower()
    return Target(
        scheme,
        normal_host(place[1]),
        int(place[2] or {"http": 80, "https": 443}[scheme]),
        (found[3] or "/") + (found[4] or ""),
    )


def normal_host(text):
    """Return the host in its usual spelling. Raise Refused for an invalid one.

    Numbers such as 2130706433, 0x7f.1 or 127.1 are refused, because some programs read them as
    addresses.
    """
    try:
        if text.startswith("["):
            return str(ipaddress.IPv6Address(text[1:-1]))
        if NUMBER.fullmatch(text.rpartition(".")[2]):
            return str(ipaddress.IPv4Address(text))
    except ValueError:
        raise Refused(
            "must contain an IP address in its usual form, such as 192.0.2.7 or [2001:db8::7]"
        ) from None
    if not NAME.fullmatch(text):
        raise Refused(
            "must have a host name of letters, digits, hyphens and dots, and not end with a dot"
        )
    return text.lower()


def may_be_called(address, allowed):
    """Return whether the IP address is public, or in one of the `allowed` networks."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if is_allowed(address, allowed):
        return True
    if any(ip in network for network in BLOCKED if network.version == ip.version):
        return False
    return ip.version == 4 or ip in PUBLIC_IPV6


def is_allowed(address, allowed):
    """Return whether the IP address is in one of the `allowed` networks."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    return any(ip in network for network in allowed if network.version == ip.version)


def refuse_blocked(target, found, allowed):
    """Raise Refused if any of the IP addresses `found` for the target is blocked, or if HTTP is not
    allowed for it.
    """
    if not all(may_be_called(address, allowed) for address in found):
        raise Refused(
            "leads to an address that webhooks must not call: one of this server, of a private network "
            f"or of a reserved range{EXCEPTION}"
        )
    if target.scheme == "http" and not all(is_allowed(address, allowed) for address in found):
        raise Refused(
            "must begin with https://. Only URLs in webhook_allowed_networks may begin with http://"
        )


def fault_of(url, allowed, seconds=2):
    """Return what is wrong with a URL that will be called later, as text, or None.

    Resolve its host for at most `seconds`. A host name that cannot be resolved now is accepted.
    """
    try:
        target = parse(url)
        if PRIVATE_NAME.fullmatch(target.host) and not is_ip(target.host) and not allowed:
            raise Refused(f"has a host name that exists in private networks only{EXCEPTION}")
        found = resolve(target, seconds)
        if found:
            refuse_blocked(target, found, allowed)
        elif target.scheme == "http" and not allowed:
            raise Refused("must begin with https://")
    except Refused as refused:
        return str(refused)
    return None


def resolve(target, seconds):
    """Return the IP addresses of the target's host.

    Return none if they cannot be found in `seconds`.
    """
    if is_ip(target.host):
        return [target.host]
    found = []
    # getaddrinfo has no timeout, so it runs in a thread of its own.
    thread = Thread(target=lambda: found.extend(lookup(target.host, target.port)), daemon=True)
    thread.start()
    thread.join(seconds)
    return list(dict.fromkeys(found))


def is_ip(host):
    """Return whether the host of a Target is an IP address."""
    return ":" in host or NUMBER.fullmatch(host.rpartition(".")[2]) is not None


def lookup(host, port):
    """Return the IP addresses that the resolver finds for a host, or an empty list."""
    try:
        return [place[0] for *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        return []
