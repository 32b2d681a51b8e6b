"""Passwords: what is taken, what is stored, and that they are hashed one at a time."""

import base64
import threading

import pytest

from eventapi.domain.access import passwords
from eventapi.errors import Problem

PERSON = {"name": "Carla Weiß", "email": "carla@messe.example", "organiser": "Messe Test GmbH"}
GOOD = "kommode-41-Falter"


@pytest.mark.parametrize(
    "password",
    [
        GOOD,
        "abcde1abcde1",  # twelve characters, six different ones
        "abcdeabcdeab",
        " leading and trailing ",
        "Straßenbahn·über·Köln",
        "😀😁😂🤣😃😄😅😆😉😊😋😎",
        "x" * 195 + "abcde",
    ],
)
def test_a_long_password_of_different_characters_is_taken(password):
    assert passwords.fault(password, **PERSON) is None


@pytest.mark.parametrize(
    "password, fault",
    [
        ("", "password_short"),
        ("kommode-41-", "password_short"),
        # eleven characters in NFC, of 22 code points
        ("a\u0308" * 11, "password_short"),
        ("x" * 196 + "abcde", "password_long"),
        ("x" * 100_000, "password_long"),
        ("aaaaaaaaaaaa", "password_plain"),
        ("abcdabcdabcd", "password_plain"),
        ("carla@messe.example", "password_named"),
        ("CARLA@MESSE.EXAMPLE", "password_named"),
        ("messe test gmbh", "password_named"),
        (" Messe Test GmbH ", "password_named"),
    ],
)
def test_a_password_that_is_easy_to_guess_is_not_taken(password, fault):
    assert passwords.fault(password, **PERSON) == fault


def test_the_name_of_the_person_is_no_password():
    assert passwords.fault("CARLA WEISSENFELS", **PERSON | {"name": "Carla Weißenfels"}) == (
        "password_named"
    )
    assert passwords.fault(GOOD, name="Carla", email=None, organiser="") is None


def test_only_the_password_itself_is_right():
    stored = passwords.hashed(GOOD)
    assert passwords.is_right(stored, GOOD)
    assert not passwords.is_right(stored, f"{GOOD} ")
    assert not passwords.is_right(stored, GOOD.upper())
    assert not passwords.is_right(stored, "")


def test_two_ways_to_type_the_same_letter_are_one_password():
    composed, decomposed = "K\u00f6ln am Rhein 7", "Ko\u0308ln am Rhein 7"
    assert passwords.is_right(passwords.hashed(composed), decomposed)
    assert passwords.is_right(passwords.hashed(decomposed), composed)


def test_what_is_stored_names_its_parameters_and_has_a_salt_of_its_own():
    first, second = passwords.hashed(GOOD), passwords.hashed(GOOD)
    assert first != second
    name, cost, block, parallel, salt, digest = first.split("$")
    assert (name, cost, block, parallel) == ("scrypt", "14", "8", "5")
    assert (len(base64.b64decode(salt)), len(base64.b64decode(digest))) == (16, 32)
    assert GOOD not in first


def test_a_known_hash_of_another_program_is_right():
    """The test vector of RFC 7914, section 12, with N 1024, r 8 and p 16."""
    digest = bytes.fromhex("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162")
    stored = (
        f"scrypt$10$8$16${base64.b64encode(b'NaCl').decode()}${base64.b64encode(digest).decode()}"
    )
    assert passwords.is_right(stored, "password")
    assert not passwords.is_right(stored, "Password")
    assert passwords.needs_renewal(stored)
    assert not passwords.needs_renewal(passwords.hashed(GOOD))


@pytest.mark.parametrize("password", [GOOD, "", "x" * 500_000, "a\u0308\u0323" * 100_000], ids=len)
def test_nothing_is_right_without_a_stored_password(password):
    assert not passwords.is_right(None, password)
    assert not passwords.is_right(passwords.hashed(GOOD), password + "x")


@pytest.mark.parametrize("is_stored", [True, False])
@pytest.mark.parametrize("password", ["wrong", "x" * 500_000], ids=len)
def test_each_try_is_one_hash(monkeypatch, is_stored, password):
    stored = passwords.hashed(GOOD) if is_stored else None
    hashes = []
    inner = passwords._scrypt
    monkeypatch.setattr(passwords, "_scrypt", lambda *all: hashes.append(all[2:]) or inner(*all))
    passwords.is_right(stored, password)
    assert hashes == [(14, 8, 5)]


@pytest.mark.parametrize("waiting", [0, 1])
def test_a_process_hashes_one_at_a_time_and_refuses_after_a_while(monkeypatch, waiting):
    """Or at once, if another one waits already."""
    monkeypatch.setattr(passwords, "WAIT", 600 if waiting else 0.05)
    begun, go_on = threading.Event(), threading.Event()

    def slow(*_, **__):
        begun.set()
        go_on.wait(10)
        return b"x" * 32

    monkeypatch.setattr(passwords, "scrypt", slow)
    first = threading.Thread(target=passwords.hashed, args=(GOOD,))
    first.start()
    begun.wait(10)
    if waiting:
        passwords._places.acquire()
    with pytest.raises(Problem) as refused:
        passwords.is_right(None, GOOD)
    assert (refused.value.status, refused.value.code) == (503, "unavailable")
    assert refused.value.headers["Retry-After"]
    if waiting:
        passwords._places.release()
    go_on.set()
    first.join()
    assert passwords.is_right(None, GOOD) is False
