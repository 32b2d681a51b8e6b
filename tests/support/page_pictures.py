"""The pictures of docs/guides/public-pages.md and for-exhibitors.md: pages of the sample shows, as Chromium shows them.

Write them anew while `make run` serves the sample show, with the two variables that it prints:
.venv/bin/python -m tests.support.page_pictures
"""
import tempfile
import time
from pathlib import Path

from eventapi.client import Client
from tests.support.browser import Browser

DOCS = Path(__file__).resolve().parents[2] / "docs"
EVENT, SIZE = "gartenmesse-23", {"width": 400, "height": 760}
NEXT, SCREEN = "gartenmesse-24", {"width": 1000, "height": 760}
VISITOR = {"first_name": "Greta", "last_name": "Gärtner", "email": "greta@mail.example"}


def main():
    api = Client()
    with tempfile.TemporaryDirectory() as folder, Browser(Path(folder)) as browser:
        def show(path):
            browser.open(f"{api.url}/e/{EVENT}{path}{'&' if '?' in path else '?'}language=en", **SIZE)

        def follow(script):
            browser.events.clear()
            browser.run(f"{{ {script} }}")
            browser.until(lambda: any(event["method"] == "Page.loadEventFired" for event in browser.events))

        def keep(name):
            browser.screenshot(DOCS / f"{name}.png")
        show("/exhibitors")
        keep("public-exhibitors")
        follow("[...document.querySelectorAll('.list li')].find(row => row.querySelector('a.stand'))"
               ".querySelector('a.name').click()")
        keep("public-exhibitor")
        show("/visit")
        keep("public-visit")
        time.sleep(5)                   # a form that is sent sooner is that of a robot
        for name, value in VISITOR.items():
            browser.run(f"document.querySelector('[name={name}]').value = {value!r}")
        follow("document.querySelector('main form').submit()")
        follow("document.querySelector('main a.button').click()")       # without a mail server, the page has the link
        follow("document.querySelector('main button').click()")
        follow("document.querySelector('main a.button').click()")
        keep("public-badge")

        browser.open(f"{exhibitor(api)}?language=en", **SCREEN)
        follow("document.querySelector('main button').click()")
        keep("my-todos")
        follow("document.querySelector('nav a[href$=booth]').click()")
        follow("document.querySelectorAll('.plan a')[20].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        keep("my-booth")
        follow("document.querySelector('nav a[href$=orders]').click()")
        browser.run("[...document.querySelectorAll('main [name^=\"q.\"]')].slice(0, 3).forEach(each => each.value = 2)")
        follow("document.querySelector('main form').submit()")
        keep("my-order")


def exhibitor(api):
    """Return the address of the page of a new exhibitor of the next show."""
    contact = api.post("/contacts", {"company_name": "Rosen Tantau KG", "first_name": "Anna", "last_name": "Gärtner",
                                     "language": "en"})
    participant = api.post("/participants", {"event_key": NEXT, "contact_id": contact["id"], "is_confirmed": True})
    return api.post("/links", {"kind": "participant", "participant_id": participant["id"]})["url"]


if __name__ == "__main__":
    main()
