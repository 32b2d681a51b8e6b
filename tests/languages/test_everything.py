"""Everything that is written for people, from the same data in each language, has no word, date or
amount of the other.

The data of the show consists of words that are in no language, so that all words of a text come
from the product.
"""

import html
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest

from eventapi.domain.billing import drafts
from eventapi.domain.entrance import badges
from eventapi.domain.mail import words as mail_words
from eventapi.domain.newsletter import subscriptions as newsletter
from eventapi.domain.newsletter import tokens as newsletter_tokens
from eventapi.domain.reports import words as report_words
from eventapi.domain.reports.catalogue import REPORTS
from eventapi.languages import countries, names
from eventapi.pictures import badge
from eventapi.pictures import words as invoice_words
from eventapi.pictures.charts import panels
from eventapi.pictures.hall import sheet as hall
from eventapi.worker.mail import job

pytest.importorskip("reportlab")
pytest.importorskip("aiosmtpd")
from tests.support.mail_server import Inbox, Server

pytestmark = pytest.mark.skipif(
    not shutil.which("pdftotext"), reason="pdftotext (poppler-utils) is not installed"
)

TABLES = (
    mail_words.WORDS,
    invoice_words.WORDS,
    hall.WORDS,
    badge.WORDS,
    panels.WORDS,
    report_words.TEXTS,
)
NAMED = (report_words.NAMES, names.ROLES, names.STATUSES, names.UNITS, names.TRUTH, countries.NAMES)
# Words that native texts contain, whether or not a table has them.
TYPICAL = {
    "en": """the of and or for with from by you your we our this that is are was were has have been will would not no
        please if to on at as an be it its invoice credit note draft copy number date due service total amount paid open
        tax rate price unit piece quantity discount net booth hall plan sold reserved available blocked exhibitor
        visitor speaker badge event days day month week year country germany austria january february march april may
        june july august september october november december dear kind regards unsubscribe subscribe subscription
        confirm thank without other others payments revenue participants applications overview hour yes""",
    "de": """der die das den dem des und oder für mit von vom bei Sie Ihr Ihre wir unser unsere dieser dieses ist sind
        wurde wurden nicht kein keine bitte zum zur auf als ein eine einen wird werden sich auch nach noch über unter
        Rechnung Rechnungskorrektur Entwurf Kopie Nummer Datum fällig Leistung Gesamtbetrag Betrag bezahlt offen Steuer
        Umsatzsteuer Preis Einheit Stück Menge Rabatt netto brutto Stand Stände Halle Hallenplan verkauft reserviert
        frei blockiert belegt Aussteller Besucher Referent Ausweis Veranstaltung Tage Tag Monat Woche Jahr Land
        Deutschland Österreich Januar Februar März Mai Juni Juli Oktober Dezember Guten Grüßen abmelden anmelden
        Anmeldung Anmeldungen bestätigen Dank ohne weitere Zahlungen Umsatz Teilnehmer Übersicht Uhr ja nein""",
}
OTHER = {"en": "de", "de": "en"}


def tokens(text):
    """Return the words of a text in lower case, without e-mail addresses, URLs, numbers of drafts
    and placeholders.
    """
    text = re.sub(r"\S+@\S+|https?://\S+|\bDRAFT-\d+|{\w*}", " ", text)
    return set(re.findall(r"[^\W\d_]{2,}", text.lower()))


def vocabulary(language):
    """Return the words of the tables of the product and the typical words of a language."""
    texts = [text for table in TABLES for text in table[language].values()]
    texts += [value[language] for table in NAMED for value in table.values()]
    return tokens(" ".join([*texts, TYPICAL[language]]))


WORDS = {language: vocabulary(language) for language in OTHER}
FOREIGN = {language: WORDS[other] - WORDS[language] for language, other in OTHER.items()}
# Dates, months and numbers that a text in the language must not contain.
WRONG_FORMATS = {
    "en": (
        r"\d{4}-\d\d-\d\d",
        r"\d\d\.\d\d\.\d{4}",
        r"\d\d\.–",
        r"\d,\d{1,2}(?!\d)",
        r"\d{4}\.\d",
        r"\d %",
        r"\d [A-Z]{3}\b",
    ),
    "de": (
        r"\d{4}-\d\d-\d\d",
        r"\b\d{1,2} [A-Z][a-z]+ \d{4}",
        r"\d\.\d{1,2}(?![\d.–])",
        r"\d,\d{3}(?!\d)",
        r"\d{4},\d",
        r"\d%",
        r"(?<!betrag )\bEUR -?\d",
    ),
}


def of_pdf(data):
    read = subprocess.run(
        ["pdftotext", "-raw", "-", "-"], input=data, capture_output=True, check=True
    )
    return read.stdout.decode()


def of_svg(text):
    shown = (part.text for part in ET.fromstring(text).iter() if not part.tag.endswith("style"))
    return "\n".join(part for part in shown if part and part.strip())


def of_html(text):
    return html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", text, flags=re.S))


class Fair:
    """A show with one exhibitor, and everything that is written about it."""

    def __init__(self, organiser, app, db, inbox, contact, asked):
        self.organiser, self.app, self.db, self.inbox = organiser, app, db, inbox
        self.asked = {"language": asked} if asked else {}
        self.query = f"language={asked}" if asked else ""
        self.event = organiser.make(
            "/events",
            {
                "title": "Zorbex",
                "event_key": "zorbex",
                "date_from": "2099-03-01",
                "date_to": "2099-03-04",
                "application_deadline": "2099-01-31T17:30:00Z",
                "city": "Ulmix",
                "country": "AT",
            },
        )
        gold = organiser.make(
            "/categories", {"title": "Glan", "category_key": "glan", "base_price": 1150.5}
        )
        self.contact = organiser.make(
            "/contacts",
            {
                "company_name": "Xanadu",
                "first_name": "Qed",
                "last_name": "Vax",
                "address": "Orvo 1",
                "city": "Ulmix",
                "postal_code": "1010",
                "country": "AT",
                "email": "qed@xanadu.example",
                "tax_id": "ATU13585627",
                "language": contact,
            },
        )
        self.exhibitor = organiser.make(
            "/participants",
            {
                "event_id": self.event["id"],
                "contact_id": self.contact["id"],
                "category_id": gold["id"],
                "is_confirmed": True,
            },
        )
        self.plan()
        self.order()

    def plan(self):
        organiser = self.organiser
        self.hall = organiser.make(
            "/plans",
            {
                "event_key": "zorbex",
                "plan_name": "Qux",
                "width": 30.5,
                "height": 20,
                "objects": [
                    {"kind": kind, "x": x, "y": 18, "width": 1, "depth": 1}
                    for x, kind in enumerate(("pillar", "power"), 3)
                ],
            },
        )
        organiser.make(
            "/booths/types",
            {
                "booth_type_name": "Trk",
                "booth_type_key": "trk",
                "price_model": "per_m2",
                "price": 185.25,
                "color": "#0b4f8a",
            },
        )
        booths = [
            organiser.make(
                "/booths",
                {
                    "plan_id": self.hall["id"],
                    "booth_number": f"X{number}",
                    "width": 4.5,
                    "depth": 3,
                    "pos_x": 5 * number,
                    "pos_y": 5,
                    "booth_type_key": "trk",
                },
            )
            for number in range(4)
        ]
        organiser.make(
            "/booths", {"plan_id": self.hall["id"], "booth_number": "X9", "booth_type_key": "trk"}
        )
        organiser.patch(
            f"/booths/{booths[3]['id']}", {"status": "blocked", "blocked_reason": "Vrx"}, status=200
        )
        for booth_, status in zip(booths, ("confirmed", "pending"), strict=False):
            organiser.make(
                "/booth-reservations",
                {
                    "booth_id": booth_["id"],
                    "event_participant_id": self.exhibitor["id"],
                    "status": status,
                },
            )

    def order(self):
        service = self.organiser.make(
            "/services",
            {
                "service_name": "Vlim",
                "base_price": 1234.5,
                "unit": "piece",
                "events": [{"event_key": "zorbex"}],
            },
        )
        order = self.organiser.make(
            "/service-orders",
            {
                "event_participant_id": self.exhibitor["id"],
                "status": "submitted",
                "items": [{"service_id": service["id"], "quantity": 2}],
            },
        )
        self.organiser.post(f"/service-orders/{order['id']}/confirm", status=200)

    def act(self, path, body=None, status=200):
        return self.organiser.post(path, body, status=status).json["data"]

    def file(self, path, kind, *, is_asked=True):
        """Return the text of a PDF or SVG."""
        query = self.query if is_asked else ""
        response = self.organiser.get(
            f"{path}{'&' if '?' in path else '?'}{query}".rstrip("?&"),
            status=200,
            headers={"Accept": kind},
        )
        text = of_pdf(response.body) if kind == "application/pdf" else of_svg(response.text)
        # its letters are random
        return text.replace(badges.grouped(self.exhibitor["badge_number"]), "")

    def invoices(self):
        """Yield the texts of the lines, PDFs and mails of an invoice."""
        invoice = self.act(f"/participants/{self.exhibitor['id']}/invoice", status=201)
        address = f"/invoices/{invoice['id']}"
        if self.asked:
            self.organiser.patch(address, self.asked, status=200)
            invoice = self.act(f"{address}/refresh")
        yield (
            "billing lines",
            " ".join(f"{item['description']} {item['unit'] or ''}" for item in invoice["items"]),
        )
        yield "draft", self.file(f"{address}/pdf", "application/pdf")
        self.act(f"{address}/send", {"mail": True})
        yield "invoice", self.file(f"{address}/pdf", "application/pdf", is_asked=False)
        yield "document of the invoice", self.document("invoice", invoice["id"])
        with self.db.write():
            note = drafts.create(
                self.db,
                {
                    "contact_id": self.contact["id"],
                    **self.asked,
                    "items": [
                        {
                            "description": "Vlim",
                            "quantity": -1,
                            "unit": "piece",
                            "unit_price": 1000,
                            "tax_category": invoice["items"][0]["tax_category"],
                            "tax_rate": invoice["items"][0]["tax_rate"],
                        }
                    ],
                },
                invoice_type="credit_note",
                related_invoice_id=invoice["id"],
            )
        self.act(f"/invoices/{note['id']}/send", {"mail": True})
        yield (
            "credit note",
            self.file(f"/invoices/{note['id']}/pdf", "application/pdf", is_asked=False),
        )
        reverse = self.organiser.make(
            "/invoices",
            {
                "contact_id": self.contact["id"],
                "is_reverse_charge": True,
                **self.asked,
                "items": [
                    {
                        "description": "Vlim",
                        "quantity": 1.5,
                        "unit": "hour",
                        "unit_price": 1000,
                        "discount_percent": 2.5,
                    }
                ],
            },
        )
        yield "reverse charge", self.file(f"/invoices/{reverse['id']}/pdf", "application/pdf")

    def reminder(self):
        """Send an old invoice that is overdue, and a reminder."""
        old = self.organiser.make(
            "/invoices",
            {
                "contact_id": self.contact["id"],
                "invoice_number": "Q-17",
                "issue_date": "2026-01-05",
                "due_date": "2026-01-15",
                **self.asked,
                "items": [
                    {"description": "Vlim", "quantity": 1, "unit_price": 1234.56, "tax_rate": 19}
                ],
            },
        )
        self.act(f"/invoices/{old['id']}/send", {"mail": False})
        self.act(f"/invoices/{old['id']}/remind", {"mail": True})
        yield (
            "old invoice",
            self.file(f"/invoices/{old['id']}/pdf", "application/pdf", is_asked=False),
        )

    def document(self, entity_type, entity_id):
        body = "; ".join(
            "{{%s}}" % name
            for name in (
                "contact.country",
                "participant.role",
                "participant.status",
                "event.dates",
                "event.date_from",
                "event.application_deadline",
                "event.country",
                "booths.price",
                "booths.area",
                "today",
                "organiser.country",
                "metadata.yes",
                "metadata.share",
                *(["invoice.total", "invoice.issue_date"] if entity_type == "invoice" else []),
            )
        )
        template = self.organiser.make(
            "/documents/templates", {"name": f"Q{entity_type}", "body": f"<p>{body}</p>"}
        )
        made = self.organiser.make(
            "/documents",
            {
                "entity_type": entity_type,
                "entity_id": entity_id,
                "template_id": template["id"],
                **self.asked,
                "metadata": {"yes": True, "share": 12.5},
            },
        )
        assert made["missing"] == []
        page = self.organiser.get(f"/documents/{made['id']}/content", status=200).text
        pdf = self.file(f"/documents/{made['id']}/content", "application/pdf")
        return f"{of_html(page)}\n{pdf}"

    def pictures(self):
        participant = f"/participants/{self.exhibitor['id']}/badge"
        yield "badge", self.file(participant, "image/svg+xml")
        yield "badge as PDF", self.file(participant, "application/pdf")
        yield "badges", self.file("/participants/badges?event_key=zorbex", "application/pdf")
        for view in ("internal", "public"):
            for kind in ("image/svg+xml", "application/pdf"):
                yield (
                    f"{view} plan, {kind}",
                    self.file(f"/plans/{self.hall['id']}/svg?view={view}", kind),
                )

    def charts(self):
        """Yield the texts of all charts, with something in every report."""
        organiser = self.organiser
        number = organiser.data("/invoices?status=overdue")[0]["invoice_number"]
        organiser.make(
            "/payments",
            {
                "invoice_number": number,
                "amount": 1000.5,
                "status": "completed",
                "payment_date": "2026-02-01",
            },
        )
        organiser.make(
            "/applications",
            {"event_keys": ["zorbex"], "email": "vax@xanadu.example", "last_name": "Vax"},
        )
        visitor = organiser.make("/contacts", {"last_name": "Brx"})
        organiser.make(
            "/participants", {"event_key": "zorbex", "contact_id": visitor["id"], "role": "visitor"}
        )
        organiser.make(
            "/check-ins", {"badge_number": self.exhibitor["badge_number"], "event_key": "zorbex"}
        )
        for name in (*REPORTS, "overview"):
            yield f"chart {name}", self.file(f"/reports/{name}", "image/svg+xml")
        for period in ("day", "week", "month", "quarter", "year"):
            yield (
                f"chart by {period}",
                self.file(
                    f"/reports/revenue?period={period}&date_from=2026-01-01", "image/svg+xml"
                ),
            )

    def pages(self):
        """Yield the pages of the newsletter."""
        subscriber = self.organiser.make(
            "/newsletter", {"email": "qed@xanadu.example", **self.asked}
        )
        row = newsletter.row(self.db, subscriber["id"])
        confirm = newsletter_tokens.confirm_url(newsletter_tokens.secret(self.db), "", row)
        unsubscribe = newsletter_tokens.unsubscribe_url(newsletter_tokens.secret(self.db), "", row)
        for path in (confirm, unsubscribe):
            yield f"{path} asks", of_html(self.app.get(path).text)
        self.mails = list(self.mail_texts())
        for path in (confirm, unsubscribe):
            yield f"{path} is done", of_html(self.app.post(path).text)
        yield from self.mails

    def mail_texts(self):
        """Send all mails, and yield their subjects and bodies."""
        job.run(self.db, lambda: False)
        job.finish()
        assert len(self.inbox.messages) == 4  # invoice, credit note, reminder, newsletter
        for message in self.inbox.messages:
            plain, page = (message.get_body((kind,)).get_content() for kind in ("plain", "html"))
            assert f'<html lang="{message["Content-Language"]}">' in page
            assert not faults(plain, message["Content-Language"])
            yield f"mail {message['Subject']}", f"{message['Subject']}\n{plain}\n{of_html(page)}"

    def texts(self):
        """Return all texts: name -> text."""
        return dict(
            pair
            for part in (
                self.invoices,
                self.reminder,
                self.others,
                self.pictures,
                self.charts,
                self.pages,
            )
            for pair in part()
        )

    def others(self):
        yield "contract", self.document("event_participant", self.exhibitor["id"])


@pytest.fixture
def show(organiser, app, db, settings):
    """Return a function that makes a Fair.

    Its texts depend on the options, the contact and the request.
    """
    inbox = Inbox()
    server = Server(inbox).start()
    job.paused.clear()

    def make(country, option, contact, asked):
        for name, value in {
            "name": "Qabex",
            "street": "Orvo 2",
            "city": "Ulmix",
            "country": country,
            "email": "",
            "contact": "Xurv",
            "vat_id": "DE136695976",
        }.items():
            setattr(settings, f"organiser_{name}", value)
        settings.smtp_host = "127.0.0.1"
        settings.smtp_port = server.port
        settings.smtp_security = "none"
        settings.smtp_sender, settings.base_url = "q@qabex.example", "https://qabex.example"
        settings.mails_per_minute, settings.language = 100_000, option
        return Fair(organiser, app, db, inbox, contact, asked)

    yield make
    server.stop()
    job.finish()


def faults(text, language):
    """Return what a text contains that the language does not."""
    found = sorted(tokens(text) & FOREIGN[language])
    found += [
        match[0] for pattern in WRONG_FORMATS[language] for match in re.finditer(pattern, text)
    ]
    return (
        found if tokens(text) & FOREIGN[OTHER[language]] else [*found, f"no word is in {language}"]
    )


@pytest.mark.parametrize(
    ("country", "option", "contact", "asked", "expected"),
    [
        ("GB", "en", "en", "de-AT", "de"),
        ("DE", "de", "de", "en-GB", "en"),  # the request's
        ("GB", "en", "de-CH", None, "de"),
        ("DE", "de", "en", None, "en"),  # the contact's
        ("DE", "de", None, None, "de"),
        ("GB", "en", None, None, "en"),  # the organiser's
        ("DE", "de", "fr", None, "de"),  # fr is not available
    ],
)
def test_everything_is_in_one_language(show, country, option, contact, asked, expected):
    fair = show(country, option, contact, asked)
    texts = fair.texts()
    without_contact = ("chart", "internal", "public")
    wrong = {
        name: faults(text, option if name.startswith(without_contact) and not asked else expected)
        for name, text in texts.items()
    }
    assert {name: found for name, found in wrong.items() if found} == {}
    assert len(texts) >= 35
    for name in ("invoice", "contract"):
        assert {"en": "austria", "de": "österreich"}[expected] in texts[name].lower()
        own_country = {
            "GB": ("united kingdom", "vereinigtes königreich"),
            "DE": ("germany", "deutschland"),
        }[country]
        assert own_country[expected == "de"] in texts[name].lower()


def test_an_installation_in_germany_is_german_by_default(settings):
    from eventapi import config

    assert (
        config.load(environ={}, data_dir=settings.data_dir, organiser_country="DE").language == "de"
    )
