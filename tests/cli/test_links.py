"""The commands for links: the address of a door, and its QR code in the terminal."""

import json
import re

import pytest

from eventapi.cli import links as commands
from eventapi.domain.access import link_secrets, links, sessions
from eventapi.pictures import qr


@pytest.fixture
def fair(organiser):
    return organiser.make("/events", {"title": "Garden Fair", "event_key": "fair"})


def test_a_door_gets_an_address_for_one_device_and_another_one_for_the_next(run, fair, db):
    code, lines, _ = run(
        "link", "create", "door", "fair", "--station", "Entrance West", "--devices", "3", "--search"
    )
    assert code == 0 and lines[0] == "link 1, Garden Fair, Entrance West"
    secret = re.fullmatch(r"http://127\.0\.0\.1:8080/link/(evl_[\w-]{32})", lines[1])[1]
    link = links.get(db, 1)
    assert (link["station"], link["devices"], link["rights"], link["kind"]) == (
        "Entrance West",
        3,
        ["search"],
        "door",
    )
    assert link_secrets.find(db, secret)["link_id"] == 1 and len(lines) == 3
    code, again, _ = run("link", "show", "1")
    assert code == 0 and again[0] == lines[0] and again[1] != lines[1]
    assert link_secrets.find(db, again[1].rpartition("/")[2])["link_id"] == 1
    assert db.connection.execute(
        "SELECT action FROM audit_log WHERE entity_type = 'link' ORDER BY id"
    ).fetchall() == [("created",), ("shown",)]


@pytest.mark.parametrize(
    "words, said",
    [
        (("create", "door", "other"), "event other not found"),
        (("create", "door", "fair", "--devices", "0"), "must be from 1 to 50"),
        (("create", "door", "fair", "--station", " "), "1 to 60 characters"),
        (("show", "7"), "link 7 not found; 'eventapi link list'"),
        (("revoke", "7"), "eventapi link list"),
        (("show", "x"), "eventapi link list"),
        (("end-device", "x"), "eventapi link devices"),
        (("list", "--event", "other"), "event other not found"),
        (("list", "--kind", "admin"), "--kind"),
        (("end-device", "7"), "eventapi link devices"),
    ],
)
def test_a_wrong_use_is_refused(run, fair, words, said):
    code, _, error = run("link", *words)
    assert code and said in error.lower()


def test_a_revoked_link_is_not_shown(run, fair, db):
    run("link", "create", "door", "fair")
    assert run("link", "revoke", "1")[0] == 0 and links.get(db, 1)["status"] == "revoked"
    code, _, error = run("link", "show", "1")
    assert code and "revoked" in error


def test_links_are_listed_by_event_and_kind(run, fair, organiser, db):
    other = organiser.make("/events", {"title": "Other", "event_key": "other"})
    for key in ("fair", "fair", "other"):
        run("link", "create", "door", key, "--station", key)
    run("link", "revoke", "2")
    contact = organiser.make("/contacts", {"company_name": "Rosen"})
    exhibitor = organiser.make("/participants", {"event_key": "other", "contact_id": contact["id"]})
    with db.write():
        links.create(
            db,
            "participant",
            event_id=other["id"],
            name="Ada",
            participant_id=exhibitor["id"],
            rights=[],
        )

    def ids(*words):
        return [
            row["id"] for row in json.loads("\n".join(run("link", "list", "--json", *words)[1]))
        ]

    assert (ids(), ids("--event", "fair"), ids("--kind", "door")) == (
        [1, 2, 3, 4],
        [1, 2],
        [1, 2, 3],
    )
    assert ids("--event", "other", "--kind", "participant") == [4]
    assert json.loads("\n".join(run("link", "list", "--json")[1]))[0].keys() == {
        "id",
        "kind",
        "event_key",
        "name",
        "email",
        "status",
        "ends_at",
        "last_used_at",
    }
    code, lines, _ = run("link", "list")
    assert code == 0 and "revoked" in lines[2] and "Ada" in lines[4]


@pytest.mark.parametrize(
    "words",
    [
        (noun, action, id)
        for noun, action in (
            ("link", "show"),
            ("link", "revoke"),
            ("link", "end-device"),
            ("desk", "end"),
            ("desk", "link"),
            ("key", "revoke"),
            ("admin", "disable"),
            ("mail", "retry"),
        )
        for id in ("999", "x")
    ],
)
def test_an_error_about_an_id_names_a_command_that_exists(run, fair, words):
    _, _, error = run(*words)
    (lister,) = re.findall(r"'eventapi ([\w -]+)'", error)
    assert run(*lister.split())[0] == 0


def test_the_devices_of_doors_are_listed_and_ended_one_by_one(run, fair, db):
    run("link", "create", "door", "fair", "--station", "West")
    with db.write():
        for _ in range(2):
            sessions.add(db, link_id=1, way="shown")
    first, second = json.loads("\n".join(run("link", "devices", "--json")[1]))
    assert (first["link_id"], first["station"], first["event_title"]) == (1, "West", "Garden Fair")
    assert first.keys() == {"id", "link_id", "station", "event_title", "created_at", "last_used_at"}
    assert run("link", "end-device", str(first["id"]))[0] == 0
    assert json.loads("\n".join(run("link", "devices", "--json")[1])) == [second]
    code, lines, _ = run("link", "devices")
    assert code == 0 and len(lines) == 2 and "West" in lines[1]


def test_the_code_in_the_terminal_has_the_modules_of_the_address():
    text = "http://127.0.0.1:8080/link/evl_" + "a" * 32
    rows, wanted = [], qr.modules(text, "L")
    for line in commands.drawn(wanted):
        line = line.removeprefix(commands.COLOURS).removesuffix(commands.PLAIN)
        rows += [
            [character in "▀█" for character in line],
            [character in "▄█" for character in line],
        ]
    side = len(wanted) + 2 * commands.QUIET
    assert all(len(row) == side for row in rows) and len(rows) in (side, side + 1)
    inner = [
        row[commands.QUIET : -commands.QUIET]
        for row in rows[commands.QUIET : commands.QUIET + len(wanted)]
    ]
    assert inner == [list(row) for row in wanted]
    assert sum(map(sum, rows)) == sum(map(sum, wanted)), "the rest is light"
