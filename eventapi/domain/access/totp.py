"""The second factor: codes of an authenticator (TOTP, RFC 6238), and recovery codes.

A code has 6 digits and is of one step of 30 seconds. Codes of the step before and of the one after are
taken as well, since clocks differ. A code is used once: the step of the last one is kept.
"""

import base64
import hmac
import re
import secrets
from hashlib import sha1, sha256
from urllib.parse import quote

from eventapi import times

BITS = 160  # of a secret
STEP = 30  # seconds
DIGITS = 6
RECOVERY_CODES = 10
ALPHABET = "23456789ACEFHJKMNPRTWXY"  # of recovery codes: nothing that is read as something else
SECRET = re.compile("[A-Z2-7]{32}")  # in base32
LENGTH = 16  # characters of a recovery code, 72 bits


def new_secret():
    """Return a new secret in base32, 32 characters."""
    return base64.b32encode(secrets.token_bytes(BITS // 8)).decode()


def is_secret(text):
    """Return whether a text has the form of a secret."""
    return SECRET.fullmatch(text) is not None


def code_of(secret, step, digits=DIGITS):
    """Return the code of a step, which is a number of STEP seconds since 1970."""
    digest = hmac.new(base64.b32decode(secret), step.to_bytes(8, "big"), sha1).digest()
    offset = digest[-1] & 0x0F
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**digits:0{digits}}"


def matching_step(secret, code, now):
    """Return the step whose code this is at the timestamp `now`, or None.

    All three steps are compared, so that the time tells nothing. If two of them have the same code,
    the later one is returned: the code is then used up for both. The caller takes the step only if
    it is greater than that of the last code.
    """
    typed = plain(code).encode()
    current = times.unix(now) // STEP
    found = None
    for step in (current - 1, current, current + 1):
        if hmac.compare_digest(code_of(secret, step).encode(), typed):
            found = step
    return found


def address(secret, label, organiser):
    """Return the address that an authenticator reads from a QR code.

    `label` is the e-mail address of the person.
    """
    issuer = quote(organiser, safe="")
    name = f"{issuer}:{quote(label, safe='@')}" if organiser else quote(label, safe="@")
    more = f"&issuer={issuer}" if organiser else ""
    return (
        f"otpauth://totp/{name}?secret={secret}{more}&algorithm=SHA1&digits={DIGITS}&period={STEP}"
    )


def grouped(text):
    """Return a secret or a recovery code in groups of four characters."""
    return " ".join(text[place : place + 4] for place in range(0, len(text), 4))


# Recovery codes


def new_recovery_codes():
    """Return recovery codes, each of which opens the account once without an authenticator."""
    return ["".join(secrets.choice(ALPHABET) for _ in range(LENGTH)) for _ in range(RECOVERY_CODES)]


def is_recovery_code(code):
    """Return whether a text has the form of a recovery code, and not that of a code of 6 digits."""
    text = plain(code)
    return len(text) == LENGTH and set(text) <= set(ALPHABET)


def recovery_hash(code):
    """Return what is stored of a recovery code. It is random, so one fast hash is safe."""
    return sha256(plain(code).encode()).hexdigest()


def plain(code):
    """Return a code as it was typed, in capital letters, without spaces and hyphens."""
    kept = (
        character for character in code.upper() if not (character.isspace() or character == "-")
    )
    return "".join(kept)
