"""Documents, contracts, submissions and files of the demo data."""

import struct
import zlib

CONTRACT = """<h1>Ausstellervertrag {{document.number}}</h1>
<p>{{organiser.name}} und <strong>{{contact.name}}</strong> vereinbaren die Teilnahme an der
Veranstaltung <strong>{{event.title}}</strong>, {{event.dates}}, in {{event.city}}.</p>
<h2>Leistungen</h2>
<table><tr><th>Stand</th><th>Halle</th><th>Fläche</th><th>Preis (netto)</th></tr>
<tr><td>{{booths.numbers}}</td><td>{{booths.halls}}</td><td>{{booths.area}}</td><td>{{booths.price}}</td></tr></table>
<h2>Bedingungen</h2>
<ol><li>Der Aufbau beginnt zwei Tage vor der Messe um 8 Uhr.</li>
<li>Die Standmiete ist 14 Tage nach Rechnungsdatum fällig.</li>
<li>Bei einem Rücktritt bis sechs Wochen vor der Messe entfällt die Miete.</li></ol>"""
LETTER = """<h1>Confirmation of participation</h1><p>Dear {{contact.person}},</p>
<p>we confirm that {{contact.name}} takes part in {{event.title}} from {{event.dates}}.
Your badge number is {{participant.badge_number}}.</p><p>{{organiser.name}}</p>"""
TYPES = (
    {
        "key": "catalogue-entry",
        "title": "Katalogtext",
        "input": "textarea",
        "before": 60,
        "needs_approval": True,
        "is_required": True,
        "description": "Höchstens 600 Zeichen für Katalog und Website.",
    },
    {
        "key": "logo",
        "title": "Logo",
        "input": "file",
        "allowed_extensions": ["png", "jpg"],
        "max_size_mb": 2,
        "before": 60,
        "needs_approval": True,
        "is_required": True,
        "description": "Für Katalog und Hallenplan.",
    },
    {
        "key": "stand-drawing",
        "title": "Standskizze",
        "input": "file",
        "allowed_extensions": ["pdf"],
        "max_size_mb": 5,
        "before": 40,
        "needs_approval": True,
        "is_required": False,
        "description": "Grundriss mit Höhen über 2,5 m.",
    },
    {
        "key": "website",
        "title": "Website",
        "input": "url",
        "before": 60,
        "needs_approval": False,
        "is_required": False,
        "description": "Adresse, auf die der Katalog verweist.",
    },
    {
        "key": "safety-rules",
        "title": "Sicherheitsregeln gelesen",
        "input": "checkbox",
        "before": 14,
        "needs_approval": False,
        "is_required": True,
        "description": "Brandschutz, Fluchtwege, Aufbauzeiten.",
    },
)
TEXTS = {
    "plants": "Heimische Stauden, Kräuter und Gehölze aus eigener Anzucht, torffrei und ohne Pestizide.",
    "technology": "Sparsame Technik für den Garten: Bewässerung nach Bedarf, langlebige Geräte, Ersatzteile.",
    "crafts": "Handgefertigtes für Terrasse und Beet aus Ton, Stein und heimischem Holz.",
}
FILES = 100  # exhibitors of an edition that submit files
# What happens to a submission, by a number: the actions after it was submitted. None: it stays a
# draft.
REVIEWS = (("approve",),) * 6 + (
    ("request-revision",),
    ("request-revision", "again", "approve"),
    ("reject",),
    ("reject", "again"),
    None,
    (),
)
FEEDBACK = {
    "request-revision": "Bitte kürzen: Der Text hat mehr als 600 Zeichen, oder das Bild ist zu klein.",
    "reject": "Das Bild enthält Werbung für andere Veranstaltungen.",
}


def png(width, height, colour, band):
    """Return a PNG: a field of one colour with a band of another one.

    Colours are (red, green, blue).
    """
    return png_of(
        width,
        height,
        [bytes(band if height * 5 < 8 * y < height * 6 else colour) * width for y in range(height)],
    )


def png_of(width, height, lines):
    """Return a PNG. `lines` are the rows of pixels, three bytes each."""
    rows = [b"\0" + line for line in lines]
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (
            (b"IHDR", head),
            (b"IDAT", zlib.compress(b"".join(rows), 9)),
            (b"IEND", b""),
        )
    )


def pdf(text):
    """Return a PDF of one A4 page with a frame and one line of text, which is in Latin-1."""
    content = f"2 w 80 420 300 220 re S 240 420 m 240 640 l S BT /F 14 Tf 80 680 Td ({text}) Tj ET"
    parts = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(data))
        data += f"{number} 0 obj{part}endobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (
        data
        + (
            f"xref\n0 {len(parts) + 1}\n0000000000 65535 f \n{table}trailer<</Size {len(parts) + 1}/Root 1 0 R>>"
            f"\nstartxref\n{len(data)}\n%%EOF\n"
        ).encode()
    )


def make_templates(api):
    """Create document categories and templates.

    The category of contracts has its template as default.
    """
    contracts = api("POST", "/documents/categories", {"name": "Verträge", "key": "contracts"})
    letters = api("POST", "/documents/categories", {"name": "Schreiben", "key": "letters"})
    contract = api(
        "POST",
        "/documents/templates",
        {
            "name": "Ausstellervertrag",
            "key": "exhibitor-contract",
            "category_id": contracts["id"],
            "body": CONTRACT,
            "is_contract": True,
        },
    )
    api(
        "POST",
        "/documents/templates",
        {
            "name": "Confirmation",
            "key": "confirmation",
            "body": LETTER,
            "category_id": letters["id"],
        },
    )
    api(
        "PATCH", f"/documents/categories/{contracts['id']}", {"default_template_id": contract["id"]}
    )


def make_types(api, event):
    """Create the types of submissions of an event, each due before it begins."""
    for place, kind in enumerate(TYPES):
        body = {name: value for name, value in kind.items() if name != "before"}
        if "max_size_mb" in body:
            body["max_size_mb"] = min(body["max_size_mb"], api.db.config.max_upload_mb)
        api(
            "POST",
            "/submissions/types",
            {
                **body,
                "event_id": event["id"],
                "sort_order": place,
                "due": {"before": "date_from", "days": kind["before"]},
                "roles": ["exhibitor", "co_exhibitor", "sponsor"],
            },
        )


def plan_contract(exhibitor, day):
    """Plan the contract of an exhibitor: draft, sent, viewed, signed, declined, expired or
    terminated.
    """
    api, at, number = exhibitor.api, exhibitor.agenda.at, exhibitor.number
    ends = {1: None, 4: "viewed", 7: "expired", 10: "declined"}.get(number % 24, "signed")
    ends = "signed" if exhibitor.edition.is_over else ends

    def write():
        document = api(
            "POST",
            "/documents",
            {
                "entity_type": "event_participant",
                "title": "Ausstellervertrag",
                "entity_id": exhibitor.participant["id"],
                "template_key": "exhibitor-contract",
            },
        )
        address = f"/documents/{document['id']}"
        if number % 24 == 13 and not exhibitor.edition.is_over:
            return
        at(day + 13, lambda: api("POST", f"{address}/request-signature"))
        if ends in ("viewed", "expired"):
            at(day + 15, lambda: api("PATCH", address, {"esign_status": ends}))
        elif ends == "declined":
            at(day + 15, lambda: api("POST", f"{address}/decline"))
        elif ends == "signed":
            at(
                day + 18,
                lambda: api("POST", f"{address}/mark-signed", {"signer_name": signer(exhibitor)}),
            )
        if number % 20 == 19:
            at(
                max(exhibitor.edition.opens - 44, day + 41),
                lambda: api("POST", f"{address}/terminate"),
            )

    at(day + 12, write)
    if number % 6 == 2:
        at(
            day + 20,
            lambda: api(
                "POST",
                "/documents",
                {
                    "entity_type": "event_participant",
                    "entity_id": exhibitor.participant["id"],
                    "title": "Confirmation of participation",
                    "template_key": "confirmation",
                    "language": "en",
                },
            ),
        )


def signer(exhibitor):
    """Return the name of the person who signs for an exhibitor."""
    return f"{exhibitor.company['first_name']} {exhibitor.company['last_name']}"


def plan_submissions(exhibitor, day):
    """Plan the submissions of an exhibitor. Files only for the first hundred; the others send text."""
    number, opens = exhibitor.number, exhibitor.edition.opens
    no_files = number >= FILES or not exhibitor.api.has("documents")
    for place, kind in enumerate(TYPES):
        is_missing = (number + place) % 7 == 6 and not (
            exhibitor.edition.is_over and kind["is_required"]
        )
        if is_missing or (no_files and kind["input"] == "file"):
            continue
        when = max(day + 8 + place, opens - kind["before"] - 22 + (number * 5 + place * 3) % 30)
        exhibitor.agenda.at(
            when, lambda kind=kind, when=when, place=place: submit(exhibitor, kind, when, place)
        )


def submit(exhibitor, kind, day, place):
    """Send one submission, and plan its review."""
    api, at = exhibitor.api, exhibitor.agenda.at
    after = REVIEWS[(exhibitor.number + 5 * place) % len(REVIEWS)] if kind["needs_approval"] else ()
    after = ("approve",) if exhibitor.edition.is_over and kind["needs_approval"] else after
    submission = api(
        "POST",
        "/submissions",
        {
            "event_participant_id": exhibitor.participant["id"],
            "type_key": kind["key"],
            "draft": after is None,
            **value_of(exhibitor, kind),
        },
    )
    for count, action in enumerate(after or (), 1):
        at(day + 3 * count, lambda action=action: review(exhibitor, kind, submission, action))


def review(exhibitor, kind, submission, action):
    """Approve or reject a submission, ask for a revision, or (`again`) send the next one."""
    api, address = exhibitor.api, f"/submissions/{submission['id']}"
    if action == "again":
        api(
            "PATCH",
            address,
            {**value_of(exhibitor, kind, " Jetzt neu im Programm."), "draft": False},
        )
    else:
        api(
            "POST",
            f"{address}/{action}",
            {"feedback": FEEDBACK[action]} if action in FEEDBACK else None,
        )


def value_of(exhibitor, kind, more=""):
    """Return `value` or `document_id` of a submission.

    `more` makes the value of a revision another one.
    """
    if kind["input"] != "file":
        text = {
            "textarea": TEXTS[exhibitor.category["trade"]] + more,
            "url": exhibitor.company["website"],
            "checkbox": True,
        }
        return {"value": text[kind["input"]]}
    ending = kind["allowed_extensions"][0]
    shade = 60 + exhibitor.number % 12 * 12 + len(more)
    data = (
        png(240, 120, (shade, 120, 220 - shade), (250, 250, 240))
        if ending == "png"
        else pdf(f"Stand {exhibitor.number}: Grundriss 4 x 3 m{more}")
    )
    document = exhibitor.api(
        "POST",
        "/documents",
        {
            "entity_type": "event_participant",
            "entity_id": exhibitor.participant["id"],
            "title": kind["title"],
            "filename": f"{kind['key']}.{ending}",
        },
    )
    exhibitor.api("PUT", f"/documents/{document['id']}/content", data, "application/octet-stream")
    return {"document_id": document["id"]}
