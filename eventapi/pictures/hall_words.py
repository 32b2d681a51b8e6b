"""What is printed on a hall plan, in each language."""

WORDS = {
    "en": {"available": "available", "reserved": "reserved", "sold": "sold", "blocked": "blocked", "plan": "Hall plan",
           "public": "Hall plan", "internal": "Internal: not to be published", "changed": "As of", "missing": "Not on this picture",
           "door": "door", "pillar": "pillar", "power": "power", "north": "N"},
    "de": {"available": "frei", "reserved": "reserviert", "sold": "verkauft", "blocked": "gesperrt", "plan": "Hallenplan",
           "public": "Hallenplan", "internal": "Intern: nicht zur Veröffentlichung", "changed": "Stand", "missing": "Nicht auf diesem Bild",
           "door": "Tür", "pillar": "Säule", "power": "Strom", "north": "N"},
}
