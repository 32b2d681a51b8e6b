"""The client of the current request: its address, its program and its languages."""

import ipaddress
import logging
import re
from functools import lru_cache

from bottle import request

from eventapi.web import masking

# [2001:db8::7]:443, 192.0.2.7:443
PORT = re.compile(r"\[([^\]]*)\](?::\d{1,5})?|([0-9.]+):\d{1,5}", re.ASCII)
ACCEPTED = re.compile(
    r"(?:^|,)\s*([A-Za-z*][A-Za-z0-9-]*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?", re.ASCII
)
log = logging.getLogger("eventapi.client")
_has_warned = False


def address() -> str | None:
    """Return the IP address of the client as text, None if it is not known.

    X-Real-IP and X-Forwarded-For are used only if they come from a proxy that is trusted (see
    `is_from_proxy`): the address in X-Real-IP, else the last address in X-Forwarded-For that is no
    trusted proxy itself. If these headers name no address, the client is the peer of the
    connection.
    """
    environ = request.environ
    if "eventapi.address" not in environ:
        environ["eventapi.address"] = _address(environ)
    return environ["eventapi.address"]


def is_from_proxy() -> bool:
    """Return whether the headers of a proxy can be trusted: on a unix socket, and from the option
    trusted_proxies.

    Only nginx can connect to the unix socket. The peer of a unix socket has no address.
    """
    environ = request.environ
    return is_trusted(environ.get("REMOTE_ADDR"), environ["eventapi.config"].trusted_proxies)


def is_trusted(peer: str | None, networks: tuple) -> bool:
    """Return whether the peer of a connection is a proxy: that of a unix socket, or one in the
    networks.
    """
    return not peer or bool(networks and _is_in(peer, networks))


def _address(environ):
    peer, networks = environ.get("REMOTE_ADDR"), environ["eventapi.config"].trusted_proxies
    real, forwarded = environ.get("HTTP_X_REAL_IP"), environ.get("HTTP_X_FORWARDED_FOR")
    if not is_trusted(peer, networks):
        if real or forwarded:
            _warn(peer)
        return _text(peer) or peer
    return _text(real or "") or _last_hop(forwarded or "", networks) or _text(peer or "")


def _last_hop(forwarded, networks):
    """Return the last address in X-Forwarded-For that is no trusted proxy, or the first one if all
    are.

    Return None if it is no address.
    """
    hops = [_text(hop) for hop in forwarded.split(",")]
    return next(
        (hop for hop in reversed(hops) if not (hop and networks and _is_in(hop, networks))), hops[0]
    )


def _warn(peer):
    """Log once in each process that a proxy may be missing in the option trusted_proxies."""
    global _has_warned
    if _has_warned:
        return
    _has_warned = True
    log.warning(
        "%s sends X-Real-IP or X-Forwarded-For but is not a trusted proxy, so its own address is recorded as "
        "that of its clients. If it is your proxy, add it to the option trusted_proxies.",
        peer,
    )


@lru_cache(maxsize=1024)
def _is_in(text, networks):
    known = _parsed(text)
    return known is not None and any(known in network for network in networks)


@lru_cache(maxsize=1024)
def _text(text):
    known = _parsed(text)
    return None if known is None else str(known)


def _parsed(text):
    """Return the IP address in a text, or None.

    A port and the zone of a link-local address are removed.

    An IPv4 address that is written as IPv6 (::ffff:192.0.2.7) is the IPv4 address.
    """
    with_port = PORT.fullmatch(text.strip())
    text = (with_port[1] or with_port[2]) if with_port else text.strip()
    try:
        known = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(known, "ipv4_mapped", None) or known


def is_local() -> bool:
    """Return whether the caller is on this machine: the peer, and every address that a proxy names,
    is loopback.

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
    """Return the header User-Agent without API keys and control characters, at most 200 characters
    of it.
    """
    text = masking.text(request.environ.get("HTTP_USER_AGENT", ""))
    return (text if text.isprintable() else "".join(filter(str.isprintable, text)))[:200] or None


def languages() -> list[str]:
    """Return the tags of Accept-Language (RFC 9110, 12.5.4), the preferred one first."""
    found = ACCEPTED.findall(request.environ.get("HTTP_ACCEPT_LANGUAGE", "")[:1000])
    weights = [(tag, float(weight or 1)) for tag, weight in found]
    return [tag for tag, weight in sorted(weights, key=lambda pair: -pair[1]) if weight]
