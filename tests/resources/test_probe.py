import json
from tests.resources.test_tax_treatment import *  # noqa
from tests.resources.test_tax_treatment import Show, STAND, VIENNA, ZURICH, tax_of


def say(*a):
    print("##", *a)


def show_(inv):
    return tax_of(inv), [
        (
            i["description"][:12],
            i["tax_category"],
            i["tax_rate"],
            i["place_of_supply"],
            i["exemption_reason"],
        )
        for i in inv["items"]
    ]


def test_p01_typed_then_retyped(show):
    d = show.draft(show.vienna, {**STAND, "tax_category": "AE"})
    say("AE typed", show_(d))
    d2 = show.change(d, {"items": [{**STAND, "tax_rate": 19}]})["data"]
    say("PATCH S19 typed", show_(d2))
    d3 = show.change(
        d, {"items": [{**STAND, "unit_price": 200, "tax_rate": 19, "tax_category": "S"}]}
    )["data"]
    say("PATCH S19 typed+price", show_(d3))


def test_p02_S_then_AE(show):
    d = show.draft(show.vienna, {**STAND, "tax_rate": 19})
    d2 = show.change(d, {"items": [{**STAND, "tax_category": "AE"}]})["data"]
    say("S->AE typed", show_(d2), d2["is_reverse_charge"])


def test_p03_taken_over_by_patch(show):
    d = show.bill(show.vienna)["data"]
    say(show_(d))
    d2 = show.change(d, {"invoice_number": "OLD-1", "issue_date": "2026-01-01"})["data"]
    say("taken over", show_(d2))


def test_p04_credit_draft_mixed(show):
    o = show.order(show.vienna)
    d = show.bill(show.vienna)["data"]
    show.organiser.post(f"/invoices/{d['id']}/send", status=200)
    show.organiser.post(f"/participants/{show.vienna['id']}/cancel", status=200)
    say(show.organiser.post(f"/service-orders/{o['id']}/cancel", {}).status)
    rest = show.bill(show.vienna)["data"]
    say("credit draft", show_(rest))
    items = [{k: i[k] for k in ("description", "quantity", "unit_price")} for i in rest["items"]]
    r = show.change(rest, {"items": items})["data"]
    say("credit draft no tax", show_(r), r["total"])
    again = show.change(rest, r)["data"]
    s = show.organiser.post(f"/invoices/{rest['id']}/send")
    say(s.status, json.dumps(s.json)[:600])


def test_p05_final_of_other_treatment(show):
    dep = show.draft(show.zurich, {**STAND, "unit_price": 30}, is_deposit=True)
    say("deposit", show_(dep))
    x = show.organiser.post(f"/invoices/{dep['id']}/send", status=200).json
    show.organiser.make(
        "/payments",
        {"invoice_number": x["data"]["invoice_number"], "amount": 30, "status": "completed"},
    )
    show.decide("event")
    fin = show.draft(show.zurich, STAND, deposit_ids=[dep["id"]])
    say("final", show_(fin))
    c = show.organiser.post(f"/invoices/{fin['id']}/check", {}).json
    say(json.dumps(c)[:1500])
    s = show.organiser.post(f"/invoices/{fin['id']}/send")
    say(s.status, json.dumps(s.json)[:3000])


def test_p06_refresh_leaves_typed(show):
    d = show.bill(show.vienna)["data"]
    items = [*d["items"], {**STAND, "description": "typed", "tax_category": "AE"}]
    d = show.change(d, {"items": items})["data"]
    say(show_(d))
    show.organiser.post(f"/participants/{show.vienna['id']}/cancel", status=200)
    r = show.organiser.post(f"/invoices/{d['id']}/refresh").json
    say("refresh", show_(r["data"]))
    p = show.change(r["data"], r["data"])["data"]
    say("same PATCH", show_(p), p == r["data"])


def test_p07_split_negative(show):
    show.decide(None)
    d = show.bill(show.zurich)["data"]
    items = [
        *d["items"],
        {
            "description": "Rabatt",
            "quantity": -1,
            "unit_price": 20,
            "is_discount": True,
            "tax_rate": 19,
        },
    ]
    d = show.change(d, {"items": items})["data"]
    show.decide("recipient")
    r = show.organiser.post(f"/invoices/{d['id']}/refresh")
    say(r.status, json.dumps(r.json)[:300])
    for f in r.json.get("meta", {}).get("further_invoice_ids", []):
        o = show.organiser.data(f"/invoices/{f}")
        say("further", show_(o), o["total"])
        p = show.organiser.patch(f"/invoices/{f}", {"notes": "x"})
        say(p.status, p.json.get("errors"))
        s = show.organiser.post(f"/invoices/{f}/send")
        say("sent", s.status, s.json.get("code"), json.dumps(s.json)[:500])


def test_p08_split_takenover(show):
    show.decide(None)
    show.order(show.zurich)
    d = show.bill(show.zurich)["data"]
    d = show.change(d, {"invoice_number": "OLD-2", "issue_date": "2026-01-01"})["data"]
    say(show_(d))
    d = show.change(d, {"tax_treatment": "auto"})["data"]
    say(show_(d))
    show.decide("recipient")
    r = show.organiser.post(f"/invoices/{d['id']}/refresh")
    say(r.status, json.dumps(r.json)[:300])
    r = show.organiser.patch(f"/invoices/{d['id']}", {"tax_treatment": "not_taxable"})
    say(r.status, json.dumps(r.json)[:300])


def test_p09_office_rc_type7(show):
    d = show.bill(show.home)["data"]
    d = show.change(d, {"tax_treatment": "reverse_charge"})["data"]
    items = [{**i, "tax_category": None, "tax_rate": 7} for i in d["items"]]
    d2 = show.change(d, {"items": items})["data"]
    say("typed7", show_(d2), d2 == d)
    d3 = show.change(d, {"tax_treatment": "standard"})["data"]
    say("back", show_(d3))


def test_p10_refresh_same(show, db):
    for who in (show.vienna, show.zurich, show.home):
        d = show.bill(who)["data"]
        n = db.connection.execute("select count(*) from audit_log").fetchone()[0]
        r = show.organiser.post(f"/invoices/{d['id']}/refresh", status=200).json
        m = db.connection.execute("select count(*) from audit_log").fetchone()[0]
        say("refresh noop", r["data"] == d, m - n)


def test_p11_refresh_office_split(show):
    """office not_taxable, catering becomes event"""
    with show.db.write():
        show.db.connection.execute("UPDATE services SET place_of_supply = NULL")
    show.order(show.vienna)
    d = show.bill(show.vienna)["data"]
    d = show.change(d, {"tax_treatment": "not_taxable"})["data"]
    say(show_(d))
    with show.db.write():
        show.db.connection.execute("UPDATE services SET place_of_supply = 'event'")
    r = show.organiser.post(f"/invoices/{d['id']}/refresh", status=200).json
    say(show_(r["data"]), r["meta"])
    for f in r["meta"]["further_invoice_ids"]:
        o = show.organiser.data(f"/invoices/{f}")
        say(show_(o))
        say(show.change(o, o)["data"] == o)


def test_p12_contradiction(show):
    d = show.bill(show.vienna)["data"]
    r = show.organiser.patch(
        f"/invoices/{d['id']}", {"tax_treatment": "reverse_charge", "is_reverse_charge": False}
    )
    say(r.status, str(r.json)[:300])
    say(tax_of(show.organiser.data("/invoices/1")))
    r = show.organiser.post(
        "/invoices",
        {
            "event_participant_id": show.home["id"],
            "items": [STAND],
            "tax_treatment": "reverse_charge",
            "is_reverse_charge": False,
        },
    )
    say(r.status, str(r.json)[:300])
    say(tax_of(show.organiser.data("/invoices/2")))


def test_p13_exempt_sent_back(show):
    with show.db.write():
        show.db.connection.execute(
            "UPDATE services SET exemption_reason = 'R1', place_of_supply = NULL"
        )
    show.order(show.home)
    d = show.bill(show.home)["data"]
    say(show_(d))
    items = [{k: i[k] for k in ("description", "quantity", "unit_price")} for i in d["items"]]
    d2 = show.change(d, {"items": items})["data"]
    say("without tax", show_(d2))


def test_p14_discount_split_bill(show):
    """rule draft, all others have only event lines"""
    show.decide("recipient")
    d = show.draft(
        show.vienna, STAND, {**STAND, "tax_rate": 7}, {**STAND, "place_of_supply": "event"}
    )
    say(show_(d))
    items = d["items"][::-1]
    d2 = show.change(d, {"items": items})["data"]
    say("reversed", show_(d2))
    d3 = show.change(d, {"items": d2["items"][1:]})["data"]
    say("one removed", show_(d3))
    d4 = show.change(d, {"tax_treatment": "standard"})["data"]
    say("std", show_(d4))
    d5 = show.change(d, {"tax_treatment": "auto"})["data"]
    say("auto", show_(d5), d5["items"] == d3["items"])
    d6 = show.change(d, {"event_participant_id": show.home["id"]})["data"]
    say("home", show_(d6))
    d7 = show.change(d, {"event_participant_id": show.vienna["id"]})["data"]
    say("vienna", show_(d7))


def test_p15_typed_keep_under_rule_change(show):
    """rule draft where AE line comes back with changed price and AE: stays rule?"""
    d = show.draft(show.vienna, STAND)
    it = [{**d["items"][0], "unit_price": 50}]
    d2 = show.change(d, {"items": it})["data"]
    say(show_(d2))
    it = [
        {**d["items"][0], "unit_price": 50, "description": "Other"},
        {**STAND, "tax_category": "AE", "description": "Neu"},
    ]
    d2 = show.change(d, {"items": it})["data"]
    say(show_(d2))
    d3 = show.change(d, {"tax_treatment": "standard"})["data"]
    say("standard", show_(d3))
