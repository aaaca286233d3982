"""Headless Chromium for tests, driven through its debugging pipe.

    with Browser() as browser:
        browser.open(pathlib.Path("trace.html"))
        browser.value("document.title")
        words, urls = browser.said()      # messages of the console, and requested addresses
"""
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

from limit import LIMIT


class Browser:
    """Speaks the DevTools protocol: JSON objects, each ended by a zero byte, on the descriptors 3 and 4 of Chromium."""

    def __init__(self):
        if not shutil.which("chromium"):
            raise SystemExit("there is no chromium: install Debian's package of that name")
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.until = time.monotonic() + LIMIT
        self.events, self.sent, self.rest = [], 0, b""
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()

        def descriptors():
            keep = os.dup(to_read), os.dup(to_write)  # other descriptors than 3 and 4
            os.dup2(os.dup(keep[0]), 3)
            os.dup2(os.dup(keep[1]), 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=descriptors,
            close_fds=False, start_new_session=True)
        os.close(to_read)
        os.close(to_write)

    def receive(self):
        while b"\0" not in self.rest:
            left = self.until - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                raise SystemExit(f"Chromium has not answered within {LIMIT} seconds")
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

    def __enter__(self):
        try:
            self.attach()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

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
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def press(self, key, text=None):
        code = {"Escape": 27, "/": 191}.get(key, 0)
        down = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def said(self):
        """Returns the page's messages on the console and the addresses of its requests."""
        self.value("new Promise(done => setTimeout(done))")  # after the page's pending work
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
        os.close(self.read_end)
        os.close(self.write_end)
        self.profile.cleanup()
