"""A save after the end of a session in a browser, without scripts, on a phone and at a desk."""

from datetime import timedelta

import pytest

from eventapi.domain.access import passwords, people
from tests.pages.desk.test_journey import address, seen  # noqa: F401
from tests.pages.show.test_journey import follow, needs_browser, text
from tests.support.browser import SIZES

pytestmark = pytest.mark.processes

EMAIL, PASSWORD = "carla@messe.example", "kommode-41-Falter"
NOTE = 'Braucht Strom an beiden Enden,\n\n  kommt "erst" um neun <b>.'


@needs_browser
@pytest.mark.parametrize(("width", "dark"), SIZES)
def test_a_form_is_saved_with_a_password_as_it_was_typed(
    browser,
    address,  # noqa: F811
    organiser,
    fair,
    db,
    width,
    dark,
):
    with db.write():
        id = people.invite(db, "Carla Weiß", EMAIL, "owner")
        secret = people.make_secret(db, id, way="shown", lasts=timedelta(minutes=30))
        values = (passwords.hashed(PASSWORD), id)
        db.connection.execute("UPDATE admins SET password_hash = ? WHERE id = ?", values)
    language = "de" if dark else "en"
    browser.open(address.replace("/desk", f"/link/{secret}"), width=width, dark=dark, scripts=False)
    follow(browser, "document.querySelector('main form button').click()")
    page = f"{address}/edit/contacts/{fair.contact['id']}?language={language}"
    browser.open(page, width=width, dark=dark, scripts=False)
    browser.run(f"document.querySelector('#f-notes').value = {NOTE!r}")
    with db.write():
        people.end_sessions(db, id)
    send = "document.querySelector('main form button:not([name]):not([type])').click()"
    follow(browser, send)
    assert NOTE in browser.run("[...document.querySelectorAll('dd')].map(e => e.textContent)")
    browser.run("document.querySelector('#sign_in_email').value = 'carla@messe.example'; 0")
    seen(browser, width, "ended", refused=True)

    browser.run("document.querySelector('#sign_in_password').focus()")
    browser.type("falter-41-Kommode")
    follow(browser, "document.querySelector('main form button').click()")
    assert browser.run("document.querySelector('#sign_in_password').value") == ""
    seen(browser, width, "wrong", refused=True)
    browser.run("document.querySelector('#sign_in_password').focus()")
    browser.type(PASSWORD)
    follow(browser, "document.querySelector('main form button').click()")
    assert "Carla" in text(browser, "body") or width < 600
    assert organiser.data(f"/contacts/{fair.contact['id']}")["notes"] == NOTE
