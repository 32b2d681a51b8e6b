"""Moving a booth: what it costs, what the participant owes then, and what is billed."""

import pytest

from eventapi.domain.upkeep import checks
from tests.domain.test_billing import Fair, lines
from tests.support.prepared import prepared


@prepared
def fair(organiser, db):
    return Fair(organiser, db)


@pytest.fixture(autouse=True)
def books(db):
    """After each test, check that the books balance."""
    yield
    assert checks.findings(db) == []


def move(fair, reservation, number, width=4, status=200, **body):
    booth = fair.booth(number, width)
    path = f"/booth-reservations/{reservation['id']}/move"
    return fair.organiser.post(path, {"booth_id": booth["id"], **body}, status=status).json


def paid(fair):
    """Bill the exhibitor, send the invoice, record its payment, and return it."""
    invoice = fair.send(fair.bill()[0])
    body = {"invoice_number": invoice["invoice_number"], "amount": invoice["total"]}
    fair.organiser.make("/payments", body)
    return invoice


def test_a_move_names_the_price_and_what_is_owed_then(fair):
    """1,200 net for four metres, 1,500 for five; the fee is 150. VAT is 19 %."""
    reservation = fair.reserve("A1")
    paid(fair)
    meta = move(fair, reservation, "B1", 5)["meta"]
    assert meta["price"] == {"old": 1200, "new": 1500}
    assert meta["balance"] == {"before": 0, "after": 357}
    meta = move(fair, reservation, "B2", 3)["meta"]
    assert meta["price"] == {"old": 1500, "new": 900}
    assert meta["balance"] == {"before": 357, "after": -357}


def test_what_is_owed_does_not_depend_on_drafts(fair):
    reservation = fair.reserve("A1")
    meta = move(fair, reservation, "B1", 5)["meta"]
    assert meta["balance"] == {"before": 1606.5, "after": 1963.5}
    fair.bill()
    meta = move(fair, reservation, "B2", 4)["meta"]
    assert meta["balance"] == {"before": 1963.5, "after": 1606.5}
    (draft,) = fair.organiser.data("/invoices")
    fair.organiser.post(f"/invoices/{draft['id']}/refresh", status=200)
    fair.send(draft)
    meta = move(fair, reservation, "B3", 5)["meta"]
    fair.bill()
    back = move(fair, reservation, "B4", 4, dry_run=True)["meta"]
    assert (meta["balance"], back["balance"]) == (
        {"before": 1606.5, "after": 1963.5},
        {"before": 1963.5, "after": 1606.5},
    )


def test_a_key_without_participants_reads_no_balance(fair, person):
    reservation, booth = fair.reserve("A1"), fair.booth("B1", 5)
    path = f"/booth-reservations/{reservation['id']}/move"
    meta = person("booths").post(path, {"booth_id": booth["id"]}, status=200).json["meta"]
    assert meta["price"] == {"old": 1200, "new": 1500} and "balance" not in meta


def test_a_kept_price_bills_and_credits_nothing(fair):
    reservation = fair.reserve("A1")
    paid(fair)
    moved = move(fair, reservation, "B1", 5, keep_price=True)
    assert (moved["data"]["final_price"], moved["data"]["is_negotiated"]) == (1200, True)
    assert moved["meta"]["balance"] == {"before": 0, "after": 0}
    assert fair.refused()["reason"] == "billed"
    # it stays in further moves, as a negotiated price does
    assert move(fair, reservation, "B2", 6)["data"]["final_price"] == 1200
    fair.refused()


def test_a_booth_of_the_same_price_bills_and_credits_nothing(fair):
    reservation = fair.reserve("A1")
    invoice = paid(fair)
    meta = move(fair, reservation, "A2")["meta"]
    assert meta == {
        "request_id": meta["request_id"],
        "price": {"old": 1200, "new": 1200},
        "balance": {"before": 0, "after": 0},
    }
    fair.refused()
    assert fair.organiser.data(f"{fair.address}/balance")["unbilled"] == 0
    move(fair, reservation, "A3")
    fair.refused()
    # cancelling credits the line that bills the first booth
    fair.cancel("booth-reservations", reservation)
    note, _ = fair.bill()
    assert (note["related_invoice_id"], lines(note)[0][1:]) == (invoice["id"], (-1, -1200))


def test_a_booth_of_another_price_in_between_changes_nothing(fair):
    reservation = fair.reserve("A1")
    paid(fair)
    move(fair, reservation, "B1", 5)
    meta = move(fair, reservation, "A2")["meta"]
    assert meta["balance"] == {"before": 357, "after": 0}
    fair.refused()


def test_the_same_price_with_another_tax_is_credited_and_billed(fair):
    fair.organiser.make(
        "/booths/types",
        {
            "booth_type_name": "Reduced",
            "booth_type_key": "reduced",
            "price_model": "per_m2",
            "price": 100,
            "tax_rate": 7,
        },
    )
    reservation = fair.reserve("A1")
    paid(fair)
    body = {
        "plan_id": fair.plan_id,
        "booth_number": "R1",
        "width": 4,
        "depth": 3,
        "booth_type_key": "reduced",
    }
    booth = fair.organiser.make("/booths", body)
    path = f"/booth-reservations/{reservation['id']}/move"
    meta = fair.organiser.post(path, {"booth_id": booth["id"]}, status=200).json["meta"]
    assert meta["price"] == {"old": 1200, "new": 1200}
    assert meta["balance"] == {"before": 0, "after": -144}
    invoice, (note,) = fair.bill()
    assert (invoice["total"], fair.invoice(note)["total"]) == (1284, -1428)


def test_a_draft_that_names_the_old_booth_must_be_refreshed(fair):
    """It costs the same, but an invoice names the booth."""
    reservation = fair.reserve("A1")
    draft, _ = fair.bill()
    move(fair, reservation, "A2")
    answer = fair.organiser.post(f"/invoices/{draft['id']}/send", status=409).json
    assert (answer["code"], [line["reason"] for line in answer["lines"]]) == (
        "draft_outdated",
        ["moved"],
    )
    fresh = fair.organiser.post(f"/invoices/{draft['id']}/refresh", status=200).json["data"]
    assert [line[0] for line in lines(fresh)][-1].startswith("Booth A2")
    assert fresh["total"] == draft["total"]
    fair.send(fresh)
    fair.refused()


def test_a_reservation_that_an_earlier_version_has_moved_is_billed_as_before(fair, db):
    reservation = fair.reserve("A1")
    paid(fair)
    move(fair, reservation, "A2")
    with db.write():
        db.connection.execute("UPDATE booth_reservations SET moved_from = NULL")
    invoice, (note,) = fair.bill()
    assert (invoice["subtotal"], fair.invoice(note)["subtotal"]) == (1200, -1200)
