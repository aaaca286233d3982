"""Workers on a store in a file: runs are stored, claimed, answered, lost and claimed again; `weft queue` lists them."""
import json
import os
import signal
import sqlite3
import sys
import time
import urllib.request

sys.path.insert(0, os.path.dirname(__file__))
import driver
from driver import Case, FOLDER, LIMIT, weft
from durable import ANSWER, CALL, Model, REFUND, begin, end, hang_ups, kill, read_until, rows, store

HELLO = ("run", "hello", "--input", '{"text": "World"}')
QUESTION = ("run", "react", "--input", '{"text": "What is 6 * 7?"}')


def detach(name, *words):
    put = weft(*words, "--store", name, "--detach")
    assert put.code == 0 and put.err == "", put
    return put.out.strip()


def work(name, *more, **environment):
    process = begin("worker", "--store", name, *more, **environment)
    read_until(process.stdout, "working as ")
    return process


def serve(name, *more, **environment):
    """Returns a server on a free port, and its address."""
    process = begin("serve", "--port", "0", "--store", name, *more, **environment)
    seen = read_until(process.stdout, "serving on http://127.0.0.1:")
    seen += read_until(process.stdout, "\n") if "\n" not in seen else ""
    return process, seen.split("serving on ")[1].strip()


def ask(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=LIMIT) as answer:
        return json.loads(answer.read())


def status(name, run):
    return next(row["status"] for row in rows(name) if row["id"] == run)


def until(wanted, ask):
    end_of_time = time.monotonic() + LIMIT
    while True:
        seen = ask()
        if seen == wanted:
            return
        assert time.monotonic() < end_of_time, f"{wanted!r} did not come: {seen!r}"


def queue(name):
    (view,) = weft("queue", "--json", "--store", name).events
    return view


def kinds(name, run):
    """Returns the kinds of a run's ticks. A carried-over run had another declaration than its worker's."""
    return [line["kind"] for line in weft("show", run, "--json", "--store", name).events if "kind" in line]


class Workers(Case):
    def stop(self, process, code=0):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(end(process).code, code)

    def test_a_detached_run_waits_in_its_queue_until_a_worker_takes_it_and_its_result_is_shown(self):
        name = store()
        run = detach(name, *HELLO, "--queue", "slow", "--priority", "3")
        self.assertEqual(status(name, run), "ready")
        view = queue(name)
        self.assertEqual([(row["queue"], row["ready"]) for row in view["queues"]], [("slow", 1)])
        self.assertEqual([row["missing"] for row in view["stuck"]], ["there is no worker"])
        other = work(name, "--queues", "fast")
        until(["no worker takes the queue slow"], lambda: [row["missing"] for row in queue(name)["stuck"]])
        shown = weft("queue", "--store", name)
        self.expect(shown, 0, "1 run of hello in the queue slow waits: no worker takes the queue slow")
        self.assertIn("fast", shown.out)
        self.stop(other)
        self.assertEqual(queue(name)["workers"], [])

        process = work(name)
        until("done", lambda: status(name, run))
        done = weft("resume", run, "--store", name)
        self.assertEqual((done.code, done.events), (0, [{"text": "Hello, World!"}]))
        self.assertNotIn("carried", kinds(name, run))
        self.stop(process)

    def test_a_waiting_run_has_no_owner_and_is_answered_from_elsewhere(self):
        name = store()
        process = work(name, "--slots", "1")
        run = detach(name, *REFUND)
        until("waiting", lambda: status(name, run))
        second = detach(name, *HELLO)  # now the slot is free
        until("done", lambda: status(name, second))
        (row,) = queue(name)["queues"]
        self.assertEqual((row["ready"], row["running"], row["waiting"]), (0, 0, 1))
        (worker,) = queue(name)["workers"]
        self.assertEqual((worker["slots"], worker["process"].split(":")[-1]), (1, str(process.pid)))
        self.expect(weft("answer", run, "--event", "ApprovalEvent", "--json", '{"granted": true}', "--store", name), 0)
        until("done", lambda: status(name, run))
        self.assertTrue(weft("resume", run, "--store", name).events[0]["granted"])
        cancelled = detach(name, *REFUND)
        until("waiting", lambda: status(name, cancelled))
        self.expect(weft("cancel", cancelled, "--store", name), 0)
        until("cancelled", lambda: status(name, cancelled))
        self.stop(process)

    def test_a_worker_killed_in_a_model_call_loses_nothing_and_repeats_no_finished_call(self):
        name = store()
        with Model(CALL, None, ANSWER) as (model, chosen):
            run = detach(name, *QUESTION)
            process = work(name, *chosen)
            self.assertTrue(model.hangs.wait(LIMIT))
            kill(process)

            next_one = work(name, *chosen)
            until("done", lambda: status(name, run))
            self.stop(next_one)
            self.assertEqual(len(model.asked), 3)
            self.assertEqual(model.asked[1]["messages"], model.asked[2]["messages"])
            done = weft("resume", run, "--store", name)
            self.assertEqual((done.code, done.events[0]["response"]), (0, "It is 42."))
            self.assertNotIn("carried", kinds(name, run))

    def test_a_signal_ends_a_worker_in_a_model_call_with_its_runs_free_and_a_second_one_at_once(self):
        """The model answers only after the worker's end: a worker that waits for it would hang."""
        for first, signals in (signal.SIGTERM, 1), (signal.SIGTERM, 2), (signal.SIGHUP, 1):
            name = store()
            with self.subTest((first, signals)), Model(None, ANSWER) as (model, chosen):
                run = detach(name, *QUESTION)
                process = work(name, *chosen, preexec_fn=hang_ups(signal.SIG_DFL))
                self.assertTrue(model.hangs.wait(LIMIT))
                waiting = [detach(name, *HELLO, "--queue", "x") for _ in range(2)]
                until(["done", "done"], lambda: [status(name, each) for each in waiting])
                process.send_signal(first)
                if signals == 1:
                    late = detach(name, *HELLO)
                else:
                    while process.poll() is None:
                        time.sleep(0.4)  # an earlier signal is the same request
                        process.send_signal(signal.SIGINT)
                ended = end(process)
                self.assertEqual(ended.code, 0 if signals == 1 else 8, ended)
                # A disk without an answer is like a disk too slow for the worker's time.
                is_free = signals == 1 and "the store does not answer" not in ended.err
                self.assertEqual(status(name, run), "ready" if is_free else "interrupted", ended)
                if signals == 1:
                    self.assertEqual(status(name, late), "ready")
                next_one = work(name, *chosen)
                until("done", lambda: status(name, run))
                self.stop(next_one)

    def test_sighup_ends_a_server_like_sigterm(self):
        name = store()
        process, url = serve(name, preexec_fn=hang_ups(signal.SIG_DFL))
        run = ask(url + "/workflows/refund/run-nowait", {"start_event": {"order": "A-17", "amount": 120}})["run_id"]
        process.send_signal(signal.SIGHUP)
        ended = end(process)
        self.assertEqual(ended.code, 0, ended)
        self.assertIn(status(name, run), ("ready", "waiting", "interrupted"))

    def test_a_run_for_later_begins_at_its_time_and_can_be_cancelled_before(self):
        name = store()
        later, soon, past = (weft(*HELLO, "--store", name, *when).out.strip() for when in (
            ("--at", "2099-12-24T18:00+01:00"), ("--in", "1s"), ("--at", "2020-01-01T00:00Z")))
        row = next(row for row in rows(name) if row["id"] == later)
        self.assertEqual((row["status"], row["waits_for"]), ("waiting", "until 2099-12-24T17:00:00.000Z"))
        self.assertEqual(row["sleeps_until"], "2099-12-24T17:00:00.000Z")
        self.assertIn("waits until 2099-12-24T17:00:00.000Z", weft("show", later, "--store", name).out)
        self.assertEqual(status(name, past), "ready")
        process = work(name)
        for run in (soon, past):
            until("done", lambda run=run: status(name, run))
        self.assertEqual(status(name, later), "waiting")
        self.expect(weft("cancel", later, "--store", name), 0)
        until("cancelled", lambda: status(name, later))
        self.assertEqual(kinds(name, later), ["arrived", "ended"])
        self.stop(process)

    def test_a_time_for_later_is_refused_with_its_cure(self):
        name = store()
        self.expect(weft(*HELLO, "--store", name, "--at", "2099-12-24T18:00"), 2, "add Z for UTC, or an offset such as")
        self.expect(weft(*HELLO, "--store", name, "--at", "tomorrow"), 2, "--at takes a time such as 2026-12-01T09:00Z")
        self.expect(weft(*HELLO, "--store", name, "--in", "soon"), 2, "--in takes a time such as 30d, 12h or 90m")
        self.expect(weft(*HELLO, "--store", name, "--in", "90000000d"), 2, "cannot begin after the year 9999")
        self.expect(weft(*HELLO, "--store", name, "--in", "1h", "--at", "2099-12-24T18:00Z"), 2)
        self.expect(weft(*HELLO, "--in", "1h"), 2, "say which store")

    def test_the_last_start_of_a_burst_replaces_the_earlier_ones(self):
        name = store()

        def start(text, *when):
            words = ("--input", json.dumps({"text": text}), "--debounce", "d", *when)
            return weft("run", "hello", *words, "--store", name)
        first = start("One", "--in", "1h", "--longest", "2h")
        run = first.out.strip()
        self.expect(first, 0)
        second = start("Two", "--in", "0s", "--priority", "3")
        self.expect(second, 0, f"run {run} was waiting, and has this input and time now: no run was added")
        self.assertEqual(second.out.strip(), run)
        self.assertEqual([row["id"] for row in rows(name)], [run])
        process = work(name)
        until("done", lambda: status(name, run))
        self.stop(process)
        self.assertEqual(json.loads(weft("resume", run, "--store", name).out)["text"], "Hello, Two!")
        self.assertNotEqual(start("Three", "--in", "1h").out.strip(), run)

    def test_a_wrong_debounce_is_refused_with_its_cure(self):
        name = store()
        for words, sentence in (
                (("--debounce", "d"), "--debounce needs the time until which the run waits for a later start"),
                (("--debounce", "d", "--detach"), "add --in TIME"),
                (("--debounce", "d", "--in", "1h", "--key", "k"), "--key"),
                (("--longest", "1h", "--in", "1h"), "--longest bounds the wait of --debounce KEY"),
                (("--debounce", "d", "--in", "400d"), "at most 366 days"),
                (("--debounce", "d", "--in", "1h", "--longest", "0s"), "more than 0 s and at most 366 days"),
                (("--debounce", "x" * 201, "--in", "1h"), "at most 200 bytes")):
            self.expect(weft(*HELLO, "--store", name, *words), 2, sentence)
        self.expect(weft("run", "hello", "--batch", self.batch("{}"), "--debounce", "d", "--in", "1h", "--store", name),
                    2, "--batch adds many")

    def batch(self, *lines):
        """Writes the lines of a batch into a file, and returns its name."""
        name = store() + ".jsonl"
        with open(FOLDER / name, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        return name

    def test_a_batch_is_stored_whole_and_a_second_call_adds_only_the_missing_runs(self):
        name = store()
        lines = [json.dumps({"input": {"text": f"n{i}"}, "key": f"k{i}"}) for i in range(1500)]
        first = weft("run", "hello", "--batch", self.batch(*lines[:1200], ""), "--store", name)
        self.expect(first, 0, "1200 of 1200 runs are new")
        self.assertEqual(first.out.splitlines()[:2], ["hello:k0", "hello:k1"])
        again = weft("run", "hello", "--batch", self.batch(*lines, '{"input": {"text": "x"}}'), "--store", name)
        self.expect(again, 0, "301 of 1501 runs are new")
        self.assertEqual(len(again.out.splitlines()), 1501)
        def statuses():
            listed = weft("runs", "--json", "--store", name, "--limit", "9000").events
            return {row["id"]: row["status"] for row in listed}
        self.assertEqual(len(statuses()), 1501)
        marked = self.batch("\ufeff" + lines[0], lines[1] + "\r")
        self.expect(weft("run", "hello", "--batch", marked, "--store", name), 0, "0 of 2 runs are new")
        process = work(name, "--slots", "500")
        until("done", lambda: statuses()["hello:k7"])
        self.stop(process)

    def test_a_line_of_a_batch_has_options_of_its_own(self):
        name = store()
        own = {"queue": "mail", "priority": 7, "not_before": "2099-12-24T18:00Z", "values": {"tenant": "b"},
               "key": "own"}
        lines = [json.dumps({"input": {"text": "World"}, **more}) for more in (own, {"key": "common"})]
        words = ["--queue", "rest", "--priority", "3", "--value", "tenant=a"]
        self.expect(weft("run", "hello", "--batch", self.batch(*lines), "--store", name, *words), 0, "2 of 2")
        with sqlite3.connect(FOLDER / name) as database:
            rows = {id: row for id, *row in database.execute("select id, queue, priority, status from runs")}
            first = dict(database.execute("select run, body from ticks where seq = 0"))
        self.assertEqual(rows, {"hello:own": ["mail", 7, "waiting"], "hello:common": ["rest", 3, "ready"]})
        for key, tenant in ("own", "b"), ("common", "a"):
            self.assertIn(f'"tenant":"{tenant}"', first["hello:" + key])

    def test_a_bad_line_of_a_batch_is_named_before_anything_is_stored(self):
        name, good = store(), json.dumps({"input": {"text": "World"}, "key": "a"})

        def refused(sentence, *lines):
            self.expect(weft("run", "hello", "--batch", self.batch(*lines), "--store", name), 2, sentence)
            self.assertFalse(os.path.exists(FOLDER / name))
        refused("line 3 of ", good, "", "{]")
        refused('has a member "text": write {"input": {...}}', '{"text": "World"}')
        refused("line 2 of ", good, '{"input": {"txt": "World"}}')
        refused("line 2 of ", good, '{"input": {"text": 7}}')
        refused("has the key of line 1", good, good)
        refused('needs as "key" a text of 1 to 200 bytes', '{"key": ""}')
        refused('needs as "key" a text of 1 to 200 bytes', json.dumps({"key": "x" * 201}))
        refused("is no JSON object", "[]")
        for queue in ("", 7, "a,b", "a\x07"):
            refused("line 2 of ", good, json.dumps({"queue": queue}))
        for priority in (1_000_001, -1_000_001, 2**63, 1.5, "high"):
            refused("line 2 of ", good, json.dumps({"priority": priority}))
        refused("takes a time with an offset", good, '{"not_before": "2099-12-24T18:00"}')
        refused("line 2 of ", good, '{"not_before": 7}')
        refused("line 2 of ", good, '{"values": [7]}')
        refused("line 2 of ", good, "\ufeff" + good)
        refused("line 2 of ", good, '{"input": {"text": "' + "x" * (1 << 20))
        refused("is longer than 1 MiB", " " * (1 << 20) + good)
        refused("is empty")
        self.expect(weft("run", "hello", "--batch", "/nowhere", "--store", name), 2, "does not exist")
        self.expect(weft("run", "hello", "--batch", "/dev/null", "--store", name), 2, "is no regular file")
        self.expect(weft("run", "hello", "--batch", self.batch(good)), 2, "say which store")

    def test_a_worker_uses_only_harmless_options_of_a_run_and_else_its_own(self):
        name = store()
        self.expect(weft(*QUESTION, "--store", name, "--detach", "--model", "openai:x"), 2,
                    "--model is for the process that executes the run")
        self.expect(weft(*QUESTION, "--store", name, "--detach", "--db", "x.db"), 2, "--db is for the process")
        self.expect(weft(*HELLO, "--store", name, "--queue", "x"), 2, "--queue is for runs that a worker executes")
        self.expect(weft(*HELLO, "--detach"), 2, "say which store")
        self.expect(weft(*HELLO, "--store", name, "--detach", "--queue", "a,b"), 2, "takes the name of one queue")
        self.expect(weft("run", "hello", "--input", '{"txt": "World"}', "--store", name, "--detach"), 2)
        self.expect(weft(*QUESTION, "--store", name, "--detach", "--dialect", "none"), 2)
        run = detach(name, *QUESTION, "--dialect", "langchain", "--max-steps", "3", "--value", "user=17")
        with Model("Thought: I know.\nFinal Answer: It is 42.") as (model, chosen):
            process = work(name, *chosen)
            until("done", lambda: status(name, run))
            self.stop(process)
        self.assertIn("Final Answer", json.dumps(model.asked[0]["messages"]))
        self.assertEqual(weft("resume", run, "--store", name).events[0]["response"], "It is 42.")

    def test_a_run_begun_with_denied_tools_is_refused_and_listed_with_the_reason(self):
        name = store()
        with Model(None, ANSWER) as (model, chosen):
            process = begin("react", *chosen, "--deny", "add", "--store", name, "What is 6 * 7?")
            self.assertTrue(model.hangs.wait(LIMIT))
            kill(process)
            (run,) = rows(name)
            worker = work(name, *chosen)
            until([run["id"]], lambda: [row["run"] for row in queue(name)["stuck"]])
            shown = weft("queue", "--store", name)
            self.expect(shown, 0, f"run {run['id']} of react waits: the run began with --deny")
            self.assertEqual(status(name, run["id"]), "ready")
            self.stop(worker)
            self.assertEqual(len(model.asked), 1)

    def test_a_worker_without_a_model_uses_no_bundled_script(self):
        name = store()
        run = detach(name, "run", "react", "--input", '{"text": "How many orders were there in 2024?"}')
        worker = work(name, NO_KEY="1")
        until([run], lambda: [row["run"] for row in queue(name)["stuck"]])
        self.expect(weft("queue", "--store", name), 0, "there is no model to answer this: set ")
        self.assertEqual(status(name, run), "ready")
        self.stop(worker)
        self.expect(weft("prune", "--run", run, "--store", name), 2, "end it by `weft cancel` before you delete it")
        self.expect(weft("cancel", run, "--store", name), 0, "will be cancelled")
        self.expect(weft("prune", "--run", run, "--store", name), 0)
        self.assertEqual(rows(name), [])

    def test_metrics_of_the_worker_and_its_queues_are_in_a_file(self):
        name = store()
        file = FOLDER / "weft.prom"
        process = work(name, "--metrics", str(file), "--slots", "7")
        run = detach(name, *HELLO)
        until("done", lambda: status(name, run))
        until(True, lambda: file.exists() and "weft_runs_total{workflow=\"hello\",outcome=\"stopped\"} 1"
              in file.read_text())
        self.assertIn("weft_workers_slots 7.0\n", file.read_text())
        self.stop(process)

    def test_a_workers_mistakes_are_reported_in_a_sentence_before_it_claims_a_run(self):
        for more, sentence in ((("--slots", "0"), "--slots takes a whole number"),
                               (("--lease", "1ms"), "--lease takes a time from 100ms to 1h"),
                               (("--workflows", "nobody"), "nobody"),
                               (("--workflows", ","), "--workflows has no names"),
                               (("--queues", " , "), "--queues has no names")):
            self.expect(weft("worker", "--store", store(), *more), 2, sentence)
        self.expect(weft("worker"), 2, "say which store")
        name = store()
        process = work(name)
        self.expect(weft("worker", "--store", name), 2, "is in use by process")
        self.stop(process)


if __name__ == "__main__":
    driver.main()
