"""The driver on a store of several databases, each on a server of its own: a server is killed under load, and a
database is added."""
import itertools
import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "workflows"))
import driver
from driver import Case, DRIVER, FOLDER, LIMIT, weft
from durable import GRANT, REFUND, rows
from workers import HELLO, detach, queue, status
from server import Server, begin, until

SERVERS = [Server() for _ in range(4)]
ADDRESSES = [f"postgres://weft@/postgres?host={server.folder}" for server in SERVERS]
BATCH, BATCHES = 60, 8


def store_of(addresses):
    return " ".join(addresses)


def work(case, addresses, *options):
    log = FOLDER / f"worker{len(case.workers)}.log"
    worker = begin([DRIVER, "worker", "--store", store_of(addresses), "--lease", "3s", *options], log)
    case.workers.append(worker)
    return worker


def text_of(file):
    return file.read_text() if file.exists() else ""


def ids_in(server):
    return [row[0] for row in server.database.ask("select id from weft.runs")]


def keys_in(server):
    return [row[0] for row in server.database.ask("select start_key from weft.runs where start_key <> ''")]


def counts(server):
    return dict(server.database.ask("select status, count(*)::text from weft.runs group by 1"))


class Shards(Case):
    def setUp(self):
        super().setUp()
        self.workers = []
        for server in SERVERS:
            server.database.ask("drop schema if exists weft cascade")

    def tearDown(self):
        for worker in self.workers:
            worker.send_signal(signal.SIGTERM)
        for worker in self.workers:
            worker.wait(LIMIT)
        super().tearDown()

    def put(self, addresses, number):
        """Starts a batch of runs with keys. Returns whether all of them are stored."""
        file = FOLDER / f"batch{number}"
        file.write_text("".join(json.dumps({"input": {"text": "Ada"}, "key": f"{number}-{i}"}) + "\n"
                                for i in range(BATCH)))
        got = weft("run", "hello", "--detach", "--batch", str(file), "--store", store_of(addresses))
        self.assertIn(got.code, (0, 3, 5), got.err)
        return got.code == 0

    def test_a_killed_server_of_four_stops_its_own_runs_only(self):
        store = store_of(ADDRESSES)
        self.expect(weft("runs", "--store", store), 0)
        for _ in range(2):
            work(self, ADDRESSES)
        until("both work", lambda: len(queue(store)["workers"]) == 2)
        refused = {number for number in range(BATCHES) if not self.put(ADDRESSES, number)}
        self.assertEqual(refused, set())
        SERVERS[2].kill()
        killed = time.monotonic()
        for number in range(BATCHES, 2 * BATCHES):
            if not self.put(ADDRESSES, number):
                refused.add(number)
        self.assertTrue(refused, "each batch has runs of the database that is away")
        alive = [server for server in SERVERS if server is not SERVERS[2]]
        until("the runs of the others are done", lambda: all(set(counts(each)) == {"done"} for each in alive))
        took = time.monotonic() - killed
        late, tries = detach_elsewhere(store)
        until("a new run is done meanwhile", lambda: status_in(alive, late) == "done")
        listing = weft("runs", "--store", store)
        self.assertIn(listing.code, (3, 5), listing.out)
        self.assertIn(str(SERVERS[2].folder), listing.err)
        SERVERS[2].start()
        for number in sorted(refused):
            until("the batch is stored", lambda: self.put(ADDRESSES, number), pause=1)
        until("all runs are done", lambda: all(set(counts(each)) == {"done"} for each in SERVERS))
        ids = [each for server in SERVERS for each in ids_in(server)]
        self.assertEqual(len(ids), len(set(ids)), "a run is in two databases")
        keys = [each for server in SERVERS for each in keys_in(server)]
        self.assertIn(len(ids) - len(keys), range(1, tries + 1))
        self.assertEqual(sorted(keys), sorted(f"{n}-{i}" for n in range(2 * BATCHES) for i in range(BATCH)))
        share = [len(ids_in(server)) for server in SERVERS]
        self.assertGreater(min(share), len(ids) // 8)
        print(f"runs {share}, refused batches {len(refused)}, the others done {took:.1f} s after the kill")

    def test_questions_are_answered_and_metrics_are_written_while_a_database_is_away(self):
        store = store_of(ADDRESSES[:3])
        runs = [detach(store, *REFUND) for _ in range(9)]
        metrics = FOLDER / "worker.prom"
        work(self, ADDRESSES[:3], "--metrics", str(metrics))
        until("all wait", lambda: queue(store)["queues"][0]["waiting"] == 9)
        until("the metrics of the store are written", lambda: "weft_queue_runs" in text_of(metrics))
        SERVERS[2].kill()
        try:
            alive = ids_in(SERVERS[0]) + ids_in(SERVERS[1])
            self.assertGreater(len(alive), 1)
            until("the metrics tell it", lambda: "weft_store_failing 1" in text_of(metrics))
            for run in alive[1:]:
                self.expect(weft("show", run, "--store", store), 0)
                self.expect(weft("answer", run, *GRANT, "--store", store), 0)
            self.expect(weft("cancel", alive[0], "--store", store), 0)
            until("they end", lambda: [status_in(SERVERS[:2], run) for run in alive] ==
                  ["cancelled"] + ["done"] * (len(alive) - 1))
        finally:
            SERVERS[2].start()
        for run in runs:
            if run not in alive:
                until("it is answered", lambda: weft("answer", run, *GRANT, "--store", store).code == 0)
        until("all end", lambda: {status(store, run) for run in runs} == {"done", "cancelled"})
        until("the metrics of the store are written again", lambda: "weft_queue_runs" in text_of(metrics))

    def test_a_store_grows_under_load_and_each_key_has_one_run(self):
        for size in range(1, 4):
            addresses = ADDRESSES[:size]
            store = store_of(addresses)
            self.expect(weft("runs", "--store", store), 0)
            work(self, addresses)
            for number in range(size * 2):
                self.assertTrue(self.put(addresses, number))
            if size > 1:
                before = weft("run", "hello", "--detach", "--input", '{"text": "Bo"}', "--store", ADDRESSES[0])
                self.expect(before, 3, f"the store has {size} databases, and this process knows 1 of them")
            until("all are done", lambda: sum(int(counts(each).get("done", 0)) for each in SERVERS[:size]) ==
                  size * 2 * BATCH)
        ids = [each for server in SERVERS[:3] for each in ids_in(server)]
        self.assertEqual(sorted(ids), sorted(f"hello:{number}-{i}" for number in range(6) for i in range(BATCH)))
        self.assertEqual(len(rows(store)), 6 * BATCH)
        self.expect(weft("runs", "--store", store_of([ADDRESSES[1], ADDRESSES[0], ADDRESSES[2]])), 3, "is number")
        self.expect(weft("runs", "--store", store_of(ADDRESSES[:2])), 3, "it has 3 databases, and 2 were given")
        other = ADDRESSES[3] + "&application_name=x"
        self.expect(weft("runs", "--store", ADDRESSES[3], "--store", other), 3, "same database")
        self.expect(weft("runs", "--store", "a.db", "--store", "b.db"), 2, "only databases of PostgreSQL")
        self.expect(weft("runs", "--store", "a.db", "--store", ADDRESSES[3]), 2, "only databases of PostgreSQL")

    def test_questions_signals_and_listings_work_across_databases(self):
        file = FOLDER / "databases"
        file.write_text("# three databases\n" + "\n".join(ADDRESSES[:3]) + "\n")
        store = f"@{file}"
        runs = [detach(store, *REFUND) for _ in range(9)]
        work(self, ADDRESSES[:3])
        until("all wait", lambda: queue(store)["queues"][0]["waiting"] == 9)
        self.assertGreater(sum(len(ids_in(server)) > 0 for server in SERVERS[:3]), 1)
        for run in runs[:8]:
            self.expect(weft("answer", run, *GRANT, "--store", store), 0)
        self.expect(weft("cancel", runs[8], "--store", store), 0)
        until("all end", lambda: [status(store, run) for run in runs] == ["done"] * 8 + ["cancelled"])
        self.assertEqual(len(rows(store)), 9)
        exported = weft("export", "--store", store)
        self.expect(exported, 0)
        self.expect(weft("prune", "--run", runs[0], "--store", store), 0)
        self.assertEqual(len(rows(store)), 8)
        self.expect(weft("queue", "set", "default", "--running", "2", "--store", store), 2, "divided among 3")
        self.assertIn(f"{SERVERS[2].folder} answers; tables of version", weft("doctor", "--store", store).out)


def detach_elsewhere(store):
    """Starts a run in a database that answers: its id is random, so some tries may fail. Returns the run and the number
    of tries. On a slow machine a failed one may be stored, too."""
    for tries in itertools.count(1):
        got = weft(*HELLO, "--detach", "--store", store)
        if got.code == 0:
            return got.out.strip(), tries


def status_in(servers, run):
    for server in servers:
        for (found,) in server.database.ask(f"select status from weft.runs where id = '{run}'"):
            return found
    return None


if __name__ == "__main__":
    try:
        driver.main()
    finally:
        for server in SERVERS:
            server.close()
