"""Values of filters that are worth measuring: common and rare ones, and pairs of filters.

The filters of each list, its sort keys and its includes come from the API reference, and so do the
values of filters with an `enum`. Here is what it does not say. Words in braces are the values of
one database, see `words`.
"""

# What a list needs besides.
NEEDED = {"/notes": "entity_type=contact&entity_id=1", "/schedules": "event_key=show-2"}
# Values of a filter in each list that has it.
COMMON = {
    "event_key": ["show-2"],
    "event_id": ["2"],
    "search": ["le", "zzzz"],
    "customer_number": ["C-00007"],
    "contact_id": ["1", "{contact}"],
    "category_id": ["1"],
    "category_key": ["cat-3"],
    "country": ["DE", "LI"],
    "application_id": ["1"],
    "participant_id": ["{exhibitor}"],
    "host_participant_id": ["{exhibitor}"],
    "event_participant_id": ["{exhibitor}"],
    "badge_number": ["{badge}"],
    "date_from": ["2022-01-01", "{recent}"],
    "date_to": ["2022-01-01", "{recent}"],
    "from_date": ["2022-01-01", "{recent}"],
    "to_date": ["{recent}"],
    "entity_id": ["5"],
    "entity_type": ["contact"],
    "type_id": ["1"],
    "type_key": ["logo"],
    "key": ["logo"],
    "date": ["{day}"],
    "station": ["Gate+1", "Gate+x"],
    "currency": ["EUR", "GBP"],
    "level": ["1"],
    "account": ["DE02120300000000202051"],
    "min_amount": ["100"],
    "max_amount": ["100"],
    "booth_id": ["3"],
    "plan_id": ["2"],
    "booth_type_id": ["1"],
    "booth_type_key": ["row"],
    "booth_number": ["A01"],
    "min_area": ["10", "99"],
    "max_area": ["20"],
    "max_price": ["9999", "1"],
    "name": ["x"],
    "order_number": ["SO-2024-00007"],
    "service_key": ["service-3"],
    "assigned_to": ["1"],
    "location": ["Room+5"],
    "slot_type": ["talk"],
    "template_id": ["1"],
    "template_key": ["kind-1"],
    "default_template_id": ["1"],
    "default_template_key": ["kind-1"],
    "field_key": ["branch"],
    "number": ["INV-2024-00007"],
    "invoice_number": ["INV-2024-00007"],
    "invoice_id": ["7"],
    "related_invoice_id": ["5"],
    "email": ["{mail}"],
    "tag": ["tag0", "tag30", "rare"],
    "external_id": ["x5"],
    "parent_category_id": ["1"],
    "parent_category_key": ["cat-1"],
    "event_type": ["payment.created"],
    "action": ["updated", "deleted"],
    "admin_id": ["1"],
    "api_key_id": ["2", "99"],
    "request_id": ["00000001"],
    "lacks": ["booth", "invoice"],
}
# More values of some lists, as measured in the first comparison.
MORE = {
    "/events": "search=messe search=nichts",
    "/contacts": "search=linden search=linden7 search=garten search=gartenbau+gmbh category_id=30 cf.branch=Honig "
    "cf.branch=seltenes cf.vip=true",
    "/participants": "cf.meal=veg",
    "/applications": "search=honig",
    "/categories": "event_id=1",
    "/invoices": "contact_id=2 date_to=2021-10-01 search=inv search=linden search=INV-2024-00007",
    "/payments": "date_to=2021-10-01 search=inv search=linden search=INV-2024-00007",
    "/services": "search=honig",
    "/service-orders": "search=00012 search=SO-2027-00012 search=linden search=linden7",
    "/tasks": "search=prüfen search=honig entity_type=plan",
    "/newsletter": "search=anna",
    "/notes": "entity_type=contact&entity_id=7 entity_type=event&entity_id=1",
    "/audit-log": "entity_type=payment entity_type=webhook entity_type=payment&entity_id=5 date_to=2021-10-01 "
    "search=stein",
}
PAIRS = {
    "/contacts": "country=DE&sort=company_name&order=ASC country=DE&sort=last_name&order=ASC country=DE&search=linden "
    "search=linden&sort=last_name search=le&sort=company_name&order=ASC category_id=1&country=DE "
    "category_id=1&sort=company_name&order=ASC category_id=1&sort=last_name tag=tag0&country=DE "
    "tag=tag0&sort=company_name&order=ASC event_id=2&sort=company_name&order=ASC event_id=2&country=DE "
    "event_id=2&tag=tag0 tag=tag0&search=linden category_id=1&search=linden category_id=1&tag=tag0 "
    "country=LI&sort=company_name&order=ASC",
    "/participants": "event_key=show-2&role=visitor event_key=show-2&role=exhibitor event_key=show-2&status=confirmed "
    "event_key=show-2&confirmed=0 event_key=show-2&role=visitor&status=confirmed "
    "event_key=show-2&category_id=1 event_key=show-2&role=exhibitor&ready=1 event_key=show-2&ready=0 "
    "role=exhibitor&status=registered event_key=show-2&role=visitor&include=contact",
    "/applications": "event_key=show-2&status=approved event_key=show-2&status=new event_key=show-2&search=honig "
    "status=approved&sort=company_name&order=ASC event_key=show-2&sort=company_name&order=ASC",
    "/invoices": "event_key=show-2&status=paid event_key=show-2&status=overdue status=paid&sort=total "
    "contact_id=1&status=sent contact_id=1&sort=due_date contact_id=1&date_from=2024-01-01 "
    "status=sent&sort=due_date&order=ASC date_from=2024-01-01&date_to=2024-01-31 "
    "date_from=2024-01-01&date_to=2024-01-31&sort=total "
    "status=paid&date_from=2024-01-01&date_to=2024-12-31 event_key=show-2&sort=total "
    "type=credit_note&date_from=2024-01-01 overdue=1&sort=due_date&order=ASC",
    "/payments": "date_from=2024-01-01&date_to=2024-01-31 date_from=2024-01-01&date_to=2024-01-31&include=invoice "
    "status=completed&date_from=2024-01-01&date_to=2024-01-31 status=failed&date_from={recent} "
    "status=completed&sort=amount status=failed&sort=payment_date "
    "date_from=2024-01-01&date_to=2024-01-31&sort=amount status=pending&sort=payment_date&order=ASC",
    "/booths": "event_key=show-2&status=available event_key=show-2&sort=booth_number&order=ASC plan_id=2&sort=area "
    "event_key=show-2&min_area=10&sort=price",
    "/booth-reservations": "event_key=show-2&status=pending event_key=show-2&sort=booth_number&order=ASC",
    "/service-orders": "event_key=show-2&status=confirmed event_key=show-2&sort=total&include=items",
    "/tasks": "status=pending&sort=due_date&order=ASC assigned_to=1&status=pending "
    "assigned_to=1&sort=due_date&order=ASC "
    "status=pending&priority=urgent search=honig&status=pending overdue=1&sort=due_date&order=ASC",
    "/submissions": "event_key=show-2&status=submitted event_key=show-2&is_late=1 type_key=logo&status=approved",
    "/check-ins": "event_key=show-2&station=Gate+1 event_key=show-2&date={day} event_key=show-2&is_checked_in=0 "
    "event_key=show-2&sort=checked_in_at event_key={open}&is_checked_in=1 "
    "event_key=show-2&station=Gate+1&date={day}",
    "/audit-log": "entity_type=payment&action=updated entity_type=payment&date_from={recent} "
    "action=deleted&date_from={recent} action=updated&date_from={recent} admin_id=1&date_from={recent} "
    "admin_id=1&action=updated entity_type=payment&sort=created_at&order=ASC "
    "entity_type=contact&search=stein "
    "date_from=2024-01-01&date_to=2024-01-31 action=deleted&entity_type=payment&date_from=2024-01-01",
    "/newsletter": "status=confirmed&sort=email&order=ASC search=anna&status=confirmed",
    "/documents": "is_contract=1&contract_status=draft entity_type=event_participant&sort=updated_at",
    "/payments/unmatched": "status=assigned&sort=amount status=open&search=kunde status=assigned&date_from=2024-01-01",
    "/invoices/dunning": "event_key=show-2&level=1 currency=EUR&held_back=0",
}
# The id in the path of a single record, where it is not 7.
IDS = {
    "/contacts": "{contact}",
    "/participants": "{exhibitor}",
    "/invoices": "{invoice}",
    "/payments": "{payment}",
    "/events": "2",
    "/plans": "2",
    "/booths/types": "1",
    "/categories": "3",
    "/services": "3",
    "/custom-fields": "1",
    "/audit-log": "{audit}",
    "/invoices/dunning-levels": "1",
    "/payments/import/rules": "1",
    "/webhooks": "1",
    "/services/categories": "1",
    "/documents/templates": "1",
    "/documents/categories": "1",
}
SINGLE = (
    "/contacts/1 /participants/{participant} /invoices/{invoice}?include=items,payments,contact "
    "/plans/2?include=booths /services/3?event_key=show-2 /events/2?include=participant_count /events/2/overview "
    "/contacts/{contact}?include=categories,events,custom_fields "
    "/participants/{exhibitor}?include=readiness,contact /check-ins/stats?event_key=show-2 "
    "/check-ins/stats?event_key={open} /check-ins/roster?event_key=show-2 "
    "/check-ins/roster?event_key=show-2&updated_since=2099-01-01T00:00:00Z /contacts/1/export "
    "/calendar-feed?event_key=show-2 /webhooks/feed?after= /custom-fields/contact/3"
).split()
REPORTS = [
    "",
    "?event_key=show-2",
    "?period=year",
    "?date_from=2024-01-01&date_to=2024-03-31",
    "?as_of=2024-01-01",
    "?year=2024&month=2",
]
# Paths that are not measured, with the reason.
LEFT_OUT = {
    "/webhooks/feed": "no list of records: `single` has it",
    "/submissions/{id}/revisions": "the seed has no revisions",
    "/submissions/{id}/revisions/{item_id}": "the seed has no revisions",
    "/submissions/{id}/revisions/{item_id}/content": "the seed has no revisions",
    "/links/{id}/reminder": "nothing is late on the page of an exhibitor of the seed",
    "/booths/formulas/{id}": "the seed has none",
    "/calendar-feed/subscriptions/{id}": "the seed has none",
    "/settings/logo": "the seed has none",
    "/bulk-import/{id}": "the seed has none",
    "/bulk-import/{id}/errors": "the seed has none",
    "/invoices/{id}/xml": "invoices of the old schema have no e-invoice",
    "/invoices/{id}/girocode": "the seed has no bank account of the organiser",
    "/invoices/{id}/dunning/{item_id}/pdf": "a picture of one record, like /invoices/{id}/pdf",
    "/invoices/print": "pictures of many records, which take long by design",
    "/custom-fields/{entity_type}/{id}": "`single` has one with values",
    "/check-ins/stats": "`single` has it for an event",
    "/check-ins/roster": "`single` has it for an event",
    "/participants/badges": "a sheet for all participants of an event, which is larger by design",
    "/reports/audit-export": "the archive of a year, which is larger by design",
}


def words(client):
    """Return {word: value of this database}."""
    return {
        "mail": client.one(
            "SELECT email FROM contacts WHERE id > 5000 AND email IS NOT NULL LIMIT 1"
        ),
        "contact": client.one("SELECT contact_id FROM participants WHERE id = 2500"),
        "participant": 2500,
        "exhibitor": client.one(
            "SELECT event_participant_id FROM booth_reservations WHERE id = 20"
        ),
        "badge": client.one("SELECT badge_number FROM participants WHERE id = 777"),
        "invoice": client.one(
            "SELECT id FROM invoices WHERE status = 'paid' AND id > 2500 LIMIT 1"
        ),
        "payment": 5000,
        "recent": client.one(
            "SELECT substr(created_at, 1, 10) FROM payments ORDER BY created_at DESC "
            "LIMIT 1 OFFSET 60"
        ),
        "customer": client.one(
            "SELECT debtor_number FROM invoices WHERE status = 'paid' AND id > 2500 LIMIT 1"
        ),
        "day": client.one("SELECT date_from FROM events WHERE id = 2"),
        "audit": client.one("SELECT max(id) - 777 FROM audit_log"),
        "open": client.one(
            "SELECT event_key FROM events WHERE date_from < date('now') ORDER BY id DESC LIMIT 1"
        ),
    }
