"""A show of sixty exhibitors by the desk alone: somebody who knows no more than the pages show, in
the order of docs/guides/first-show.md.
"""

import re
from datetime import datetime, timedelta

import pytest

from eventapi import times
from eventapi.domain.access import api_keys, people
from eventapi.domain.upkeep import housekeeping
from eventapi.plugins import sessions as plugin
from eventapi.web.html import tokens
from eventapi.worker.mail import message as mail_message
from tests.pages.conftest import Visitor
from tests.support import camt
from tests.support.page_reader import Reader, forms_of

CONFIGURED = {
    "base_url": "http://localhost",
    "smtp_host": "localhost",
    "smtp_sender": "office@messe.test",
}
COMPANIES = [f"Company {number:02}" for number in range(60)]
FORM = "/e/garden-fair-2027/apply"


@pytest.fixture
def clerk(app, db, settings, monkeypatch):
    """Somebody of the office, signed in by a link of the administrator, on a server that is set up."""
    for name, value in CONFIGURED.items():
        monkeypatch.setattr(settings, name, value)
    monkeypatch.setattr(tokens, "YOUNGEST", 0)  # forms are sent at once,
    monkeypatch.setattr(plugin, "PER_MINUTE", 1000)  # and a working day takes seconds
    with db.write():
        admin = api_keys.add_admin(db, "Ada Lovelace", "ada@messe.test")
    clerk = Reader(*forms_of(Visitor(app)))
    clerk.admin = admin
    signed_in(clerk, db)
    return clerk


def signed_in(clerk, db):
    housekeeping.record_heartbeat(db)
    with db.write():
        secret = people.make_link(db, clerk.admin, list(api_keys.SCOPES))
    clerk.open(f"/link/{secret}")
    assert "To do" in clerk.press("Sign in to the office")


def later(monkeypatch, days):
    now = times.text(datetime.fromisoformat(times.now()) + timedelta(days=days))
    monkeypatch.setattr(times, "now", lambda: now)


def test_a_show_of_sixty_exhibitors_runs_until_the_last_invoice_is_paid(
    clerk, app, db, monkeypatch
):
    set_up(clerk)
    for company in COMPANIES:
        apply(app, db, company)
    approve(clerk)
    give_out_booths(clerk)
    take_an_order(clerk)
    bill(clerk)
    owed = invoices(clerk)
    assert len(owed) == 60 and sum(amount == 121380 for _, amount in owed.values()) == 59
    print_badges(clerk)
    receive_money(clerk, owed)
    later(monkeypatch, 30)
    signed_in(clerk, db)
    remind_and_close(clerk, db)


def set_up(clerk):
    clerk.follow("New event")
    clerk.press(
        "Save",
        {
            "Title": "Garden Fair",
            "First day": "2027-05-01",
            "Last day": "2027-05-03",
            "Venue": "Fair ground",
            "City": "Leipzig",
            "Country": "Germany",
            "Day": ["2027-05-01", "2027-05-02"],
            "From": ["09:00", "09:00"],
            "To": ["18:00", "16:00"],
        },
    )
    clerk.follow("Set up")
    clerk.follow("Next: Categories")
    clerk.follow("New category")
    clerk.press("Save", {"Title": "Plants", "Price (net)": "300"})
    clerk.follow("Set up")
    clerk.follow("Next: Booths and prices")
    clerk.follow("New booth type")
    clerk.press(
        "Save",
        {"Name": "Row", "The price is": "per square metre", "Price (net)": "80", "Open sides": "1"},
    )
    clerk.follow("Set up")
    clerk.follow("Next: Halls")
    clerk.follow("New hall")
    clerk.press("Save", {"Name of the hall": "Hall 1", "Width (m)": "60", "Depth (m)": "40"})
    said = clerk.press(
        "Place the rows",
        {
            "First number": ["A1", "B1", "C1"],
            "Count": ["12", "12", "6"],
            "from the left (m)": ["2", "2", "2"],
            "from the top (m)": ["2", "14", "26"],
            "Booth type": ["Row", "Row", "Row"],
            "Back to back": [True, True, True],
        },
    )
    assert "The booths are placed." in said and "C12" in said
    clerk.follow("Set up")
    clerk.follow("Services")
    clerk.follow("New service")
    clerk.press("Save", {"Name": "Power 3 kW", "Price (net)": "185", "Stock": "100"})
    clerk.follow("Set up")
    clerk.follow("Documents")
    clerk.follow("New submission")
    clerk.press(
        "Save",
        {"Title": "Logo", "What is submitted": "file", "File extensions, one per line": "png\nsvg"},
    )
    clerk.follow("Set up")
    clerk.follow("Dunning levels")
    clerk.follow("New dunning level")
    clerk.press(
        "Save",
        {"Name": "First letter", "Days after the due date": "20", "New deadline in days": "10"},
    )
    clerk.follow("Set up")
    clerk.follow("Next: Website")
    assert "The pages are public" in clerk.press("Save", {"Public": True})
    clerk.follow("Application form")
    assert "terms for exhibitors" in clerk.text
    clerk.follow("Texts and terms")
    clerk.press("Save", {"English": ["", "", "Booths are paid in advance."]})
    clerk.follow("Application form")
    assert "The terms for exhibitors are missing" not in clerk.text
    assert "Saved." in clerk.press("Save", {"The form is open": True})
    assert "8 of 10 steps done." in clerk.follow("Set up")


def apply(app, db, company):
    """Apply by the public form, and confirm the address with the link in the mail."""
    visitor = Visitor(app)
    token = re.search(r'name="token" value="([^"]+)"', visitor.get(FORM).text)[1]
    visitor.post(
        FORM,
        {
            "token": token,
            "company_name": company,
            "first_name": "Rosa",
            "last_name": "Gärtner",
            "address": "Weg 1",
            "postal_code": "04109",
            "city": "Leipzig",
            "country": "DE",
            "email": f"info@{company.lower().replace(' ', '')}.example",
            "category": "plants",
            "terms": "1",
        },
        200,
    )
    cursor = db.connection.execute("SELECT * FROM mails ORDER BY id DESC LIMIT 1")
    mail = dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))
    text = mail_message.build(db, mail)[1].decode().replace("=\r\n", "")
    address = re.search(r"/link/evl_[\w-]{32}", text)[0]
    form = re.findall(r'name="([^"]+)" value="([^"]*)"', visitor.get(address).text)
    visitor.post(address, dict(form))


def approve(clerk):
    """Approve the applications, the oldest ten at a time."""
    clerk.follow("Today")
    clerk.follow("Applications to decide")
    for start in range(0, 60, 10):
        ten = COMPANIES[start : start + 10]
        assert [row[1].startswith(name) for row, name in zip(clerk.rows(), ten, strict=False)] == [
            True
        ] * 10
        clerk.tick(*ten)
        assert "Trial: 10 are possible, 0 are not." in clerk.press("Approve")
        assert "10 applications are approved." in clerk.press("Approve (10)")
        clerk.follow("Back")
    assert "No applications in this selection." in clerk.text


def give_out_booths(clerk):
    """Hold a booth for each exhibitor on its page, and confirm all holds."""
    booths = [
        f"{row}{number}"
        for row, last in (("A", 24), ("B", 24), ("C", 12))
        for number in range(1, last + 1)
    ]
    clerk.follow("Exhibitors")
    tabs = [clerk.address(company) for company in COMPANIES[:50]]
    clerk.follow("next")
    tabs += [clerk.address(company) for company in COMPANIES[50:]]
    for tab, booth in zip(tabs, booths, strict=True):
        clerk.open(tab)
        assert f"Booth {booth.partition(' ')[0]} is held." in clerk.press(
            "Hold", {"Free booth": booth}
        )
    clerk.follow("Hall plan")
    clerk.follow("Holds")
    clerk.follow("All")
    clerk.press("Confirm")
    assert "60 holds are confirmed." in clerk.press("Confirm (60)")


def take_an_order(clerk):
    clerk.follow("Exhibitors")
    clerk.press("Search", {"Name, company or badge": "Company 03"})
    clerk.follow("Company 03")
    clerk.follow("New order")
    assert "Company 03" in clerk.text
    clerk.press("Save", {"Service": "Power 3 kW", "Quantity": "2"})
    clerk.press("Submit the order")
    assert "2 × Power 3 kW" in clerk.press("Confirm the order")


def bill(clerk):
    """Write the invoices of all exhibitors, and send thirty at a time."""
    for page, count in ((), 50), (("next",), 10):
        clerk.follow("Exhibitors")
        for link in page:
            clerk.follow(link)
        clerk.follow("All", within="Invoiced")
        clerk.press("Write the invoice")
        assert f"{count} invoices are written, " in clerk.press(f"Write the invoice ({count})")
    for _ in range(2):
        clerk.follow("Money")
        clerk.tick(*[row[1] for row in clerk.rows()[:30]])
        assert "Trial: 30 are possible, 0 are not." in clerk.press("Send")
        assert "30 invoices are sent, " in clerk.press("Send (30)")
    clerk.follow("Money")
    assert "No draft waits." in clerk.text


def invoices(clerk):
    """Return company -> (number, cents) of the open invoices in the list."""
    clerk.follow("Money")
    clerk.follow("Open")
    found = clerk.rows()
    clerk.follow("next")
    return {row[1]: (row[0], int(re.sub(r"\D", "", row[5]))) for row in found + clerk.rows()}


def print_badges(clerk):
    clerk.follow("Visitors")
    clerk.follow("Print")
    clerk.follow("Sheets (PDF)", within="exhibitor")
    assert (
        clerk.response.body.startswith(b"%PDF") and clerk.response.content_type == "application/pdf"
    )
    clerk.open("/desk/")


def receive_money(clerk, owed):
    """Upload the statement of the bank: 58 name their invoice, one names nothing, one does not pay."""
    today = times.today("Europe/Berlin")
    entries = [
        {
            "amount": cents,
            "day": today,
            "party": company,
            "text": number if company != "Company 58" else "Danke",
        }
        for company, (number, cents) in owed.items()
        if company != "Company 59"
    ]
    clerk.follow("Money")
    clerk.follow("Bank")
    said = clerk.press(
        "Read",
        file=("statement.xml", camt.document([camt.statement("DE02120300000000202051", entries)])),
    )
    assert "Read: 59 new transactions" in said and "Booked: 58." in said
    assert "The transaction is assigned." in clerk.press("Assign", within=owed["Company 58"][0])
    assert "No transaction in this selection." in clerk.text


def remind_and_close(clerk, db):
    """Remind the one who is late, see the letter that would follow, and record the payment by hand."""
    clerk.follow("Invoice overdue")
    assert [row[2] for row in clerk.rows()] == ["Company 59"]
    clerk.follow("All", within="Invoice")
    clerk.press("Remind")
    assert "1 reminder is on its way, " in clerk.press("Remind (1)")
    assert db.connection.execute(
        "SELECT count(*) FROM mails WHERE kind = 'invoice_reminder'"
    ).fetchone() == (1,)
    clerk.follow("Money")
    clerk.follow("Overdue")
    clerk.follow(clerk.rows()[0][1])
    clerk.press("Record a payment", within="Amount")
    assert "paid" in clerk.text
    clerk.follow("Money")
    assert "No open invoice." in clerk.follow("Open")
    clerk.follow("Paid")
    assert "60 invoices" in clerk.text
    assert "Mails wait" in clerk.follow("Today"), "no worker has sent them"
    db.connection.execute("UPDATE mails SET state = 'sent'")
    assert "Nothing waits." in clerk.follow("Today")
