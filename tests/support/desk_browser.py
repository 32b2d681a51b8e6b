"""Somebody in a browser who reads the words on the pages: fills in fields by their labels, and clicks or
taps what is displayed. Journeys at the desk, on public pages and on those of exhibitors use it.
"""

import json

from tests.pages.show.test_journey import text

# What can be clicked with these words: with no others before with others behind them. The head of an
# open fold is left out, so that the button in the fold can have the same words.
SHOWN = """
const read = each => each.innerText ?? each.textContent;  // shapes of a plan have the latter only
const named = each => each.getAttribute('aria-label') || read(each).replace(/\\s+/g, ' ').trim();
const shown = words => {
  const all = [...document.querySelectorAll('a, button, summary, input')].filter(
    each => each.checkVisibility() && !each.ariaHidden && !each.matches('details[open] > summary'));
  return all.find(each => named(each) === words) || all.find(each => named(each).startsWith(words));
};
"""
# The fields whose label begins with these words, in their order.
LABELLED = """
const plain = each => each.textContent.replace(/\\s+/g, ' ').trim();
const labelled = words => {
  const labels = [...document.querySelectorAll('main label')].filter(each => plain(each).startsWith(words));
  const fields = labels.map(each => each.control).filter(each => each?.checkVisibility());
  const named = [...document.querySelectorAll('main [aria-label]')].filter(
    each => each.getAttribute('aria-label').startsWith(words) && each.checkVisibility());
  return fields.length ? fields : named;
};
"""
# Write into a field, choose the option that begins with a text, or tick a box.
FILL = """(() => {{
  {LABELLED}
  const fields = labelled({label}), values = {values};
  if (fields.length < values.length) return `nothing to fill in begins with ` + {label};
  for (const [place, value] of values.entries()) {{
    const field = fields[place];
    if (typeof value === 'boolean') {{
      field.checked = value;
    }} else if (field.localName === 'select') {{
      const option = [...field.options].find(each => each.text.trim().startsWith(value));
      if (!option) return {label} + ` has only ` + [...field.options].map(each => each.text.trim()).join(', ');
      field.value = option.value;
    }} else {{
      field.value = value;
    }}
  }}
}})()"""


def fill(browser, values):
    """Fill in fields by the beginning of their labels.

    A value is a text, the beginning of an option, or True or False for a box; a list has those of the
    fields with the same label, in their order.
    """
    for label, value in values.items():
        wanted = value if isinstance(value, list) else [value]
        fault = browser.run(
            FILL.format(LABELLED=LABELLED, label=json.dumps(label), values=json.dumps(wanted))
        )
        assert fault is None, f"{fault}: {text(browser, 'body')[:3000]}"


def place_of(browser, words):
    """Return (x, y) of what has these words, or begins with them. It must be displayed, and nothing may
    cover it.
    """
    with browser.scripts():
        place = browser.run(f"""(async () => {{
          {SHOWN}
          const found = shown({json.dumps(words)});
          if (!found) return null;
          found.scrollIntoView({{block: "center", behavior: "instant"}});
          for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
          const box = found.getBoundingClientRect();
          const x = box.x + box.width / 2, y = box.y + box.height / 2;
          return [x, y, found.contains(document.elementFromPoint(x, y))];
        }})()""")
    assert place, f"nothing to press begins with {words!r}: {text(browser, 'body')[:3000]}"
    x, y, is_on_top = place
    assert is_on_top, f"something covers {words!r}"
    return x, y


def tap(browser, words, *, leads_on=True):
    """Tap with a finger what has these words, see `place_of`, and wait for the page it leads to."""
    x, y = place_of(browser, words)
    browser.events.clear()
    browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    if leads_on:
        until_loaded(browser)


def click(browser, words, *, leads_on=True):
    """Click with the mouse on what has these words, see `place_of`, and wait for the page it leads to."""
    x, y = place_of(browser, words)
    browser.events.clear()
    for kind in ("mousePressed", "mouseReleased"):
        browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    if leads_on:
        until_loaded(browser)


def until_loaded(browser):
    """Wait for the page that was asked for."""
    browser.until(lambda: any(event["method"] == "Page.loadEventFired" for event in browser.events))
