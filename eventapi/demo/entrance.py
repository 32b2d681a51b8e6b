"""The visitors of the demo data, and the scans of badges at the entrance."""

from datetime import datetime, timedelta

from eventapi import times
from eventapi.domain.access import links
from eventapi.storage.statements import statements

sql = statements("demo")

CHUNK, SCANS = 2000, 1000  # visitors of an import, scans of a request
STATIONS = (
    "Haupteingang",
    "Haupteingang",
    "Haupteingang",
    "Eingang West",
    "Eingang West",
    "Halle 1",
)
# How many of a hundred visitors come in each hour from nine o'clock on.
HOURS = range(9)
ARRIVALS = (22, 26, 17, 11, 8, 7, 5, 3, 1)
SHARES = (38, 34, 27, 20)  # percent of the visitors that come on each day of the show
ROLES = ((40, "press"), (55, "staff"))  # every so-many-th guest has this role instead of visitor


def invite(agenda, edition, first, last):
    """Import the visitors with these numbers, at most CHUNK, as participants of an event."""
    records = []
    for number in range(first, last):
        role = next((role for every, role in ROLES if number % every == every - 1), "visitor")
        person = edition.names.person()
        records.append(
            {
                **person,
                "role": role,
                "is_confirmed": number % 8 != 7,
                "category_key": "press" if role == "press" else "trade-visitors",
            }
        )
    agenda.api(
        "POST",
        "/bulk-import/participants",
        {
            "event_key": edition.event["event_key"],
            "records": records,
            "create_contacts": True,
            "match_field": "email",
        },
    )


def open_doors(agenda, edition, opens):
    """Plan the scans of all days of a show.

    `opens`: its first day, as days after today. Call it when all are invited.

    Every request sends the scans of an hour, those of the running hour too.
    """
    badges = agenda.db.values(sql.badges, event_id=edition.event["id"])
    for day, share in enumerate(share * edition.attendance for share in SHARES):
        scans = sorted(
            scans_of_day(agenda, badges, opens + day, share), key=lambda scan: scan["scanned_at"]
        )
        scans = [scan for scan in scans if scan["scanned_at"] <= agenda.now]
        for start in range(0, len(scans), SCANS):
            part = scans[start : start + SCANS]
            agenda.put(part[-1]["scanned_at"], lambda part=part: send(agenda, edition, part))


def make_doors(agenda, edition):
    """Make a link for the devices of each entrance, unless the door is switched off."""
    if agenda.api.has("door"):
        for station in dict.fromkeys(STATIONS):
            links.create(
                agenda.db, "door", event_id=edition.event["id"], station=station, rights=["search"]
            )


def scans_of_day(agenda, badges, day, share):
    """Yield the scans of a day, in no order: arrivals and, of most visitors, departures."""
    rnd, begin = agenda.rnd, datetime.fromisoformat(agenda.moment(day, "9:00"))

    def scan(badge, station, seconds, action):
        return {
            "badge_number": badge,
            "station": station,
            "action": action,
            "check_in_type": "scan",
            "scanned_at": times.text(begin + timedelta(seconds=seconds)),
        }

    for badge in badges:
        if 100 * rnd.random() >= share:
            continue
        station = rnd.choice(STATIONS)
        arrives = 3600 * rnd.choices(HOURS, ARRIVALS)[0] + rnd.randrange(3600)
        leaves = arrives + rnd.randint(3600, 5 * 3600)
        yield scan(badge, station, arrives, "check_in")
        if rnd.randrange(60) == 0:  # the badge is scanned once more, a minute later
            yield scan(badge, station, arrives + 60, "check_in")
        if rnd.randrange(100) < 85:
            yield scan(badge, station, min(leaves, 9 * 3600 + rnd.randrange(1800)), "check_out")


def send(agenda, edition, scans):
    """Send scans with the time at which they were made. Refused ones are stored, too."""
    agenda.api(
        "POST",
        "/check-ins/batch",
        {"scans": [{**scan, "event_key": edition.event["event_key"]} for scan in scans]},
    )


def replace_badge(agenda, edition, exhibitor):
    """Replace a lost badge. The old one is refused at the entrance, the new one is admitted."""
    old = exhibitor.participant["badge_number"]
    new = agenda.api("POST", f"/participants/{exhibitor.participant['id']}/badge/replace")
    send(
        agenda,
        edition,
        [
            {"badge_number": badge, "station": "Haupteingang", "action": "check_in"}
            for badge in (old, new["badge_number"])
        ],
    )


def try_wrong_badges(agenda, edition, other):
    """Scan what is refused: an unknown badge, a badge of another event, and that of a cancelled
    participant.
    """
    of_other = agenda.db.value(sql.badges, event_id=other.event["id"])
    badges = [
        "3K7XQ2M9PTRV",
        of_other,
        *agenda.db.values(sql.cancelled, event_id=edition.event["id"])[:3],
    ]
    send(
        agenda,
        edition,
        [
            {"badge_number": badge, "station": "Eingang West", "action": "check_in"}
            for badge in badges
            if badge
        ],
    )
