"""Checks of a webhook's address, events and headers that its schema cannot express."""
import re

from eventapi.domain.webhooks import addresses, event_types
from eventapi.errors import Faults, fault

HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
# Headers that HTTP or the delivery itself sets.
RESERVED = re.compile(r"host|connection|keep-alive|proxy-.*|te|trailers?|transfer-encoding|upgrade|expect|content-.*"
                      r"|(x-)?webhook-.*", re.I)
VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?|")


def faults_of(body, config):
    """Return the faults of a body. Resolving the host name may be slow: do not call this inside a transaction."""
    faults, url = Faults(), body.get("url")
    wrong = url and addresses.fault_of(url, config.webhook_allowed_networks)
    if wrong:
        faults.add("/url", "refused", wrong)
    for place, wrong in event_types.unknown(body.get("events") or ()):
        faults.add(f"/events/{place}", "unknown", wrong)
    return [*faults,
            *(fault for name, value in (body.get("headers") or {}).items() for fault in _faults_of_header(name, value))]


def _faults_of_header(name, value):
    """Yield the faults of one header."""
    place = "/headers/" + name.replace("~", "~0").replace("/", "~1")
    if not HEADER.fullmatch(name):
        yield fault("format", "must be a header name of at most 100 letters, digits and signs of HTTP, such as "
                              "X-Source", pointer=place)
    elif RESERVED.fullmatch(name):
        yield fault("reserved", "is a header that the server sets itself. Choose another name", pointer=place)
    if type(value) is not str or len(value) > 2000 or not VALUE.fullmatch(value):
        yield fault("format", "must be text of at most 2000 printable ASCII characters", pointer=place)
