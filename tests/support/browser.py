"""A headless Chromium, driven by the DevTools protocol over two pipes, so that no package and no
port is needed.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from contextlib import contextmanager

from tests.support.all_tests import ALL_TESTS

# CHROMIUM names another one that understands the same protocol; `none` leaves out the tests that
# need it.
BROWSER = shutil.which(os.environ.get("CHROMIUM", "chromium"))
# (width, dark): a phone and a desk. With ALL_TESTS=1, both in light and in dark.
SIZES = [(360, True), (1280, False)]
if ALL_TESTS:
    SIZES += [(360, False), (1280, True)]
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
]
ANSWER = 300  # seconds that an answer of the browser may take
# Names of keys -> their code, which the browser needs for keys without a character.
KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, " ": 32}
BROKEN = r"""(() => {
  const found = [], walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const folded = walker.currentNode.parentElement.closest("details:not([open]) > :not(summary)");
    if (folded) continue;
    for (const word of walker.currentNode.data.matchAll(/(?<=^|\s)[^\s-]{2,15}(?=\s|$)/g)) {
      const range = document.createRange();
      range.setStart(walker.currentNode, word.index);
      range.setEnd(walker.currentNode, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(place => Math.round(place.top))).size > 1) found.push(word[0]);
    }
  }
  return found;
})()"""


class Browser:
    """One browser with a profile of its own in `folder`. `with` ends it. It has one page at a time.

    `options` are further ones of the command line.
    """

    def __init__(self, folder, options=()):
        from_us, to_browser = os.pipe()
        from_browser, to_us = os.pipe()
        # The browser reads its commands from file descriptor 3 and writes to 4, each message
        # followed by a zero byte.
        command = [
            "bash",
            "-c",
            f'exec "$@" 3<&{from_us} 4>&{to_us}',
            "bash",
            BROWSER,
            *OPTIONS,
            f"--user-data-dir={folder}/profile",
            *options,
        ]
        self.process = subprocess.Popen(
            command, pass_fds=(from_us, to_us), stderr=subprocess.DEVNULL
        )
        os.close(from_us)
        os.close(to_us)
        self.writes, self.reads = os.fdopen(to_browser, "wb", 0), os.fdopen(from_browser, "rb", 0)
        self.number, self.rest, self.session, self.events = 0, b"", None, []

    def call(self, method, **values):
        """Send a command and return its result. Raise AssertionError if the browser refuses it."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        self.writes.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def _message(self):
        while b"\0" not in self.rest:
            # A promise that is never fulfilled must fail a test, not stop all of them.
            is_ready, _, _ = select.select([self.reads], [], [], ANSWER)
            assert is_ready, f"the browser has not answered within {ANSWER} s"
            piece = self.reads.read(1 << 20)
            assert piece, "the browser has ended"
            self.rest += piece
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def open(self, url, *, width=1280, height=900, dark=False, scripts=True, media=""):
        """Open a URL in a new page and wait until it is loaded."""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for name in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{name}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.call(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self.has_scripts = scripts
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.until(lambda: any(event["method"] == "Page.loadEventFired" for event in self.events))

    def until(self, wanted, seconds=30):
        """Wait until `wanted()` is true and return its value."""
        deadline = time.monotonic() + seconds
        while not (value := wanted()):
            assert time.monotonic() < deadline, f"the page did not get there within {seconds} s"
            self.call("Browser.getVersion" if self.session is None else "Page.getLayoutMetrics")
            time.sleep(0.02)
        return value

    @contextmanager
    def scripts(self):
        """Let scripts run on a page that was opened without them, such as axe-core, whose promise would
        never be fulfilled.
        """
        self.call("Emulation.setScriptExecutionDisabled", value=False)
        yield
        self.call("Emulation.setScriptExecutionDisabled", value=not self.has_scripts)

    def run(self, script):
        """Return the value of a JavaScript expression, of a promise once it is fulfilled."""
        found = self.call(
            "Runtime.evaluate",
            expression=script,
            awaitPromise=True,
            returnByValue=True,
            allowUnsafeEvalBlockedByCSP=True,
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, key):
        """Press a key, such as "/" or "Escape", in the focused element."""
        code = KEYS.get(key, ord(key[0].upper()))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.call(
            "Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, text=text
        )
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text):
        """Write a text into the focused element."""
        self.call("Input.insertText", text=text)

    def choose_file(self, selector, path):
        """Choose a file in the field that a selector of CSS finds."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        field = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=field, files=[str(path)])

    def complaints(self):
        """Return the errors that the page has caused since it was opened: exceptions, and what its
        policy refused.
        """
        self.call("Page.getLayoutMetrics")
        return [
            event["params"]
            for event in self.events
            if event["method"] == "Runtime.exceptionThrown"
            or (
                event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error"
            )
        ]

    def broken_words(self):
        """Return the short words of the page that stand on more than one line, which a column too
        narrow does.
        """
        return self.run(BROKEN)

    def set_offline(self, is_offline):
        """Take the network away from the page, or give it back."""
        self.call(
            "Network.emulateNetworkConditions",
            offline=is_offline,
            latency=0,
            downloadThroughput=-1,
            uploadThroughput=-1,
        )

    def kill(self):
        """End the browser as a lack of memory does, without a word to its pages (SIGKILL)."""
        self.process.kill()
        self.process.wait(30)
        self.writes.close()
        self.reads.close()

    def screenshot(self, file):
        """Write a picture of what the window shows to a PNG file."""
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()  # if its pipe is closed instead, it takes ten seconds
