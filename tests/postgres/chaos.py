"""Workers as processes on one PostgreSQL server, with a model server, a proxy to the database, and an audit at the end.

    with Place() as place:
        place.start_workers(2, 2)                  # processes of `weft worker`, and of orders
        place.put_orders("a", 50, work_ms=100)
        ...
        place.finish(workers_killed=3)             # waits until all runs have ended, prints counts, checks the results

Each test is called with the paths of `weft` and of `order_worker`, and the folder of the server's programs. Its random
choices depend on WEFT_CHAOS_SEED; without it, the test chooses a seed and prints it.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from audit import SCHEMA, Audit, read_effects
from model import Model
from proxy import Proxy
from server import LIMIT, Server, begin, until
from wire import Gone

WEFT, ORDER_WORKER = map(os.path.abspath, sys.argv[1:3])
LEASE_MS = 2000  # a slow machine is late with heartbeats: a worker that loses its lease loses only time
KEY = "sk-canary-chaos-4711"


def environment():
    kept = {name: value for name, value in os.environ.items()
            if name in ("PATH", "LD_LIBRARY_PATH") or name.endswith("SAN_OPTIONS")}
    return {**kept, "LANG": "C.UTF-8", "OLLAMA_HOST": "127.0.0.1:1", "OPENAI_API_KEY": KEY}


class Worker:
    """A worker process that a test kills and starts again. `how`: further arguments of its command."""

    def __init__(self, place, name, kind, how):
        self.place, self.name, self.kind, self.how = place, name, kind, how
        self.process, self.begun, self.killed = None, 0, 0

    def start(self):
        self.begun += 1
        name = f"{self.name}_{self.begun}"
        self.log = self.place.folder / f"{name}.log"
        url = self.place.url
        if self.kind == "order":
            words = [ORDER_WORKER, "work", f"url={url}", f"effects={self.place.effects}", f"lease_ms={LEASE_MS}"]
        else:
            words = [WEFT, "worker", "--store", url, "--lease", f"{LEASE_MS}ms", "--slots", "20", "--model",
                     "openai:any", "--base-url", self.place.model.url(name), "--no-stream"]
        words += self.how
        self.process = begin(words, self.log, cwd=self.place.folder, env=environment())
        self.place.processes[name] = self.process.pid
        return self

    @property
    def pid(self):
        return self.process.pid

    def until_working(self):
        until(f"{self.name} works: {self.log}", lambda: self.is_working() or not self.is_alive() and self.complain())
        return self

    def is_working(self):
        return b"working as " in self.log.read_bytes()

    def is_alive(self):
        return self.process.poll() is None

    def complain(self):
        raise AssertionError(f"{self.name} has ended by itself: {self.log.read_text()[-3000:]}")

    def found_no_server(self):
        """Whether it has ended because the server was away at its start; a service manager restarts it."""
        return not self.is_alive() and b"cannot use the store" in self.log.read_bytes()

    def kill(self):
        if self.found_no_server():
            return
        assert self.is_alive() or self.complain()
        self.process.kill()
        self.process.wait(LIMIT)
        self.killed += 1

    def send(self, number):
        self.process.send_signal(number)

    def end(self):
        """Ends the process like a service manager."""
        if self.is_alive():
            self.send(signal.SIGCONT)
            self.send(signal.SIGTERM)
        try:
            code = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        was_begun = self.is_working()  # a signal before its begin gives another code
        if code not in (0, -signal.SIGKILL) and was_begun:
            raise AssertionError(f"{self.name} has ended with {code}: {self.log.read_text()[-3000:]}")


class Place:
    def __init__(self, model_takes=0.1):
        seed = int(os.environ.get("WEFT_CHAOS_SEED") or random.SystemRandom().randrange(1 << 31))
        print(f"WEFT_CHAOS_SEED={seed}", flush=True)
        self.random, self.began = random.Random(seed), time.monotonic()
        self._folder = tempfile.TemporaryDirectory(prefix="weft_chaos_")
        self.folder = pathlib.Path(self._folder.name)
        self.effects, self.processes, self.wanted, self.cases = self.folder / "effects", {}, {}, {}
        self.workers, self.clerks, self.batches, self.continued = [], [], 0, []
        self.model = self.proxy = self.server = None
        try:
            self.model = Model(model_takes)
            self.open_database()
            self.call(WEFT, "runs", "--store", self.own_url)  # the command makes the tables
            self.database.ask(SCHEMA)
        except BaseException:
            self.close()
            raise

    def open_database(self):
        """Makes an empty database, with an address for workers and another one for the test's own commands."""
        self.server = Server()
        self.database = self.server.database
        self.proxy = Proxy(self.server.socket)
        self.url = f"postgres://weft@/postgres?host={self.proxy.folder}"
        self.own_url = f"postgres://weft@/postgres?host={self.server.folder}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for each in [each.process for each in self.workers] + self.clerks:
            if each and each.poll() is None:
                each.kill()
                each.wait(LIMIT)
        for each in (self.proxy, self.server, self.model):
            if each:
                each.close()
        for file in self.folder.iterdir():  # no file of a process may contain a test's key
            assert KEY.encode() not in file.read_bytes(), file
        self._folder.cleanup()

    # ----- runs

    def call(self, *words):
        """Runs a command until it succeeds, because the server may be away. Its connection does not use the proxy."""
        def once():
            done = subprocess.run(words, cwd=self.folder, env=environment(), capture_output=True, timeout=LIMIT,
                                  stdin=subprocess.DEVNULL, check=False)
            if done.returncode != 0:
                raise Gone(done.stderr.decode())
            return done
        return until(f"{words[:3]} ends well", once).stdout.decode()

    def put_orders(self, name, count, work_ms=100, asks=False, build="usual", timeout_s=0):
        ids = self.call(ORDER_WORKER, "put", f"url={self.own_url}", f"name={name}", f"count={count}",
                        f"work_ms={work_ms}", f"asks={int(asks)}", f"build={build}", f"timeout_s={timeout_s}").split()
        self.wanted.update({run: ("SentEvent",) for run in ids})
        return ids

    def put(self, workflow, event, *wanted):
        words = (WEFT, "run", workflow, "--input", json.dumps(event), "--store", self.own_url, "--detach")
        run = self.call(*words).strip()
        self.wanted[run] = wanted
        return run

    def put_catalogue(self, react=4, reflect=2, research=2, refund=2):
        """Stores runs of workflows of the catalogue. Returns the runs that ask a question."""
        def put_case(case, workflow):
            self.cases[case] = self.put(workflow, {"text": f"What is case {case}?"},
                                        "42" if workflow == "react" else "one and two")

        first = len(self.cases) + 1
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            cases = [pool.submit(put_case, first + number, workflow) for number, workflow in
                     enumerate(["react"] * react + ["reflect"] * reflect)]
            cases += [pool.submit(self.put, "research", {"text": "order"}, "tables with") for _ in range(research)]
            asking = [pool.submit(self.put, "refund", {"order": "A-17", "amount": 120}, '"granted":true')
                      for _ in range(refund)]
        for each in cases:
            each.result()
        return [each.result() for each in asking]

    def answer_refunds(self, runs):
        for run in runs:
            self.call(WEFT, "answer", run, "--event", "ApprovalEvent", "--json", '{"granted": true}', "--id", "yes",
                      "--store", self.own_url)

    def count(self, condition):
        return int(self.database.ask(f"select count(*) from weft.runs where {condition}")[0][0])

    def unfinished(self):
        return self.count("ended_at is null")

    def taken_over(self):
        """Returns how often runs have changed from one owner to the next one."""
        return int(self.database.ask("select count(*) from audit.owners where taken_over")[0][0])

    def runs_of(self, worker):
        """Returns the runs that the worker has now: run -> epoch."""
        rows = self.database.ask("select r.id, r.epoch from weft.runs r join audit.workers w on w.owner = r.owner "
                                 f"where r.status = 'running' and w.info like '%:{worker.pid}\"%'")
        return {run: int(epoch) for run, epoch in rows}

    def keep_busy(self):
        """Queues further orders when few are left, so that there are runs at all stages."""
        for each in self.clerks:
            assert each.poll() is None, (self.folder / "clerk.log").read_text()
        if self.unfinished() < 25:
            self.batches += 1
            self.put_orders(f"batch{self.batches}", 30, work_ms=self.random.choice((0, 50, 300)),
                            asks=self.batches % 2 == 0)

    def until_busy(self):
        """Waits until a worker has runs."""
        def is_busy():
            self.start_again()
            self.keep_busy()
            return any(self.runs_of(each) for each in self.workers if each.is_alive())
        until("a worker has runs", is_busy)

    # ----- processes

    def start_again(self):
        """Starts the workers again that have found no server."""
        for each in self.workers:
            if each.found_no_server():
                each.start()

    def add_worker(self, kind, *how):
        self.workers.append(Worker(self, f"{kind}{len(self.workers) + 1}", kind, how))
        return self.workers[-1].start()

    def add_clerk(self):
        """Starts a process that answers all questions of orders with yes."""
        self.clerks.append(begin([ORDER_WORKER, "clerk", f"url={self.url}"], self.folder / "clerk.log",
                                 cwd=self.folder, env=environment()))
        until("the clerk has opened the store", lambda: b"at the desk" in (self.folder / "clerk.log").read_bytes())

    def stop_clerk(self):
        clerk = self.clerks.pop()
        clerk.kill()
        clerk.wait(LIMIT)

    def start_workers(self, of_weft, of_orders):
        for kind, count in (("weft", of_weft), ("order", of_orders)):
            for _ in range(count):
                self.add_worker(kind)
        for each in self.workers:
            each.until_working()

    # ----- the end

    def audit(self):
        effects = read_effects(self.effects)
        effects += [each._replace(run=self.cases.get(each.run, str(each.run))) for each in list(self.model.asked)]
        backends = list(self.proxy.backends) if self.proxy else ()
        return Audit(self.database, self.wanted, effects, backends, self.processes, self.continued)

    def tell_unfinished(self):
        left = self.database.ask("select id, workflow, status, coalesce(owner, ''), epoch, takeovers, waits_for, "
                                 "wake_at from weft.runs where ended_at is null limit 10")
        print(f"not ended: {left}", flush=True)
        for each in self.workers:
            print(f"--- {each.name}: {each.log.read_text()[-1000:]}", flush=True)

    def finish(self, **counted):
        """Ends the faults, waits until all runs have ended, and checks the results."""
        self.proxy.rule = None
        try:
            until("all runs have ended", lambda: self.unfinished() == 0, pause=0.2)
        except AssertionError:
            self.tell_unfinished()
        for each in self.workers:
            each.end()
        audit = self.audit()
        title = os.path.basename(sys.argv[0]).removesuffix(".py").replace("_", " ")
        counted = {"workers_killed": sum(each.killed for each in self.workers),
                   "servers_restarted": self.server.restarts, **counted}
        print(f"{title}: {audit.summary(**counted)}, in {time.monotonic() - self.began:.0f} s", flush=True)
        audit.check()
        return audit
