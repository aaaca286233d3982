"""Four workers before a model server with a hard limit of requests in any minute, and two tenants with equal shares.

The fourth argument is the time under load in seconds, the fifth the requests a minute. A short time proves only that
no request is refused and that both tenants are served; from a minute on, the use of the limit and the shares count.
"""
import collections
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

from server import LIMIT, Server, begin, until, wait

WEFT = sys.argv[1]
SECONDS, REQUESTS = (int(text) for text in sys.argv[4:6] + ["60", "600"][len(sys.argv[4:6]):])
WORKERS, SLOTS, MINUTE = 4, 12, 60
MODEL = "openai:m"


class HardLimit:
    """A model server that refuses every request beyond the limit of the last 60 seconds."""

    def __init__(self):
        self.answered, self.refused, self.lock = [], [], threading.Lock()
        limit = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                tenant = "many" if "tenant many" in body else "few"
                with limit.lock:
                    now = time.monotonic()
                    recent = sum(1 for at, _ in limit.answered[-REQUESTS:] if at > now - MINUTE)
                    is_refused = recent >= REQUESTS
                    (limit.refused if is_refused else limit.answered).append((now, tenant))
                if not is_refused:
                    wait(0.3)
                text = {"error": {"message": "Rate limit reached"}} if is_refused else {
                    "choices": [{"index": 0, "finish_reason": "stop", "message": {
                        "role": "assistant", "content": "Thought: I know.\nAnswer: It is 42."}}],
                    "usage": {"prompt_tokens": 300, "completion_tokens": 20}}
                data = json.dumps(text).encode()
                self.send_response(429 if is_refused else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 200

            def handle_error(self, *_):
                pass  # the client has ended

        self.server = Listener(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"


def weft(*words):
    done = subprocess.run([WEFT, *words, "--store", STORE], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def put(folder, tenant, runs):
    file = folder / f"{tenant}.jsonl"
    file.write_text("".join(json.dumps({"input": {"text": f"tenant {tenant}: question {i}?"}}) + "\n"
                            for i in range(runs)))
    weft("run", "react", "--batch", str(file), "--value", f"tenant={tenant}", "--queue", "mail")


database = Server()
STORE = f"postgres://weft@/postgres?host={database.folder}"
mock, workers = HardLimit(), []
with tempfile.TemporaryDirectory(prefix="weft_limits_") as name:
    folder = pathlib.Path(name)
    try:
        weft("queue", "set", "mail", "--per", "value.tenant")
        weft("model", "set", MODEL, "--requests", str(REQUESTS), "--per", "value.tenant")
        needed = 200 + REQUESTS * (SECONDS + MINUTE) // MINUTE
        put(folder, "many", 2 * needed)
        put(folder, "few", needed)
        for i in range(WORKERS):
            workers.append(begin([WEFT, "worker", "--store", STORE, "--slots", SLOTS, "--model", MODEL, "--base-url",
                                  mock.url], folder / f"worker{i}", env={**os.environ, "OPENAI_API_KEY": ""}))
        until("both tenants are served", lambda: {"many", "few"} <= {tenant for _, tenant in mock.answered})
        began = time.monotonic()
        wait(SECONDS)
        until("both tenants are served again", lambda: {"many", "few"} <= {
            tenant for at, tenant in mock.answered if at >= began})
        ended = time.monotonic()
    finally:
        for each in workers:
            each.send_signal(signal.SIGTERM)
        for each in workers:
            each.wait(LIMIT)
        database.close()
    said = "".join((folder / f"worker{i}").read_text() for i in range(WORKERS))
    under_load = [tenant for at, tenant in mock.answered if began <= at < ended]
    shares = collections.Counter(under_load)
    refused = len(mock.refused) / max(1, len(mock.refused) + len(mock.answered))
    used = len(under_load) / (REQUESTS * SECONDS / MINUTE)
    ratio = max(shares.values()) / max(1, min(shares.values()))
    print(f"{WORKERS} workers, {SECONDS} s, {REQUESTS} requests a minute: {refused:.1%} refused, {used:.1%} used, "
          f"tenants {dict(shares)}, ratio {ratio:.2f}")
    assert refused <= 0.01, said[-2000:]
    assert len(shares) == 2
    assert SECONDS < MINUTE or (used >= 0.95 and ratio <= 1.5)
