"""What the organiser's office sets up and does in the demo data, besides the exhibitors and the
entrance.

The programme has speakers and sessions, one of them past midnight.
"""

from eventapi import times
from eventapi.demo import organiser
from eventapi.demo.billing import GATEWAYS, dunning_levels
from eventapi.domain.access import api_keys
from eventapi.domain.billing import gateways
from eventapi.domain.mail import queue as mails
from eventapi.domain.newsletter import subscriptions as newsletter

# key, title, colour, parent, visibility for applicants, base price in euros, trade of the
# exhibitors
CATEGORIES = (
    ("garden", "Aussteller Garten", "#2f6f4f", None, "container", None, None),
    ("plants", "Pflanzen und Saatgut", "#4c9a2a", "garden", "selectable", 190, "plants"),
    ("technology", "Gartentechnik", "#2a6f9a", "garden", "selectable", 240, "technology"),
    ("crafts", "Handwerk und Gartenmöbel", "#b5651d", "garden", "selectable", 150, "crafts"),
    ("railways", "Aussteller Modellbahn", "#5b3f8c", None, "container", None, None),
    ("models", "Fahrzeuge und Gleise", "#7a5bb5", "railways", "selectable", 60, "models"),
    ("scenery", "Gebäude und Landschaft", "#8c3f6f", "railways", "selectable", 45, "scenery"),
    ("guests", "Gäste", "#555555", None, "admin_only", None, None),
    ("trade-visitors", "Fachbesucher", "#1f4e79", "guests", "selectable", None, None),
    ("press", "Presse", "#a61e4d", "guests", "admin_only", None, None),
)
# Categories of guests: visitors register with a form, the office admits the press.
GUESTS = {
    "trade-visitors": {"role": "visitor", "approval": "automatic"},
    "press": {"role": "press"},
}
FIELDS = (
    {
        "entity_type": "contact",
        "field_key": "halle_wunsch",
        "field_label": "Wunschplatz",
        "field_type": "select",
        "field_options": [
            {"value": "eingang", "label": "Nahe am Eingang"},
            {"value": "mitte", "label": "Hallenmitte"},
            {"value": "egal", "label": "Egal"},
        ],
        "is_searchable": True,
    },
    {
        "entity_type": "contact",
        "field_key": "nachhaltig",
        "field_label": "Nachhaltigkeit zertifiziert",
        "field_type": "boolean",
        "is_searchable": True,
    },
    {
        "entity_type": "event_participant",
        "field_key": "fahrzeug",
        "field_label": "Kennzeichen für die Anlieferung",
        "field_type": "text",
        "validation_rules": {"max_length": 20},
    },
    {
        "entity_type": "event",
        "field_key": "fluchtwege_geprueft",
        "field_label": "Fluchtwege geprüft am",
        "field_type": "date",
    },
    {
        "entity_type": "application",
        "field_key": "produkte",
        "field_label": "Produkte in Stichworten",
        "field_type": "textarea",
        "applicant_visibility": "editable",
    },
)
SUBSCRIBED = (
    "Ja, ich möchte den Newsletter zur Gartenmesse lesen und kann ihn jederzeit abbestellen."
)


def make_team(db):
    """Create the people of the office, each with an API key for the demo.

    Return their ids, and (id, key) of the keys.
    """
    ids = [organiser.invite(db, person) for person in organiser.TEAM]
    return ids, [
        api_keys.create_key(db, f"demo: {role}", api_keys.SCOPES, admin_id=id)
        for id, (_, _, role) in zip(ids, organiser.TEAM, strict=True)
    ]


def make_basics(agenda):
    """Create gateways, dunning levels, categories and custom fields. Return the categories by key.

    Each category has its `trade`.
    """
    api = agenda.api
    if api.has("invoices"):
        for key, name, percent, fixed in GATEWAYS:
            gateways.add(agenda.db, key, name, percent, fixed)
        dunning_levels(agenda)
    made = {}
    for place, (key, title, color, parent, visibility, price, trade) in enumerate(CATEGORIES):
        made[key] = {
            **api(
                "POST",
                "/categories",
                {
                    "category_key": key,
                    "title": title,
                    "color": color,
                    "parent_category_key": parent,
                    "sort_order": place,
                    "applicant_visibility": visibility,
                    "base_price": price and agenda.price(price),
                    **GUESTS.get(key, {}),
                },
            ),
            "trade": trade,
        }
    for place, field in enumerate(FIELDS):
        api("POST", "/custom-fields", {**field, "display_order": place})
    return made


def make_webhook(api):
    """Create a webhook that is not active, so that the demo calls nobody, and the subscriptions of
    the calendar.
    """
    if api.has("webhooks"):
        api(
            "POST",
            "/webhooks",
            {
                "name": "Buchhaltung (Beispiel)",
                "url": "https://hooks.buchhaltung.example/eventapi",
                "events": ["invoice.*", "payment.*"],
                "is_active": False,
            },
        )
    api(
        "POST",
        "/calendar-feed/subscriptions",
        {"name": "Messeteam", "kinds": ["event", "deadline", "slot", "task"]},
    )


def subscribe(agenda, names, first, last):
    """Create the subscribers of the newsletter with these numbers, in every state.

    Their confirmation mails are withdrawn: nobody gets mail from the demo.
    """
    api, db = agenda.api, agenda.db
    for number in range(first, last):
        person = names.person("leser.example")
        body = {
            "email": person["email"],
            "language": names.language(person),
            "name": f"{person['first_name']} {person['last_name']}",
        }
        if number % 6 == 5:
            fields = {**body, "send_confirmation": True, "consent": None}
            id, _ = newsletter.subscribe(db, fields, db.config.base_url or "https://messe.example")
            mails.withdraw(db, newsletter.KIND, newsletter.ENTITY, id)
            continue
        subscriber = api(
            "POST",
            "/newsletter",
            {
                **body,
                "send_confirmation": False,
                "consent": {
                    "source": f"Postkarte am Messestand, Nr. {number + 1}",
                    "at": db.now,
                    "text": SUBSCRIBED,
                },
            },
        )
        if number % 6 == 2:
            api("DELETE", f"/newsletter?email={subscriber['email']}")


# entity of the event, title, days from today on which it is due, priority, admin, actions, text
TASKS = (
    (
        "Fluchtwege mit der Feuerwehr abgehen",
        -4,
        "urgent",
        0,
        ("start", "complete"),
        "Protokoll an die Stadt senden.",
    ),
    (
        "Ausschilderung am Eingang West ergänzen",
        -2,
        "high",
        1,
        ("start",),
        "Zwei Pfeile fehlen Richtung Halle 1.",
    ),
    ("Mahnungen an säumige Aussteller", -1, "high", 2, (), "Liste aus dem Bericht Forderungen."),
    ("Lautsprecher auf der Bühne prüfen", 0, "urgent", 1, ("start",), None),
    ("Presserundgang vorbereiten", 1, "normal", 0, (), "Treffpunkt 10:30 Uhr am Marktplatz."),
    ("Abbauplan an die Aussteller senden", 1, "high", 1, (), None),
    ("Leihmöbel zählen und zurückgeben", 4, "normal", 1, (), None),
    ("Umfrage unter den Ausstellern auswerten", 14, "low", 0, (), None),
    ("Schlussabrechnung der Nebenkosten", 21, "normal", 2, (), "Strom nach Zählerstand."),
    ("Zusätzliche Parkplätze mieten", -20, "normal", 1, ("cancel",), "Die Stadt hat abgelehnt."),
    ("Plakate bestellen", -40, "normal", 0, ("complete",), None),
    ("Catalogue: proofread the English pages", -30, "normal", 0, ("complete",), None),
)


def make_tasks(agenda, event, team, after):
    """Create the tasks of an event and act on them.

    `after`: days from today of the day on which they are written.
    """
    api = agenda.api
    for title, due, priority, admin, actions, text in TASKS:
        task = api(
            "POST",
            "/tasks",
            {
                "entity_type": "event",
                "entity_id": event["id"],
                "title": title,
                "description": text,
                "due_date": agenda.day(due),
                "priority": priority,
                "assigned_to": team[admin],
            },
        )
        for count, action in enumerate(actions):
            agenda.at(
                max(after + 1, min(due - 1 + count, -1)),
                lambda task=task, action=action: api("POST", f"/tasks/{task['id']}/{action}"),
                f"{9 + count:02}:15",
            )


def tidy_up(agenda, names):
    """Merge a contact that was entered twice, and anonymise a person who has asked for it."""
    api, person = agenda.api, names.person("post.example", "DE")
    kept = api("POST", "/contacts", {**person, "phone": "+49 341 555010", "language": "de"})
    twice = api(
        "POST",
        "/contacts",
        {**person, "email": f"privat.{person['email']}", "tags": ["Fachpresse"]},
    )
    api("POST", f"/contacts/{kept['id']}/merge", {"duplicate_id": twice["id"]})
    gone = api("POST", "/contacts", {**names.person("post.example", "AT"), "phone": "+43 1 555020"})
    api("POST", f"/contacts/{gone['id']}/anonymize")


# message and what becomes of the application: a list of actions with their bodies
APPLICATIONS = (
    ("Wir möchten gern zum ersten Mal teilnehmen.", ()),
    ("Wir ziehen Stauden für trockene Standorte.", (("review", None),)),
    ("We would like to present our spring range.", (("review", None), ("approve", {}))),
    ("Ein Platz nahe an der Bühne wäre schön.", (("review", None), ("waitlist", None))),
    (
        "Wir verkaufen Grillgeräte.",
        (
            ("review", None),
            ("reject", {"reason": "Die Produkte passen nicht zum Thema der Messe."}),
        ),
    ),
    (
        "Teilnahme wie im letzten Jahr.",
        (
            ("review", None),
            ("request-info", {"question": "Benötigen Sie wieder einen Wasseranschluss?"}),
        ),
    ),
    ("Wir planen einen Gemeinschaftsstand.", (("withdraw", None),)),
)
REJECTED = ("reject", {"reason": "Die Halle ist ausgebucht."})
# What becomes of the applications for an edition that has begun. The approved ones are in
# exhibitors.py.
DECIDED = (
    (("review", None), REJECTED),
    (("withdraw", None),),
    (("review", None), ("waitlist", None), REJECTED),
)


def apply(agenda, names, edition, categories, number, day):
    """Create an application for an edition, and decide on it soon after the day, at the latest.

    Applications for an edition that has begun are rejected or withdrawn in the end.
    """
    api, category = agenda.api, categories[("plants", "technology", "crafts")[number % 3]]
    message, actions = APPLICATIONS[number % len(APPLICATIONS)]
    if edition.opens <= 0:
        actions = DECIDED[number % len(DECIDED)]
    application = api(
        "POST",
        "/applications",
        {
            **names.company(category["trade"]),
            "event_keys": [edition.event["event_key"]],
            "message": message,
            "late": False,
            "category_keys": [category["category_key"]],
            "requested_area": agenda.rnd.choice((6, 9, 12.5)),
            "terms_accepted_at": agenda.db.now,
            "custom_fields": {"produkte": "Stauden, Kräuter"}
            if category["trade"] == "plants"
            else {},
        },
    )
    for count, (action, body) in enumerate(actions):
        agenda.at(
            day + number % 9,
            lambda action=action, body=body: api(
                "POST", f"/applications/{application['id']}/{action}", body
            ),
            f"{13 + count}:30",
        )


# day of the show, start, end, place, title, type, capacity, description
SESSIONS = (
    (0, "09:30", "10:00", "Bühne", "Eröffnung mit dem Messechor", "ceremony", 400, None),
    (
        0,
        "10:30",
        "11:15",
        "Bühne",
        "Torffrei gärtnern: Was Erden heute können",
        "talk",
        200,
        "Vier Erden im Vergleich, mit Versuchen aus drei Jahren.",
    ),
    (
        0,
        "14:00",
        "15:30",
        "Seminarraum 1",
        "Obstbäume schneiden",
        "workshop",
        24,
        "Bitte Handschuhe mitbringen.",
    ),
    (1, "10:00", "10:45", "Bühne", "Bewässern mit einem Drittel des Wassers", "talk", 200, None),
    (1, "11:30", "12:15", "Bühne", "Designing gardens for pollinators", "talk", 200, "In English."),
    (1, "15:00", "16:30", "Seminarraum 2", "Trockenmauern setzen", "workshop", 16, None),
    (2, "10:00", "11:00", "Bühne", "Fachforum: Nachwuchs für den Gartenbau", "panel", 250, None),
    (2, "13:30", "14:15", "Bühne", "Kräuter, die jeder Balkon verträgt", "talk", 200, None),
    (3, "10:30", "11:15", "Bühne", "Heimisches Holz im Garten", "talk", 200, None),
    (3, "16:00", "17:00", "Marktplatz", "Pflanzenversteigerung zum Abschluss", "show", None, None),
)
# ends of the party; the clocks skip one of them on some days
NIGHT = (
    "00:30",
    "01:30",
    "02:30",
    "03:30",
)


def make_programme(agenda, edition, opens):
    """Create the sessions of a show with their speakers.

    `opens`: its first day, as days after today.
    """
    api, event = agenda.api, edition.event
    speakers = [make_speaker(agenda, edition) for _ in range(4)]
    for number, (day, start, end, place, title, kind, capacity, text) in enumerate(SESSIONS):
        api(
            "POST",
            "/schedules",
            {
                "event_key": event["event_key"],
                "slot_date": agenda.day(opens + day),
                "start_time": start,
                "end_time": end,
                "location": place,
                "title": title,
                "slot_type": kind,
                "capacity": capacity,
                "description": text,
                "assignments": [
                    {"participant_id": speakers[number % 4]["id"], "role": "speaker"},
                    *(
                        [{"participant_id": speakers[0]["id"], "role": "host"}]
                        if number % 4
                        else []
                    ),
                ],
            },
        )
    night = agenda.day(opens + 2)
    ends = next(clock for clock in NIGHT if times.at(times.add_days(night, 1), clock, agenda.zone))
    api(
        "POST",
        "/schedules",
        {
            "event_key": event["event_key"],
            "slot_date": night,
            "start_time": "20:00",
            "end_time": ends,
            "location": "Orangerie",
            "title": "Ausstellerabend mit Tanz",
            "slot_type": "party",
            "capacity": 350,
            "is_public": False,
        },
    )


def make_speaker(agenda, edition):
    """Create a speaker as a confirmed participant, and return the participant."""
    person = edition.names.person("vortrag.example")
    contact = agenda.api(
        "POST",
        "/contacts",
        {**person, "language": edition.names.language(person), "tags": ["Referent"]},
    )
    return agenda.api(
        "POST",
        "/participants",
        {
            "event_key": edition.event["event_key"],
            "role": "speaker",
            "contact_id": contact["id"],
            "is_confirmed": True,
        },
    )
