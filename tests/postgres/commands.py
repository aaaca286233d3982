"""The commands of the driver on a store in PostgreSQL that several processes use at the same time."""
import json
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "workflows"))
import driver
from driver import Case, LIMIT, weft
from durable import ANSWER, CALL, GRANT, Model, REFUND, begin, end, kill, read_until, rows
from workers import HELLO, QUESTION, ask, detach, kinds, queue, serve, status, work
from server import Server, until
from wire import Database

SERVER = Server()
PASSWORD = "sk-canary-database-4711"  # no output may contain it
LEASE = ("--lease", "5s")
_databases = 0


def database():
    """Returns the address of a new, empty database."""
    global _databases
    _databases += 1
    SERVER.database.ask(f"create database weft_{_databases}")
    return f"postgres://weft:{PASSWORD}@/weft_{_databases}?host={SERVER.folder}"


class Commands(Case):
    def stop(self, *processes):
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            self.assertEqual(end(process).code, 0)

    def test_a_run_is_left_listed_answered_resumed_replayed_forked_exported_and_pruned(self):
        store = database()
        waits = weft(*REFUND, "--store", store)
        self.expect(waits, 10, "waits for the answer")
        self.assertIn(f"--store 'postgres://weft@/weft_{_databases}?host={SERVER.folder}'", waits.err)
        (run,) = rows(store)
        shown = weft("show", run["id"], "--store", store)
        self.expect(shown, 0)
        self.assertIn("question 0, ApprovalRequestEvent", shown.out)
        self.expect(weft("answer", run["id"], *GRANT, "--store", store), 0, "is in the inbox")
        resumed = weft("resume", "--store", store)
        self.expect(resumed, 0)
        self.assertTrue(json.loads(resumed.out)["granted"])
        self.assertEqual(weft("resume", run["id"], "--store", store).out, resumed.out)
        self.expect(weft("replay", run["id"], "--store", store), 0)
        fork = weft("fork", run["id"], "--at", "1", "--store", store)
        self.expect(fork, 0)
        self.expect(weft("cancel", fork.out.strip(), "--store", store), 0)

        exported = weft("export", "--store", store)
        self.expect(exported, 0)
        other = database()
        self.expect(weft("import", "-", "--store", other, text=exported.raw_out), 0, "2 runs were imported")
        self.assertEqual(weft("export", "--store", other).out, exported.out)
        self.expect(weft("prune", "--run", run["id"], "--store", store), 0)
        self.assertEqual([row["id"] for row in rows(store)], [fork.out.strip()])

    def test_two_workers_take_queued_runs_with_their_answers_and_cancels(self):
        store = database()
        workers = work(store, *LEASE, "--slots", "2"), work(store, *LEASE, "--slots", "3")
        until("both are listed", lambda: sorted(each["slots"] for each in queue(store)["workers"]) == [2, 3])
        runs = [detach(store, *HELLO, "--priority", str(n)) for n in range(6)]
        until("they are done", lambda: {status(store, run) for run in runs} == {"done"})
        asks, cancelled = detach(store, *REFUND), detach(store, *REFUND)
        until("both wait", lambda: queue(store)["queues"][0]["waiting"] == 2)
        self.expect(weft("answer", asks, *GRANT, "--store", store), 0)
        self.expect(weft("cancel", cancelled, "--store", store), 0)
        until("it is done", lambda: status(store, asks) == "done")
        until("it is cancelled", lambda: status(store, cancelled) == "cancelled")
        self.stop(*workers)
        self.assertEqual(queue(store)["workers"], [])

    def test_a_killed_workers_model_call_is_made_by_another_worker_and_no_finished_call_is_repeated(self):
        store = database()
        with Model(CALL, None, ANSWER) as (model, chosen):
            run = detach(store, *QUESTION)
            killed = work(store, *LEASE, *chosen)
            self.assertTrue(model.hangs.wait(LIMIT))
            other = work(store, *LEASE, *chosen)
            kill(killed)
            until("it is done", lambda: status(store, run) == "done")
            self.stop(other)
            self.assertEqual(len(model.asked), 3)
            self.assertEqual(model.asked[1]["messages"], model.asked[2]["messages"])

    def test_a_worker_ends_by_sigterm_when_its_database_is_away(self):
        store = database()
        worker = work(store)
        SERVER.kill()
        try:
            worker.send_signal(signal.SIGTERM)
            self.assertEqual(worker.wait(LIMIT), 0)  # while the server is away
        finally:
            SERVER.start()

    def test_a_worker_names_a_right_that_its_role_lacks(self):
        store = database()
        self.expect(weft("runs", "--store", store), 0)
        name = f"weft_{_databases}"
        SERVER.database.ask("create role reader login")
        Database(SERVER.socket, name).ask("grant usage on schema weft to reader; "
                                          "grant select on all tables in schema weft to reader")
        worker = begin("worker", "--store", f"postgres://reader@/{name}?host={SERVER.folder}")
        self.assertIn("permission denied for table workers", read_until(worker.stderr, "(42501)"))
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(worker.wait(LIMIT), 0)

    def test_a_run_of_another_process_is_neither_resumed_nor_lost(self):
        store = database()
        holder = begin(*REFUND, "--store", store)
        read_until(holder.stderr, "? ApprovalRequestEvent")
        (run,) = rows(store)
        self.expect(weft("resume", run["id"], "--store", store), 2, "is being executed by another process")
        self.expect(weft("answer", run["id"], *GRANT, "--store", store), 0)
        ended = end(holder)
        self.assertEqual((ended.code, json.loads(ended.out)["granted"]), (0, True), ended)

    def test_a_server_restarted_at_once_continues_the_runs_of_the_killed_one(self):
        store = database()
        first, url = serve(store)
        begun = ask(url + "/workflows/refund/run-nowait", {"start_event": {"order": "A-17", "amount": 120}})
        until("it is stored", lambda: rows(store))
        kill(first)
        second, url = serve(store)
        state = ask(f"{url}/handlers/{begun['handler_id']}")
        self.assertEqual(state["status"], "running", state)
        self.expect(weft("answer", begun["run_id"], *GRANT, "--store", store), 0)
        until("it is done", lambda: status(store, begun["run_id"]) == "done")
        self.stop(second)

    def test_a_server_suspended_for_longer_than_its_lease_changes_nothing_and_shows_the_result_of_another(self):
        """The lease of a server is ten seconds of real time. The model has no reply for a late request."""
        store = database()
        with Model(None, ANSWER) as (model, chosen):
            suspended, url = serve(store, *chosen)
            begun = ask(url + "/workflows/react/run-nowait", {"start_event": {"text": "What is 6 * 7?"}})
            self.assertTrue(model.hangs.wait(LIMIT))
            suspended.send_signal(signal.SIGSTOP)
            other, _ = serve(store, *chosen)
            until("the other one has done the run", lambda: status(store, begun["run_id"]) == "done")
            ticks = kinds(store, begun["run_id"])
            model.released.set()  # ends the connection of the first request
            suspended.send_signal(signal.SIGCONT)
            handler = f"{url}/handlers/{begun['handler_id']}"
            until("its result is shown", lambda: ask(handler)["status"] == "completed")
            self.assertIn("It is 42.", json.dumps(ask(handler)["result"]))
            self.assertEqual(kinds(store, begun["run_id"]), ticks)
            self.assertEqual(len(model.asked), 2)
            self.stop(suspended, other)

    def test_a_server_and_a_worker_share_the_runs_and_a_schedule_and_start_each_once(self):
        store = database()
        server, url = serve(store, "--slots", "2")
        worker = work(store, "--slots", "2")
        until("both are listed", lambda: [each["slots"] for each in queue(store)["workers"]] == [2, 2])
        ask(url + "/schedules/often", {"workflow": "hello", "timetable": {"every": 1}, "input": {"text": "World"},
                                       "overlap": "allow"})
        served = ask(url + "/workflows/refund/run-nowait", {"start_event": {"order": "A-17", "amount": 120}})
        runs = [detach(store, *HELLO) for _ in range(6)]
        until("they are done", lambda: {status(store, run) for run in runs} == {"done"})
        until("it fires", lambda: ask(url + "/schedules/often")["started"] >= 3)
        kill(worker)
        before = ask(url + "/schedules/often")["started"]
        until("it goes on", lambda: ask(url + "/schedules/often")["started"] > before)
        self.assertIn(ask(url + "/schedules/often/remove", {})["status"], ("ending", "removed"))
        self.assertEqual(ask(f"{url}/handlers/{served['handler_id']}")["status"], "running")
        self.assertEqual(len({tuple(kinds(store, run)) for run in runs}), 1)  # a second time would add ticks
        self.stop(server)

    def test_an_unusable_database_is_refused_in_one_sentence_without_its_password(self):
        for address, sentence in (
                (f"postgres://weft:{PASSWORD}@/none?host={SERVER.folder}", 'database "none" does not exist'),
                (f"postgres://weft:{PASSWORD}@/x?host={SERVER.folder}/none", "No such file or directory"),
                (f"postgres://weft:a@{PASSWORD}@localhost/x", "codes for special characters"),
                (f"postgres://weft:a/{PASSWORD}@localhost/x", "codes for special characters"),
                (f"postgres://weft:{PASSWORD}/x", "codes for special characters")):
            for words in (("worker",), ("runs",), (*HELLO, "--detach"), HELLO):
                with self.subTest((address, words)):
                    self.expect(weft(*words, "--store", address), 3, sentence)
        for address in (f"POSTGRES://weft:{PASSWORD}@a/x", f"host=a password={PASSWORD}", f"mysql://weft:{PASSWORD}@a",
                        f"postgres:weft:{PASSWORD}@a/x", f"password = {PASSWORD} host=a"):
            with self.subTest(address):
                self.expect(weft("runs", "--store", address), 2, "neither a file nor an address of PostgreSQL")


if __name__ == "__main__":
    try:
        driver.main()
    finally:
        SERVER.close()
