"""The form editor in a browser with scripts: fields move without a reload, and the preview follows."""

import pytest

from tests.pages.desk.test_journey import address, enter  # noqa: F401
from tests.pages.show.test_journey import follow, needs_browser, text

pytestmark = pytest.mark.processes

ORDER = "[...document.querySelectorAll('.qs > li[data-field]')].map(each => each.dataset.field)"
FOCUS = "[document.activeElement.name, document.activeElement.value]"
TYPED = """
(() => {{
  const field = document.querySelector('[name="{name}"]');
  field.value = '{value}';
  for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {{bubbles: true}}));
}})()
"""


@pytest.fixture
def editor(browser, address, organiser, fair):  # noqa: F811
    """Return the address of the editor, which is open in a browser that has signed in."""
    enter(browser, address, organiser.key)
    editor = f"{address}/setup/apply?language=en"
    follow(browser, f"location.href = '{editor}'")
    browser.run("window.isSame = true")
    return editor


def put(browser, name, value):
    browser.run(TYPED.format(name=name, value=value))


def press_key(browser, button, field, key="Enter"):
    browser.run(f"document.querySelector('button[name={button}][value={field}]').focus()")
    browser.press(key)


@needs_browser
def test_a_field_moves_by_keyboard_without_a_reload_and_keeps_the_focus(browser, editor, organiser):
    before = browser.run(ORDER)
    assert before[:3] == ["company_name", "person", "phone"]
    press_key(browser, "up", "phone")
    assert browser.run(ORDER)[:3] == ["company_name", "phone", "person"]
    assert browser.run(FOCUS) == ["up", "phone"]
    assert text(browser, "[data-moved]") == "“Telephone” is now at place 2."
    browser.press("Enter")
    assert browser.run(ORDER)[:3] == ["phone", "company_name", "person"]
    assert browser.run(FOCUS) == ["down", "phone"]

    # the e-mail address stays after the person, and the last place is that of the number typed
    put(browser, "form/person/place", "99")
    assert browser.run(ORDER)[-1] == "person"
    assert (
        browser.run("document.querySelector('[data-email]').previousSibling.dataset.field")
        == "person"
    )
    assert browser.run("window.isSame") is True
    assert browser.complaints() == []

    follow(browser, "document.querySelector('.savebar button').click()")
    asked = organiser.data("/events/1/pages")["apply_form"]
    assert [each["field"] for each in asked][:2] == ["phone", "company_name"]
    assert asked[-1]["field"] == "person"


@needs_browser
def test_a_field_is_dragged_with_the_mouse(browser, editor):
    def middle(field):
        return browser.run(
            f"(() => {{ const grip = document.querySelector('[data-field={field}] .grip').getBoundingClientRect();"
            " return [grip.x + grip.width / 2, grip.y + grip.height / 2]; })()"
        )

    def mouse(kind, x, y):
        browser.call(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1
        )

    start = middle("message")
    top = middle("company_name")
    mouse("mousePressed", *start)
    mouse("mouseMoved", start[0], start[1] - 20)
    mouse("mouseMoved", top[0], top[1] - 20)
    mouse("mouseReleased", top[0], top[1] - 20)
    assert browser.run(ORDER)[:2] == ["message", "company_name"]
    assert browser.run("document.querySelector('[name=\"form/message/place\"]').value") == "1"
    assert browser.run("document.querySelectorAll('.dragged').length") == 0
    browser.until(lambda: "not saved yet" in text(browser, ".preview"))
    assert browser.run("window.isSame") is True
    assert browser.complaints() == []


@needs_browser
def test_the_preview_follows_what_is_typed(browser, editor, organiser):
    assert "as it is saved" in text(browser, ".preview")
    put(browser, "form/question/question/field_labels/en", "Own table?")
    browser.until(lambda: "Own table?" in text(browser, ".preview"))
    assert "not saved yet" in text(browser, ".preview")
    assert organiser.data("/custom-fields") == []
    assert browser.run("window.isSame") is True
    assert browser.complaints() == []


@needs_browser
def test_what_was_typed_and_moved_is_there_again_until_it_is_discarded(browser, editor):
    press_key(browser, "up", "phone")
    put(browser, "form/website/ask", "required")
    follow(browser, f"location.href = '{editor.replace('/apply', '/details')}'")
    follow(browser, f"location.href = '{editor}'")
    assert "not saved it yet" in text(browser, "[data-kept]")
    assert browser.run(ORDER)[:3] == ["company_name", "phone", "person"]
    assert browser.run("document.querySelector('[name=\"form/website/ask\"]').value") == "required"
    browser.until(lambda: "not saved yet" in text(browser, ".preview"))

    follow(browser, "document.querySelector('[data-discard]').click()")
    assert browser.run(ORDER)[:3] == ["company_name", "person", "phone"]
    assert browser.run("document.querySelector('[data-kept]').hidden") is True
