"""Halls to draw in tests: small, medium and large, with booths of every status.

`python -m tests.support.halls FOLDER` writes pictures of them.
"""

import json
import sys
import time
from itertools import cycle
from pathlib import Path

COMPANIES = [
    "Bergmann & Söhne GmbH",
    "Müller Gartentechnik GmbH & Co. KG",
    "Zakład Ślusarski Łukasz Wójcik",
    "Grünwald Pflanzenhandel OHG",
    "Przedsiębiorstwo Produkcyjno-Handlowe Żółw Sp. z o.o.",
    "Stiel",
    "Süddeutsche Gewächshaustechnik Aktiengesellschaft",
    "Kwiaty Polskie S.A.",
    "Oberfränkische Landmaschinenvertriebsgesellschaft mbH",
    "Gärtnerei Schmidt",
    "Hürmann Tor- und Türsysteme KG",
    "Ogrody Marzeń Sp. z o.o. Sp. k.",
    "Deutsche Rasenpflege",
    "Wiśniewski i Synowie Sp. j.",
    "Blumen-Risse",
    "Elektroinstallationsgesellschaft Nord",
    "ABC",
    "Wąsowski Meble Ogrodowe",
    "Jäger & Partner Bewässerungssysteme GmbH",
    "Baumschule Lüdenscheidt-Hohenlimburg e.K.",
    "Naturstein Öztürk",
    "Fabryka Narzędzi „Kuźnia” S.A.",
    "Verband Garten-, Landschafts- und Sportplatzbau Sachsen e.V.",
    "Teichbau Meißner",
    "Kürscher Center",
    "Szkółka Drzew Ozdobnych Grąbczewscy",
]
STATUSES = (
    "sold",
    "sold",
    "available",
    "reserved",
    "sold",
    "blocked",
    "sold",
    "reserved",
    "available",
    "sold",
)
TYPES = (
    ("row", "Row booth", 1, "#0072B2"),
    ("corner", "Corner booth", 2, "#D55E00"),
    ("head", "Head booth", 3, "#CC79A7"),
    ("island", "Island booth", 4, "#009E73"),
)


def small():
    """A fair hall of 20 × 15 m with five booths, one of them turned."""
    booths = [
        booth("1", 500, 500, 6000, 4000, "sold", exhibitor=0),
        booth("2", 12000, 500, 7500, 3000, "reserved", exhibitor=1, type=1),
        booth("3", 500, 10500, 5000, 4000, "available"),
        booth("4", 13500, 10000, 4000, 4000, "available", type=3, rotation=45),
        booth("5", 8000, 11500, 3000, 3000, "blocked", reason="Kept for the press"),
    ]
    objects = [
        thing("door", 9000, 0, 2000, 200, "Main entrance"),
        thing("door", 19800, 6500, 200, 1200, "Emergency exit"),
        thing("aisle", 0, 6000, 20000, 2800, "Lindenallee"),
        thing("pillar", 9750, 4800, 500, 500),
        thing("power", 7000, 600, 300, 300),
    ]
    return {
        "name": "Stadthalle",
        "width": 20000,
        "height": 15000,
        "objects": objects,
        "booths": booths,
    }


def medium():
    """80 booths: rows back to back, L-shapes, a block of three, turned islands, a stage, every
    status.
    """
    booths, statuses, whose = [], cycle(STATUSES), cycle(range(len(COMPANIES)))
    for row, y in enumerate((1000, 9000, 12000, 20000, 23000, 31000)):
        for column in range(12):
            wide = 4000 if row < 4 else 3500
            booths.append(
                booth(
                    f"{'ABCDEF'[row]}{column + 1:02}",
                    3000 + column * wide,
                    y,
                    wide,
                    3000,
                    next(statuses),
                    exhibitor=next(whose),
                    type=1 if column in (0, 11) else 0,
                )
            )
    for places, exhibitor in (
        ((12, 24, 25), 2),
        ((16, 17, 28), 8),
        ((40, 41, 52, 53), 4),
        ((60, 61), 10),
    ):
        for place in places:
            booths[place].update(status="sold", exhibitor=exhibitor)
    for number, rotation in enumerate((30, 45, 0, 60, 330, 15, 90, 0)):
        booths.append(
            booth(
                f"G{number + 1}",
                54500,
                2000 + number * 4000,
                3500 if number != 6 else 2000,
                2500 if number != 6 else 3500,
                next(statuses),
                exhibitor=next(whose),
                rotation=rotation,
                type=3,
            )
        )
    booths[-1]["pos_x"] = booths[-1]["pos_y"] = None
    objects = [
        thing("door", 27000, 0, 5000, 300, "Eingang Nord"),
        thing("door", 0, 17000, 300, 3000, "Tor 1"),
        thing("door", 59700, 29000, 300, 2000, "Notausgang"),
        thing("door", 8000, 35700, 1200, 300, "WC"),
        thing("aisle", 3000, 5000, 48000, 3000, "Rosenallee"),
        thing("aisle", 3000, 16000, 48000, 3000, "Tulpenweg"),
        thing("aisle", 51200, 500, 2800, 34000, "Querallee"),
        thing("stage", 46000, 25500, 5000, 8000, "Bühne"),
        thing("text", 45500, 34200, 6000, 1200, "Gastronomie"),
        *[thing("pillar", x, y, 700, 700) for x in (2000, 22700, 42700) for y in (8200, 26500)],
        *[thing("power", x, 8300, 300, 300) for x in (9000, 30000)],
    ]
    return {
        "name": "Halle 3",
        "width": 60000,
        "height": 36000,
        "objects": objects,
        "booths": booths,
    }


def large(count=600):
    """Rows of small booths back to back in a hall of 130 × 85 m."""
    booths, statuses, whose = [], cycle(STATUSES), cycle(range(len(COMPANIES)))
    for place in range(count):
        row, column = divmod(place, 40)
        booths.append(
            booth(
                f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[row % 26]}{column + 1:02}",
                3000 + column * 3000 + (column // 10) * 1500,
                2000 + row // 2 * 10000 + row % 2 * 3000,
                3000,
                3000,
                next(statuses),
                exhibitor=next(whose),
                type=1 if column % 10 in (0, 9) else 0,
            )
        )
    objects = [
        thing("door", x, 0, 4000, 300, f"Eingang {n}")
        for n, x in enumerate((20000, 60000, 100000), 1)
    ]
    objects += [
        thing("aisle", 3000, 8200 + row * 10000, 124500, 3600, f"Gang {row + 1}")
        for row in range(7)
    ]
    objects += [
        thing("pillar", x, 9700 + row * 10000, 600, 600)
        for row in range(7)
        for x in range(1500, 130000, 31500)
    ]
    return {
        "name": "Halle 1 – Garten & Landschaft",
        "width": 130000,
        "height": 85000,
        "objects": objects,
        "booths": booths,
    }


def booth(number, x, y, width, depth, status, *, exhibitor=None, type=0, rotation=0, reason=None):
    return {
        "booth_number": number,
        "pos_x": x,
        "pos_y": y,
        "width": width,
        "depth": depth,
        "status": status,
        "type": type,
        "rotation": rotation,
        "exhibitor": exhibitor if status in ("sold", "reserved") else None,
        "blocked_reason": reason,
        "booth_name": None,
        "price": width * depth // 10000 * 189,
    }


def thing(kind, x, y, width, depth, label=None):
    return {"kind": kind, "x": x, "y": y, "width": width, "depth": depth, "label": label}


def store(client, db, hall):
    """Insert the hall into the database, with its exhibitors as confirmed participants.

    Return the id of the plan.
    """
    event = client.make(
        "/events",
        {
            "title": "Grüne Tage",
            "city": "Leipzig",
            "country": "DE",
            "date_from": "2027-05-01",
            "date_to": "2027-05-03",
        },
    )
    people = {
        place: _exhibitor(client, event, COMPANIES[place])
        for place in sorted({booth["exhibitor"] for booth in hall["booths"]} - {None})
    }
    run = db.connection.execute
    with db.write():
        when = {"now": db.now}
        plan = run(
            """INSERT INTO plans (event_id, plan_key, plan_name, width, height, grid_size, scale_factor,
            objects, is_active,
          sort_order, created_at, updated_at) VALUES (:event, 'hall', :name, :width, :height, 1, 1000, :objects, 1,
          0, :now, :now)""",
            {**when, **hall, "event": event["id"], "objects": json.dumps(hall["objects"])},
        ).lastrowid
        types = [
            run(
                """INSERT INTO booth_types (booth_type_key, booth_type_name, open_sides, color, price_model,
            price, sort_order,
          created_at, updated_at) VALUES (?, ?, ?, ?, 'per_m2', 18900, 0, ?, ?)""",
                (*kind, db.now, db.now),
            ).lastrowid
            for kind in TYPES
        ]
        for one in hall["booths"]:
            id = run(
                """INSERT INTO booths (plan_id, event_id, booth_type_id, booth_number, booth_name, width, depth,
                pos_x, pos_y,
              rotation, price, price_breakdown, status, blocked_reason, created_at, updated_at) VALUES (:plan, :event,
              :kind, :booth_number, :booth_name, :width, :depth, :pos_x, :pos_y, :rotation, :price,
              '{"model": "fixed", "total": 100}', :status, :blocked_reason, :now, :now)""",
                {**when, **one, "plan": plan, "event": event["id"], "kind": types[one["type"]]},
            ).lastrowid
            if one["exhibitor"] is not None:
                run(
                    """INSERT INTO booth_reservations (booth_id, event_id, event_participant_id, status, final_price,
                    expires_at,
                  created_at, updated_at) VALUES (:id, :event, :who, :status, :price, :until, :now, :now)""",
                    {
                        **when,
                        "id": id,
                        "event": event["id"],
                        "who": people[one["exhibitor"]],
                        "price": one["price"],
                        "status": "confirmed" if one["status"] == "sold" else "pending",
                        "until": None if one["status"] == "sold" else "2099-01-01T00:00:00Z",
                    },
                )
    return plan


def _exhibitor(client, event, name):
    contact = client.make("/contacts", {"company_name": name, "country": "DE"})
    return client.make(
        "/participants",
        {
            "event_id": event["id"],
            "contact_id": contact["id"],
            "role": "exhibitor",
            "is_confirmed": True,
        },
    )["id"]


def main(folder):
    """Write each hall in both formats and both views. Print time and size."""
    import tempfile

    import webtest

    from eventapi.app import App
    from eventapi.storage import database, migrations
    from tests.support.client import SCOPES, Client, add_key, make_settings

    for make in (small, medium, large):
        with tempfile.TemporaryDirectory() as place:
            migrations.migrate(Path(place) / "eventapi.db")
            template = (Path(place) / "eventapi.db").read_bytes()
            settings = make_settings(Path(place), template)
            db = database.Database(settings)
            client = Client(webtest.TestApp(App(settings)), add_key(db, SCOPES))
            plan = store(client, db, make())
            for view in ("internal", "public"):
                for form, kind in (("svg", "image/svg+xml"), ("pdf", "application/pdf")):
                    times = []
                    for _ in range(3):
                        start = time.perf_counter()
                        answer = client.get(
                            f"/plans/{plan}/svg?view={view}&language=de",
                            headers={"Accept": kind},
                            status=200,
                        )
                        times.append((time.perf_counter() - start) * 1000)
                    (Path(folder) / f"{make.__name__}-{view}.{form}").write_bytes(answer.body)
                    print(
                        f"{make.__name__:9} {view:8} {form}: first {times[0]:.0f} ms, then {min(times[1:]):.0f} "
                        f"ms, {len(answer.body) / 1000:.0f} kB"
                    )
            db.close()


if __name__ == "__main__":
    main(sys.argv[1])
