"""A public show with an exhibitor, somebody who is not confirmed, a plan and a programme."""
import pytest

from tests.support.plans import add_plan
from tests.support.prepared import prepared
from tests.test_images import PNG

IMPRINT = {"organiser_name": "Garden GmbH", "organiser_street": "Weg 1", "organiser_city": "Leipzig",
           "organiser_email": "office@example.org", "base_url": "https://show.example.org",
           "smtp_host": "localhost", "smtp_sender": "office@example.org"}


@prepared
def public_show(organiser, db):
    """Make a public show. Return its records by name."""
    vars(organiser.app.app.settings).update(IMPRINT)            # of this app, which no test gets
    event = organiser.make("/events", {
        "title": "Garden Fair", "event_key": "fair", "date_from": "2027-05-01", "date_to": "2027-05-03",
        "venue": "Hall of Leipzig", "timezone": "Europe/Berlin", "description": "SECRET event",
        "opening_hours": [{"date": "2027-05-01", "opens": "09:00", "closes": "18:00", "label": "Trade visitors"}]})
    plan = add_plan(db, "fair", "hall-a", "A")
    made = {"event": event, "plan": plan}
    category = organiser.make("/categories", {"title": "Pots", "category_key": "pots", "content": "SECRET category"})
    for name, company, extra in (("exhibitor", "Erdőháti Kerámia Zrt.", {"is_confirmed": True}),
                                 ("waiting", "SECRET waiting", {}), ("person", None, {"is_confirmed": True})):
        contact = organiser.make("/contacts", {
            "company_name": company, "first_name": "SECRET first", "last_name": "SECRET last", "city": "Budapest",
            "country": "HU", "email": f"secret-{name}@example.org", "phone": "+49 999", "notes": "SECRET notes",
            "address": "SECRET street", "tags": ["secrettag"]})
        made[name] = organiser.make("/participants", {
            "event_id": event["id"], "contact_id": contact["id"], "role": "exhibitor", "badge_name": "SECRET badge",
            "category_id": category["id"], **extra})
        booth = organiser.make("/booths", {
            "plan_id": plan, "booth_number": f"A{len(made)}", "width": 3, "depth": 3, "pos_x": 4 * len(made),
            "pos_y": 1, "fixed_price": 100, "notes": "SECRET booth", "description": "SECRET booth"})
        made[f"booth_{name}"] = booth
        reservation = organiser.make("/booth-reservations", {
            "booth_id": booth["id"], "event_participant_id": made[name]["id"], "notes": "SECRET reservation"})
        organiser.post(f"/booth-reservations/{reservation['id']}/confirm", {}, status=200)
    organiser.patch(f"/participants/{made['exhibitor']['id']}/profile", {
        "texts": {"en": "Pots of clay.", "de": "Töpfe aus Ton."}, "products": ["Amphora"], "website": "kerámia.example",
        "email": "visit@keramia.example", "phone": "+36 1", "links": ["https://social.example/keramia"]}, status=200)
    organiser.patch(f"/participants/{made['person']['id']}/profile", {"texts": {"en": "SECRET profile"}}, status=200)
    organiser.put(f"/participants/{made['exhibitor']['id']}/profile/logo", raw=PNG, status=200,
                  headers={"Content-Type": "image/png"})
    slot = {"event_id": event["id"], "slot_date": "2027-05-01", "start_time": "10:00", "end_time": "11:00",
            "slot_type": "SECRET kind"}
    made["slot"] = organiser.make("/schedules", {
        **slot, "title": "Opening", "location": "Stage", "description": "See https://example.org/x", "is_public": True,
        "assignments": [{"event_participant_id": made["exhibitor"]["id"], "role": "speaker"},
                        {"event_participant_id": made["person"]["id"], "role": "host"}]})
    organiser.make("/schedules", {**slot, "title": "SECRET slot", "location": "SECRET place",
                                  "description": "SECRET text", "is_public": False})
    organiser.patch(f"/events/{event['id']}/pages", {
        "is_public": True, "show_plan": True, "apply_is_open": True,
        "apply_terms": {"en": "Booths are paid in advance."}, "accent_color": "#ffee00",
        "contact_email": "visit@example.org",
        "embed_origins": ["https://www.garden.example"],
        "texts": {"intro": {"en": "Everything that grows <b>.", "de": "Alles, was wächst."},
                  "privacy": {"en": "No cookies."}}}, status=200)
    return made


@pytest.fixture
def show(public_show, settings, monkeypatch):
    """Return the records of a public show by name."""
    for name, value in IMPRINT.items():
        monkeypatch.setattr(settings, name, value)
    return public_show


@pytest.fixture
def read(app):
    """Return a function that reads a page as a browser that asks for a language."""
    def page(path, language="en", status=200, **options):
        return app.get(path, headers={"Accept": "text/html", "Accept-Language": language}, status=status, **options)
    return page
