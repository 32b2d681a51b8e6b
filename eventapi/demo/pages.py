"""The public pages of the demo data: what they say about the show, and how its exhibitors present
themselves.
"""

from functools import cache
from math import sin

from eventapi.demo import papers
from eventapi.domain.access import links, rights

INTRO = {
    "de": "Alles, was wächst: Pflanzen und Saatgut, Technik für Beet und Gewächshaus, Handwerk für Terrasse und "
    "Garten. Vier Tage für Fachbesucher und alle, die gern gärtnern.",
    "en": "Everything that grows: plants and seeds, equipment for beds and greenhouses, crafts for terrace and "
    "garden. Four days for trade visitors and for everybody who likes to garden.",
}
VISIT = {
    "de": "Die Straßenbahn 7 hält vor dem Eingang (Haltestelle Ausstellungsweg). Parkplätze sind am Tor Süd.\n\n"
    "Alle Hallen sind ohne Stufen zu erreichen. Hunde an der Leine sind willkommen.",
    "en": "Tram 7 stops in front of the entrance (stop Ausstellungsweg). Parking is at the south gate.\n\n"
    "All halls can be reached without steps. Dogs on a lead are welcome.",
}
PRIVACY = {
    "de": "Diese Seiten setzen keine Cookies. Verantwortlich ist die Gartenmesse Lindenau GmbH, "
    "office@messe.example.",
    "en": "These pages set no cookies. The Gartenmesse Lindenau GmbH is responsible, office@messe.example.",
}
# trade -> texts in German and English, and products, one of which fits each exhibitor
TEXTS = {
    "plants": (
        (
            "Stauden und Kräuter aus eigener Anzucht, torffrei und ohne chemischen Pflanzenschutz.",
            "Perennials and herbs from our own nursery, grown without peat and chemicals.",
            ("Stauden", "Kräuter", "Duftpelargonien"),
        ),
        (
            "Samenfeste Sorten für Gemüse und Blumen. Am Stand zeigen wir, wie man Saatgut selbst gewinnt.",
            "Open-pollinated varieties of vegetables and flowers. We show how to save your own seeds.",
            ("Saatgut", "Tomaten", "Blumenmischungen"),
        ),
        (
            "Obstbäume auf alten Unterlagen, Beeren und Rosen. Wir beraten zur Wahl der Sorte.",
            "Fruit trees on old rootstocks, berries and roses, with advice on the right variety.",
            ("Obstbäume", "Beeren", "Rosen"),
        ),
    ),
    "technology": (
        (
            "Bewässerung mit Regenwasser, gesteuert nach Wetter und Bodenfeuchte.",
            "Irrigation with rain water, controlled by weather and soil moisture.",
            ("Tropfbewässerung", "Zisternen", "Sensoren"),
        ),
        (
            "Gewächshäuser und Hochbeete nach Maß, mit Montage in ganz Europa.",
            "Greenhouses and raised beds made to measure, installed all over Europe.",
            ("Gewächshäuser", "Hochbeete", "Lüftung"),
        ),
        (
            "Geräte mit Akku, die leise sind. Werkstatt und Ersatzteile seit 1978.",
            "Quiet tools with batteries. Workshop and spare parts since 1978.",
            ("Akkugeräte", "Mähroboter", "Ersatzteile"),
        ),
    ),
    "crafts": (
        (
            "Frostfeste Keramik, von Hand gedreht: Töpfe, Schalen und Vogeltränken.",
            "Frost-proof ceramics, thrown by hand: pots, bowls and bird baths.",
            ("Töpfe", "Schalen", "Vogeltränken"),
        ),
        (
            "Möbel aus heimischem Holz, die draußen alt werden dürfen.",
            "Furniture of local wood that may grow old outside.",
            ("Bänke", "Tische", "Pergolen"),
        ),
        (
            "Mauern, Wege und Zäune. Bringen Sie eine Skizze Ihres Gartens mit.",
            "Walls, paths and fences. Bring a sketch of your garden.",
            ("Naturstein", "Zäune", "Tore"),
        ),
    ),
}


@cache
def landscape(width=480, height=240):
    """Return a PNG of hills and fields below a morning sky, the picture of the show."""
    sky = ((250, 226, 160), (214, 232, 226))
    hills = ((127, 165, 120), (79, 136, 92), (47, 111, 79), (35, 84, 60))
    tops = [
        [
            height * (0.45 + 0.13 * layer)
            + (14 + 4 * layer) * sin(x / (52 - 7 * layer) + 2.1 * layer)
            for x in range(width)
        ]
        for layer in range(len(hills))
    ]
    lines = []
    for y in range(height):
        share = y / height
        air = bytes(round(high + (low - high) * share) for low, high in zip(*sky, strict=True))
        lines.append(
            b"".join(
                next(
                    (
                        bytes(hill)
                        for hill, top in zip(reversed(hills), reversed(tops), strict=True)
                        if y > top[x]
                    ),
                    air,
                )
                for x in range(width)
            )
        )
    return papers.png_of(width, height, lines)


TERMS = {
    "de": "Stände werden im Voraus bezahlt. Der Aufbau beginnt zwei Tage vor der Messe.\n\n"
    "Abbau ab 17 Uhr am letzten Tag.",
    "en": "Booths are paid in advance. Construction begins two days before the show.\n\n"
    "Dismantling from 5 p.m. on the last day.",
}


def publish(agenda, edition, visitors, *, is_open=False):
    """Make the pages of an edition public, unless they are switched off, and its application form
    if it `is_open`.

    `visitors` is the category with which visitors register.
    """
    if agenda.api.has("pages"):
        visitors["event_keys"] = [*visitors["event_keys"], edition.event["event_key"]]
        agenda.api("PATCH", f"/categories/{visitors['id']}", {"event_keys": visitors["event_keys"]})
        agenda.api(
            "PATCH",
            f"/events/{edition.event['id']}/pages",
            {
                "is_public": True,
                "show_plan": agenda.api.has("plans"),
                "language": "de",
                "texts": {"intro": INTRO, "visit": VISIT, "privacy": PRIVACY},
                "contact_email": "office@messe.example",
                "contact_phone": "+49 341 5550100",
                "my_is_open": True,
                "booth_from": "2020-01-01",
                "apply_is_open": is_open,
                "apply_terms": TERMS,
                "visit_is_open": True,
            },
        )


def introduce(exhibitor):
    """Let an exhibitor write its profile.

    Some write in one language only, and every sixth one nothing.
    """
    german, english, products = TEXTS[exhibitor.category["trade"]][exhibitor.number // 3 % 3]
    texts = {"de": german} if exhibitor.number % 4 == 1 else {"de": german, "en": english}
    exhibitor.api(
        "PATCH",
        f"/participants/{exhibitor.participant['id']}/profile",
        {
            "texts": texts,
            "products": list(products),
            "website": exhibitor.company["website"],
            "email": f"messe@{exhibitor.company['website'].removeprefix('https://')}",
        },
    )


def link_exhibitor(agenda, edition):
    """Make the link of the first exhibitor of an edition, unless pages are switched off."""
    exhibitor = edition.exhibitors[0]
    if agenda.api.has("pages") and exhibitor.participant:
        links.create(
            agenda.db,
            "participant",
            event_id=edition.event["id"],
            language="de",
            rights=rights.RIGHTS,
            participant_id=exhibitor.participant["id"],
            name="Wanda Nitzsche",
        )
