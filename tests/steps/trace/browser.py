"""Pages of traces in a real browser, headless Chromium, opened from disk and driven through its debugging pipe.

browser.py PAGE_SAMPLE: the program that writes the pages. What a page may not do is watched from outside: its console
stays silent, it asks for nothing but itself, and a server that hostile texts point to hears nothing.
"""
import http.server
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

BOUND = 120  # seconds, for everything


class Browser:
    """Speaks the DevTools protocol: JSON objects, each ended by a zero byte, on the descriptors 3 and 4 of Chromium."""

    def __init__(self, profile):
        self.until = time.monotonic() + BOUND
        self.events, self.sent, self.rest = [], 0, b""
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()

        def descriptors():
            keep = os.dup(to_read), os.dup(to_write)  # away from 3 and 4, should they stand there
            os.dup2(os.dup(keep[0]), 3)
            os.dup2(os.dup(keep[1]), 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
             "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=descriptors,
            close_fds=False, start_new_session=True)
        os.close(to_read)
        os.close(to_write)

    def receive(self):
        while b"\0" not in self.rest:
            left = self.until - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                raise SystemExit(f"Chromium has not answered within {BOUND} seconds")
            block = os.read(self.read_end, 1 << 16)
            if not block:
                raise SystemExit("Chromium has ended")
            self.rest += block
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": params}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            reply = self.receive()
            if reply.get("id") == self.sent:
                assert "error" not in reply, (method, reply["error"])
                return reply["result"]
            self.events.append(reply)

    def attach(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.call(domain + ".enable")

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def press(self, key, text=None):
        code = {"Escape": 27, "/": 191}.get(key, 0)
        down = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def said(self):
        """What the page has told the console, or asked of anybody."""
        self.value("new Promise(done => setTimeout(done, 50))")
        bad = {"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Audits.issueAdded"}
        words = [e for e in self.events if e.get("method") in bad]
        urls = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return words, urls

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


class Witness:
    """A server that nobody should ever ask."""

    def __init__(self):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_error(404)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def luminance(colour):
    def linear(part):
        part = int(part, 16) / 255
        return part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
    red, green, blue = (linear(colour[i:i + 2]) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def check_colours(browser):
    """WCAG AA, light and dark: 4.5 to 1 for all text on both grounds."""
    names = ["text", "soft", "blue", "green", "yellow", "red", "magenta", "cyan"]
    grounds = {}
    for scheme in ("light", "dark"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        colour = {n: browser.value(f"getComputedStyle(document.documentElement).getPropertyValue('--{n}').trim()")
                  for n in names + ["ground", "card", "mark"]}
        for name in names:
            for ground in ("ground", "card"):
                assert contrast(colour[name], colour[ground]) >= 4.5, (scheme, name, ground)
        assert contrast(colour["text"], colour["mark"]) >= 4.5, scheme
        grounds[scheme] = browser.value("getComputedStyle(document.body).backgroundColor")
    assert grounds["light"] != grounds["dark"], grounds
    browser.call("Emulation.setEmulatedMedia", features=[])


def check_structure(browser):
    assert browser.value("document.compatMode") == "CSS1Compat"
    assert browser.value("document.documentElement.lang") == "en"
    assert browser.value("document.title").startswith("How did sales vary")
    assert browser.value("document.querySelectorAll('main').length") == 1
    assert browser.value("document.querySelectorAll('article.entry').length") == 17
    assert browser.value("document.querySelectorAll('details.sub').length") == 2
    assert browser.value("document.querySelectorAll('details[open]').length") == 0
    assert browser.value("document.querySelector('.observation .text').textContent").startswith("1. What were")
    unlabelled = "[...document.querySelectorAll('input, button, output')].filter(n => !n.labels?.length && " \
                 "!n.textContent).length"
    assert browser.value(unlabelled) <= 1, "a control has no label"  # the count of hits is empty at first, and labelled
    ids = "(() => { const ids = [...document.querySelectorAll('[id]')].map(n => n.id);" \
          " return ids.length - new Set(ids).size })()"
    assert browser.value(ids) == 0
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = {(n.get("role", {}).get("value"), n.get("name", {}).get("value")) for n in nodes}
    assert ("searchbox", "Search") in roles, sorted(r for r in roles if r[0])
    assert {"banner", "main", "search"} <= {role for role, _ in roles}, sorted(r for r in roles if r[0])
    narrow = {"width": 320, "height": 600, "deviceScaleFactor": 1, "mobile": True}
    browser.call("Emulation.setDeviceMetricsOverride", **narrow)
    assert browser.value("document.documentElement.scrollWidth") <= 320, "the page is wider than a telephone"
    browser.call("Emulation.clearDeviceMetricsOverride")


def check_search(browser):
    visible = "document.querySelectorAll('article.entry:not([hidden])').length"
    browser.press("/", "/")
    assert browser.value("document.activeElement.id") == "find"
    assert browser.value("document.activeElement.value") == ""
    browser.call("Input.insertText", text="NO SUCH column")
    assert browser.value(visible) == 1, browser.value(visible)
    assert browser.value("document.getElementById('found').textContent") == "1 of 20"
    assert browser.value("[...document.querySelectorAll('details')].map(n => [n.open, n.hidden])") == \
        [[True, False], [False, True]]
    assert browser.value("CSS.highlights.get('found').size") == 1
    browser.press("Escape")
    assert browser.value(visible) == 17
    assert browser.value("document.querySelectorAll('details[open]').length") == 0
    assert browser.value("document.getElementById('found').textContent") == ""
    browser.call("Input.insertText", text="nothing says this")
    assert browser.value(visible) == 0
    browser.press("Escape")
    browser.value("document.getElementById('fold').click()")
    assert browser.value("document.querySelectorAll('details[open]').length") == 2
    browser.value("document.getElementById('fold').click()")
    assert browser.value("document.querySelectorAll('details[open]').length") == 0


def check_hostile(browser):
    """The texts stand there to be read, and not one of them has done anything."""
    assert browser.value("typeof window.owned") == "undefined"
    assert browser.value("document.scripts.length") == 1
    assert browser.value("document.querySelectorAll('img, iframe, svg, link, base, object, form').length") == 0
    handlers = "[...document.querySelectorAll('*')].filter(n => n.getAttributeNames().some(a => a.startsWith('on'))" \
               ").length"
    assert browser.value(handlers) == 0
    text = browser.value("document.body.textContent")
    assert "</script><script>window.owned = 1</script>" in text
    assert "<U+202E>" in text and "<U+001B>]52;" in text and "\x1b" not in text and "\u202e" not in text
    assert re.search(r"\[\d+ more bytes\]", text)
    browser.value("document.getElementById('find').focus()")
    browser.call("Input.insertText", text="window.owned = 3")
    assert browser.value("document.querySelectorAll('article.entry:not([hidden])').length") > 0


def screenshot(browser, path):
    import base64
    data = browser.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
    pathlib.Path(path).write_bytes(base64.b64decode(data))


def main(sample):
    if not shutil.which("chromium"):
        raise SystemExit("there is no chromium: install Debian's package of that name")
    witness = Witness()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sample, str(folder), str(witness.port)], check=True, timeout=60)
        browser = Browser(folder / "profile")
        try:
            browser.attach()
            for page, checks in (("ordinary", [check_structure, check_colours, check_search]),
                                 ("hostile", [check_hostile])):
                path = folder / (page + ".html")
                browser.open(path)
                if len(sys.argv) > 2:
                    screenshot(browser, f"{sys.argv[2]}/{page}.png")
                for check in checks:
                    check(browser)
                words, urls = browser.said()
                assert not words, (page, words[:3])
                assert urls == [path.as_uri()], (page, urls[:3])
        finally:
            browser.close()
    assert not witness.asked, witness.asked


main(sys.argv[1])
