"""The CSV files of banks that are known: which columns they have, and how they write numbers.

Names are compared in lower case and with ae, oe, ue and ss. The comment of each form says what it
is based on: bookkeeping programs in public repositories, with their test files. Banks change their
files without notice; a file that no form fits is refused.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Form:
    """The CSV of one bank, or of banks with the same computing centre.

    columns: names that must be there, which recognise the form. Every other field has the names that the column with
    its value may have, of which the first that exists is used. decimal: the decimal separator.
    pending: beginnings of `status` of rows that are not booked. booked: beginnings of `status` of those that are.
    own_state: the column with the state that the request names. own_booked: whole texts in it that mean booked.
    sign: a column with S or H. is_own: the request names the columns.
    """

    name: str
    columns: frozenset
    booked_on: tuple
    amount: tuple
    decimal: str = ","
    valued_on: tuple = ()
    debit: tuple = ()  # used where `amount` is empty
    credit: tuple = ()
    sign: tuple = ()
    currency: tuple = ()  # without it, the amounts are euros
    account: tuple = ()  # without it, an IBAN above the columns
    party: tuple = ()
    payer: tuple = ()  # the party of a credit, where payer and payee are two columns
    party_iban: tuple = ()
    party_bic: tuple = ()
    reference: tuple = ()
    end_to_end_id: tuple = ()
    mandate: tuple = ()
    bank_reference: tuple = ()
    code: tuple = ()
    status: tuple = ()
    pending: tuple = ()
    booked: tuple = ()  # if given, every other status is pending
    # (label in the text, field): what follows a label is a field of its own
    labels: tuple = field(default=())
    own_state: tuple = ()
    own_booked: tuple = ()
    is_own: bool = False


SEPA = (
    ("EREF", "end_to_end_id"),
    ("KREF", None),
    ("MREF", "mandate"),
    ("CRED", None),
    ("DEBT", None),
    ("SVWZ", "reference"),
    ("ABWA", "ultimate_party"),
    ("ABWE", None),
    ("PURP", None),
)
SEPA_LABELS = tuple((f"{name}{end}", target) for name, target in SEPA for end in ("+", ": "))

FORMS = (
    # CSV-CAMT V2 and V8 (17 columns, 18 with "Kategorie") and CSV-MT940 (11):
    # BananaAccounting/Germany with 127 real rows of 2024, nicolettas-muggelbude/RechnungsFee with
    # one file of each kind of 2025.
    Form(
        "Sparkasse",
        frozenset(("auftragskonto", "buchungstag", "valutadatum", "verwendungszweck", "betrag")),
        ("buchungstag",),
        ("betrag",),
        valued_on=("valutadatum",),
        currency=("waehrung",),
        account=("auftragskonto",),
        party=("beguenstigter/zahlungspflichtiger",),
        party_iban=("kontonummer/iban", "kontonummer"),
        party_bic=("bic (swift-code)", "blz"),
        reference=("verwendungszweck",),
        end_to_end_id=("kundenreferenz (end-to-end)",),
        mandate=("mandatsreferenz",),
        code=("buchungstext",),
        status=("info",),
        pending=("umsatz vorgemerkt",),
        labels=SEPA_LABELS,
    ),
    # 18 or 19 columns, also of GLS, Sparda, PSD and SozialBank: sercxanto/go-homebank-csv (2023),
    # RechnungsFee (2025), Schick333r/Groschen (2026).
    Form(
        "Volksbank or Raiffeisenbank",
        frozenset(
            (
                "iban auftragskonto",
                "buchungstag",
                "valutadatum",
                "name zahlungsbeteiligter",
                "verwendungszweck",
                "betrag",
            )
        ),
        ("buchungstag",),
        ("betrag",),
        valued_on=("valutadatum",),
        currency=("waehrung",),
        account=("iban auftragskonto",),
        party=("name zahlungsbeteiligter",),
        party_iban=("iban zahlungsbeteiligter",),
        party_bic=("bic (swift-code) zahlungsbeteiligter",),
        reference=("verwendungszweck",),
        mandate=("mandatsreferenz",),
        code=("buchungstext",),
        labels=SEPA_LABELS,
    ),
    # until about 2021, text of several lines, sign in a column without a name: sebwalk/statement
    # (2018), msc01/soacsv2mt940 (2021).
    Form(
        "Volksbank or Raiffeisenbank, old",
        frozenset(
            (
                "buchungstag",
                "valuta",
                "empfaenger/zahlungspflichtiger",
                "vorgang/verwendungszweck",
                "umsatz",
            )
        ),
        ("buchungstag",),
        ("umsatz",),
        valued_on=("valuta",),
        sign=("",),
        currency=("waehrung",),
        party=("empfaenger/zahlungspflichtiger",),
        party_iban=("iban",),
        party_bic=("bic",),
        reference=("vorgang/verwendungszweck",),
        labels=SEPA_LABELS,
    ),
    # also Postbank, norisbank and FYRST; before 2024 "Betrag" was empty: BananaAccounting/Germany
    # (2010, 2014, 2024), RtCryo/cash-cockpit (Postbank 2023), RechnungsFee (2026).
    Form(
        "Deutsche Bank or Postbank",
        frozenset(("buchungstag", "wert", "verwendungszweck", "soll", "haben")),
        ("buchungstag",),
        ("betrag",),
        valued_on=("wert",),
        debit=("soll",),
        credit=("haben",),
        currency=("waehrung",),
        party=("beguenstigter / auftraggeber",),
        party_iban=("iban / kontonummer", "iban"),
        party_bic=("bic",),
        reference=("verwendungszweck",),
        end_to_end_id=("kundenreferenz",),
        mandate=("mandatsreferenz",),
        code=("umsatzart",),
    ),
    # all texts in one column: tireminnanzi/HomeExp (514 real rows of 2024 and 2025), RechnungsFee;
    # with "IBAN Auftraggeberkonto" until about 2020: commerzbank-csv4gnucash.
    Form(
        "Commerzbank",
        frozenset(("buchungstag", "wertstellung", "umsatzart", "buchungstext", "betrag")),
        ("buchungstag",),
        ("betrag",),
        valued_on=("wertstellung",),
        currency=("waehrung",),
        account=("iban kontoinhaber", "iban auftraggeberkonto"),
        party=("auftraggeber / beguenstigter",),
        party_iban=("iban",),
        party_bic=("bic",),
        reference=("buchungstext",),
        code=("umsatzart",),
        labels=(
            ("End-to-End-Ref.:", "end_to_end_id"),
            ("Mandatsref:", "mandate"),
            ("Gläubiger-ID:", None),
        ),
    ),
    # sercxanto/go-homebank-csv (2023), ctheune/ynab-bank-imports; pending rows have "offen" as
    # their date.
    Form(
        "comdirect",
        frozenset(
            ("buchungstag", "wertstellung (valuta)", "vorgang", "buchungstext", "umsatz in eur")
        ),
        ("buchungstag",),
        ("umsatz in eur",),
        valued_on=("wertstellung (valuta)",),
        reference=("buchungstext",),
        code=("vorgang",),
        status=("buchungstag",),
        pending=("offen",),
        labels=(
            ("Auftraggeber:", "party"),
            ("Empfänger:", "party"),
            ("Kto/IBAN:", "party_iban"),
            ("BLZ/BIC:", "party_bic"),
            ("Buchungstext:", "reference"),
            ("End-to-End-Ref.:", "end_to_end_id"),
        ),
    ),
    # header and rows above it of a file of 2026, as a public importer describes it, and in the
    # tests of two others. The account is no IBAN, and n/a stands for an empty cell.
    Form(
        "Consorsbank",
        frozenset(
            ("buchung", "valuta", "sender / empfaenger", "verwendungszweck", "betrag", "waehrung")
        ),
        ("buchung",),
        ("betrag",),
        valued_on=("valuta",),
        currency=("waehrung",),
        party=("sender / empfaenger",),
        party_iban=("iban",),
        party_bic=("bic",),
        reference=("verwendungszweck",),
        code=("buchungstext",),
    ),
    # with and without "Saldo", "Kategorie" and "Notiz": RechnungsFee (2025), gbviktor/bankdash
    # (1,030 rows of 2026), MatWein/XMC (2020). The IBAN is above the columns; the payer's IBAN is
    # nowhere.
    Form(
        "ING",
        frozenset(
            (
                "buchung",
                "auftraggeber/empfaenger",
                "buchungstext",
                "verwendungszweck",
                "betrag",
                "waehrung",
            )
        ),
        ("buchung",),
        ("betrag",),
        valued_on=("wertstellungsdatum", "valuta"),
        currency=("waehrung",),
        party=("auftraggeber/empfaenger",),
        reference=("verwendungszweck",),
        end_to_end_id=("kundenreferenz",),
        mandate=("mandatsreferenz",),
        code=("buchungstext",),
    ),
    # since 2023; 1.000 is a thousand: hamvocke/dkb2homebank, BananaAccounting/Germany (2025),
    # milenvoutchev/2ynab.
    Form(
        "DKB",
        frozenset(
            (
                "buchungsdatum",
                "wertstellung",
                "status",
                "zahlungspflichtige*r",
                "zahlungsempfaenger*in",
                "verwendungszweck",
            )
        ),
        ("buchungsdatum",),
        ("betrag (€)", "betrag"),
        valued_on=("wertstellung",),
        party=("zahlungsempfaenger*in",),
        payer=("zahlungspflichtige*r",),
        party_iban=("iban",),
        reference=("verwendungszweck",),
        end_to_end_id=("kundenreferenz",),
        mandate=("mandatsreferenz",),
        code=("umsatztyp",),
        status=("status",),
        booked=("gebucht",),
    ),
    # until 2023: hamvocke/dkb2homebank (2018), ctheune/ynab-bank-imports.
    Form(
        "DKB, old",
        frozenset(
            (
                "buchungstag",
                "wertstellung",
                "auftraggeber / beguenstigter",
                "verwendungszweck",
                "kontonummer",
                "blz",
                "betrag (eur)",
            )
        ),
        ("buchungstag",),
        ("betrag (eur)",),
        valued_on=("wertstellung",),
        party=("auftraggeber / beguenstigter",),
        party_iban=("kontonummer",),
        party_bic=("blz",),
        reference=("verwendungszweck",),
        end_to_end_id=("kundenreferenz",),
        mandate=("mandatsreferenz",),
        code=("buchungstext",),
    ),
    # beancount importers with this header, and a specification of 2026; the second header is that
    # until 2023.
    Form(
        "N26",
        frozenset(("booking date", "partner name", "payment reference", "amount (eur)")),
        ("booking date",),
        ("amount (eur)",),
        decimal=".",
        valued_on=("value date",),
        party=("partner name",),
        party_iban=("partner iban",),
        reference=("payment reference",),
        code=("type",),
    ),
    Form(
        "N26, old",
        frozenset(("date", "payee", "account number", "payment reference", "amount (eur)")),
        ("date",),
        ("amount (eur)",),
        decimal=".",
        party=("payee",),
        party_iban=("account number",),
        reference=("payment reference",),
        code=("transaction type",),
    ),
    # with and without the columns "Empfaenger": YnabCsvConverter (2017), FinFlow. The account is no
    # IBAN.
    Form(
        "HypoVereinsbank",
        frozenset(
            ("kontonummer", "buchungsdatum", "valuta", "verwendungszweck", "betrag", "waehrung")
        ),
        ("buchungsdatum",),
        ("betrag",),
        valued_on=("valuta",),
        currency=("waehrung",),
        account=("kontonummer",),
        party=("empfaenger 1",),
        reference=("verwendungszweck",),
    ),
    # headers in the tests of two public importers; no file of a bank was at hand.
    Form(
        "Qonto",
        frozenset(
            ("status", "settlement date (utc)", "total amount (incl. vat)", "counterparty name")
        ),
        ("settlement date (utc)",),
        ("total amount (incl. vat)",),
        decimal=".",
        currency=("currency",),
        party=("counterparty name",),
        party_iban=("counterparty iban",),
        reference=("reference",),
        bank_reference=("transaction id",),
        code=("payment method",),
        status=("status",),
        booked=("settled", "completed", "executed"),
    ),
    # a file of 2026 in an issue of RechnungsFee. N/A stands for an empty cell.
    Form(
        "Finom",
        frozenset(
            (
                "buchungsdatum",
                "transaktionsart",
                "auftraggeber/empfaenger",
                "zahlungsbetrag",
                "wallet-iban",
            )
        ),
        ("buchungsdatum",),
        ("zahlungsbetrag",),
        decimal=".",
        currency=("zahlungswaehrung",),
        account=("wallet-iban",),
        party=("auftraggeber/empfaenger",),
        party_iban=("counterparty iban",),
        party_bic=("counterparty bic",),
        reference=("verwendungszweck",),
        bank_reference=("transaktions-id",),
        code=("transaktionsart",),
        status=("status",),
        booked=("completed",),
    ),
)


def normal(name):
    """Return the name of a column as forms spell it."""
    name = " ".join(name.lower().split())
    for letter, spelled in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        name = name.replace(letter, spelled)
    return name
