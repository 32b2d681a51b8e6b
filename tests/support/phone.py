"""A phone at the door: the page /door/ in a browser of its own."""

import json

from tests.support.browser import Browser
from tests.support.fake_camera import options as camera

# Tells the test each verdict that the page shows, as it is shown: number, action, tone, word,
# milliseconds that it took, and when it was typed (in seconds, by the real clock). A verdict
# belongs to the number whose end it shows.
WATCH = """
  const stage = document.getElementById("verdict"), real = window.realNow ?? Date.now;
  window.next = () => {}; window.current = {number: "", at: 0};
  new MutationObserver(() => {
    if (stage.className === "idle") return;
    const end = document.getElementById("end").textContent, isCurrent = end && current.number.endsWith(end.slice(-4));
    const {number, action, at} = isCurrent ? current : {number: "", action: "", at: real()};
    seen(JSON.stringify([number, action, stage.className, document.getElementById("word").textContent,
                         Number(stage.dataset.took ?? 0), at / 1000]));
    if (isCurrent || !end) next();
  }).observe(stage, {attributes: true});
  window.feed = async (numbers, action) => {
    const direction = document.querySelector(`[name=action][value=${action}]`);
    if (!direction.checked) direction.click();
    for (const number of numbers) {
      current = {number, action, at: real()};
      const shown = new Promise(resolve => { next = resolve; });
      document.getElementById("number").value = number;
      document.getElementById("typed").requestSubmit();
      await shown;
    }
  };"""
# The page waits for the camera for ever. The tests type.
NO_CAMERA = "navigator.mediaDevices.getUserMedia = () => new Promise(() => {});"
AHEAD = "{ const real = Date.now.bind(Date); window.realNow = real; Date.now = () => real() + %d; }"


class Phone:
    """A phone at the door. `shown` has (number, action, tone, word, ms, time) of each verdict.

    `film` is one of fake_camera.py, `ahead` the seconds by which the clock is ahead, `options`
    further ones of the browser. `browser`, if given, is one that is shared: the phone has storage
    and cookies of its own in it.
    """

    def __init__(self, folder, url, *, film=None, ahead=0, options=(), browser=None):
        self.folder, self.url, self.film, self.ahead, self.shown = folder, url, film, ahead, []
        self.options = options
        self.browser = browser
        self.shared = browser is not None
        self.context = {}
        if browser:
            browser.session = None
            self.context = {
                "browserContextId": browser.call("Target.createBrowserContext")["browserContextId"]
            }
        else:
            folder.mkdir()

    def start(self):
        """Start the browser, or start it again after `kill`."""
        if not self.shared:
            self.browser = Browser(
                self.folder, [*self.options, *(camera(self.film) if self.film else ())]
            )
        self.open()

    def open(self):
        browser = self.browser
        browser.session, browser.events = None, []
        target = browser.call("Target.createTarget", url="about:blank", **self.context)["targetId"]
        browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for name in ("Page", "Runtime", "Log", "Network"):
            browser.call(f"{name}.enable")
        browser.call("Runtime.addBinding", name="seen")
        if not self.film:
            browser.call("Page.addScriptToEvaluateOnNewDocument", source=NO_CAMERA)
        if self.ahead:
            browser.call(
                "Page.addScriptToEvaluateOnNewDocument", source=AHEAD % (self.ahead * 1000)
            )
        browser.call(
            "Emulation.setDeviceMetricsOverride",
            width=390,
            height=844,
            deviceScaleFactor=1,
            mobile=True,
        )
        browser.call("Page.navigate", url=self.url)
        self.until(lambda: self.run("document.documentElement?.dataset.ready === 'yes'"))
        self.run(f"(() => {{ {WATCH} }})()")

    def kill(self):
        """End the browser as an empty battery does (SIGKILL)."""
        self.browser.kill()

    def end_browser(self):
        """End the browser as its user does."""
        self.browser.session = None
        self.browser.call("Browser.close")
        self.browser.process.wait(30)
        self.browser.kill()  # closes the pipes

    def end(self):
        if self.shared:
            self.browser.session = None
            self.browser.call("Target.disposeBrowserContext", **self.context)
        elif self.browser and self.browser.process.poll() is None:
            self.browser.__exit__()

    def run(self, script):
        return self.browser.run(script)

    def until(self, wanted, seconds=120):
        return self.browser.until(wanted, seconds)

    def text(self, id):
        return self.run(f"document.getElementById('{id}').textContent")

    def until_text(self, id, text, seconds=120):
        """Wait until the page shows a text: it writes each one after what it depends on."""
        return self.until(lambda: self.text(id) == text, seconds)

    def is_hidden(self, id):
        return self.run(f"document.getElementById('{id}').hidden")

    def click(self, id):
        self.run(f"document.getElementById('{id}').click()")

    def collect(self):
        """Take the verdicts that the page has shown since, and return all of them."""
        self.browser.call("Page.getLayoutMetrics")
        calls = [
            event["params"]
            for event in self.browser.events
            if event["method"] == "Runtime.bindingCalled"
        ]
        self.browser.events = [
            event for event in self.browser.events if event["method"] != "Runtime.bindingCalled"
        ]
        self.shown += [tuple(json.loads(call["payload"])) for call in calls]
        return self.shown

    def feed(self, numbers, action="check_in", *, waits=True):
        """Type numbers, each once the verdict of the one before is shown."""
        self.browser.call(
            "Runtime.evaluate",
            expression=f"feed({json.dumps(list(numbers))}, '{action}')",
            awaitPromise=waits,
        )
        return self.collect()

    def greens(self):
        return {number for number, _, tone, *_ in self.shown if tone == "green" and number}

    def sign_in(self, address):
        """Open a link that was pasted, and wait until the list of badges is here."""
        self.run(
            f"(() => {{ document.getElementById('url').value = {json.dumps(address)}; "
            "document.getElementById('paste').requestSubmit(); })()"
        )
        self.until(lambda: not self.is_hidden("work") and self.is_hidden("signin"))
        self.until(lambda: self.text("roster")[:1].isdigit())

    def is_controlled(self):
        """Return whether the page would open without network."""
        return self.run("Boolean(navigator.serviceWorker.controller)")

    def send(self):
        self.click("send")

    def stored(self, store, wanted):
        """Return what a request to a store of the page's IndexedDB returns, such as "count()"."""
        return self.run(f"""new Promise((resolve, reject) => {{
          const opening = indexedDB.open("eventapi-door");
          opening.onsuccess = () => {{
            const reading = opening.result.transaction("{store}").objectStore("{store}").{wanted};
            reading.onsuccess = () => {{ opening.result.close(); resolve(reading.result); }};
          }}; opening.onerror = reject; }})""")

    def waits(self):
        return self.stored("scans", "count()")
