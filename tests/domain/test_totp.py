"""The second factor: codes of RFC 6238, which of them are taken, and recovery codes."""

import base64
import re
from datetime import timedelta
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from eventapi import times
from eventapi.domain.access import totp

# of RFC 6238, appendix B, for SHA-1: seconds -> code of eight digits
VECTORS = {
    59: "94287082",
    1111111109: "07081804",
    1111111111: "14050471",
    1234567890: "89005924",
    2000000000: "69279037",
    20000000000: "65353130",
}
SECRET = base64.b32encode(b"12345678901234567890").decode()
NOW = "2009-02-13T23:31:30Z"  # 1234567890
STEP = 1234567890 // 30


@pytest.mark.parametrize("seconds, code", VECTORS.items())
def test_codes_are_those_of_the_standard(seconds, code):
    assert totp.code_of(SECRET, seconds // 30, digits=8) == code
    assert totp.code_of(SECRET, seconds // 30) == code[2:]


@pytest.mark.parametrize(
    "now, code, step",
    [
        (NOW, "005924", STEP),
        (NOW, "005 924", STEP),
        (NOW, " 005-924 ", STEP),
        (times.after(NOW, timedelta(seconds=30)), "005924", STEP),  # that of before
        (times.after(NOW, timedelta(seconds=-30)), "005924", STEP),  # that of after
        (times.after(NOW, timedelta(seconds=60)), "005924", None),
        (times.after(NOW, timedelta(seconds=-31)), "005924", None),
        (NOW, "005925", None),
        (NOW, "89005924", None),
        (NOW, "5924", None),
        (NOW, "", None),
        (NOW, "٠٠٥٩٢٤", None),  # other digits are no digits
        (NOW, "00592\U0001d7dc", None),
    ],
)
def test_codes_of_three_steps_match(now, code, step):
    assert totp.matching_step(SECRET, code, now) == step


def test_a_code_of_two_steps_is_that_of_the_later_one(monkeypatch):
    """Else it could be used a second time."""
    monkeypatch.setattr(totp, "code_of", lambda secret, step: "111111" if step <= STEP else "2")
    assert totp.matching_step(SECRET, "111111", NOW) == STEP


def test_all_three_steps_are_compared(monkeypatch):
    steps = []
    monkeypatch.setattr(totp, "code_of", lambda secret, step: steps.append(step) or "111111")
    totp.matching_step(SECRET, "111111", NOW)
    assert steps == [STEP - 1, STEP, STEP + 1]


def test_a_secret_has_160_bits():
    secrets = {totp.new_secret() for _ in range(20)}
    assert len(secrets) == 20
    assert all(len(base64.b32decode(secret)) == 20 for secret in secrets)


@pytest.mark.parametrize(
    "label, organiser",
    [
        ("carla@messe.example", "Messe Köln & Söhne: e. V."),
        ("carla+x@messe.example", "A/B?c=d#e%"),
        ("carla@messe.example", ""),
    ],
)
def test_the_address_for_an_authenticator_names_person_and_organiser(label, organiser):
    address = totp.address(SECRET, label, organiser)
    assert re.fullmatch(r"otpauth://totp/[A-Za-z0-9%@:._~-]+\?[A-Za-z0-9%=&._~-]+", address)
    parts = urlsplit(address)
    query = parse_qs(parts.query)
    assert unquote(parts.path) == f"/{organiser}:{label}" if organiser else f"/{label}"
    assert query.pop("issuer", [""]) == [organiser]
    assert query == {
        "secret": [SECRET],
        "algorithm": ["SHA1"],
        "digits": ["6"],
        "period": ["30"],
    }


def test_there_are_ten_recovery_codes_of_sixteen_clear_characters():
    codes = totp.new_recovery_codes()
    assert len(set(codes)) == 10
    assert all(re.fullmatch("[23456789ACEFHJKMNPRTWXY]{16}", code) for code in codes)


def test_a_recovery_code_may_be_typed_in_groups_and_small_letters():
    (code, *_) = totp.new_recovery_codes()
    typed = f" {totp.grouped(code).lower()} "
    assert totp.is_recovery_code(typed) and totp.is_recovery_code(typed.replace(" ", "-"))
    assert totp.recovery_hash(typed) == totp.recovery_hash(code)
    assert code not in totp.recovery_hash(code)
    assert not totp.is_recovery_code("123 456") and not totp.is_recovery_code(f"{code}2")
