"""The programme of the demo show: speakers and sessions, one of them past midnight."""
from eventapi import times

# day of the show, start, end, place, title, type, capacity, description
SESSIONS = (
    (0, "09:30", "10:00", "Bühne", "Eröffnung mit dem Messechor", "ceremony", 400, None),
    (0, "10:30", "11:15", "Bühne", "Torffrei gärtnern: Was Erden heute können", "talk", 200,
     "Vier Erden im Vergleich, mit Versuchen aus drei Jahren."),
    (0, "14:00", "15:30", "Seminarraum 1", "Obstbäume schneiden", "workshop", 24, "Bitte Handschuhe mitbringen."),
    (1, "10:00", "10:45", "Bühne", "Bewässern mit einem Drittel des Wassers", "talk", 200, None),
    (1, "11:30", "12:15", "Bühne", "Designing gardens for pollinators", "talk", 200, "In English."),
    (1, "15:00", "16:30", "Seminarraum 2", "Trockenmauern setzen", "workshop", 16, None),
    (2, "10:00", "11:00", "Bühne", "Fachforum: Nachwuchs für den Gartenbau", "panel", 250, None),
    (2, "13:30", "14:15", "Bühne", "Kräuter, die jeder Balkon verträgt", "talk", 200, None),
    (3, "10:30", "11:15", "Bühne", "Heimisches Holz im Garten", "talk", 200, None),
    (3, "16:00", "17:00", "Marktplatz", "Pflanzenversteigerung zum Abschluss", "show", None, None),
)
NIGHT = ("00:30", "01:30", "02:30", "03:30")        # ends of the party; the clocks skip one of them on some days


def make_programme(agenda, edition, opens):
    """Create the sessions of a show with their speakers. `opens`: its first day, as days after today."""
    api, event = agenda.api, edition.event
    speakers = [make_speaker(agenda, edition) for _ in range(4)]
    for number, (day, start, end, place, title, kind, capacity, text) in enumerate(SESSIONS):
        api("POST", "/schedules", {
            "event_key": event["event_key"], "slot_date": agenda.day(opens + day), "start_time": start,
            "end_time": end, "location": place, "title": title, "slot_type": kind, "capacity": capacity,
            "description": text, "assignments": [
                {"participant_id": speakers[number % 4]["id"], "role": "speaker"},
                *([{"participant_id": speakers[0]["id"], "role": "host"}] if number % 4 else [])]})
    night = agenda.day(opens + 2)
    ends = next(clock for clock in NIGHT if times.at(times.add_days(night, 1), clock, agenda.zone))
    api("POST", "/schedules", {"event_key": event["event_key"], "slot_date": night, "start_time": "20:00",
                               "end_time": ends, "location": "Orangerie", "title": "Ausstellerabend mit Tanz",
                               "slot_type": "party", "capacity": 350, "is_public": False})


def make_speaker(agenda, edition):
    """Create a speaker as a confirmed participant, and return the participant."""
    person = edition.names.person("vortrag.example")
    contact = agenda.api("POST", "/contacts", {**person, "language": edition.names.language(person),
                                               "tags": ["Referent"]})
    return agenda.api("POST", "/participants", {"event_key": edition.event["event_key"], "role": "speaker",
                                                "contact_id": contact["id"], "is_confirmed": True})
