"""The form of a template of contracts in a browser: a click on a placeholder inserts it."""

import pytest

from tests.pages.show.test_journey import needs_browser
from tests.support.people import signed_in
from tests.support.served import served

pytestmark = pytest.mark.processes


@needs_browser
def test_a_click_inserts_a_placeholder_where_the_cursor_stands(browser, app, db, organiser, fair):
    person = signed_in(app, db, language="en")
    with served(app.app, []) as url:
        browser.open(f"{url}/imprint")
        name, _, value = person.headers["Cookie"].partition("=")
        browser.call("Network.setCookie", name=name, value=value, url=f"{url}/desk/", path="/desk")
        browser.open(f"{url}/desk/edit/document_templates?event=fair")
        browser.run(
            "field = document.getElementById('f-body'); field.value = 'Dear , hello';"
            "field.setSelectionRange(5, 5);"
            "[...document.querySelectorAll('button.insert')]"
            ".find(each => each.textContent === '{{contact.name}}').click(); 0"
        )
        written = "document.getElementById('f-body').value"
        assert browser.run(written) == "Dear {{contact.name}}, hello"
        kept = browser.run("JSON.stringify(Object.values(sessionStorage))")
        assert "Dear {{contact.name}}, hello" in kept, "it is kept like what is typed"
        assert browser.complaints() == []
