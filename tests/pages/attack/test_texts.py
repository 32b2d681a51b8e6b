"""Texts that attack: planted in each field that strangers or exhibitors fill in, then searched for
in what is shown.

Judges of a page are the parser of Python and a written list of tags; of a file, the rules of its
format.
"""

import re
from contextlib import suppress
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from eventapi.domain.mail.contents import Gone
from eventapi.worker.mail import message as mail_message
from tests.support import own_script

# It ends attributes, tags, lines of files and headers, and is a template; 58 characters.
EVIL = "\"'></script><xss onx=1>{{7*7}}\r\nX-Evil: 1\r\nEND:VEVENT\r\n&lt;"
LINE = EVIL.replace("\r\n", " ")
TAGS = set(
    """html head meta title link base body a header footer main div span b nav section article aside form input
  button label select option textarea fieldset legend p br ul ol li dl dt dd h1 h2 h3 table tr td th thead tbody details
  summary address img i pre code svg g rect text path style line polygon circle tspan desc use defs""".split()
)
SCRIPT = re.compile(r"\s*(javascript|data(?!:,)|vbscript|//)", re.I)


class Judge(HTMLParser):
    """Collect what a page must not have."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.wrong, self.texts = [], []
        self.feed(own_script.without(text))
        self.close()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if (
                name.startswith("on")
                or name == "style"
                or (name in ("href", "src", "action") and SCRIPT.match(value or ""))
            ):
                self.wrong.append((tag, name, value))
        if tag not in TAGS:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture
def planted(organiser, show, db, pages):
    """Plant the text in all fields of the show. Return its plan."""
    event, exhibitor = show["event"], show["exhibitor"]
    organiser.patch(
        f"/events/{event['id']}",
        {
            "title": LINE,
            "venue": LINE,
            "city": LINE,
            "address": LINE,
            "opening_hours": [
                {"date": "2027-05-01", "opens": "09:00", "closes": "18:00", "label": LINE}
            ],
        },
        status=200,
    )
    every = {"en": EVIL, "de": EVIL}
    organiser.patch(
        f"/events/{event['id']}/pages",
        {
            "texts": dict.fromkeys(
                ("intro", "visit", "apply_intro", "apply_done", "my_intro", "privacy"), every
            ),
            "apply_terms": every,
            "contact_phone": LINE[:40],
        },
        status=200,
    )
    organiser.patch(
        f"/participants/{exhibitor['id']}/profile",
        {"display_name": LINE, "texts": every, "products": [LINE], "phone": LINE[:40]},
        status=200,
    )
    organiser.patch(f"/contacts/{exhibitor['contact_id']}", {"city": LINE}, status=200)
    organiser.patch(
        f"/booths/{show['booth_exhibitor']['id']}",
        {"booth_number": "A'\"><x", "booth_name": LINE},
        status=200,
    )
    for each in organiser.data("/categories"):
        organiser.patch(
            f"/categories/{each['id']}",
            {
                "title": f"{each['id']}{LINE}",
                "applicant_visibility": "selectable",
                "event_keys": ["fair"],
            },
            status=200,
        )
    organiser.patch(
        f"/schedules/{show['slot']['id']}",
        {"title": LINE, "location": LINE, "description": EVIL},
        status=200,
    )
    with db.write():
        db.connection.execute("UPDATE plans SET plan_name = ?, area_name = ?", (LINE, LINE))
    for number, kind in enumerate(("text", "select", "boolean")):
        organiser.make(
            "/custom-fields",
            {
                "entity_type": "application",
                "field_label": LINE,
                "field_type": kind,
                "applicant_visibility": "editable",
                **(
                    {"field_options": [{"value": f"v{number}", "label": LINE}]}
                    if kind == "select"
                    else {}
                ),
            },
        )
    return organiser.data(f"/plans/{show['plan']}")["plan_key"]


def paths(show, plan):
    exhibitor = f"exhibitors/{show['exhibitor']['id']}-x"
    return [
        "",
        "/exhibitors",
        "/exhibitors?q=xss",
        f"/{exhibitor}",
        f"/plan/{plan}",
        "/programme",
        "/embed",
        "/apply",
        "/visit",
        "/exhibitors/999",
        "/exhibitors?q=%22%3E%3Cxss+onx%3D1%3E",
        "/visit?category=%22%3E%3Cxss+onx%3D1%3E",
        "?language=%22%3E%3Cxss+onx%3D1%3E",
    ]


def test_no_planted_text_becomes_markup_on_a_public_page(planted, show, read):
    seen = 0
    for path in paths(show, planted):
        for language in ("en", "de"):
            page = read(f"/e/fair{path}", language, status=404 if "999" in path else 200)
            judge = Judge(page.text)
            assert judge.wrong == [], path
            assert "49\n" not in page.text and "X-Evil" not in page.headers
            seen += any("<xss onx=1>" in text for text in judge.texts)
    assert seen >= 20, "the texts are shown as texts"


def test_no_planted_text_leaves_its_line_in_a_file(planted, show, app):
    """RFC 5545 and RFC 2426: each content line begins with a name; SVG is well-formed XML."""
    card = app.get(f"/e/fair/exhibitors/{show['exhibitor']['id']}-x.vcf")
    calendar = app.get("/e/fair/calendar.ics")
    for answer, ends in ((card, "END:VCARD"), (calendar, "END:VCALENDAR")):
        lines = answer.body.decode().replace("\r\n ", "").split("\r\n")
        assert lines[-1] == "" and lines[-2] == ends
        assert all(re.match(r"[A-Z][A-Z0-9-]*[;:]", line) for line in lines[:-1]), lines
        assert not any("\n" in line or "\r" in line or line.startswith("X-EVIL") for line in lines)
        assert any("<xss onx=1>" in line for line in lines), "the text is in the file"
        assert "attachment" in answer.headers["Content-Disposition"]
    assert calendar.body.count(b"\r\nEND:VEVENT") == calendar.body.count(b"\r\nBEGIN:VEVENT")
    drawn = app.get(f"/e/fair/plan/{planted}.svg")
    names = {
        element.tag.rpartition("}")[2] for element in ElementTree.fromstring(drawn.body).iter()
    }
    assert names <= TAGS and "xss" not in names, names
    assert "sandbox" in drawn.headers["Content-Security-Policy"]


def test_no_text_of_an_applicant_becomes_markup_on_the_own_page_or_in_a_mail(
    planted, organiser, db, open_link, show
):
    fields = dict.fromkeys(
        ("company_name", "first_name", "last_name", "address", "city", "message"), LINE
    )
    application = organiser.make(
        "/applications",
        {
            "event_keys": ["fair"],
            **fields,
            "phone": LINE[:40],
            "email": "ada@rosen.example",
            "language": "en",
        },
    )
    address = f"/applications/{application['id']}"
    _, visitor, _ = open_link(
        "application",
        event_id=show["event"]["id"],
        application_id=application["id"],
        email="ada@rosen.example",
        language="en",
    )
    organiser.post(f"{address}/review", status=200)
    organiser.post(f"{address}/request-info", {"question": EVIL, "mail": True}, status=200)
    ref = next(cookie.name for cookie in visitor.app.cookiejar).rpartition("-")[2]
    first = visitor.get(f"/apply/{ref}/")
    again = visitor.submit(first, f"/apply/{ref}/answer", {"answer": EVIL * 400}, 422)
    visitor.submit(first, f"/apply/{ref}/answer", {"answer": EVIL})
    answered = visitor.get(f"/apply/{ref}/?done=%22%3E%3Cxss%20onx=1%3E")
    organiser.post(f"{address}/reject", {"reason": EVIL, "mail": True}, status=200)
    for page in (first, again, answered, visitor.get(f"/apply/{ref}/")):
        judge = Judge(page.text)
        assert judge.wrong == [] and "<xss onx=1>" in "".join(judge.texts)
    cursor = db.connection.execute("SELECT * FROM mails")
    names = [column[0] for column in cursor.description]
    built = []
    for row in cursor.fetchall():
        with suppress(Gone):
            built.append(mail_message.build(db, dict(zip(names, row, strict=True)))[1])
    assert built
    for message in built:
        head, _, _ = message.partition(b"\r\n\r\n")
        assert b"\nX-Evil" not in head and b"\nBcc" not in head
        html = message.decode().replace("=\r\n", "").replace("=3D", "=").partition("<!doctype")[2]
        body = html.partition("</html>")[0].replace(' style="font:16px/1.5 sans-serif"', "")
        assert Judge(f"<!doctype{body}").wrong == []


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        'https://a.example/"onx=1',
        " https://a b.example",
        "https://a.example/\r\nX-Evil:1",
        "//evil.example",
        "https://a.example/<xss>",
    ],
)
def test_an_address_of_an_exhibitor_is_one_of_the_web_or_is_refused(
    organiser, show, read, app, url
):
    profile = f"/participants/{show['exhibitor']['id']}/profile"
    accepted = 0
    for fields in ({"website": url}, {"links": [url]}):
        answer = organiser.patch(profile, fields)
        accepted += answer.status_int == 200
        page = read(f"/e/fair/exhibitors/{show['exhibitor']['id']}-x")
        assert Judge(page.text).wrong == []
        lines = (
            app.get(f"/e/fair/exhibitors/{show['exhibitor']['id']}-x.vcf")
            .body.decode()
            .split("\r\n")
        )
        assert all(re.match(r"[A-Z][A-Z0-9-]*[;:]|$| ", line) for line in lines)
    assert not accepted or url.startswith(("https://", "//"))


def test_the_judge_finds_markup():
    """What the tests above rely on."""
    assert (
        Judge('<p onclick="x">').wrong
        and Judge("<xss>").wrong
        and Judge('<a href=" JavaScript:x">').wrong
    )
    assert Judge("<p>&lt;xss&gt;</p>").wrong == []
