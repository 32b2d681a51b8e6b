"""The CSV files of banks: which columns they have, and how they write numbers.

A file is recognised by the names of its columns, unless the request names them itself (`forms_of`).
Names are compared in lower case and with ae, oe, ue and ss. The comment of each form says what it
is based on: bookkeeping programs in public repositories, with their test files. Banks change their
files without notice; a file that no form fits is refused.
"""

import re
from dataclasses import dataclass, field, replace


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

# What a row says that is booked, as `normal` returns it. A request may name further texts
# (`states`).
BOOKED = ("booked", "completed", "gebucht", "abgeschlossen")
# Beginnings of what a row says that is not. "neu" is not one of them: it also says that a row was
# not seen before.
NOT_BOOKED = (
    "pending",
    "vorgemerkt",
    "umsatz vorgemerkt",
    "offen",
    "ausstehend",
    "in bearbeitung",
    "in arbeit",
    "wartend",
    "waiting",
    "processing",
    "reverted",
    "reversed",
    "refunded",
    "returned",
    "rueckgaengig",
    "zurueck",
    "declined",
    "denied",
    "rejected",
    "abgelehnt",
    "failed",
    "fehlgeschlagen",
    "cancel",
    "storniert",
    "abgebrochen",
    "not booked",
    "nicht gebucht",
    "ungebucht",
)
NO = ("nein", "no", "n", "false", "0")  # the same in a column that is called "Gebucht"
# Columns that say so: words of their names, and beginnings and ends of words. "Kontostand" is a
# balance.
STATES = frozenset(("state", "stand", "buchungsstand", "statut"))
STATE_PARTS = re.compile("status.*|.*(?:status|zustand)")
MOST_STATES = 12  # different texts; a column with more says something else

# Field of a bank transaction, as a request names its column -> field of a Form
OWN = {
    "booked_on": "booked_on",
    "amount": "amount",
    "debit": "debit",
    "credit": "credit",
    "party": "party",
    "iban": "party_iban",
    "text": "reference",
    "end_to_end_id": "end_to_end_id",
    "currency": "currency",
    "account": "account",
    "state": "own_state",
}


def forms_of(own):
    """Return the Forms that a file may have whose columns a request names.

    `own` is {key of OWN: name}, with what it says of amounts and days ("decimal", "thousands",
    "dates", see csv_values.Finder). `states` in it are texts of the column
    `state` that mean "booked", beside BOOKED. A request that names only that column reads the file
    of a bank that is known: the form keeps its name and its texts, so that transactions that were
    read before are known.
    """
    if not names_columns(own):
        return [_with_state(form, own) for form in FORMS]
    columns = {field: normal(own[field]) for field in OWN if field in own}
    fields = {
        "booked_on": (),
        "amount": (),
        **{OWN[field]: (name,) for field, name in columns.items()},
    }
    form = Form(
        name_of(own),
        frozenset(columns.values()),
        labels=SEPA_LABELS,
        is_own=True,
        **fields,
    )
    return [_with_state(form, own) if "state" in own else form]


def names_columns(own):
    """Return whether a request names the columns of a file, and not only that of the state."""
    return own.keys() - {"state", "states"} != set()


def name_of(own):
    """Return the name of the Form of a file whose columns a request names.

    It contains the columns, so that transactions that were read with other columns count as those
    of another format: their texts differ, and they are not recognised as the same. The state
    changes no text, so it is left out.
    """
    named = [field for field in OWN if field in own and field != "state"]
    return "CSV with " + ", ".join(f"{field}={normal(own[field])}" for field in named)


def _with_state(form, own):
    """Return the form with the column of the state that the request names, which may be that of the
    form itself.
    """
    column = normal(own["state"])
    if column in form.status:
        form = replace(form, status=(), booked=(), pending=())
    return replace(
        form, columns=form.columns | {column}, own_state=(column,), own_booked=booked_of(own)
    )


def booked_of(own):
    """Return the texts of the column `state` that mean booked."""
    return (*BOOKED, *map(normal, own.get("states", ())))


def state_columns(names, form):
    """Return the names of the columns that look like the state of the rows, none if the form reads
    a state already.

    `names` are those of the file, already normal. What stands behind a bracket is an explanation:
    "Status (Bank)".
    """
    if form.status or form.own_state:
        return []
    return [name for name in dict.fromkeys(names) if name not in form.columns and _is_state(name)]


def _is_state(name):
    words = list(filter(None, re.split("[^a-z]+", name.partition("(")[0])))
    last = words[-1] if words else ""
    return name in BOOKED or last in STATES or bool(STATE_PARTS.fullmatch(last))


def unbooked(column, texts):
    """Return those of the different texts of a column that seem to say that a row is not booked.

    There is none unless a text is known to say so, or some rows are booked and others are not: the
    column of a mandate or of an export says something else.
    """
    states = [normal(text) for text in texts]
    says_pending = any(
        state.startswith(NOT_BOOKED) or (column in BOOKED and state in NO) for state in states
    )
    says_booked = any(state in BOOKED for state in states)
    if len(states) > MOST_STATES or not (says_pending or says_booked):
        return []
    return [text for text, state in zip(texts, states, strict=True) if state not in BOOKED]


def normal(name):
    """Return the name of a column as forms spell it."""
    name = " ".join(name.lower().split())
    for letter, spelled in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        name = name.replace(letter, spelled)
    return name


def form_of(names, forms=FORMS):
    """Return the Form of a file with these columns, already normal, or None.

    Named columns must each be there once.
    """
    return next(
        (
            form
            for form in forms
            if form.columns <= set(names)
            and not any(
                names.count(column) > 1
                for column in (form.columns if form.is_own else form.own_state)
            )
        ),
        None,
    )
