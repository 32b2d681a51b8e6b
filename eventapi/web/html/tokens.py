"""Tokens of forms.

Without a session: when the form was made, and a random nonce, with a keyed hash of both.

With a session: a keyed hash of whose link it is, masked by random bytes. It belongs to the link and
not to the session, so that a page which was left open works again after a new sign-in. The random
bytes are the id of the form.
"""

import base64
import binascii
import hmac
import secrets
import time
from hashlib import sha256

YOUNGEST, OLDEST = 4, 24 * 3600  # seconds: robots are faster, and people finish within a day


def form_token(key: bytes, purpose: str) -> str:
    """Return a new token `TIME.NONCE.HASH` for a purpose, such as `apply 12`."""
    head = f"{int(time.time())}.{secrets.token_hex(16)}"
    return f"{head}.{_hash(key, purpose, head)}"


def checked(key: bytes, purpose: str, token: str) -> tuple[str, str | None]:
    """Return (state, nonce) of a token: `good`, `young`, `old`, or `wrong`, which has no nonce."""
    head, _, given = token.rpartition(".")
    if not hmac.compare_digest(
        _hash(key, purpose, head).encode(), given.encode("utf-8", "replace")
    ):
        return "wrong", None
    made, _, nonce = head.partition(".")
    age = time.time() - int(made)
    return ("young" if age < YOUNGEST else "old" if age > OLDEST else "good"), nonce


def session_token(key: bytes, owner: str) -> str:
    """Return a new token of a form for the owner of a session, such as `link 12` or `admin 3`."""
    mask = secrets.token_bytes(16)
    return base64.urlsafe_b64encode(mask + _masked(key, owner, mask)).decode()


def form_id(key: bytes, owner: str, token: str) -> str | None:
    """Return the id of the form that has this token. None if the token is not one of the owner."""
    try:
        raw = base64.urlsafe_b64decode(token.encode("ascii"))
    except (UnicodeEncodeError, binascii.Error):
        return None
    mask = raw[:16]
    is_right = len(raw) == 32 and hmac.compare_digest(raw[16:], _masked(key, owner, mask))
    return mask.hex() if is_right else None


def _masked(key, owner, mask):
    own = hmac.new(key, f"session {owner}".encode(), sha256).digest()
    return bytes(one ^ two for one, two in zip(own[:16], mask, strict=True))


def _hash(key, purpose, head):
    return hmac.new(key, f"{purpose} {head}".encode("utf-8", "replace"), sha256).hexdigest()
