"""The values of `format` in schemas: how each is checked, and the error text."""
import re

from jsonschema import FormatChecker

from eventapi import money, times
from eventapi.languages import choice

EMAIL = re.compile(r"[^\s@<>\"(),:;\\\[\]]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W_][\w-]{0,61}[^\W_]")
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4}")
URL = re.compile(r"https?://[^\s/?#@\\]+(?:[/?#]\S*)?", re.I)
# A web address may lack the scheme, as people write it. Another scheme, such as javascript:, is no web address.
WEBSITE = re.compile(r"(?:https?://[^\s/?#@\\]+|[^\s/?#@\\:]+(?::\d{1,5})?)(?:[/?#]\S*)?", re.I)
LINE = re.compile("[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*")
COUNTRIES = frozenset("""
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY
    BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK
    FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR
    IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK
    ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
    PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF
    TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW""".split())

# name -> (check, error text)
FORMATS = {
    "date": (times.is_date, "must be a date such as 2026-05-01"),
    "date-time": (times.is_timestamp, "must be a timestamp (RFC 3339) such as 2026-05-01T09:00:00Z"),
    "day-or-moment": (times.is_date_or_timestamp,
                      "must be a date such as 2026-05-01 or a timestamp such as 2026-05-01T09:00:00Z"),
    "clock": (times.CLOCK.fullmatch, "must be a time of day such as 09:00"),
    "timezone": (times.is_zone, "must be an IANA time zone such as Europe/Berlin"),
    "email": (EMAIL.fullmatch, "must be an e-mail address"),
    "url": (URL.fullmatch, "must be a URL that begins with http:// or https://"),
    "website": (WEBSITE.fullmatch, "must be a web address such as https://www.example.org or www.example.org"),
    "line": (LINE.fullmatch, "must be one line, without line breaks, tabs and other control characters"),
    "country": (COUNTRIES.__contains__, "must be a country code (ISO 3166-1) such as DE"),
    "currency": (money.CURRENCIES.__contains__, "must be a currency code (ISO 4217) such as EUR"),
    "language": (LANGUAGE.fullmatch, "must be a language tag (BCP 47) such as de-AT"),
    "available-language": (lambda tag: LANGUAGE.fullmatch(tag) and choice.available(tag),
                           f"must be an available language ({' or '.join(choice.AVAILABLE)}); de-AT counts as de"),
}
CHECKS = {name: check for name, (check, _) in FORMATS.items()}
CHECKER = FormatChecker(formats=())
for _name, (_check, _) in FORMATS.items():
    CHECKER.checks(_name)(lambda value, check=_check: not isinstance(value, str) or bool(check(value)))
