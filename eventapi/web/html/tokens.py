"""Tokens of forms without a session: when the form was made, and a random nonce, with a keyed hash of both."""
import hmac
import secrets
import time
from hashlib import sha256

YOUNGEST, OLDEST = 4, 24 * 3600         # seconds: robots are faster, and people finish within a day


def form_token(key: bytes, purpose: str) -> str:
    """Return a new token `TIME.NONCE.HASH` for a purpose, such as `apply 12`."""
    head = f"{int(time.time())}.{secrets.token_hex(16)}"
    return f"{head}.{_hash(key, purpose, head)}"


def checked(key: bytes, purpose: str, token: str) -> tuple[str, str | None]:
    """Return (state, nonce) of a token: `good`, `young`, `old`, or `wrong`, which has no nonce."""
    head, _, given = token.rpartition(".")
    if not hmac.compare_digest(_hash(key, purpose, head).encode(), given.encode("utf-8", "replace")):
        return "wrong", None
    made, _, nonce = head.partition(".")
    age = time.time() - int(made)
    return ("young" if age < YOUNGEST else "old" if age > OLDEST else "good"), nonce


def _hash(key, purpose, head):
    return hmac.new(key, f"{purpose} {head}".encode("utf-8", "replace"), sha256).hexdigest()
