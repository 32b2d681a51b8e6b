"""Texts printed on hall plans, in English and German."""

WORDS = {
    "en": {
        "available": "available",
        "reserved": "reserved",
        "sold": "sold",
        "blocked": "blocked",
        "plan": "Hall plan",
        "public": "Hall plan",
        "internal": "Internal: not for publication",
        "changed": "As of",
        "missing": "Not shown",
        "door": "door",
        "pillar": "pillar",
        "power": "power supply",
        "north": "N",
    },
    "de": {
        "available": "frei",
        "reserved": "reserviert",
        "sold": "verkauft",
        "blocked": "gesperrt",
        "plan": "Hallenplan",
        "public": "Hallenplan",
        "internal": "Intern: nicht zur Veröffentlichung",
        "changed": "Stand",
        "missing": "Nicht abgebildet",
        "door": "Tür",
        "pillar": "Säule",
        "power": "Stromanschluss",
        "north": "N",
    },
}
