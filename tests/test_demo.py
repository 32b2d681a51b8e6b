"""The sample show: the show of `make run` has records in every state."""
import webtest

from eventapi.app import create_app
from eventapi.demo import show as demo
from eventapi.domain.upkeep import checks
from eventapi.storage.database import Database
from tests.support.client import SCOPES, Client, add_key


def test_the_demo_show_has_a_hall_reservations_and_orders_in_every_state(settings):
    demo.make(settings)
    db = Database(settings)
    organiser = Client(webtest.TestApp(create_app(settings)), add_key(db, SCOPES))

    def states(path):
        return {record["status"] for record in organiser.get(f"{path}?per_page=100", status=200).json["data"]}
    plan, = organiser.get("/plans?include=booth_count").json["data"]
    assert plan["booth_count"] == 80
    warnings = organiser.get(f"/plans/{plan['id']}/checks").json["data"]["warnings"]
    assert {warning["code"] for warning in warnings} <= {"narrow_aisle"}, warnings
    assert states("/booths") == {"available", "reserved", "sold", "blocked"}
    assert states("/booth-reservations") == {"pending", "confirmed", "cancelled", "waitlisted"}
    assert states("/service-orders") == {"draft", "submitted", "confirmed", "completed", "cancelled"}
    assert {"draft", "sent", "partially_paid", "paid"} <= states("/invoices")
    assert list(checks.findings(db)) == []
    db.close()
