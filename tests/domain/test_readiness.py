"""Readiness: the checklist of what a participant still has to do before the show."""

import random

import pytest

from tests.domain.test_billing import Fair
from tests.support.prepared import prepared


@prepared
def fair(organiser, db):
    return Fair(organiser, db)


def statuses(fair, participant=None):
    """Return the items that are required, with their statuses, but not the category, which is never
    open.

    Check that the filter `ready` agrees.
    """
    id = (participant or fair.participant)["id"]
    found = fair.organiser.data(f"/participants/{id}/readiness")
    assert [item["item"] for item in found["items"]] == [
        "contract",
        "submissions",
        "booth",
        "services",
        "invoice",
        "payment",
        "badge",
        "category",
    ]
    assert found["ready"] == all(
        item["status"] in ("done", "not_required") for item in found["items"]
    )
    assert [
        known["id"]
        for known in fair.organiser.data(f"/participants?ids={id}&ready={int(found['ready'])}")
    ] == [id]
    return " ".join(
        f"{item['item']}:{item['status']}"
        for item in found["items"][:-1]
        if item["status"] != "not_required"
    )


def item(fair, name):
    found = fair.organiser.data(f"{fair.address}/readiness")["items"]
    return next(entry for entry in found if entry["item"] == name)


def test_an_exhibitor_becomes_ready_step_by_step(fair):
    assert statuses(fair) == "booth:open invoice:open payment:blocked badge:open"
    fair.act("participants", fair.participant, "confirm")
    reservation = fair.reserve("A1", status="pending")
    assert item(fair, "booth")["due"] == reservation["expires_at"]
    fair.act("booth-reservations", reservation, "confirm")
    assert item(fair, "booth")["detail"] == "confirmed: A1"
    order = fair.order((fair.power, 1), confirm=False)
    assert statuses(fair) == "booth:done services:open invoice:open payment:blocked badge:done"
    fair.act("service-orders", order, "confirm")
    assert statuses(fair) == "booth:done services:done invoice:open payment:blocked badge:done"
    invoice, _ = fair.bill()
    assert statuses(fair) == "booth:done services:done invoice:open payment:blocked badge:done"
    assert item(fair, "invoice")["detail"] == "a draft has not been sent"
    sent = fair.send(invoice)
    assert statuses(fair) == "booth:done services:done invoice:done payment:open badge:done"
    assert item(fair, "payment")["due"] == sent["due_date"]
    fair.organiser.make(
        "/payments", {"invoice_number": sent["invoice_number"], "amount": sent["total"]}
    )
    assert statuses(fair) == "booth:done services:done invoice:done payment:done badge:done"
    fair.act("participants", fair.participant, "unconfirm")
    assert statuses(fair) == "booth:done services:done invoice:done payment:done badge:open"
    assert item(fair, "badge")["due"] == "2099-05-01"
    fair.act("participants", fair.participant, "confirm")
    late = fair.order((fair.power, 1), confirm=False)
    assert statuses(fair) == "booth:done services:open invoice:blocked payment:blocked badge:done"
    fair.cancel("service-orders", late)
    fair.cancel("booth-reservations", reservation)
    assert statuses(fair) == "booth:open services:done invoice:open payment:blocked badge:done"


def test_a_draft_order_is_due_by_its_deadline(fair):
    service = fair.organiser.make(
        "/services",
        {
            "service_name": "Carpet",
            "base_price": 1,
            "events": [{"event_key": "fair", "order_deadline": "2099-03-31"}],
        },
    )
    fair.organiser.make(
        "/service-orders",
        {
            "event_participant_id": fair.participant["id"],
            "items": [{"service_id": service["id"], "quantity": 1}],
        },
    )
    assert (item(fair, "services")["status"], item(fair, "services")["due"]) == (
        "open",
        "2099-03-31",
    )


def test_the_invoice_is_blocked_until_the_booth_is_reserved(fair):
    fair.send(fair.bill()[0])
    assert statuses(fair) == "booth:open invoice:blocked payment:open badge:open"


@pytest.mark.parametrize("role", ["speaker", "visitor", "press", "staff"])
def test_guests_need_the_badge_only(fair, role):
    guest = fair.exhibitor("Guest", role=role)
    assert statuses(fair, guest) == "badge:open"
    fair.act("participants", guest, "confirm")
    assert statuses(fair, guest) == "badge:done"


def test_what_nobody_requires_is_listed_and_not_required(fair):
    def not_required(participant):
        items = fair.organiser.data(f"/participants/{participant['id']}/readiness")["items"]
        return {
            item["item"]: (item["detail"], item["due"])
            for item in items[:-1]
            if item["status"] == "not_required"
        }

    nothing = {
        "contract": ("there is no contract", None),
        "submissions": ("nothing is required", None),
    }
    assert not_required(fair.participant) == {**nothing, "services": ("nothing is ordered", None)}
    assert not_required(fair.exhibitor("Partner", role="sponsor")) == {
        **nothing,
        "services": ("nothing is ordered", None),
        "booth": ("needs no booth of its own", None),
    }
    assert not_required(fair.exhibitor("Guest", role="press")) == {
        **nothing,
        **{
            name: ("does not concern the role press", None)
            for name in ("booth", "services", "invoice", "payment")
        },
    }
    order = fair.order((fair.power, 1))
    assert item(fair, "services")["status"] == "done"
    fair.cancel("service-orders", order)
    assert item(fair, "services")["status"] == "not_required"


@pytest.mark.parametrize("role", ["co_exhibitor", "sponsor"])
def test_a_co_exhibitor_needs_no_booth_of_its_own(fair, role):
    partner = fair.exhibitor("Partner", role=role)
    assert statuses(fair, partner).startswith("invoice:")
    fair.reserve("A1", status="pending", participant=partner)
    assert statuses(fair, partner).startswith("booth:open")


def test_required_submissions_of_the_role_must_be_submitted_and_approved(fair):
    make, mine = fair.organiser.make, {"event_participant_id": fair.participant["id"]}
    make(
        "/submissions/types",
        {
            "event_key": "fair",
            "title": "Logo",
            "input": "url",
            "due": {"before": "date_from", "days": 10},
        },
    )
    make(
        "/submissions/types",
        {
            "event_key": "fair",
            "title": "Profile",
            "input": "text",
            "needs_approval": False,
            "due": "2099-04-01",
        },
    )
    for other in (
        {"title": "Slides", "roles": ["speaker"]},
        {"title": "Video", "is_required": False},
        {"title": "Old", "is_active": False},
    ):
        make("/submissions/types", {"event_key": "fair", "input": "url", **other})

    def submissions():
        found = item(fair, "submissions")
        return found["status"], found["detail"], found["due"]

    assert submissions() == ("open", "missing: Logo, Profile", "2099-04-01T21:59:59Z")
    make("/submissions", {**mine, "type_key": "profile", "value": "Roses"})
    assert submissions() == ("open", "missing: Logo", "2099-04-21T21:59:59Z")
    logo = make(
        "/submissions", {**mine, "type_key": "logo", "value": "https://roses.example/logo.svg"}
    )
    assert submissions() == (
        "open",
        "everything is submitted and awaits review",
        "2099-04-21T21:59:59Z",
    )
    fair.organiser.post(
        f"/submissions/{logo['id']}/request-revision", {"feedback": "Larger, please"}, status=200
    )
    assert submissions() == ("open", "missing: Logo", "2099-04-21T21:59:59Z")
    fair.act("submissions", logo, "submit")
    fair.act("submissions", logo, "approve")
    assert submissions() == ("done", "everything required is approved", None)
    fair.organiser.delete(f"/submissions/{logo['id']}", status=204)
    logo = make(
        "/submissions", {**mine, "type_key": "logo", "value": "https://roses.example/logo.svg"}
    )
    fair.organiser.post(
        f"/submissions/{logo['id']}/reject", {"feedback": "That is not yours"}, status=200
    )
    assert submissions() == ("blocked", "rejected: Logo", "2099-04-21T21:59:59Z")


def test_a_speaker_is_ready_with_the_slides(fair):
    speaker = fair.exhibitor("Speaker", role="speaker")
    fair.act("participants", speaker, "confirm")
    assert statuses(fair, speaker) == "badge:done"
    fair.organiser.make(
        "/submissions/types",
        {
            "event_key": "fair",
            "title": "Slides",
            "input": "url",
            "roles": ["speaker"],
            "needs_approval": False,
        },
    )
    assert statuses(fair, speaker) == "submissions:open badge:done"
    fair.organiser.make(
        "/submissions",
        {
            "event_participant_id": speaker["id"],
            "type_key": "slides",
            "value": "https://roses.example/slides",
        },
    )
    assert statuses(fair, speaker) == "submissions:done badge:done"


def test_a_cancelled_participant_is_blocked(fair):
    fair.cancel("participants", fair.participant)
    assert statuses(fair) == "booth:blocked invoice:blocked payment:blocked badge:blocked"


def test_a_missing_category_is_named_and_never_stops_ready(fair):
    assert item(fair, "category") == {
        "item": "category",
        "status": "done",
        "code": "assigned",
        "due": None,
        "detail": "assigned: gold",
        "data": {"category_key": "gold"},
    }
    fair.organiser.patch(fair.address, {"category_key": None, "category_id": None}, status=200)
    assert item(fair, "category") == {
        "item": "category",
        "status": "not_required",
        "code": "no_category",
        "due": None,
        "detail": "there is no category, so no fee is billed",
        "data": {},
    }
    fair.act("participants", fair.participant, "confirm")
    fair.reserve("A1")
    fair.organiser.make(
        "/payments",
        {"invoice_number": fair.send(fair.bill()[0])["invoice_number"], "amount": 10000},
    )
    assert fair.organiser.data(f"{fair.address}/readiness")["ready"]
    fair.cancel("participants", fair.participant)
    assert item(fair, "category")["status"] == "not_required"


def test_codes_and_data_say_what_the_details_say(fair):
    def facts():
        items = fair.organiser.data(f"{fair.address}/readiness")["items"]
        return {item["item"]: (item["code"], item["data"]) for item in items}

    form = fair.organiser.make(
        "/documents/templates", {"name": "Contract", "body": "<p>x</p>", "is_contract": True}
    )
    made = fair.organiser.make(
        "/documents",
        {
            "entity_type": "event_participant",
            "template_id": form["id"],
            "entity_id": fair.participant["id"],
        },
    )
    fair.organiser.make(
        "/submissions/types", {"event_key": "fair", "title": "Logo", "input": "url"}
    )
    contract = {"document_number": made["document_number"], "contract_status": "draft"}
    assert facts() == {
        "contract": ("not_active", {"contracts": [contract]}),
        "submissions": ("missing", {"titles": ["Logo"]}),
        "booth": ("none", {}),
        "services": ("no_order", {}),
        "invoice": ("unbilled", {}),
        "payment": ("not_invoiced", {}),
        "badge": ("not_confirmed", {}),
        "category": ("assigned", {"category_key": "gold"}),
    }
    fair.reserve("A1")
    assert facts()["booth"] == ("confirmed", {"booth_numbers": ["A1"]})
    fair.organiser.patch(fair.address, {"role": "press"}, status=200)
    assert facts()["invoice"] == ("other_role", {"role": "press"})
    fair.cancel("participants", fair.participant)
    assert facts()["badge"] == ("cancelled", {})


def test_readiness_requires_an_existing_participant(fair, person):
    fair.organiser.get("/participants/999/readiness", status=404)
    person("participants:read").get(f"{fair.address}/readiness", status=200)


def test_include_and_filter_agree_in_random_states(fair):
    """With many exhibitors in random states, the list, the filter and the single response agree."""
    chance, roles = random.Random(4), ("exhibitor", "exhibitor", "exhibitor", "sponsor", "visitor")
    people = [
        fair.exhibitor(
            f"E{number}", role=chance.choice(roles), category_key=chance.choice(("gold", None))
        )
        for number in range(30)
    ]
    fair.organiser.make(
        "/submissions/types", {"event_key": "fair", "title": "Logo", "input": "url"}
    )
    for number, participant in enumerate(people):
        act_randomly(fair, chance, participant, number)
    listed = fair.organiser.data("/participants?include=readiness&per_page=100")
    for found in listed:
        assert found["readiness"] == fair.organiser.data(f"/participants/{found['id']}/readiness")
    for ready in (0, 1):
        wanted = [found["id"] for found in listed if found["readiness"]["ready"] == bool(ready)]
        assert wanted
        assert [
            found["id"]
            for found in fair.organiser.data(f"/participants?ready={ready}&per_page=100")
        ] == wanted
        for query, matches in (
            ("", lambda found: True),
            ("event_key=fair", lambda found: True),
            ("role=exhibitor", lambda found: found["role"] == "exhibitor"),
            ("status=confirmed", lambda found: found["status"] == "confirmed"),
            ("confirmed=0&event_key=fair", lambda found: not found["is_confirmed"]),
        ):
            answer = fair.organiser.get(
                f"/participants?ready={ready}&{query}&per_page=1", status=200
            ).json
            assert answer["meta"]["total"] == sum(
                found["id"] in wanted and matches(found) for found in listed
            ), query
    seen = {
        (entry["item"], entry["status"])
        for found in listed
        for entry in found["readiness"]["items"]
    }
    assert len(seen) >= 12, "the random states are not varied enough"


def test_the_report_agrees_with_the_checklists(fair):
    """Compare the report with each checklist, over two events, with contracts and with a submission
    required of visitors.
    """
    chance, organiser = random.Random(9), fair.organiser
    form = organiser.make(
        "/documents/templates", {"name": "Contract", "body": "<p>Contract</p>", "is_contract": True}
    )
    other = organiser.make("/events", {"title": "Other"})
    organiser.make("/submissions/types", {"event_key": "fair", "title": "Logo", "input": "url"})
    organiser.make(
        "/submissions/types",
        {
            "event_key": "fair",
            "title": "Photo",
            "input": "url",
            "roles": ["press", "visitor"],
            "needs_approval": False,
        },
    )
    roles = (
        "exhibitor",
        "exhibitor",
        "exhibitor",
        "sponsor",
        "visitor",
        "press",
        "speaker",
        "staff",
    )
    people = [
        fair.exhibitor(
            f"E{number}", role=chance.choice(roles), category_key=chance.choice(("gold", None))
        )
        for number in range(24)
    ]
    for number, participant in enumerate(people):
        act_randomly(fair, chance, participant, number)
        if participant["role"] == "press" and chance.random() < 0.5:
            organiser.make(
                "/submissions",
                {
                    "event_participant_id": participant["id"],
                    "type_key": "photo",
                    "value": "https://roses.example/me.jpg",
                },
            )
        if chance.random() < 0.3:
            made = organiser.make(
                "/documents",
                {
                    "entity_type": "event_participant",
                    "entity_id": participant["id"],
                    "template_id": form["id"],
                },
            )
            if chance.random() < 0.4:
                organiser.post(f"/documents/{made['id']}/request-signature", status=200)
                organiser.post(
                    f"/documents/{made['id']}/mark-signed", {"signer_name": "Anna"}, status=200
                )
    organiser.make(
        "/participants",
        {"event_id": other["id"], "role": "visitor", "contact_id": people[0]["contact_id"]},
    )
    drafts = {
        draft["event_participant_id"]
        for draft in organiser.data("/invoices?status=draft&per_page=100")
    }
    expected = {}
    for participant in organiser.data("/participants?per_page=100"):
        if participant["status"] != "cancelled":
            entry = expected.setdefault(
                (participant["event_key"], participant["role"]),
                dict.fromkeys(("participants", *LACKS, "ready"), 0),
            )
            checklist = organiser.data(f"/participants/{participant['id']}/readiness")
            count(entry, checklist, participant["id"] in drafts)
    rows = organiser.data("/reports/readiness")["data"]["rows"]
    assert {(row.pop("event_key"), row.pop("role")): row for row in rows} == expected
    assert all(any(entry[name] for entry in expected.values()) for name in ("ready", *LACKS)), (
        "the random states are not varied enough"
    )
    found = organiser.data("/reports/readiness?event_key=fair")["data"]["rows"]
    assert {(row.pop("event_key"), row.pop("role")): row for row in found} == {
        key: entry for key, entry in expected.items() if key[0] == "fair"
    }


LACKS = (
    "unconfirmed",
    "open_contract",
    "open_submissions",
    "no_booth",
    "open_order",
    "draft_invoice",
    "unbilled",
    "unpaid",
)


def count(entry, checklist, has_draft):
    """Add one checklist to an entry of the report."""
    items = {item["item"]: item for item in checklist["items"]}
    is_open = {
        name: items[name]["status"] not in ("done", "not_required")
        for name in ("contract", "submissions", "booth", "services", "badge")
    }
    entry["participants"] += 1
    entry["ready"] += checklist["ready"]
    entry["unconfirmed"] += is_open["badge"]
    entry["open_contract"] += is_open["contract"]
    entry["open_submissions"] += is_open["submissions"]
    entry["no_booth"] += is_open["booth"]
    entry["open_order"] += is_open["services"]
    entry["draft_invoice"] += items["invoice"]["status"] != "not_required" and has_draft
    entry["unbilled"] += items["invoice"]["detail"] == "something has to be billed or credited"
    entry["unpaid"] += items["payment"]["detail"] == "an invoice is not paid in full"


def act_randomly(fair, chance, participant, number):
    """Perform a random part of the usual actions of a participant, mostly up to the end."""
    if chance.random() < 0.9:
        fair.act("participants", participant, "confirm")
    if participant["role"] in ("visitor", "press", "speaker", "staff"):
        return
    logo = {
        "event_participant_id": participant["id"],
        "type_key": "logo",
        "value": "https://roses.example/logo.svg",
    }
    if participant["role"] == "exhibitor" and chance.random() < 0.9:
        submission = fair.organiser.make("/submissions", logo)
        if chance.random() < 0.9:
            fair.act("submissions", submission, "approve")
    booth = None
    if chance.random() < 0.8:
        status = chance.choice(("confirmed", "confirmed", "pending"))
        booth = fair.reserve(f"B{number}", status=status, participant=participant)
    if chance.random() < 0.4:
        fair.order((fair.power, 1), confirm=chance.random() < 0.7, participant=participant)
    answer = (
        fair.organiser.post(f"/participants/{participant['id']}/invoice")
        if chance.random() < 0.9
        else None
    )
    if answer and answer.status_int == 201 and chance.random() < 0.9:
        sent = fair.send(answer.json["data"])
        if chance.random() < 0.8:
            fair.organiser.make(
                "/payments", {"invoice_number": sent["invoice_number"], "amount": sent["total"]}
            )
    if booth and chance.random() < 0.15:
        fair.cancel("booth-reservations", booth)
    if chance.random() < 0.1:
        fair.cancel("participants", participant)


def test_a_checklist_reads_only_the_invoices_of_its_participant(db):
    from eventapi.domain.people.readiness import sql

    plan = [
        row[3]
        for row in db.connection.execute("EXPLAIN QUERY PLAN " + sql.facts.plain(), {"ids": "[1]"})
    ]
    assert "invoices_by_participant" in " ".join(plan) and "invoices_by_status" not in " ".join(
        plan
    )
