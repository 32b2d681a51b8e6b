"""Names of the companies and persons in the demo data.

All of them are invented; all domains end in `.example`.
"""

import re
from dataclasses import dataclass

from eventapi.storage.folding import fold


@dataclass(frozen=True)
class Country:
    """What names and addresses in a country look like.

    tax_id: its form, for the number that `tax_id` makes.
    first, last, towns ("POSTCODE Town"), streets, forms: texts to choose from. trades: trade ->
    words of companies.
    name: the pattern of a company's name. latin: names in other scripts -> the same in Latin letters, or None.
    """

    code: str
    language: str
    prefix: str
    tax_id: str
    first: tuple
    last: tuple
    towns: tuple
    streets: tuple
    forms: tuple
    trades: dict
    name: str = "{word} {last} {form}"
    latin: dict | None = None


def _split(text):
    return tuple(part.strip() for part in text.split(","))


GERMAN = {
    "plants": _split(
        "Baumschule, Staudengärtnerei, Kräuterhof, Saatgut, Rosenschule, Obstgehölze, Orchideen"
    ),
    "technology": _split(
        "Gewächshausbau, Bewässerungstechnik, Teichtechnik, Gartengeräte, Gartenlicht, Motorgeräte"
    ),
    "crafts": _split(
        "Gartenkeramik, Natursteinwerk, Gartenmöbel, Zaunbau, Korbflechterei, Schmiede, Gartenholz"
    ),
    "models": _split("Modellbahn, Spur-N-Studio, Modellbau, Gleisbau en miniature, Lokwerkstatt"),
    "scenery": _split("Modellhäuser, Szenerie, Dioramenbau, Modellbäume, Figurenwerk"),
}

COUNTRIES = {
    "DE": Country(
        "DE",
        "de",
        "+49 341",
        "DE{}",
        _split(
            "Anna, Andreas, Birgit, Cem, Dörte, Elif, Emil, Franz, Frida, Greta, Henrik, Ilse, "
            "Jörg, Jonas, Katrin, Lena, "
            "Matthias, Nele, Oskar, Paula, Ralf, Sabine, Tim, Ulla, Viktor, Wanda, Yasmin, Änne"
        ),
        _split(
            "Ackermann, Brandstetter, Claußen, Dittmar, Ehrlich, Förster, Großmann, Heuer, Ihle, "
            "Jäkel, Krüger, Lindner, "
            "Möbius, Nitzsche, Öhler, Petzold, Quandt, Reißmann, Schönfeld, Thiele, Uhlig, Voßkamp, Weißbach, Zöllner"
        ),
        _split(
            "04109 Leipzig, 01067 Dresden, 20095 Hamburg, 80331 München, 34117 Kassel, 26603 Aurich, 99084 Erfurt, "
            "76131 Karlsruhe"
        ),
        _split(
            "Lindenweg, Am Alten Markt, Bahnhofstraße, Gewerbering, Hafenallee, Mühlgasse, Zum Wiesengrund"
        ),
        _split("GmbH, GmbH & Co. KG, e. K., KG, OHG"),
        GERMAN,
    ),
    "AT": Country(
        "AT",
        "de",
        "+43 1",
        "ATU{}",
        _split("Leopold, Magdalena, Florian, Theresia, Lukas, Veronika"),
        _split("Hinterleitner, Moosbrugger, Obermüller, Pichlhöfer, Steindl, Wögerer"),
        _split("1010 Wien, 4020 Linz, 8010 Graz, 5020 Salzburg"),
        _split("Ringstraße, Feldgasse, Seeweg"),
        _split("GmbH, KG"),
        GERMAN,
    ),
    "CH": Country(
        "CH",
        "de",
        "+41 44",
        "CHE{}MWST",
        _split("Urs, Regula, Beat, Vreni, Reto, Ursina"),
        _split("Ammann, Bünzli, Caflisch, Gerber, Zgraggen, Rüegg"),
        _split("8001 Zürich, 3011 Bern, 9000 St. Gallen, 6003 Luzern"),
        _split("Seestrasse, Dorfplatz, Bergweg"),
        _split("AG, GmbH"),
        GERMAN,
    ),
    "PL": Country(
        "PL",
        "pl",
        "+48 22",
        "PL{}",
        _split("Łukasz, Zofia, Paweł, Agnieszka, Grzegorz, Małgorzata"),
        _split("Bąkiewicz, Dąbek, Gołębiowska, Jóźwiak, Świątek, Żurawski"),
        _split("00-001 Warszawa, 50-101 Wrocław, 31-001 Kraków"),
        _split("ul. Ogrodowa, ul. Lipowa, ul. Długa"),
        _split("Sp. z o.o., S.A."),
        {
            "plants": _split("Szkółka Roślin, Nasiona, Byliny"),
            "technology": _split("Nawadnianie, Szklarnie"),
            "crafts": _split("Ceramika, Meble Ogrodowe"),
            "models": ("Modele Kolejowe",),
            "scenery": ("Makiety",),
        },
    ),
    "CZ": Country(
        "CZ",
        "cs",
        "+420 2",
        "CZ{}",
        _split("Tomáš, Jiří, Markéta, Ondřej, Růžena, Šárka"),
        _split("Dvořáček, Kadeřábek, Novotníček, Říha, Šebestová, Žďárský"),
        _split("110 00 Praha, 602 00 Brno, 301 00 Plzeň"),
        _split("Květná, Nádražní, Zahradní"),
        _split("s.r.o., a.s."),
        {
            "plants": _split("Školka, Trvalky"),
            "technology": _split("Závlahy, Skleníky"),
            "crafts": _split("Keramika, Zahradní Nábytek"),
            "models": ("Železniční Modely",),
            "scenery": ("Modelové Stavby",),
        },
    ),
    "HU": Country(
        "HU",
        "hu",
        "+36 1",
        "HU{}",
        _split("Bálint, Zsófia, Győző, Ágnes, Örs, Tünde"),
        _split("Erdőháti, Kőszegi, Szűcs, Tóthfalusi, Üveges, Zsédely"),
        _split("1051 Budapest, 6720 Szeged"),
        _split("Kossuth utca, Virág utca"),
        _split("Kft., Zrt."),
        {
            "plants": _split("Faiskola, Vetőmag"),
            "technology": ("Öntözéstechnika",),
            "crafts": ("Kerámia",),
            "models": ("Vasútmodell",),
            "scenery": ("Makett",),
        },
        "{last} {word} {form}",
    ),
    "NL": Country(
        "NL",
        "nl",
        "+31 20",
        "NL{}B01",
        _split("Sanne, Joris, Maaike, Pieter, Femke, Bram"),
        _split("van der Heide, Bloemsma, Kuijpers, Tuinstra, de Wit, Zonneveld"),
        _split("1012 AB Amsterdam, 2161 AA Lisse"),
        _split("Tulpenkade, Kerkstraat"),
        _split("B.V., V.O.F."),
        {
            "plants": _split("Kwekerij, Bloembollen"),
            "technology": ("Kassenbouw",),
            "crafts": ("Tuinmeubelen",),
            "models": ("Modelspoor",),
            "scenery": ("Miniaturen",),
        },
    ),
    "GB": Country(
        "GB",
        "en",
        "+44 20",
        "GB{}",
        _split("Harriet, Callum, Imogen, Rhys, Fiona, Alasdair"),
        _split("Ashdown, Birtwhistle, Cavendish-Hobbs, MacAllister, O’Rourke, Thistlewood"),
        _split("EC1A 1BB London, EH1 1YZ Edinburgh, BA1 1LZ Bath"),
        _split("Orchard Lane, Mill Road"),
        _split("Ltd, LLP"),
        {
            "plants": _split("Nurseries, Seeds"),
            "technology": _split("Glasshouses, Irrigation"),
            "crafts": _split("Garden Pottery, Stoneworks"),
            "models": ("Model Railways",),
            "scenery": ("Scale Scenery",),
        },
        "{last} {word} {form}",
    ),
    "FR": Country(
        "FR",
        "fr",
        "+33 1",
        "FR{}",
        _split("Chloé, Rémi, Océane, Gaël, Joëlle, François"),
        _split("Beauséjour, Châtaigner, d’Aubigny, Lefèvre-Roux, Pâquerette, Théroux"),
        _split("75001 Paris, 67000 Strasbourg"),
        _split("rue des Lilas, allée du Verger"),
        _split("SARL, SAS"),
        {
            "plants": _split("Pépinières, Graines"),
            "technology": ("Serres",),
            "crafts": ("Poteries",),
            "models": ("Trains Miniatures",),
            "scenery": ("Décors",),
        },
    ),
    "GR": Country(
        "GR",
        "el",
        "+30 21",
        "EL{}",
        _split("Ελένη, Γιώργος, Μαρία"),
        _split("Ανθόπουλος, Κηπουρίδης, Λιβαδά"),
        _split("105 57 Αθήνα, 546 24 Θεσσαλονίκη"),
        _split("Οδός Κήπων, Οδός Ελαιώνα"),
        _split("Ε.Π.Ε., Α.Ε."),
        {
            "plants": ("Φυτώρια",),
            "technology": ("Θερμοκήπια",),
            "crafts": ("Κεραμικά",),
            "models": ("Μοντελισμός",),
            "scenery": ("Μακέτες",),
        },
        latin={
            "Ελένη": "eleni",
            "Γιώργος": "giorgos",
            "Μαρία": "maria",
            "Ανθόπουλος": "anthopoulos",
            "Κηπουρίδης": "kipouridis",
            "Λιβαδά": "livada",
        },
    ),
    "UA": Country(
        "UA",
        "uk",
        "+380 44",
        "00{}",
        _split("Оксана, Тарас, Соломія"),
        _split("Квітко, Садовенко, Лісничук"),
        _split("01001 Київ, 79000 Львів"),
        _split("вул. Садова, вул. Шевченка"),
        _split("ТОВ, ПП"),
        {
            "plants": ("Розсадник",),
            "technology": ("Теплиці",),
            "crafts": ("Кераміка",),
            "models": ("Моделі",),
            "scenery": ("Макети",),
        },
        "{form} «{word} {last}»",
        {
            "Оксана": "oksana",
            "Тарас": "taras",
            "Соломія": "solomiia",
            "Квітко": "kvitko",
            "Садовенко": "sadovenko",
            "Лісничук": "lisnychuk",
        },
    ),
    "JP": Country(
        "JP",
        "ja",
        "+81 3",
        "T00000{}",
        _split("花子, 健太, 美咲"),
        _split("緑川, 花田, 竹林"),
        _split("100-0001 東京, 600-8001 京都"),
        _split("青葉町, 桜通り"),
        ("株式会社",),
        {
            "plants": _split("園芸, 種苗"),
            "technology": ("温室",),
            "crafts": ("陶芸",),
            "models": ("鉄道模型",),
            "scenery": ("ジオラマ",),
        },
        "{form}{last}{word}",
        {
            "花子": "hanako",
            "健太": "kenta",
            "美咲": "misaki",
            "緑川": "midorikawa",
            "花田": "hanada",
            "竹林": "takebayashi",
        },
    ),
}
# Countries of the exhibitors, as often as they occur.
OF_EXHIBITORS = (
    *["DE"] * 11,
    *["AT"] * 3,
    *["CH"] * 2,
    *["PL"] * 2,
    *["CZ"] * 2,
    *"HU NL NL GB FR GR UA JP".split(),
)
OF_VISITORS = (*["DE"] * 20, "AT", "AT", "CH", "PL", "CZ", "NL", "GB", "FR", "HU", "GR", "UA", "JP")
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
TRIES = 30  # until a longer form of a company's name is used


class Names:
    """Invents companies and persons. No company name and no address of e-mail is used twice."""

    def __init__(self, rnd):
        self.rnd, self.companies, self.addresses = rnd, set(), {}

    def company(self, trade, code=None):
        """Return the fields of a contact or an application of a company in a trade, a key of
        GERMAN.
        """
        country = COUNTRIES[code or self.rnd.choice(OF_EXHIBITORS)]
        name, last, form = self._company_name(country, trade)
        first = self.rnd.choice(country.first)
        place = (
            name.replace(form, "") if country.latin is None else f"{country.latin[last]} {trade}"
        )
        domain = re.sub(r"[^a-z0-9]+", "-", fold(place.translate(UMLAUTS))).strip("-")
        postal_code, city = _place(self.rnd.choice(country.towns))
        return {
            "company_name": name,
            "first_name": first,
            "last_name": last,
            "country": country.code,
            "city": city,
            "postal_code": postal_code,
            "address": self._street(country),
            "email": self._address(
                f"{_latin(country, first)}.{_latin(country, last)}@{domain}.example"
            ),
            "phone": f"{country.prefix} {self.rnd.randint(100000, 999999)}",
            "website": f"https://{domain}.example",
            "tax_id": tax_id(country, self.rnd.randint(10**7, 10**8 - 1)),
        }

    def language(self, fields):
        """Return the language of a company or person: the one of its country."""
        return COUNTRIES[fields["country"]].language

    def person(self, domain="post.example", code=None):
        """Return the fields of a contact that is a person."""
        country = COUNTRIES[code or self.rnd.choice(OF_VISITORS)]
        first, last = self.rnd.choice(country.first), self.rnd.choice(country.last)
        postal_code, city = _place(self.rnd.choice(country.towns))
        return {
            "first_name": first,
            "last_name": last,
            "country": country.code,
            "city": city,
            "postal_code": postal_code,
            "email": self._address(f"{_latin(country, first)}.{_latin(country, last)}@{domain}"),
        }

    def _company_name(self, country, trade):
        """Return (name of the company, last name of its owner, legal form)."""
        for number in range(1000 * TRIES):
            last, partner, word, form = map(
                self.rnd.choice, (country.last, country.last, country.trades[trade], country.forms)
            )
            owner = last if number < TRIES or partner == last else f"{last} & {partner}"
            if number > 2 * TRIES:
                owner += f" {number // TRIES}"
            name = country.name.format(last=owner, word=word, form=form)
            if name not in self.companies:
                self.companies.add(name)
                return name, last, form
        raise AssertionError("no company name is left")

    def _street(self, country):
        street, number = self.rnd.choice(country.streets), self.rnd.randint(1, 120)
        return f"{number} {street}" if country.code in ("GB", "FR") else f"{street} {number}"

    def _address(self, address):
        """Return the address, with a number if it is taken."""
        number = self.addresses[address] = self.addresses.get(address, 0) + 1
        return address if number == 1 else address.replace("@", f"{number}@")


# country -> (digits of the number before the check digit, their weights, function of the weighted
# sum that returns the check digits, or None if the number is not in use)
CHECK_DIGITS = {
    "CH": (
        8,
        (5, 4, 3, 2, 7, 6, 5, 4),
        lambda total: {11: 0, 10: None}.get(11 - total % 11, 11 - total % 11),
    ),
    "PL": (9, (6, 5, 7, 2, 3, 4, 5, 6, 7), lambda total: None if total % 11 == 10 else total % 11),
    "CZ": (7, (8, 7, 6, 5, 4, 3, 2), lambda total: ((11 - total % 11) % 11 or 1) % 10),
    "HU": (7, (9, 7, 3, 1, 9, 7, 3), lambda total: -total % 10),
    "NL": (8, (9, 8, 7, 6, 5, 4, 3, 2), lambda total: None if total % 11 == 10 else total % 11),
    "GB": (7, (8, 7, 6, 5, 4, 3, 2), lambda total: f"{97 - total % 97:02}"),
    "GR": (8, (256, 128, 64, 32, 16, 8, 4, 2), lambda total: total % 11 % 10),
}


def tax_id(country, number):
    """Return a tax id that has the form and the check digits of the country, made from a number of
    8 digits.
    """
    if country.code == "DE":
        return country.tax_id.format(f"{number}{_mod_11_10(number)}")
    if country.code in ("AT", "FR"):
        return country.tax_id.format(_by_luhn(country.code, number))
    if country.code not in CHECK_DIGITS:
        return country.tax_id.format(number)
    size, weights, check = CHECK_DIGITS[country.code]
    digits = f"{number}{number % 7}"[:size]
    last = check(sum(weight * int(digit) for weight, digit in zip(weights, digits, strict=True)))
    return tax_id(country, number + 1) if last is None else country.tax_id.format(f"{digits}{last}")


def _mod_11_10(number):
    """Return the check digit of ISO 7064 MOD 11,10."""
    product = 10
    for digit in map(int, str(number)):
        product = 2 * ((digit + product) % 10 or 10) % 11
    return (11 - product) % 10


def _by_luhn(code, number):
    """Return the digits of an Austrian UID, or the key and the SIREN of a French VAT id."""
    digits = str(number)[-7:] if code == "AT" else str(number)
    total = sum(
        sum(divmod(int(digit) * (2 if place % 2 else 1), 10)) for place, digit in enumerate(digits)
    )
    if code == "AT":
        return f"{digits}{(6 - total) % 10}"
    siren = int(f"{digits}{-total % 10}")
    return f"{(12 + 3 * (siren % 97)) % 97:02}{siren:09}"


def _latin(country, name):
    """Return a name in the letters a to z."""
    return (
        country.latin[name]
        if country.latin
        else re.sub(r"[^a-z]+", "", fold(name.translate(UMLAUTS)))
    )


def _place(text):
    """Return (postal code, town) of a text such as "110 00 Praha"."""
    found = re.fullmatch(r"((?:[\dA-Z-]+ )+?)((?:St\. )?\S+)", text)
    return found[1].strip(), found[2]
