"""Passwords of the people of the office.

A password is stored as `scrypt$14$8$5$SALT$HASH`: the parameters, and salt and hash in base64. One hash
takes 16 MiB and about 0.3 s, so a process computes one at a time, and never inside a write transaction.
One more may wait: each occupies a thread of the server, and the others are for everybody else.
"""

import base64
import hmac
import secrets
import unicodedata
from contextlib import contextmanager
from hashlib import scrypt
from threading import BoundedSemaphore, Lock

from eventapi.errors import Problem

SHORTEST, LONGEST = 12, 200  # characters, in Unicode's form NFC
DIFFERENT = 5  # characters that a password has at least
LONGEST_TYPED = 4 * LONGEST  # characters before NFC, which makes one of at most four
COST, BLOCK_SIZE, PARALLEL = 14, 8, 5  # of scrypt; the cost is a power of two
SALT, HASH = 16, 32  # bytes
MEMORY = 64 * 1024 * 1024  # that OpenSSL may take for one hash; the parameters above need 16 MiB
WAIT = 2  # seconds for the hash before
AT_ONCE = 2  # hashes of a process: the one that is computed, and one that waits

_places, _turn = BoundedSemaphore(AT_ONCE), Lock()


def fault(password, *, name, email, organiser):
    """Return why a password cannot be taken, or None.

    `password_short`, `password_long`, `password_plain` for too few different characters, or
    `password_named` for the name or address of the person or the name of the organiser.
    """
    if len(password) > LONGEST_TYPED:
        return "password_long"
    text = _normal(password)
    if len(text) < SHORTEST:
        return "password_short"
    if len(text) > LONGEST:
        return "password_long"
    if len(set(text)) < DIFFERENT:
        return "password_plain"
    names = {_folded(known) for known in (name, email, organiser) if known}
    return "password_named" if _folded(text) in names else None


def hashed(password):
    """Return what is stored of a password. Raise 503 `unavailable` while others are hashed."""
    salt = secrets.token_bytes(SALT)
    digest = _scrypt(_normal(password).encode(), salt, COST, BLOCK_SIZE, PARALLEL)
    parameters = f"scrypt${COST}${BLOCK_SIZE}${PARALLEL}"
    return f"{parameters}${_text(salt)}${_text(digest)}"


def is_right(stored, password):
    """Return whether a password is the stored one.

    It hashes in any case: without a stored one (None), and for a text that no password can be, it
    compares with a hash that nothing has. Raise 503 `unavailable` while others are hashed.
    """
    is_possible = stored is not None and len(password) <= LONGEST_TYPED
    text = _normal(password) if is_possible else ""
    cost, block_size, parallel, salt, known = _parts(stored if is_possible else DUMMY)
    digest = _scrypt(text.encode(), salt, cost, block_size, parallel)
    is_same = hmac.compare_digest(digest, known)
    return is_same and is_possible


def needs_renewal(stored):
    """Return whether a hash was made with other parameters than those of today."""
    return _parts(stored)[:3] != (COST, BLOCK_SIZE, PARALLEL)


def _normal(password):
    return unicodedata.normalize("NFC", password)


def _folded(text):
    """Return a text for the comparison with names: without case, and spaces at its ends."""
    return _normal(text).casefold().strip()


def _text(raw):
    return base64.b64encode(raw).decode()


def _parts(stored):
    """Return cost, block size and parallelism as numbers, and salt and hash as bytes."""
    _, cost, block_size, parallel, salt, digest = stored.split("$")
    return (
        int(cost),
        int(block_size),
        int(parallel),
        base64.b64decode(salt),
        base64.b64decode(digest),
    )


def _scrypt(raw, salt, cost, block_size, parallel):
    """Return a hash. Wait at most WAIT seconds for the one before."""
    with _acquired(_places, blocking=False), _acquired(_turn, timeout=WAIT):
        return scrypt(
            raw, salt=salt, n=2**cost, r=block_size, p=parallel, maxmem=MEMORY, dklen=HASH
        )


@contextmanager
def _acquired(lock, **how):
    """Hold a lock. Raise 503 `unavailable` if it is not free."""
    if not lock.acquire(**how):
        raise Problem(
            "unavailable",
            "Too many people sign in at this moment. Try again in some seconds.",
            headers={"Retry-After": "5"},
        )
    try:
        yield
    finally:
        lock.release()


# what the password of an account without one is compared with: random bytes, no hash of anything
DUMMY = (
    f"scrypt${COST}${BLOCK_SIZE}${PARALLEL}"
    f"${_text(secrets.token_bytes(SALT))}${_text(secrets.token_bytes(HASH))}"
)
