"""Countries of imported lists: people write names, and letters of cars, where the API has codes
(ISO 3166-1).
"""

import re

from eventapi.languages.countries import NAMES
from eventapi.storage.folding import fold

# Further names in German and English that lists of people contain: code, then the names.
FURTHER = """
    AE UAE, VAE; BA Bosnia, Bosnien, Bosnia-Herzegovina, Bosnien-Herzegowina; BO Plurinational State of Bolivia; BY
    Weißrussland; CI Ivory Coast, Elfenbeinküste; CN People's Republic of China, Volksrepublik China, VR China; CV
    Cabo Verde, Kap Verden; CZ Czechia, Tschechien; DE D, Federal Republic of Germany, Bundesrepublik Deutschland,
    BRD; AT A, Republic of Austria, Republik Österreich; CH Swiss Confederation, Schweizerische Eidgenossenschaft; FO
    Färöer-Inseln, Faroes; GB UK, Great Britain, Großbritannien, England, Scotland, Schottland, Wales, Northern
    Ireland, Nordirland, United Kingdom of Great Britain and Northern Ireland, Vereinigtes Königreich Großbritannien
    und Nordirland; HK Hong Kong SAR; IE Republic of Ireland, Republik Irland; IR Islamic Republic of Iran; KR
    Republic of Korea, Republik Korea; LI Fürstentum Liechtenstein; LU Grand Duchy of Luxembourg, Großherzogtum
    Luxemburg; MD Republic of Moldova, Republik Moldau, Moldawien; MK Republic of North Macedonia, Republik
    Nordmazedonien; MM Burma, Birma; MO Macau, Macao SAR; NL The Netherlands, Holland; PS Palästina; RU Russian
    Federation, Russische Föderation; SZ Swaziland, Swasiland; SK Slovak Republic, Slowakische Republik; TL East
    Timor, Osttimor; TR Turkey; TZ United Republic of Tanzania, Tanzania; US USA, US of America, United States,
    Vereinigte Staaten; VA Vatican, Vatikan, Holy See, Heiliger Stuhl; VN Viet Nam; ZA Republic of South Africa,
    Republik Südafrika"""

# Names of the countries of the EU and the EEA, of Switzerland and the United Kingdom, in their own
# languages.
OWN = """
    AT Österreich; BE België, Belgique, Belgien; BG България, Bulgaria, Balgariya; CH Schweiz, Suisse, Svizzera,
    Svizra; CY Κύπρος, Kypros, Kıbrıs; CZ Česko, Česká republika; DE Deutschland; DK Danmark; EE Eesti; ES España,
    Espanya, Espainia; FI Suomi, Finland; FR France, République française; GB United Kingdom, Y Deyrnas Unedig, Cymru;
    GR Ελλάδα, Ελλάς, Ellada, Ellas, Hellas; HR Hrvatska; HU Magyarország; IE Éire, Ireland; IS Ísland; IT Italia; LI
    Liechtenstein; LT Lietuva; LU Lëtzebuerg, Luxembourg, Luxemburg; LV Latvija; MT Malta; NL Nederland; NO Norge,
    Noreg, Norga; PL Polska, Rzeczpospolita Polska; PT Portugal; RO România; SE Sverige; SI Slovenija; SK Slovensko,
    Slovenská republika"""

MAX_LENGTH = 100  # characters; longer texts are not compared with names
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def _letters(text):
    return re.sub(r"[\W_]+", "", fold(text))


def _by_name():
    """Return {letters of a name: code}, with both spellings of umlauts."""
    known = [(code, name) for code, texts in NAMES.items() for name in texts.values()]
    for entry in f"{FURTHER}; {OWN}".split(";"):
        code, names = entry.split(maxsplit=1)
        known += [(code, name) for name in names.split(",")]
    spelled_out = {_letters(name.lower().translate(UMLAUTS)): code for code, name in known}
    return spelled_out | {_letters(name): code for code, name in known}


BY_NAME = _by_name()
LISTED = [name for names in NAMES.values() for name in names.values()]


def code(text):
    """Return the code of a country from its code or name, None if it is not known.

    Case, accents, spaces and punctuation of a name do not matter. Names are known in German and
    English, those of the EU, the EEA, Switzerland and the United Kingdom also in their own
    languages.
    """
    text = text.strip()
    if text.isascii() and text.upper() in NAMES:
        return text.upper()
    return BY_NAME.get(_letters(text)) if len(text) <= MAX_LENGTH else None


def likely(text):
    """Return the name of a country in German or English that a text is probably meant to be, or
    None.
    """
    from difflib import get_close_matches

    return next(iter(get_close_matches(text.strip()[:MAX_LENGTH], LISTED, 1, 0.8)), None)
