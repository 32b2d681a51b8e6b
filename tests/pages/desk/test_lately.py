"""Changes of bank account, rights and team on the first page of owners."""

import re

import pytest

from eventapi.domain.access import people
from tests.support.people import open_settings, signed_in


@pytest.fixture
def carla(app, db):
    return signed_in(app, db, "owner", "Carla Weiß")


def entries(visitor):
    """Return the changes that the first page shows, without their times."""
    text = visitor.get("/desk/").text.partition('<details class="note" open>')[2]
    found = re.findall(r"(?s)<li>(.*?)</li>", text.partition("</details>")[0])
    return [" ".join(entry.split()).partition("Uhr: ")[2] for entry in found]


def test_an_owner_reads_who_was_invited_and_whose_rights_have_changed(carla, app, db):
    assert entries(carla) == []
    with db.write():
        id = people.invite(db, "Mehmet Aydın", "mehmet@messe.example", "door")
        people.record_invitation(db, id, "shown")
    nobody = "Der Administrator (Befehlszeile)"
    assert entries(carla) == [f"{nobody} hat Mehmet Aydın eingeladen: Einlass."]
    with db.write():
        people.change_rights(db, id, "office")
    changed = f"{nobody} hat die Rechte von Mehmet Aydın geändert: bisher Einlass, jetzt Büro."
    assert entries(carla)[0] == changed
    with db.write():
        people.disable(db, id)
    assert entries(carla)[0] == f"{nobody} hat Mehmet Aydın deaktiviert."


def test_an_owner_reads_of_another_bank_account_with_its_last_digits(carla, settings, organiser):
    open_settings(settings)
    for iban in ("DE89370400440532013000", "DE02120300000000202051"):
        organiser.patch("/settings", {"organiser_iban": iban}, status=200)
    first, _ = entries(carla)
    assert first.startswith("Ada Lovelace (mit einem API-Schlüssel) hat die Bankdaten")
    assert "IBAN bisher …3000, jetzt …2051" in first


def test_many_changes_of_rights_hide_no_change_of_the_bank_account(
    carla, app, db, settings, organiser
):
    open_settings(settings)
    for iban in ("DE89370400440532013000", "DE02120300000000202051"):
        organiser.patch("/settings", {"organiser_iban": iban}, status=200)
    for number in range(25):
        with db.write():
            id = people.invite(db, f"Person {number}", f"p{number}@messe.example", "door")
            people.record_invitation(db, id, "shown")
    found = entries(carla)
    assert sum("eingeladen" in entry for entry in found) == 10
    assert any("IBAN bisher …3000, jetzt …2051" in entry for entry in found)


def test_others_read_nothing_of_it(app, db, carla, desk):
    with db.write():
        id = people.invite(db, "Mehmet Aydın", "mehmet@messe.example", "door")
        people.record_invitation(db, id, "shown")
    assert len(entries(carla)) == 1
    assert entries(signed_in(app, db, "office", "Ole Lindqvist")) == []
    assert entries(desk(language="de")) == []
