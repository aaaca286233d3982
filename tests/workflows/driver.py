"""Runs the driver as a process, for the tests in this folder. Each test is called with the path of the driver.

    result = weft("react", "--model", script("Answer: 42"), "what?")
    result.code, result.out, result.err

The driver runs in an empty folder, with its own environment: no keys, and no server at Ollama's address.
"""
import http.server
import json
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from limit import LIMIT  # noqa: E402

DRIVER = os.path.abspath(sys.argv[1])
CANARY = b"sk-canary"  # begins every key of these tests; no output may have it
_folder = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(_folder.name)


def environment(**more):
    kept = {name: value for name, value in os.environ.items()
            if name in ("PATH", "LD_LIBRARY_PATH") or name.endswith("SAN_OPTIONS")}
    return {**kept, "HOME": str(FOLDER), "TERM": "xterm", "LANG": "C.UTF-8", "OLLAMA_HOST": "127.0.0.1:1", **more}


class Result:
    def __init__(self, code, out, err):
        self.code, self.raw_out, self.raw_err = code, out, err
        self.out, self.err = out.decode("utf-8"), err.decode("utf-8")

    @property
    def events(self):
        return [json.loads(line) for line in self.out.splitlines()]

    def __repr__(self):
        return f"code {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


def weft(*words, text="", env=None, cwd=None, **more):
    data = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run([DRIVER, *words], input=data, capture_output=True, timeout=LIMIT,
                          env=environment(**(env or {})), cwd=cwd or FOLDER, **more)
    assert CANARY not in done.stdout + done.stderr, (words, done)
    return Result(done.returncode, done.stdout, done.stderr)


_scripts = 0


def script(*replies, **more):
    """Returns the name of a scripted model with these replies: texts, or objects of a script."""
    global _scripts
    _scripts += 1
    path = FOLDER / f"script_{_scripts}.json"
    path.write_text(json.dumps({"replies": [r if isinstance(r, dict) else {"reply": r} for r in replies], **more}))
    return f"script:{path}"


class Server:
    """A model server that gives one answer, an object or a text, to every request, and keeps the requests."""

    def __init__(self, body, status=200):
        self.asked = []
        keep = self.asked

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                length = int(self.headers.get("Content-Length") or 0)
                keep.append((self.path, self.headers, self.rfile.read(length)))
                data = (body if isinstance(body, str) else json.dumps(body)).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self, f"http://127.0.0.1:{self.server.server_address[1]}"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Terminal:
    """The driver, or another program, on a pseudo-terminal: standard input, output and error."""

    def __init__(self, *words, env=None, program=DRIVER):
        self.seen = b""
        self.at = 0
        self.process, self.stream = pty.fork()
        if self.process == 0:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup may have ignored it
            os.chdir(FOLDER)
            os.execve(program, [program, *words], environment(**(env or {})))

    def is_usual(self):
        """Sets the mode of a shell: the system makes lines and their echo."""
        flags = termios.tcgetattr(self.stream)[3]
        return bool(flags & termios.ICANON and flags & termios.ECHO)

    def _read(self, until):
        while select.select([self.stream], [], [], max(0, until - time.monotonic()))[0]:
            try:
                data = os.read(self.stream, 4096)
            except OSError:  # the driver's side is closed
                data = b""
            self.seen += data
            return bool(data)
        raise AssertionError(f"nothing more within {LIMIT} seconds after {self.seen!r}")

    def expect(self, *texts):
        """Waits until one of the texts arrives after the last expected one, and returns it."""
        until = time.monotonic() + LIMIT
        while True:
            for text in texts:
                if text.encode() in self.seen[self.at:]:
                    self.at = self.seen.index(text.encode(), self.at) + len(text.encode())
                    return text
            if not self._read(until):
                raise AssertionError(f"{texts!r} did not come: {self.seen!r}")

    def prompt(self, text):
        """Waits for a prompt, and until the line can be edited: Ctrl-C would drop text typed earlier."""
        self.expect(text)
        until = time.monotonic() + LIMIT
        while termios.tcgetattr(self.stream)[3] & termios.ICANON:
            if time.monotonic() > until:
                raise AssertionError(f"no line can be edited at {text!r}")
            os.sched_yield()

    def type(self, text):
        os.write(self.stream, text.encode())

    def hang_up(self):
        """Closes the terminal, and returns the exit code."""
        os.close(self.stream)
        handle = os.pidfd_open(self.process)
        ended = select.select([handle], [], [], LIMIT)[0]
        os.close(handle)
        if not ended:
            os.kill(self.process, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        assert ended, f"the driver has not ended within {LIMIT} seconds after its terminal: {self.seen!r}"
        return code

    def end(self):
        """Returns the exit code."""
        until = time.monotonic() + LIMIT
        try:
            while self._read(until):
                pass
        except AssertionError:
            os.kill(self.process, signal.SIGKILL)
            raise
        finally:
            code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
            os.close(self.stream)
        return code


class Case(unittest.TestCase):
    longMessage = True

    def expect(self, result, code, sentence=None):
        """Checks the exit code, and that standard error is one sentence with this text."""
        self.assertEqual(result.code, code, result)
        if sentence is not None:
            said = [line for line in result.err.splitlines() if line.startswith("weft: ")]
            self.assertTrue(any(sentence in line for line in said), f"{sentence!r} is not said: {result}")


def main(classes=()):
    """Runs the tests of these classes, or all tests without a name."""
    unittest.main(argv=[sys.argv[0], *classes], verbosity=2)
