"""Pages of traces in a real browser, opened from disk.

usage: browser.py PAGE_SAMPLE, the program that writes the pages. The test watches each page from outside: its console
stays silent, it requests only itself, and the server of links in hostile texts gets no request.
"""
import http.server
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from chromium import Browser
from limit import LIMIT


class Witness:
    """A server that should get no request."""

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
    """Checks WCAG AA, light and dark: a contrast of 4.5 to 1 for all text on both backgrounds."""
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
    assert browser.value("document.querySelectorAll('article.entry').length") == 19
    assert browser.value("document.querySelectorAll('details.sub').length") == 2
    assert browser.value("document.querySelectorAll('details[open]').length") == 0
    assert browser.value("document.querySelector('.observation .text').textContent").startswith("1. What were")
    unlabelled = "[...document.querySelectorAll('input, button, output')].filter(n => !n.labels?.length && " \
                 "!n.textContent).length"
    assert browser.value(unlabelled) <= 1, "a control has no label"  # the count of hits is first empty, and has a label
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
    assert browser.value("document.getElementById('found').textContent") == "1 of 21"
    assert browser.value("[...document.querySelectorAll('details')].map(n => [n.open, n.hidden])") == \
        [[True, False], [False, True]]
    assert browser.value("CSS.highlights.get('found').size") == 1
    browser.press("Escape")
    assert browser.value(visible) == 19
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
    """Checks that the texts are readable, and that none of them has run as script."""
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


def main(sample):
    witness = Witness()
    with tempfile.TemporaryDirectory() as name, Browser() as browser:
        folder = pathlib.Path(name)
        subprocess.run([sample, str(folder), str(witness.port)], check=True, timeout=LIMIT)
        for page, checks in (("ordinary", [check_structure, check_colours, check_search]),
                             ("hostile", [check_hostile])):
            path = folder / (page + ".html")
            browser.open(path)
            for check in checks:
                check(browser)
            words, urls = browser.said()
            assert not words, (page, words[:3])
            assert urls == [path.as_uri()], (page, urls[:3])
    assert not witness.asked, witness.asked


main(sys.argv[1])
