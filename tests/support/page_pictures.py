"""The pictures of docs/guides/public-pages.md: pages of the sample show on a phone, as Chromium shows them.

Write them anew while `make run` serves the sample show: .venv/bin/python -m tests.support.page_pictures [ADDRESS]
"""
import sys
import tempfile
import time
from pathlib import Path

from tests.support.browser import Browser

DOCS = Path(__file__).resolve().parents[2] / "docs"
EVENT, SIZE = "gartenmesse-23", {"width": 400, "height": 760}
VISITOR = {"first_name": "Greta", "last_name": "Gärtner", "email": "greta@mail.example"}


def main(address):
    with tempfile.TemporaryDirectory() as folder, Browser(Path(folder)) as browser:
        def show(path):
            browser.open(f"{address}/e/{EVENT}{path}{'&' if '?' in path else '?'}language=en", **SIZE)

        def follow(script):
            browser.events.clear()
            browser.run(f"{{ {script} }}")
            browser.until(lambda: any(event["method"] == "Page.loadEventFired" for event in browser.events))

        def keep(name):
            browser.screenshot(DOCS / f"public-{name}.png")
        show("/exhibitors")
        keep("exhibitors")
        follow("[...document.querySelectorAll('.list li')].find(row => row.querySelector('a.stand'))"
               ".querySelector('a.name').click()")
        keep("exhibitor")
        show("/visit")
        keep("visit")
        time.sleep(5)                   # a form that is sent sooner is that of a robot
        for name, value in VISITOR.items():
            browser.run(f"document.querySelector('[name={name}]').value = {value!r}")
        follow("document.querySelector('main form').submit()")
        follow("document.querySelector('main a.button').click()")       # without a mail server, the page has the link
        follow("document.querySelector('main button').click()")
        follow("document.querySelector('main a.button').click()")
        keep("badge")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080")
