import pathlib, re
from urllib.parse import urljoin
from tests.support.served import served
from tests.pages.my.conftest import My
import pytest
def test_shots(browser, site, app):
    from eventapi.domain.access import links
    site.change(booth_confirm="self")
    site.act("participants", site.participant, "confirm")
    c = site.contract()
    site.contract(site.exhibitor("Other AG"))
    other = site.exhibitor("Gartenbau Erdőháti Kft.", is_confirmed=True)
    r = site.organiser.make("/booth-reservations", {"booth_id": site.booths["A2"], "event_participant_id": other["id"], "status":"confirmed"})
    sent = site.send(site.bill()[0])
    link, my = site.visitor(language="en")
    m = My(link, my)
    m.send("badges", "badges", {"first_name": "Bela", "last_name": "Nagy"})
    m.send("orders","orders",{f"q.{site.power['id']}":"2"})
    with served(app.app, []) as url:
        with site.db.write():
            secret = links.add_secret(site.db, link, "shown")
        browser.open(f"{url}/link/{secret}")
        browser.run("document.querySelector('form').submit()")
        import time; time.sleep(1)
        base = f"{url}/my/{link['ref']}/"
        for name, page in (("overview",""),("profile","profile"),("booth","booth?booth=A1#chosen"),("submissions","submissions"),("text","submissions/text"),("file","submissions/file"),("orders","orders"),("check","orders/check"),("contract",f"contract/{c['id']}"),("invoices","invoices"),("badges","badges")):
            for width, dark in ((1280, False),(360, True)):
                browser.open(base+page, width=width, height=1100 if width>400 else 1500, dark=dark)
                print(name, width, browser.run("document.documentElement.scrollWidth"), browser.complaints())
                browser.screenshot(pathlib.Path(f"/tmp/shots/{name}-{width}.png"))
