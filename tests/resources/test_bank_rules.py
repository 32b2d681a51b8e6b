"""Bank rules: new transactions that fit one are put aside, unless a person has to look at them."""

import json

import pytest

from eventapi.domain.bank import fitting
from tests.support import camt

ACCOUNT, DOLLARS = "DE02120300000000202051", "DE27100777770209299700"
ROSEN, WATER = "DE75512108001245126199", "DE88100900001234567892"
PATH = "/payments/import/rules"
FEE = {"amount": -1290, "text": "Entgeltabschluss 11/2026"}


@pytest.fixture(autouse=True)
def two_accounts(app):
    app.app.settings.bank_accounts = (DOLLARS,)


@pytest.fixture
def rule(organiser):
    """Return a function that creates a rule."""

    def make(**fields):
        return organiser.make(PATH, {"reason": "Fee of the bank", **fields})

    return make


@pytest.fixture
def bank(organiser):
    """Return a function that imports entries with `auto=exact` and returns the result."""

    def imported(*entries, account=ACCOUNT, **query):
        whole = [{"day": "2026-05-04", **entry} for entry in entries]
        data = camt.document([camt.statement(account, whole)])
        text = "&".join(f"{name}={value}" for name, value in {"auto": "exact", **query}.items())
        response = organiser(
            "POST",
            f"/payments/import?{text}",
            raw=data,
            headers={"Content-Type": "application/xml"},
        )
        assert response.status_int in (200, 201), response.text[:800]
        return response.json["data"]

    return imported


@pytest.fixture
def invoice(organiser):
    """Return a function that sends an invoice over this total to Rosen Tantau KG."""
    buyer = organiser.make(
        "/contacts",
        {
            "company_name": "Rosen Tantau KG",
            "address": "Weg 1",
            "postal_code": "25436",
            "city": "Uetersen",
            "country": "DE",
        },
    )

    def make(number, total):
        line = {"description": "Stand", "quantity": 1, "unit_price": total, "tax_rate": 0}
        draft = organiser.make(
            "/invoices",
            {
                "contact_id": buyer["id"],
                "invoice_number": number,
                "issue_date": "2026-04-01",
                "items": [{**line, "tax_category": "Z"}],
            },
        )
        return organiser.post(f"/invoices/{draft['id']}/send", {}, status=200).json["data"]

    return make


def all_of(client, status):
    return client.data(f"/payments/unmatched?status={status}&sort=id&order=ASC&per_page=100")


def states(client):
    """Return (amount, rule) of all transactions that are put aside, and the amounts of the open ones."""
    aside = [(row["amount"], row["rule_id"]) for row in all_of(client, "ignored")]
    return aside, [row["amount"] for row in all_of(client, "open")]


# What is put aside


def test_a_debit_that_fits_is_put_aside_with_the_reason_and_the_rule(organiser, rule, bank):
    made = rule(text="entgelt")
    assert made["direction"] == "debit"
    assert (made["account"], made["counterparty"]) == (None, None)
    result = bank(FEE, {"amount": -500, "text": "Miete"})
    assert [result[name] for name in ("imported", "put_aside", "unmatched")] == [2, 1, 1]
    (aside,) = all_of(organiser, "ignored")
    assert (aside["amount"], aside["ignored_reason"], aside["rule_id"]) == (
        -12.9,
        "Fee of the bank",
        made["id"],
    )
    (left,) = all_of(organiser, "open")
    assert (left["amount"], left["rule_id"]) == (-5, None)


def test_money_that_comes_in_is_put_aside_only_by_a_rule_that_says_credit(organiser, rule, bank):
    interest = {"amount": 321, "text": "Zinsen 2026"}
    rule(text="Zinsen")
    assert bank(interest)["put_aside"] == 0
    made = rule(text="Zinsen", direction="credit")
    result = bank({**interest, "amount": 654}, {**interest, "amount": -987})
    assert result["put_aside"] == 2
    assert states(organiser) == ([(6.54, made["id"]), (-9.87, 1)], [3.21])


def test_what_names_an_invoice_is_never_put_aside(organiser, rule, bank, invoice):
    invoice("R-2026-00017", 119)
    rule(text="Danke", direction="credit")
    rule(text="Danke")
    result = bank(
        {"amount": 5000, "text": "Danke fuer R-2026-00017"},
        {"amount": -5000, "text": "Danke fuer r 2026 17"},
        {"amount": 5000, "text": "Danke fuer alles"},
    )
    assert result["put_aside"] == 1
    assert states(organiser) == ([(50, 1)], [50, -50])


@pytest.mark.parametrize(
    "payer",
    [
        {"party": "ROSEN TANTAU KG"},
        {"party": "Rosen Tantau"},
        {"party": "Herr Muster c/o Rosen Tantau KG Uetersen"},
        {"party": "Muster", "iban": ROSEN},
    ],
    ids=["name", "part", "within", "account"],
)
def test_what_comes_from_a_customer_with_open_items_is_never_put_aside(
    organiser, rule, bank, invoice, payer
):
    invoice("R-2026-00016", 50)
    bank({"amount": 5000, "party": "Tantau", "iban": ROSEN, "text": "R-2026-00016"})
    rule(text="Spende", direction="credit")
    assert bank({"amount": 700, "text": "Spende", **payer})["put_aside"] == 1, "nothing is open"
    invoice("R-2026-00017", 119)
    result = bank({"amount": 800, "text": "Spende", **payer}, {"amount": 900, "text": "Spende"})
    assert result["put_aside"] == 1
    assert states(organiser) == ([(7, 1), (9, 1)], [8])


@pytest.mark.parametrize(
    "entry",
    [
        {"party": "Tantau, Rosen"},
        {"party": "TANTAU ROSEN BAUMSCHULE"},
        {"party": "Rosen Tantau Kommanditgesellschaft"},
        {"party": "Die Rosen von Tantau GmbH & Co. KG"},
        {"text": "Gutschrift ROSEN TANTAU KG Uetersen, Stand"},
        {"text": None, "description": "Gutschrift Tantau Rosen KG"},
    ],
    ids=["turned", "turned with more", "legal form", "between", "in text", "in description"],
)
def test_a_customer_is_known_in_other_spellings_and_in_the_text(rule, bank, invoice, entry):
    invoice("R-2026-00017", 119)
    rule(text="Gutschrift", direction="credit")
    transfer = {"amount": 800, "text": "Gutschrift", **entry}
    assert bank(transfer)["put_aside"] == 0


@pytest.mark.parametrize(
    "entry",
    [
        {"party": "Rosen Kunze KG"},
        {"party": "Gärtnerei GmbH & Co. KG"},
        {"text": "Gutschrift für Rosen"},
        {"text": "Gutschrift KG"},
    ],
    ids=["other name", "legal form only", "one word in text", "legal form in text"],
)
def test_who_shares_only_a_word_with_a_customer_is_put_aside(rule, bank, invoice, entry):
    invoice("R-2026-00017", 119)
    rule(text="Gutschrift", direction="credit")
    assert bank({"amount": 800, "text": "Gutschrift", **entry})["put_aside"] == 1


def test_money_in_of_the_amount_of_an_open_invoice_is_never_put_aside(
    organiser, rule, bank, invoice
):
    invoice("R-2026-00017", 119)
    rule(text="Spende", direction="credit")
    entries = [{"amount": amount, "party": "Muster", "text": "Spende"} for amount in (11900, 11901)]
    assert bank(*entries, dry_run="true")["put_aside"] == 1
    assert bank(*entries)["put_aside"] == 1
    assert states(organiser) == ([(119.01, 1)], [119])


def test_what_takes_an_earlier_transfer_back_is_never_put_aside(organiser, rule, bank):
    rule(text="Farn", direction="debit")
    transfer = {"party": "Farn GmbH", "iban": WATER, "end_to_end_id": "E-1", "text": "Farn"}
    bank({"amount": 4000, **transfer})
    entries = (
        {"amount": -700, "text": "Farn", "is_reversal": True},
        {"amount": -800, "text": "Farn", "reason": "AC01"},
        {"amount": -900, **transfer},
        {"amount": 900, **transfer},
        {"amount": -1000, "text": "Farn"},
        {"amount": -4000, **transfer},
    )
    assert bank(*entries, auto="none", dry_run="true")["put_aside"] == 1
    assert bank(*entries, auto="none")["put_aside"] == 1
    assert states(organiser) == ([(-10, 1)], [40, -7, -8, -9, 9, -40])


def test_the_same_file_in_a_dry_run_counts_what_an_import_puts_aside(
    organiser, rule, bank, invoice
):
    invoice("R-2026-00017", 119)
    rule(text="Entgelt")
    rule(text="Danke", direction="credit")
    entries = (
        FEE,
        {"amount": 5000, "text": "Danke fuer R-2026-00017"},
        {"amount": 600, "text": "Danke"},
        {"amount": 700, "text": "Danke", "party": "Rosen Tantau"},
        {"amount": 11900, "text": "R-2026-00017"},
    )
    names = ("imported", "put_aside", "booked", "proposed", "unmatched")
    tried = bank(*entries, dry_run="true")
    assert [tried[name] for name in names] == [5, 2, 1, 1, 1]
    assert states(organiser) == ([], [])
    done = bank(*entries)
    assert {name: done[name] for name in names} == {name: tried[name] for name in names}
    assert [bank(*entries, dry_run="true")[name] for name in ("known", "put_aside")] == [5, 0]


def test_reopen_undoes_it_and_the_next_import_leaves_it_open(organiser, rule, bank):
    rule(text="Entgelt")
    bank(FEE)
    (aside,) = all_of(organiser, "ignored")
    reopened = organiser.post(f"/payments/unmatched/{aside['id']}/reopen", {}, status=200)
    shown = reopened.json["data"]
    assert [shown[name] for name in ("status", "ignored_reason", "rule_id")] == ["open", None, None]
    again = bank(FEE)
    assert [again[name] for name in ("known", "put_aside", "unmatched")] == [1, 0, 1]
    assert states(organiser) == ([], [-12.9])
    path = f"/payments/unmatched/{aside['id']}/ignore"
    by_hand = organiser.post(path, {"reason": "Mine"}, status=200).json["data"]
    assert (by_hand["ignored_reason"], by_hand["rule_id"]) == ("Mine", None)


def test_a_rule_changes_nothing_that_was_imported_before_it(organiser, rule, bank):
    bank(FEE)
    rule(text="Entgelt")
    assert bank(FEE, {"amount": -1, "text": "Entgelt"})["put_aside"] == 1
    assert states(organiser) == ([(-0.01, 1)], [-12.9])


def test_what_a_deleted_rule_has_put_aside_stays_so_and_keeps_its_id(organiser, rule, bank):
    made = rule(text="Entgelt")
    bank(FEE)
    organiser.delete(f"{PATH}/{made['id']}", status=204)
    organiser.get(f"{PATH}/{made['id']}", status=404)
    assert bank({**FEE, "amount": -2})["put_aside"] == 0
    assert states(organiser) == ([(-12.9, made["id"])], [-0.02])
    assert rule(text="Entgelt")["id"] != made["id"], "an id is given once"


def test_a_changed_rule_puts_aside_what_fits_it_now(organiser, rule, bank):
    path = f"{PATH}/{rule(text='Entgelt')['id']}"
    changed = organiser.patch(path, {"text": "Miete", "reason": "Rent"}, status=200).json["data"]
    assert (changed["text"], changed["reason"], changed["direction"]) == ("Miete", "Rent", "debit")
    bank(FEE, {"amount": -500, "text": "Miete"})
    assert states(organiser) == ([(-5, 1)], [-12.9])
    assert all_of(organiser, "ignored")[0]["ignored_reason"] == "Rent"


def test_of_two_rules_that_fit_the_first_counts(organiser, rule, bank):
    rule(text="Entgeltabschluss", account=DOLLARS)
    first = rule(text="Abschluss Entgelt", counterparty="Sparkasse")
    second = rule(text="Entgelt")
    bank({**FEE, "party": "Sparkasse"}, {**FEE, "text": "Entgelt Abschluss", "party": "Sparkasse"})
    assert states(organiser)[0] == [(-12.9, second["id"]), (-12.9, first["id"])]


def test_a_rule_of_an_account_fits_only_its_transactions(organiser, rule, bank):
    made = rule(text="Entgelt", account="de27 1007 7777 0209 2997 00")
    assert made["account"] == DOLLARS
    assert bank(FEE)["put_aside"] == 0
    assert bank(FEE, account=DOLLARS)["put_aside"] == 1


# Words


@pytest.mark.parametrize(
    "fields, entry",
    [
        ({"text": "gebuehr"}, {"text": "GEBÜHREN Q4"}),
        ({"text": "Gebühr"}, {"text": "Kontogebuehr GEBUEHR"}),
        ({"text": "straße"}, {"text": "STRASSENREINIGUNG"}),
        ({"text": "abschl konto"}, {"text": "Konto 12: Abschluss"}),
        ({"text": "Abschluss"}, {"text": None, "description": "ABSCHLUSS"}),
        ({"counterparty": "müller"}, {"party": "Bäckerei MUELLER & Söhne"}),
        ({"counterparty": "Stadtw Dresden"}, {"party": "Stadtwerke Dresden GmbH"}),
        ({"counterparty": "DE88 1009 0000 1234 5678 92"}, {"iban": WATER}),
        ({"counterparty": "de88100900001234567892", "text": "Abschlag"}, {"iban": WATER}),
    ],
)
def test_words_fit_by_their_beginnings_whatever_their_case_and_umlauts(rule, bank, fields, entry):
    rule(**fields)
    assert bank({"amount": -100, "text": "Abschlag", **entry})["put_aside"] == 1


@pytest.mark.parametrize(
    "fields, entry",
    [
        ({"text": "schluss"}, {"text": "Abschluss"}),
        ({"text": "Abschluss Konto"}, {"text": "Abschluss"}),
        ({"text": "Abschlag schluss"}, {"text": "Abschlag Abschluss"}),
        ({"text": "Abschlüsse"}, {"text": "Abschluss"}),
        ({"text": "Stadtwerke"}, {"party": "Stadtwerke"}),
        ({"counterparty": "Abschlag"}, {"party": "Stadtwerke"}),
        ({"counterparty": "Stadtwerke", "text": "Strom"}, {"party": "Stadtwerke"}),
        ({"counterparty": WATER}, {"iban": ROSEN}),
        ({"counterparty": WATER, "text": "Strom"}, {"iban": WATER}),
    ],
)
def test_other_words_and_accounts_do_not_fit(rule, bank, fields, entry):
    rule(**fields)
    assert bank({"amount": -100, "text": "Abschlag", **entry})["put_aside"] == 0


def test_a_name_that_only_resembles_an_iban_is_a_name(rule, bank):
    made = rule(counterparty="AB12 Consulting")
    assert made["counterparty"] == "AB12 Consulting"
    assert bank({"amount": -100, "party": "AB12 Consulting GmbH"})["put_aside"] == 1


# Refusals


@pytest.mark.parametrize(
    "fields, pointer, code, says",
    [
        ({}, "/counterparty", "fits_everything", "Send an IBAN, or a word of at least 3"),
        ({"text": "ab"}, "/counterparty", "fits_everything", '`text` is "ab"'),
        ({"text": "--- !!"}, "/counterparty", "fits_everything", "`counterparty` is null"),
        ({"counterparty": WATER, "text": "?"}, "/text", "fits_everything", "Send a word, or null"),
        ({"counterparty": "&", "text": "Strom"}, "/counterparty", "fits_everything", "letter"),
        ({"counterparty": f"{WATER[:-1]}3"}, "/counterparty", "iban", "words of the name"),
        ({"text": "Strom", "account": ROSEN}, "/account", "unknown_account", ACCOUNT),
    ],
)
def test_a_rule_that_fits_everything_or_cannot_fit_is_refused(
    organiser, fields, pointer, code, says
):
    problem = organiser.post(PATH, {"reason": "Fee", **fields}, status=422).json
    (error,) = problem["errors"]
    assert (error["pointer"], error["code"]) == (pointer, code)
    assert says in error["detail"]
    assert organiser.data(PATH) == []


def test_a_change_that_would_fit_everything_is_refused(organiser, rule):
    made = rule(text="Entgelt")
    path = f"{PATH}/{made['id']}"
    problem = organiser.patch(path, {"text": None}, status=422).json
    assert problem["errors"][0]["code"] == "fits_everything"
    assert organiser.data(path) == made


def test_a_rule_of_an_account_that_is_no_longer_ours_can_still_change(organiser, rule, app):
    made = rule(text="Entgelt", account=DOLLARS)
    app.app.settings.bank_accounts = ()
    path = f"{PATH}/{made['id']}"
    assert organiser.patch(path, {"text": "Zinsen"}, status=200).json["data"]["text"] == "Zinsen"
    organiser.patch(path, {"account": ACCOUNT}, status=200)
    organiser.patch(path, {"account": DOLLARS}, status=422)


def test_rules_need_the_scope_for_payments(person, rule):
    rule(text="Entgelt")
    reader, other = person("payments:read"), person("invoices")
    assert [made["text"] for made in reader.data(PATH)] == ["Entgelt"]
    reader.post(PATH, {"reason": "Fee", "text": "Entgelt"}, status=403)
    other.get(PATH, status=403)


# The audit log, and many at once


def test_each_transaction_that_is_put_aside_has_an_audit_entry_with_the_rule(organiser, rule, bank):
    made = rule(text="Entgelt")
    bank(FEE, {**FEE, "amount": -2}, {"amount": -3, "text": "Miete"})
    entries = organiser.data("/audit-log?entity_type=bank_transaction&order=ASC")
    aside = [row["id"] for row in all_of(organiser, "ignored")]
    assert [(entry["action"], entry["entity_id"]) for entry in entries] == [
        ("ignored", id) for id in aside
    ]
    assert [entry["new_values"]["rule_id"] for entry in entries] == [made["id"]] * 2
    assert "Entgelt" not in json.dumps(entries), "the texts of payers are not in it"


def test_changes_of_a_rule_are_in_the_audit_log_and_in_the_events(organiser, rule, db):
    path = f"{PATH}/{rule(text='Entgelt')['id']}"
    organiser.patch(path, {"text": "Zinsen"}, status=200)
    organiser.delete(path, status=204)
    entries = organiser.data("/audit-log?entity_type=bank_rule&order=ASC")
    assert [entry["action"] for entry in entries] == ["created", "updated", "deleted"]
    names = db.connection.execute("SELECT name FROM outgoing_events ORDER BY id")
    assert [name for (name,) in names] == [
        "bank_rule.created",
        "bank_rule.updated",
        "bank_rule.deleted",
    ]


def test_a_transaction_is_compared_with_few_of_a_thousand_rules(monkeypatch):
    compared = []
    fits = fitting.Rule.fits

    def counting(self, *arguments):
        compared.append(self.id)
        return fits(self, *arguments)

    monkeypatch.setattr(fitting.Rule, "fits", counting)
    rows = [
        {
            "id": number,
            "account": None,
            "direction": "debit",
            "counterparty": f"Lieferant Nr{number:04} GmbH",
            "text": None,
            "reason": "Known",
        }
        for number in range(1, 1001)
    ]
    rules = fitting.Rules(rows)
    entry = {"account": ACCOUNT, "amount": -1, "iban": None, "text": None, "description": None}
    found = rules.first({**entry, "party": "LIEFERANT NR0500 GmbH", "ultimate_party": None})
    assert found.id == 500
    assert compared == [500]


def test_an_import_reads_the_rules_once_however_many_pieces_it_writes(
    organiser, rule, bank, monkeypatch
):
    made = []
    read = fitting.Rules
    monkeypatch.setattr(
        "eventapi.domain.bank.putting_aside.Rules", lambda rows: made.append(1) or read(rows)
    )
    monkeypatch.setattr("eventapi.domain.bank.importing.STORED", (1, 1))
    rule(text="Entgelt")
    assert bank(*({**FEE, "amount": -number} for number in range(1, 6)))["put_aside"] == 5
    assert made == [1]
