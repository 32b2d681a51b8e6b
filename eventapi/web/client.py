"""The client of the current request: its address, its program and its languages."""
import ipaddress
import re

from bottle import request

ACCEPTED = re.compile(r"(?:^|,)\s*([A-Za-z*][A-Za-z0-9-]*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?", re.ASCII)


def address() -> str | None:
    """Return the IP address of the client.

    X-Real-IP is trusted only behind a unix socket, where only nginx can connect.
    """
    environ = request.environ
    return environ.get("REMOTE_ADDR") or environ.get("HTTP_X_REAL_IP") or None


def is_local() -> bool:
    """Return whether the caller is on this machine: the peer, and every address that a proxy names, is loopback.

    The peer of a unix socket has no address.
    """
    environ = request.environ
    named = [environ["HTTP_X_REAL_IP"]] if "HTTP_X_REAL_IP" in environ else []
    forwarded = environ.get("HTTP_X_FORWARDED_FOR")
    named += [] if forwarded is None else forwarded.split(",")
    peer = environ.get("REMOTE_ADDR")
    return all(map(_is_loopback, [*named, *([peer] if peer else [])]))


def _is_loopback(text):
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def agent() -> str | None:
    """Return the header User-Agent, at most 200 characters of it."""
    return request.environ.get("HTTP_USER_AGENT", "")[:200] or None


def languages() -> list[str]:
    """Return the tags of Accept-Language (RFC 9110, 12.5.4), the preferred one first."""
    found = ACCEPTED.findall(request.environ.get("HTTP_ACCEPT_LANGUAGE", "")[:1000])
    weights = [(tag, float(weight or 1)) for tag, weight in found]
    return [tag for tag, weight in sorted(weights, key=lambda pair: -pair[1]) if weight]
