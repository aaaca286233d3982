"""The load during failovers: workers, a server, and clients, which log outside of the database what they were told.

    load = Load(place)
    load.start()
    ...
    load.end()
    entries = load.log.entries()

A client's success is an acknowledgement (promises.py). A failure promises nothing: the client tries again.
"""
import http.client
import json
import os
import subprocess
import sys
import threading
import time

from promises import Log

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "postgres"))
from chaos import ORDER_WORKER, WEFT, environment  # noqa: E402
from server import LIMIT, begin, until  # noqa: E402

GRANT = {"granted": True}
PATIENCE = 120  # seconds in which a client repeats a request, longer than a failover


class Service:
    """A process of `weft serve`, which also executes runs of the store."""

    def __init__(self, place):
        self.place, self.log, self.process = place, place.folder / "server.log", None

    def start(self):
        words = [WEFT, "serve", "--port", "0", "--store", self.place.url, "--slots", "10", "--model", "openai:any",
                 "--base-url", self.place.model.url("server"), "--no-stream"]
        self.process = begin(words, self.log, cwd=self.place.folder, env=environment())
        self.place.processes["server"] = self.process.pid
        self.port = until(f"the server serves: {self.log}", self.find_port)

    def find_port(self):
        self.check()
        line = next((line for line in self.log.read_text().splitlines() if line.startswith("serving on ")), "")
        return line and int(line.rsplit(":", 1)[1].strip("/"))

    def check(self):
        assert self.process.poll() is None, f"the server has ended: {self.log.read_text()[-3000:]}"

    def ask(self, method, path, body=None):
        """Returns the status and the answer; the status 0 without one."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read() or b"{}")
        except (OSError, http.client.HTTPException, ValueError):
            return 0, {}
        finally:
            connection.close()

    def end(self):
        self.process.terminate()
        self.process.wait(LIMIT)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(LIMIT)


class Client(threading.Thread):
    """Makes requests, one after the other, until the load ends."""

    def __init__(self, load, name):
        super().__init__(name=name, daemon=True)
        self.load, self.error, self.made = load, None, 0

    def run(self):
        try:
            while not self.load.ends.is_set():
                self.made += 1
                self.act(f"{self.name}-{self.made}")
                self.load.ends.wait(self.load.pause())
        except BaseException as error:  # the main thread raises it
            self.error = error

    def act(self, name):
        raise NotImplementedError

    def insist(self, request):
        """Repeats a request until it is acknowledged. Returns whether it was."""
        end = time.monotonic() + PATIENCE
        while not request():
            if time.monotonic() > end:
                self.load.given_up += 1
                return False
            time.sleep(0.5)
        return True


def call(place, *words):
    return subprocess.run(["setpriv", "--pdeathsig", "KILL", *words], cwd=place.folder, env=environment(),
                          capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL, check=False)


class OrderClient(Client):
    """Stores orders by the engine. A process that fails may have stored some of them, and has told of these."""

    def act(self, name):
        place, words = self.load.place, (f"work_ms={(0, 50, 300)[self.made % 3]}", f"asks={self.made % 2}")
        done = call(place, ORDER_WORKER, "put", f"url={place.url}", f"name={name}", "count=5", *words)
        for run in done.stdout.split():
            self.load.log.note("started", run, "order")


class CommandClient(Client):
    """Stores runs by `weft run --detach`, and answers or cancels them by commands."""

    def weft(self, *words):
        return call(self.load.place, WEFT, *words, "--store", self.load.place.url)

    def act(self, name):
        turn = self.made % 4
        event = {"text": f"What is case {self.made}?"} if turn == 0 else {"order": name, "amount": 120}
        workflow = "react" if turn == 0 else "refund"
        done = self.weft("run", workflow, "--input", json.dumps(event), "--detach")
        if done.returncode != 0:
            return
        run = done.stdout.strip()
        self.load.log.note("started", run, workflow)
        if turn == 0:
            self.load.place.cases[self.made] = run
        elif turn == 1 and self.insist(lambda: self.weft("cancel", run).returncode == 0):
            self.load.log.note("cancelled", run, workflow)
        elif turn > 1 and self.insist(lambda: self.weft("answer", run, "--event", "ApprovalEvent", "--json",
                                                        json.dumps(GRANT), "--id", "yes").returncode == 0):
            self.load.log.note("answered", run, workflow)


class ServerClient(Client):
    """Starts runs by the server, and answers or cancels them there."""

    def act(self, name):
        ask = self.load.service.ask
        status, told = ask("POST", "/workflows/refund/run-nowait",
                           {"handler_id": name, "start_event": {"order": name, "amount": 120}})
        if status != 200:
            return
        run = told["run_id"]
        self.load.log.note("started", run, "refund")
        if not self.insist(lambda: ask("GET", f"/handlers/{name}")[1].get("waiting")):
            return
        if self.made % 4 == 0:
            if self.insist(lambda: ask("POST", f"/handlers/{name}/cancel")[0] == 200):
                self.load.log.note("cancelled", run, "refund")
        elif self.insist(lambda: ask("POST", f"/events/{name}",
                                     {"event": {"type": "ApprovalEvent", "value": GRANT}})[0] == 200):
            self.load.log.note("answered", run, "refund")


class Load:
    """`place`: an object as in chaos.py, with workers that it starts."""

    def __init__(self, place):
        self.place, self.ends, self.given_up = place, threading.Event(), 0
        self.log = Log(place.folder / "acknowledged")
        self.service = Service(place)
        self.clients = [OrderClient(self, "orders1"), OrderClient(self, "orders2"), CommandClient(self, "commands"),
                        ServerClient(self, "served1"), ServerClient(self, "served2")]

    def pause(self):
        return self.place.random.uniform(0.3, 1.5)

    def start(self):
        self.place.start_workers(of_weft=2, of_orders=2)
        self.place.add_clerk()
        self.service.start()
        for each in self.clients:
            each.start()

    def check(self):
        """Raises the error of a client, or complains about a process that has ended."""
        for each in self.clients:
            if each.error:
                raise each.error
        for each in self.place.workers:
            assert each.is_alive() or each.complain()
        for each in self.place.clerks:
            assert each.poll() is None, (self.place.folder / "clerk.log").read_text()
        self.service.check()

    def end(self):
        """Waits until each client has finished its last request."""
        self.ends.set()
        for each in self.clients:
            each.join(LIMIT)
        self.check()

    def stop(self):
        self.ends.set()
        self.service.kill()
