"""The tax treatment of drafts over the API: the rule, the office, and what changes later.

Which treatment is right is in tests/domain/vat/treatments.csv, written from the law.
"""

from tests.support.prepared import prepared

STAND = {"description": "Stand", "quantity": 1, "unit_price": 100}
VIENNA = {
    "company_name": "Kaffeehaus Wien GmbH",
    "address": "Ring 1",
    "postal_code": "1010",
    "city": "Wien",
    "country": "AT",
    "tax_id": "ATU13585627",
}
ZURICH = {
    "company_name": "Kakteen Zürich AG",
    "address": "Weg 2",
    "postal_code": "8001",
    "city": "Zürich",
    "country": "CH",
}


class Show:
    """A show whose supplies are taxed at the recipient's, with one exhibitor for each country."""

    def __init__(self, organiser, db):
        self.organiser, self.db = organiser, db
        organiser.make(
            "/events",
            {
                "title": "Show",
                "event_key": "show",
                "date_from": "2099-05-01",
                "date_to": "2099-05-03",
            },
        )
        self.decide("recipient")
        organiser.make("/categories", {"title": "Gold", "category_key": "gold", "base_price": 100})
        self.home = self.exhibitor({**VIENNA, "country": "DE", "tax_id": None})
        self.vienna = self.exhibitor(VIENNA)
        self.zurich = self.exhibitor(ZURICH)
        self.catering = organiser.make(
            "/services",
            {
                "service_name": "Catering",
                "service_key": "catering",
                "base_price": 50,
                "events": [{"event_key": "show"}],
            },
        )
        with db.write():
            db.connection.execute("UPDATE services SET place_of_supply = 'event'")

    def decide(self, place):
        """Say where the supplies of the show are taxed."""
        self.organiser.patch("/events/1", {"place_of_supply": place}, status=200)

    def exhibitor(self, contact):
        person = self.organiser.make("/contacts", contact)
        return self.organiser.make(
            "/participants",
            {"event_key": "show", "contact_id": person["id"], "category_key": "gold"},
        )

    def order(self, participant):
        return self.organiser.make(
            "/service-orders",
            {
                "event_participant_id": participant["id"],
                "status": "confirmed",
                "items": [{"service_key": "catering", "quantity": 1}],
            },
        )

    def bill(self, participant):
        """Return the answer of drafting what a participant owes."""
        return self.organiser.post(f"/participants/{participant['id']}/invoice", status=201).json

    def draft(self, participant, *items, **fields):
        body = {
            "event_participant_id": participant["id"],
            "items": list(items or [STAND]),
            **fields,
        }
        return self.organiser.make("/invoices", body)

    def change(self, draft, body, status=200):
        return self.organiser.patch(f"/invoices/{draft['id']}", body, status=status).json


@prepared
def show(organiser, db):
    return Show(organiser, db)


def tax_of(invoice):
    """Return (treatment, who decided, tax, categories of the lines)."""
    return (
        invoice["tax_treatment"],
        invoice["tax_decided_by"],
        invoice["tax_total"],
        "".join(item["tax_category"] + " " for item in invoice["items"]).strip(),
    )


def test_the_rule_decides_what_nobody_has_decided(show):
    assert tax_of(show.bill(show.home)["data"]) == ("standard", "rule", 19, "S")
    assert tax_of(show.bill(show.vienna)["data"]) == ("reverse_charge", "rule", 0, "AE")
    assert tax_of(show.bill(show.zurich)["data"]) == ("not_taxable", "rule", 0, "O")
    written = show.draft(show.vienna)
    assert tax_of(written) == ("reverse_charge", "rule", 0, "AE")
    assert written["is_reverse_charge"] is True


def test_lines_at_the_place_of_the_event_keep_their_tax(show):
    show.order(show.vienna)
    invoice = show.bill(show.vienna)["data"]
    assert tax_of(invoice) == ("reverse_charge", "rule", 9.5, "AE S")
    assert [item["place_of_supply"] for item in invoice["items"]] == [None, "event"]
    written = show.draft(show.zurich, {**STAND, "place_of_supply": "event"})
    assert tax_of(written) == ("standard", "rule", 19, "S")


def test_what_is_not_subject_to_vat_has_an_invoice_of_its_own(show):
    show.order(show.zurich)
    answer = show.bill(show.zurich)
    first, (further,) = answer["data"], answer["meta"]["further_invoice_ids"]
    second = show.organiser.data(f"/invoices/{further}")
    assert tax_of(first) == ("not_taxable", "rule", 0, "O")
    assert tax_of(second) == ("standard", "rule", 9.5, "S")
    items = [STAND, {**STAND, "place_of_supply": "event"}]
    body = {"event_participant_id": show.zurich["id"], "items": items}
    refused = show.organiser.post("/invoices", body, status=422).json["errors"]
    assert [(fault["pointer"], fault["code"]) for fault in refused] == [("/items", "mixed_taxes")]


def test_a_typed_tax_stays_and_decides_if_every_line_has_one(show):
    typed = {**STAND, "tax_rate": 19}
    assert tax_of(show.draft(show.vienna, typed)) == ("standard", "office", 19, "S")
    assert tax_of(show.draft(show.vienna, typed, STAND)) == ("reverse_charge", "rule", 19, "S AE")
    charged = {**STAND, "tax_category": "AE"}
    assert tax_of(show.draft(show.vienna, charged)) == ("reverse_charge", "office", 0, "AE")
    outside = {**STAND, "tax_category": "O"}
    assert tax_of(show.draft(show.zurich, outside)) == ("not_taxable", "office", 0, "O")


def test_a_tax_that_is_typed_anew_in_every_line_decides_again(show):
    charged = {**STAND, "tax_category": "AE"}
    taxed = {**STAND, "tax_rate": 19}
    draft = show.draft(show.vienna, charged)
    for item, expected in (
        (taxed, ("standard", "office", 19, "S")),
        (charged, ("reverse_charge", "office", 0, "AE")),
        ({**STAND, "tax_category": "O"}, ("not_taxable", "office", 0, "O")),
    ):
        assert tax_of(show.change(draft, {"items": [item]})["data"]) == expected


def test_a_treatment_that_the_office_has_chosen_stays_when_the_tax_of_its_lines_is_typed(show):
    taxed = {**STAND, "tax_rate": 19}
    draft = show.draft(show.vienna, taxed, is_reverse_charge=True)
    expected = ("reverse_charge", "office", 0, "AE")
    assert tax_of(show.change(draft, {"notes": "Call first"})["data"]) == expected
    assert tax_of(show.change(draft, {"items": [taxed]})["data"]) == expected


def test_the_office_overrules_the_rule_and_returns_to_it(show):
    draft = show.bill(show.vienna)["data"]
    standard = show.change(draft, {"tax_treatment": "standard"})["data"]
    assert tax_of(standard) == ("standard", "office", 19, "S")
    outside = show.change(draft, {"tax_treatment": "not_taxable"})["data"]
    assert tax_of(outside) == ("not_taxable", "office", 0, "O")
    assert tax_of(show.change(draft, {"tax_treatment": "auto"})["data"]) == tax_of(draft)


def test_the_office_leaves_lines_at_the_place_of_the_event_alone(show):
    show.order(show.home)
    draft = show.bill(show.home)["data"]
    charged = show.change(draft, {"tax_treatment": "reverse_charge"})["data"]
    assert tax_of(charged) == ("reverse_charge", "office", 9.5, "AE S")
    back = show.change(draft, {"is_reverse_charge": False})["data"]
    assert tax_of(back) == ("standard", "office", 28.5, "S S")


def test_a_value_that_holds_already_changes_nothing(show):
    draft = show.bill(show.vienna)["data"]
    for body in (
        {"tax_treatment": "reverse_charge"},
        {"tax_treatment": "auto"},
        {"is_reverse_charge": True},
        draft,
    ):
        assert show.change(draft, body)["data"] == draft


def test_a_tax_that_is_typed_while_the_office_leaves_it_out_is_the_usual_one(show):
    draft = show.bill(show.home)["data"]
    charged = show.change(draft, {"tax_treatment": "reverse_charge"})["data"]
    typed = [{**charged["items"][0], "tax_category": None, "tax_rate": 7}]
    show.change(draft, {"items": typed})
    back = show.change(draft, {"tax_treatment": "standard"})["data"]
    assert tax_of(back) == ("standard", "office", 7, "S")


def test_a_draft_that_comes_back_with_a_new_text_keeps_its_tax(show):
    show.order(show.vienna)
    draft = show.bill(show.vienna)["data"]
    items = [{**item, "description": f"{item['description']} *"} for item in draft["items"]]
    assert tax_of(show.change(draft, {"items": items})["data"]) == tax_of(draft)
    without_tax = [
        {name: item[name] for name in ("description", "quantity", "unit_price")} for item in items
    ]
    assert tax_of(show.change(draft, {"items": without_tax})["data"]) == tax_of(draft)


def test_lines_of_one_description_keep_their_tax_in_another_order(show):
    draft = show.draft(
        show.vienna, STAND, {**STAND, "tax_rate": 7}, {**STAND, "place_of_supply": "event"}
    )
    assert tax_of(draft) == ("reverse_charge", "rule", 26, "AE S S")
    items = draft["items"][::-1]
    reordered = show.change(draft, {"items": items})["data"]
    assert tax_of(reordered) == ("reverse_charge", "rule", 26, "S S AE")
    at_home = show.change(draft, {"event_participant_id": show.home["id"]})["data"]
    assert [item["tax_rate"] for item in at_home["items"]] == [19, 7, 19]


def test_a_new_line_takes_nothing_from_another_one_of_its_description(show):
    draft = show.draft(show.home)
    catering = {**STAND, "place_of_supply": "event", "tax_rate": 19}
    show.change(draft, {"items": [catering, *draft["items"]]})
    abroad = show.change(draft, {"event_participant_id": show.vienna["id"]})["data"]
    assert tax_of(abroad) == ("reverse_charge", "rule", 19, "S AE")


def test_lines_of_one_description_in_another_order_get_their_own_usual_tax_back(show):
    items = [{**STAND, "tax_rate": 7}, {**STAND, "unit_price": 50, "tax_rate": 19}]
    draft = show.draft(show.home, *items, tax_treatment="reverse_charge")
    show.change(draft, {"items": draft["items"][::-1]})
    back = show.change(draft, {"tax_treatment": "standard"})["data"]
    assert [(item["unit_price"], item["tax_rate"]) for item in back["items"]] == [
        (50, 19),
        (100, 7),
    ]


def test_two_fields_that_contradict_each_other_are_refused(show):
    body = {
        "event_participant_id": show.vienna["id"],
        "items": [STAND],
        "is_reverse_charge": True,
        "tax_treatment": "standard",
    }
    (fault,) = show.organiser.post("/invoices", body, status=422).json["errors"]
    assert (fault["pointer"], fault["code"]) == ("/is_reverse_charge", "disagrees")


def test_a_draft_that_the_rule_would_decide_otherwise_is_not_sent_until_it_is_refreshed(show):
    draft = show.bill(show.vienna)["data"]
    show.decide("event")
    refused = show.organiser.post(f"/invoices/{draft['id']}/send", status=409).json
    assert refused["code"] == "draft_outdated"
    assert [(line["position"], line["reason"]) for line in refused["lines"]] == [
        (1, "treatment_changed")
    ]
    again = show.organiser.post(f"/invoices/{draft['id']}/refresh", status=200).json
    assert tax_of(again["data"]) == ("standard", "rule", 19, "S")
    assert show.organiser.post(f"/invoices/{draft['id']}/send", status=200)


def test_a_change_of_buyer_or_event_names_the_drafts_that_it_has_outdated(show):
    draft = show.bill(show.vienna)["data"]
    other = show.bill(show.zurich)["data"]
    contact = f"/contacts/{show.vienna['contact_id']}"
    meta = show.organiser.patch(contact, {"phone": "1"}, status=200).json["meta"]
    assert meta["outdated_invoice_ids"] == []
    meta = show.organiser.patch(contact, {"tax_id": None}, status=200).json["meta"]
    assert meta["outdated_invoice_ids"] == [draft["id"]]
    meta = show.organiser.patch(
        f"/events/{draft['event_id']}", {"place_of_supply": "event"}, status=200
    ).json["meta"]
    assert meta["outdated_invoice_ids"] == [draft["id"], other["id"]]


def test_a_draft_that_the_office_has_decided_is_never_outdated_by_the_rule(show):
    draft = show.bill(show.vienna)["data"]
    show.change(draft, {"tax_treatment": "standard"})
    show.decide("event")
    sent = show.organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]
    assert tax_of(sent) == ("standard", "office", 19, "S")


def test_a_refreshed_draft_moves_taxed_lines_to_another_draft(show):
    show.decide(None)
    show.order(show.zurich)
    draft = show.bill(show.zurich)["data"]
    assert tax_of(draft) == ("standard", "rule", 28.5, "S S")
    show.decide("recipient")
    answer = show.organiser.post(f"/invoices/{draft['id']}/refresh", status=200).json
    (further,) = answer["meta"]["further_invoice_ids"]
    other = show.organiser.data(f"/invoices/{further}")
    assert tax_of(answer["data"]) == ("not_taxable", "rule", 0, "O")
    assert tax_of(other) == ("standard", "rule", 9.5, "S")
    for id in (draft["id"], further):
        show.organiser.post(f"/invoices/{id}/send", status=200)
    account = show.organiser.data(f"/participants/{show.zurich['id']}/balance")
    assert (account["unbilled"], account["invoiced"], account["ordered"]) == (0, 159.5, 159.5)


def test_a_draft_that_must_be_divided_says_how_when_it_is_changed(show):
    show.decide(None)
    show.order(show.zurich)
    draft = show.bill(show.zurich)["data"]
    show.decide("recipient")
    (fault,) = show.change(draft, {"service_date_to": "2099-05-02"}, status=422)["errors"]
    assert (fault["code"], "/refresh" in fault["detail"]) == ("mixed_taxes", True)
    show.organiser.post(f"/invoices/{draft['id']}/refresh", status=200)
    show.change(draft, {"notes": "Call first"})


def test_a_refresh_that_leaves_only_typed_lines_has_the_treatment_of_these(show):
    draft = show.bill(show.vienna)["data"]
    typed = {**STAND, "description": "Passes", "tax_category": "AE"}
    draft = show.change(draft, {"items": [*draft["items"], typed]})["data"]
    show.organiser.post(f"/participants/{show.vienna['id']}/cancel", status=200)
    path = f"/invoices/{draft['id']}/refresh"
    refreshed = show.organiser.post(path, status=200).json["data"]
    assert tax_of(refreshed) == ("reverse_charge", "office", 0, "AE")
    assert show.change(draft, refreshed)["data"] == refreshed


def test_a_refresh_writes_no_draft_that_nobody_could_send(show):
    show.decide(None)
    draft = show.bill(show.zurich)["data"]
    discount = {**STAND, "quantity": -1, "unit_price": 20, "is_discount": True, "tax_rate": 19}
    draft = show.change(draft, {"items": [*draft["items"], discount]})["data"]
    show.decide("recipient")
    refused = show.organiser.post(f"/invoices/{draft['id']}/refresh", status=409).json
    assert (refused["code"], "discounts" in refused["detail"]) == ("nothing_to_bill", True)
    assert show.organiser.data(f"/invoices/{draft['id']}") == draft
    assert len(show.organiser.data("/invoices")) == 1


def test_a_draft_that_another_system_has_sent_keeps_its_tax(show):
    show.order(show.vienna)
    draft = show.bill(show.vienna)["data"]
    body = {"invoice_number": "OLD-7", "issue_date": "2026-01-01"}
    taken = show.change(draft, body)["data"]
    assert tax_of(taken) == ("standard", "office", 9.5, "AE S")
    assert show.change(draft, taken)["data"] == taken
    whole = show.draft(show.vienna)
    taken = show.change(whole, {**body, "invoice_number": "OLD-8"})["data"]
    assert tax_of(taken) == ("reverse_charge", "office", 0, "AE")
    noted = show.change(whole, {"notes": "Paid by card"})["data"]
    assert tax_of(noted) == tax_of(taken)


def test_an_invoice_of_another_system_is_not_divided(show):
    with show.db.write():
        show.db.connection.execute("UPDATE services SET place_of_supply = NULL")
    show.order(show.vienna)
    draft = show.bill(show.vienna)["data"]
    show.change(draft, {"tax_treatment": "not_taxable"})
    show.change(draft, {"invoice_number": "OLD-7", "issue_date": "2026-01-01"})
    with show.db.write():
        show.db.connection.execute("UPDATE services SET place_of_supply = 'event'")
    refused = show.organiser.post(f"/invoices/{draft['id']}/refresh", status=422).json["errors"]
    assert [(fault["pointer"], fault["code"]) for fault in refused] == [("/items", "mixed_taxes")]


def test_the_pdf_of_an_invoice_that_an_earlier_version_has_sent_is_the_same(show):
    draft = show.draft(show.vienna)
    show.organiser.post(f"/invoices/{draft['id']}/send", status=200)
    path = f"/invoices/{draft['id']}/pdf"
    before = show.organiser.get(path, status=200).body
    with show.db.write():
        show.db.connection.execute(
            "UPDATE invoices SET pdf_source = json_remove(pdf_source, '$.tax_treatment', '$.tax_decided_by')"
        )
    assert show.organiser.get(path, status=200).body == before


def test_a_draft_of_an_earlier_version_gets_the_default_tax_where_no_usual_one_is_kept(show):
    items = [STAND, {**STAND, "description": "Power", "tax_rate": 7}]
    draft = show.draft(show.vienna, *items, is_reverse_charge=True)
    with show.db.write():
        show.db.connection.execute(
            "UPDATE invoice_items SET usual_tax_category = NULL, usual_tax_rate = NULL WHERE position = 1"
        )
        show.db.connection.execute("UPDATE invoice_items SET is_tax_typed = 0")
    back = show.change(draft, {"is_reverse_charge": False})["data"]
    assert [(item["tax_category"], item["tax_rate"]) for item in back["items"]] == [
        ("S", 19),
        ("S", 7),
    ]


def test_a_deposit_that_the_final_invoice_cannot_deduct_is_named(show):
    deposit = show.draft(show.zurich, {**STAND, "unit_price": 30}, is_deposit=True)
    sent = show.organiser.post(f"/invoices/{deposit['id']}/send", status=200).json["data"]
    payment = {"invoice_number": sent["invoice_number"], "amount": 30, "status": "completed"}
    show.organiser.make("/payments", payment)
    show.decide("event")
    final = show.draft(show.zurich, deposit_ids=[deposit["id"]])
    refused = show.organiser.post(f"/invoices/{final['id']}/send", status=409).json
    (fault,) = (one for one in refused["faults"] if one["field"] == "deposit_ids")
    assert sent["invoice_number"] in fault["detail"]
    show.change(final, {"tax_treatment": "not_taxable"})
    assert (
        show.organiser.post(f"/invoices/{final['id']}/send", status=200).json["data"]["total"] == 70
    )


def test_a_credit_note_has_the_tax_of_its_invoice(show):
    show.order(show.vienna)
    draft = show.bill(show.vienna)["data"]
    show.organiser.post(f"/invoices/{draft['id']}/send", status=200)
    show.decide("event")
    item = {**STAND, "unit_price": 10, "tax_category": "AE"}
    note = show.organiser.post(
        f"/invoices/{draft['id']}/credit", {"items": [item]}, status=201
    ).json["data"]
    assert (note["tax_treatment"], note["total"]) == ("reverse_charge", -10)
    show.organiser.post(f"/participants/{show.vienna['id']}/cancel", status=200)
    rest = show.bill(show.vienna)["data"]
    assert (rest["tax_treatment"], rest["tax_total"]) == ("reverse_charge", 0)


def test_the_lines_of_a_credit_note_without_tax_keep_that_of_their_invoice(show):
    order = show.order(show.vienna)
    draft = show.bill(show.vienna)["data"]
    show.organiser.post(f"/invoices/{draft['id']}/send", status=200)
    show.organiser.post(f"/service-orders/{order['id']}/cancel", status=200)
    show.organiser.post(f"/participants/{show.vienna['id']}/cancel", status=200)
    note = show.bill(show.vienna)["data"]
    assert tax_of(note) == ("reverse_charge", "rule", -9.5, "AE S")
    names = ("description", "quantity", "unit_price")
    items = [{name: item[name] for name in names} for item in note["items"]]
    assert tax_of(show.change(note, {"items": items})["data"]) == tax_of(note)


def test_the_balance_and_an_order_have_the_tax_of_their_invoice(show):
    order = show.order(show.vienna)
    assert (order["subtotal"], order["tax_total"]) == (50, 9.5)
    account = show.organiser.data(f"/participants/{show.vienna['id']}/balance")
    assert account["unbilled"] == 159.5
    with show.db.write():
        show.db.connection.execute("UPDATE services SET place_of_supply = NULL")
    assert show.order(show.vienna)["tax_total"] == 0


def test_an_exempt_service_is_e_with_its_reason_and_ae_for_a_business_abroad(show):
    reason = "§ 4 Nr. 22 UStG"
    with show.db.write():
        show.db.connection.execute(
            "UPDATE services SET exemption_reason = ?, place_of_supply = NULL", (reason,)
        )
    show.order(show.home)
    assert show.order(show.home)["tax_total"] == 0
    invoice = show.bill(show.home)["data"]
    assert tax_of(invoice) == ("standard", "rule", 19, "S E E")
    assert invoice["items"][1]["exemption_reason"] == reason
    show.order(show.vienna)
    assert tax_of(show.bill(show.vienna)["data"]) == ("reverse_charge", "rule", 0, "AE AE")


def test_an_invoice_of_another_system_keeps_the_tax_of_that_system(show):
    taken = show.draft(show.vienna, STAND, invoice_number="OLD-7", issue_date="2026-01-01")
    assert tax_of(taken) == ("standard", "office", 19, "S")


def test_a_record_that_comes_back_with_another_treatment_gets_it(show):
    draft = show.bill(show.vienna)["data"]
    standard = show.change(draft, {**draft, "tax_treatment": "standard"})["data"]
    assert tax_of(standard) == ("standard", "office", 19, "S")


def test_a_note_on_an_outdated_draft_leaves_its_tax_alone(show):
    draft = show.bill(show.vienna)["data"]
    show.decide("event")
    for change in ({"notes": "Call her"}, {**draft, "due_date": "2099-01-01", "notes": "Call her"}):
        assert tax_of(show.change(draft, change)["data"]) == tax_of(draft)
    changed = show.change(draft, {"service_date": "2099-05-02"})["data"]
    assert tax_of(changed) == ("standard", "rule", 19, "S")
