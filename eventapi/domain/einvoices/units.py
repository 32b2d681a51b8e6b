"""Units of items as codes of UN/ECE Recommendation 20 and 21 (BT-130)."""

import re

PIECE = "C62"
# Code -> the spellings of the unit in English and German, in lower case.
SPELLINGS = {
    "C62": "piece|pieces|pc|pcs|pc.|pcs.|unit|units|each|ea|stück|stücke|stueck|stk|stk.|st|st.|einheit|einheiten",
    "MTK": "m²|m2|qm|m^2|sqm|sq m|square metre|square metres|square meter|square meters|quadratmeter",
    "MTR": "m|metre|metres|meter|meters|lfm|lfdm|lfd. m|lfd.m|laufmeter|laufende meter|running metre|running metres|"
    "linear metre|linear metres|linear meter|linear meters",
    "MTQ": "m³|m3|m^3|cbm|cubic metre|cubic metres|cubic meter|cubic meters|kubikmeter",
    "CMT": "cm|centimetre|centimetres|centimeter|centimeters|zentimeter",
    "MMT": "mm|millimetre|millimetres|millimeter|millimeters",
    "KMT": "km|kilometre|kilometres|kilometer|kilometers",
    "HUR": "hour|hours|h|hr|hrs|hr.|hrs.|stunde|stunden|std|std.",
    "MIN": "minute|minutes|min|min.|minuten",
    "DAY": "day|days|d|tag|tage|tagen",
    "WEE": "week|weeks|wk|wks|woche|wochen",
    "MON": "month|months|mo|monat|monate|monaten",
    "QAN": "quarter|quarters|quartal|quartale",
    "ANN": "year|years|yr|yrs|jahr|jahre|jahren",
    "KWH": "kwh|kilowatt hour|kilowatt hours|kilowattstunde|kilowattstunden",
    "KWT": "kw|kilowatt|kilowatts",
    "WTT": "w|watt|watts",
    "AMP": "a|amp|amps|ampere|amperes",
    "LTR": "l|litre|litres|liter|liters",
    "MLT": "ml|millilitre|millilitres|milliliter|milliliters",
    "KGM": "kg|kilogram|kilograms|kilogramme|kilogrammes|kilogramm|kilo|kilos",
    "GRM": "g|gram|grams|gramme|grammes|gramm",
    "TNE": "t|tonne|tonnes|metric ton|metric tons|tonnen",
    "PR": "pair|pairs|paar|paare",
    "SET": "set|sets|satz|sätze",
    "DZN": "dozen|dozens|dutzend",
    "LS": "lump sum|lump sums|flat rate|flat-rate|flat_rate|pauschal|pauschale|pauschalen|psch|psch.|pausch.",
    "XPK": "package|packages|pack|packs|packet|packets|paket|pakete|packung|packungen|pkg",
    "XPX": "pallet|pallets|palette|paletten",
    "XBX": "box|boxes|karton|kartons|carton|cartons|schachtel|schachteln",
    "XRO": "roll|rolls|rolle|rollen",
    "XBO": "bottle|bottles|flasche|flaschen",
    "IE": "person|persons|people|personen|pers.|pax",
    "P1": "%|percent|per cent|prozent",
}
CODES = {
    spelling: code for code, spellings in SPELLINGS.items() for spelling in spellings.split("|")
}


def coded(text):
    """Return the code of a unit as it is written in an item, and the text that the code does not
    express, or None.

    `m²` is ("MTK", None), None is ("C62", None). An unknown text such as `night` is ("C62",
    "night"): the caller must put it into the name or the description of the item, so that the
    invoice still says it.
    """
    spelling = re.sub(r"\s+", " ", text or "").strip()
    if not spelling:
        return PIECE, None
    code = spelling if spelling in SPELLINGS else CODES.get(spelling.lower())
    return (code, None) if code else (PIECE, spelling)
