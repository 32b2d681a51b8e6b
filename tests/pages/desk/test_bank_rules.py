"""Bank rules at the desk: the list, the form, and what a rule has put aside."""

import html
import re

import pytest

from tests.pages.desk.test_bank_files import send
from tests.support import camt

ACCOUNT, SECOND = "DE02120300000000202051", "DE27100777770209299700"
PATH = "/payments/import/rules"
FEE = {"amount": -1290, "day": "2026-05-04", "description": "ENTGELT", "text": "Nr. 11/2026"}
POWER = {
    "amount": -5000,
    "day": "2026-05-04",
    "party": "Stadtwerke Dresden GmbH",
    "iban": "DE88100900001234567892",
    "description": "LASTSCHRIFT",
    "text": "Abschlag",
}
MONEY_IN = {"amount": 700, "day": "2026-05-04", "party": "Farn GmbH", "text": "Danke"}


def imported(office, *entries):
    """Send a statement and return the page that follows."""
    answer = send(office, camt.document([camt.statement(ACCOUNT, entries)]))
    return office.get(answer.headers["Location"].replace("../../desk", "/desk"))


def value_of(page, name):
    """Return the text of a field, or the chosen option."""
    typed = rf'<input id="f-{name}"[^>]* value="([^"]*)"|<textarea id="f-{name}"[^>]*>([^<]*)<'
    found = re.search(typed, page.text)
    if found:
        return html.unescape(found[1] or found[2] or "")
    options = re.search(rf'<select id="f-{name}".*?</select>', page.text, re.S)[0]
    return re.search(r'<option value="([^"]*)"\s+selected', options)[1]


def test_a_rule_is_made_changed_and_deleted_at_the_desk(office, organiser):
    page = office.get("/desk/money/bank/rules")
    assert "No rule yet." in page
    assert "Those that were read before stay as they are." in page
    form = office.get("/desk/edit/bank_rules")
    assert value_of(form, "direction") == "debit"
    fields = {"direction": "debit", "text": "Entgelt", "account": "", "reason": "Fee of the bank"}
    office.submit(form, "/desk/edit/bank_rules", fields)
    [rule] = organiser.data(PATH)
    assert {name: rule[name] for name in ("direction", "text", "account", "counterparty")} == {
        "direction": "debit",
        "text": "Entgelt",
        "account": None,
        "counterparty": None,
    }
    page = office.get("/desk/money/bank/rules")
    assert "Fee of the bank" in page and "Text: Entgelt" in page and "on each account" in page

    address = f"/desk/edit/bank_rules/{rule['id']}"
    form = office.get(address)
    office.submit(form, address, {**fields, "tag": tag_of(form), "account": ACCOUNT})
    assert organiser.data(PATH)[0]["account"] == ACCOUNT
    form = office.get(address)
    assert value_of(form, "account") == ACCOUNT
    assert "What the rule has put aside stays so." in form
    office.submit(form, address, {"tag": tag_of(form), "delete": "1"})
    assert organiser.data(PATH) == []


def tag_of(form):
    return html.unescape(re.search(r'name="tag" value="([^"]*)"', form.text)[1])


@pytest.mark.parametrize(
    "language, field, typed, told",
    [
        ("de", "text", "", "So würde die Regel auf fast alles passen."),
        ("en", "text", "ab", "The rule would fit nearly everything."),
        ("de", "counterparty", "DE88100900001234567893", "Diese IBAN stimmt nicht."),
        ("en", "counterparty", "DE88100900001234567893", "This IBAN is wrong."),
    ],
)
def test_a_rule_that_cannot_be_is_refused_beside_its_field(
    desk, organiser, language, field, typed, told
):
    office = desk(language=language)
    form = office.get("/desk/edit/bank_rules")
    fields = {"direction": "debit", "reason": "Fee", field: typed}
    refused = office.submit(form, "/desk/edit/bank_rules", fields, status=422)
    assert re.search(rf'<p class="fault" id="e-counterparty">{told}', refused.text)
    assert organiser.data(PATH) == []


def test_money_that_went_out_leads_to_a_rule_that_fits_it(office, organiser, app):
    app.app.settings.bank_accounts = (SECOND,)
    imported(office, POWER, FEE, MONEY_IN)
    page = office.get("/desk/money/bank")
    links = re.findall(r'edit/bank_rules\?transaction=(\d+)&amp;back=money%2Fbank"', page.text)
    debits = [row for row in organiser.data("/payments/unmatched") if row["amount"] < 0]
    assert sorted(map(int, links)) == sorted(row["id"] for row in debits)
    found = {}
    for row in debits:
        form = office.get(f"/desk/edit/bank_rules?transaction={row['id']}&back=money/bank")
        names = ("account", "direction", "counterparty", "text", "reason")
        found[row["amount"]] = [value_of(form, name) for name in names]
    assert found == {
        -50: [ACCOUNT, "debit", "Stadtwerke Dresden GmbH", "", "LASTSCHRIFT"],
        -12.9: [ACCOUNT, "debit", "", "ENTGELT", "ENTGELT"],
    }
    fields = {"account": ACCOUNT, "direction": "debit", "counterparty": "Stadtwerke Dresden GmbH"}
    office.submit(form, "/desk/edit/bank_rules", {**fields, "reason": "Power"})
    assert imported(office, {**POWER, "amount": -5100}).text.count("Put aside by rules: 1.") == 1


def test_the_form_of_a_rule_names_no_transaction_that_does_not_exist(office):
    office.get("/desk/edit/bank_rules?transaction=99", status=404)


@pytest.mark.parametrize(
    "language, counted, told, gone",
    [
        (
            "de",
            "Durch Regeln abgelegt: 1.",
            "Abgelegt durch Regel 1: Fee",
            "Abgelegt durch Regel 1, die es nicht mehr gibt: Fee",
        ),
        (
            "en",
            "Put aside by rules: 1.",
            "Put aside by rule 1: Fee",
            "Put aside by rule 1, which no longer exists: Fee",
        ),
    ],
)
def test_what_a_rule_has_put_aside_names_it_and_can_be_opened_again(
    desk, organiser, language, counted, told, gone
):
    office = desk(language=language)
    organiser.make(PATH, {"text": "Entgelt", "reason": "Fee"})
    assert counted in imported(office, FEE, POWER)
    page = office.get("/desk/money/bank?show=ignored")
    assert re.search(rf'href="[./a-z]*edit/bank_rules/1\?[^"]*"\s*>{told}</a>', page.text)
    organiser.delete(f"{PATH}/1", status=204)
    page = office.get("/desk/money/bank?show=ignored")
    assert gone in page and "edit/bank_rules/1" not in page
    [row] = organiser.data("/payments/unmatched?status=ignored")
    back = {"back": "money/bank?show=ignored"}
    office.submit(page, f"/desk/do/reopen_unmatched_payment/{row['id']}", back)
    assert organiser.data(f"/payments/unmatched/{row['id']}")["status"] == "open"


def test_who_only_reads_payments_sees_rules_and_changes_none(desk, organiser):
    organiser.make(PATH, {"text": "Entgelt", "reason": "Fee"})
    reader = desk(scopes="payments:read")
    page = reader.get("/desk/money/bank/rules")
    assert "Fee" in page and "edit/bank_rules" not in page
    reader.get("/desk/edit/bank_rules/1", status=403)


def test_what_is_put_aside_shows_its_amount(office, organiser):
    organiser.make(PATH, {"text": "Entgelt", "reason": "Fee"})
    page = imported(office, FEE, MONEY_IN)
    assert "EUR 7.00" in page
    [row] = organiser.data("/payments/unmatched?status=open")
    organiser.post(f"/payments/unmatched/{row['id']}/ignore", {"reason": "gift"}, status=200)
    page = office.get("/desk/money/bank?show=ignored")
    assert amounts_of(page) == ["−EUR 12.90", "EUR 7.00"]


def amounts_of(page):
    """Return the amounts of the transactions of the page of the bank, smallest first."""
    shown = re.findall(r'<p class="big num">\s*<b>([^<]*)</b>', page.text)
    return sorted(shown, key=lambda text: "−" not in text)
