"""The commands on stored runs: runs, show, answer, cancel, prune, export, import. Called with the paths of the driver
and of make_store, which writes runs like an engine.
"""
import json
import os
import re
import sqlite3
import subprocess
import sys

MAKE_STORE = os.path.abspath(sys.argv.pop(2))
import driver  # noqa: E402
from driver import Case, weft  # noqa: E402

START = {"tick": "arrived", "at": 1795348800000000, "hash": "h1",
         "events": [{"event": "RefundEvent", "data": {"order": "A", "amount": 120}}]}


def asked(question, text="granted?"):
    return {"tick": "finished", "at": 1795348801500000, "step": "review", "attempt": 1,
            "events": [{"event": "ApprovalRequestEvent", "data": {"question": text}}],
            "asked": [{"question": question, "event": "ApprovalRequestEvent"}],
            "slots": {"spent": {"tokens": 7}}, "appended": {"log": ["asked"]}}


class Engine:
    """Locks a store like a working engine."""

    def __init__(self, path):
        self.process = subprocess.Popen([MAKE_STORE, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def put(self, *runs):
        for run in runs:
            self.process.stdin.write(json.dumps(run).encode() + b"\n")

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(timeout=driver.LIMIT) == 0


_stores = 0


def make_store(*runs):
    global _stores
    _stores += 1
    path = str(driver.FOLDER / f"store_{_stores}.db")
    with Engine(path) as engine:
        engine.put(*runs)
    return path


WAITING = {"id": "a1b2c3", "status": "waiting", "ticks": [START, asked(1)],
           "waits_for": "conclude waits for an approval", "options": {"model": "script:x"}}
DONE = {"id": "b7", "status": "done", "ticks": [START],
        "outcome": {"event": "DecisionEvent", "data": {"granted": True}}}
INTERRUPTED = {"id": "c9", "status": "running", "workflow": "react"}


class Stores(Case):
    def lines(self, *words, **more):
        result = weft(*words, **more)
        self.expect(result, 0)
        return result.events


class Looked(Stores):
    def test_a_signal_is_stored_once_and_a_wrong_one_names_those_that_the_workflow_takes(self):
        store = make_store(WAITING, DONE, {"id": "w1", "workflow": "counted_watch", "status": "waiting"})
        words = ("signal", "w1", "PauseEvent", "--input", '{"by": "Ann"}', "--id", "m1", "--store", store)
        self.expect(weft(*words), 0, "the signal is in the inbox of run w1, with the id m1; sent again, it counts once")
        self.expect(weft(*words), 0, "the signal m1 was already sent to run w1: nothing has changed")
        mail = sqlite3.connect(store).execute("select body from inbox").fetchall()
        self.assertEqual([json.loads(body) for body, in mail], [{"event": "PauseEvent", "data": {"by": "Ann"}}])
        for run, event, sentence in (
                ("w1", "StopItEvent", "the workflow counted_watch of run w1 takes no signal StopItEvent; it takes "
                                      "PauseEvent"),
                ("a1b2c3", "ApprovalEvent", "the workflow refund of run a1b2c3 takes no signal ApprovalEvent; it takes "
                                            "no signals"),
                ("b7", "PauseEvent", "run b7 has ended (done): nothing can be sent to it"),
                ("zz", "PauseEvent", "zz")):
            self.expect(weft("signal", run, event, "--store", store), 2, sentence)
        self.expect(weft("signal", "w1", "PauseEvent", "--input", "[", "--store", store), 2, "--input")
        self.expect(weft("signal", "w1", "--store", store), 2, "SIGNAL")

    def test_runs_are_a_table_or_lines_the_newest_first(self):
        store = make_store(WAITING, DONE)
        lines = self.lines("runs", "--json", "--store", store)
        self.assertEqual([line["id"] for line in lines], ["b7", "a1b2c3"])
        self.assertEqual(set(lines[0]), {"id", "workflow", "status", "waits_for", "sleeps_until", "created", "updated",
                                         "forked_from", "options"})
        self.assertEqual((lines[1]["status"], lines[1]["options"], lines[1]["waits_for"]),
                         ("waiting", {"model": "script:x"}, WAITING["waits_for"]))
        self.assertRegex(lines[0]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        table = weft("runs", env={"WEFT_STORE": store}).out.splitlines()
        self.assertEqual(len(table), 3)
        self.assertRegex(table[0], r"^RUN +WORKFLOW +STATUS +AGE +WAITS FOR$")
        self.assertRegex(table[2], r"^a1b2c3 +refund +waiting +\d+s +conclude waits for an approval$")

    def test_runs_are_chosen_by_status_workflow_and_number(self):
        store = make_store(WAITING, DONE, INTERRUPTED)

        def ids(*words):
            return [line["id"] for line in self.lines("runs", "--json", "--store", store, *words)]
        self.assertEqual(ids("--status", "waiting", "--status", "done"), ["b7", "a1b2c3"])
        self.assertEqual(ids("--workflow", "react"), ["c9"])
        self.assertEqual(ids("--limit", "2"), ["c9", "b7"])
        self.assertIn("--limit", weft("runs", "--limit", "2", "--store", store).err)
        none = weft("runs", "--status", "failed", "--store", store)
        self.expect(none, 0, "there are no runs that match")
        self.assertEqual(none.out, "")
        self.expect(weft("runs", "--status", "lost", "--store", store), 2, "--status takes one of ready, running")

    def test_a_running_run_counts_as_interrupted_without_an_engine(self):
        path = str(driver.FOLDER / "at_work.db")
        with Engine(path) as engine:
            engine.put(INTERRUPTED)
            engine.process.stdin.flush()
            while not (lines := self.lines("runs", "--json", "--store", path)):
                pass
            self.assertEqual(lines[0]["status"], "running")
        [line] = self.lines("runs", "--json", "--store", path)
        self.assertEqual(line["status"], "interrupted")
        self.assertEqual(self.lines("runs", "--json", "--status", "interrupted", "--store", path), [line])

    def test_a_run_is_shown_tick_by_tick_and_then_as_it_is_now(self):
        store = make_store(WAITING)
        ticks = self.lines("show", "a1", "--json", "--store", store)
        now = ticks.pop()
        self.assertEqual([(t["tick"], t["kind"], t["step"]) for t in ticks],
                         [(0, "arrived", None), (1, "finished", "review")])
        self.assertEqual(ticks[0]["events"], START["events"])
        self.assertEqual((ticks[0]["slots"], ticks[1]["slots"]), ({}, {"spent": {"tokens": 7}}))
        self.assertEqual(ticks[1]["at"], "2026-11-22T12:00:01.500Z")
        self.assertEqual(now["slots"], {"spent": {"tokens": 7}, "log": ["asked"]})
        self.assertEqual([q["question"] for q in now["questions"]], ["1"])
        self.assertEqual(ticks[1]["asked"], [{"question": "1", "event": "ApprovalRequestEvent"}])
        text = weft("show", "a1b2c3", "--store", store).out
        for part in ("refund", "waiting", "tick 1", "review", "asks question 1, ApprovalRequestEvent",
                     'spent = {"tokens":7}', "open questions", "conclude waits for an approval",
                     '    model = "script:x"'):
            self.assertIn(part, text)
        done = make_store(DONE)
        self.assertIn('DecisionEvent', weft("show", "b7", "--store", done).out)

    def test_a_question_is_shown_whole_with_the_command_that_answers_it(self):
        text = "SELECT SUM(amount) FROM orders WHERE " + "country = 'Österreich' OR " * 40 + "1"
        of_child = {**asked(2, text), "run": "4.1.1.0", "slots": {}, "appended": {}}
        store = make_store({**WAITING, "ticks": [START, asked(1, text + "\x1b[8m"), of_child]})
        shown = weft("show", "a1", "--store", store)
        self.assertIn('    question = "' + text + '\\u001b[8m"\n', shown.out)
        self.assertIn("question 4.1.1.0#2, ApprovalRequestEvent\n    question = \"" + text + '"\n', shown.out)
        commands = [line.strip() for line in shown.out.splitlines() if line.startswith("    weft answer ")]
        self.assertEqual(commands, [
            f"weft answer a1b2c3 --event ApprovalEvent --question {question} --json '{{\"granted\":false}}'"
            f" --store {store}" for question in ("1", "'4.1.1.0#2'")])
        for command in commands:
            done = subprocess.run(["sh", "-c", command], cwd="/", capture_output=True, timeout=driver.LIMIT, env={
                **driver.environment(), "PATH": os.path.dirname(driver.DRIVER) + ":" + os.environ["PATH"]})
            self.assertEqual(done.returncode, 0, done)
        shown = weft("show", "a1", "--store", store)
        self.assertEqual(shown.out.count("(answered, not taken yet)"), 2)
        self.assertNotIn("weft answer", shown.out)

    def test_a_question_of_an_unknown_workflow_has_a_command_to_fill_in(self):
        store = make_store({**WAITING, "workflow": "elsewhere"})
        self.assertIn("    weft answer a1b2c3 --event EVENT --question 1 --json JSON --store ",
                      weft("show", "a1", "--store", store).out)

    def test_lines_are_cut_at_a_terminal_only(self):
        long = {**WAITING, "ticks": [START, asked(1, "granted? " * 100)],
                "waits_for": "an answer to " + "ApprovalRequestEvent, " * 10 + "and no more"}
        store = make_store(long)
        self.assertIn(long["waits_for"] + "\n", weft("runs", "--store", store).out)
        shown = weft("show", "a1", "--store", store).out
        self.assertIn('asks question 1, ApprovalRequestEvent {"question":"' + "granted? " * 100 + '"}\n', shown)
        for words in (["runs"], ["show", "a1"]):
            terminal = driver.Terminal(*words, "--store", store)
            self.assertEqual(terminal.end(), 0)
            lines = terminal.seen.decode().replace("\r", "").splitlines()
            whole = [line for line in lines if line.startswith(("waits for", "    question =", "    weft answer"))]
            self.assertEqual(len(whole), 0 if words == ["runs"] else 3)
            self.assertLessEqual(max(len(line) for line in lines if line not in whole), 100)

    def test_every_run_that_waits_for_an_answer_is_listed_as_waiting(self):
        two = {**WAITING, "id": "half", "ticks": [START, asked(1), asked(2)]}
        store = make_store(WAITING, two, {**WAITING, "id": "killed", "status": "running"}, DONE)
        for run in ("a1b2c3", "half"):
            self.expect(weft("answer", run, *SendReply.ANSWER[2:], "--question", "1", "--store", store), 0)

        def told(*words):
            return [(line["id"], line["status"], line["waits_for"])
                    for line in self.lines("runs", "--json", "--store", store, *words)]
        waiting = [("killed", "interrupted", WAITING["waits_for"]),
                   ("half", "ready", "an answer to ApprovalRequestEvent (ApprovalEvent)")]
        self.assertEqual(told("--status", "waiting"), waiting)
        self.assertEqual(told(), [("b7", "done", None), *waiting, ("a1b2c3", "ready", None)])
        self.assertRegex(weft("runs", "--store", store).out, r"\nhalf .* ready .* an answer to ApprovalRequestEvent")
        with sqlite3.connect(store) as database:
            database.execute("UPDATE ticks SET body = replace(body, 'granted?', 'granted!') WHERE run = 'half'")
        database.close()
        self.assertEqual(told("--status", "waiting"), waiting[:1])
        self.assertEqual(told()[2], ("half", "ready", None))

    def test_an_unknown_workflow_is_a_mistake(self):
        store = make_store(WAITING, {**DONE, "workflow": "elsewhere"})
        self.expect(weft("runs", "--workflow", "refnud", "--store", store), 2,
                    'there is no workflow "refnud"; there are hello, ')
        self.assertEqual([line["id"] for line in self.lines("runs", "--workflow", "elsewhere", "--json", "--store",
                                                            store)], ["b7"])
        self.expect(weft("runs", "--workflow", "react", "--store", store), 0, "there are no runs that match")

    def test_a_pending_cancel_is_shown(self):
        store = make_store(WAITING)
        self.assertNotIn("\ncancel ", weft("show", "a1", "--store", store).out)
        self.expect(weft("cancel", "a1", "--store", store), 0)
        shown = weft("show", "a1", "--store", store).out
        self.assertRegex(shown, r"\ncancel +it ends when it is resumed\n")
        self.assertNotIn("weft answer", shown)
        self.expect(weft("runs", "--status", "waiting", "--store", store), 0, "there are no runs that match")
        self.assertTrue(self.lines("show", "a1", "--json", "--store", store)[-1]["to_be_cancelled"])

    def test_a_runs_text_never_reaches_a_terminal_raw(self):
        evil = "\x1b]0;owned\x07\u202e\nnew line"
        run = {"id": "e1", "status": "waiting", "ticks": [START, asked(1, evil)], "waits_for": evil, "workflow": evil}
        store = make_store(run)
        for words in (["runs"], ["runs", "--json"], ["show", "e1"], ["show", "e1", "--json"], ["export"],
                      ["answer", "e1", "--event", "X"], ["prune", "--run", "e1"], ["cancel", "e1"]):
            result = weft(*words, "--store", store)
            self.assertNotRegex(result.out + result.err, r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", words)
        self.assertEqual(len(weft("runs", "--store", store).out.splitlines()), 2)

    def test_a_beginning_of_an_id_is_enough_if_no_other_run_has_it(self):
        store = make_store(DONE, {**DONE, "id": "b8"})
        self.expect(weft("show", "b", "--store", store), 2, "2 runs begin with b: b8, b7")
        self.expect(weft("show", "x", "--store", store), 2, "the store has no run x")


class SendReply(Stores):
    ANSWER = ["answer", "a1", "--event", "ApprovalEvent", "--json", '{"granted": true}']

    def test_an_answer_is_put_into_the_inbox_and_the_next_command_is_shown(self):
        store = make_store(WAITING)
        result = weft(*self.ANSWER, "--store", store)
        self.expect(result, 0, "the answer to question 1 (ApprovalRequestEvent) is in the inbox of run a1b2c3")
        self.assertEqual(result.out, f"weft resume a1b2c3 --store {store}\n")
        [line] = self.lines("runs", "--json", "--store", store)
        self.assertEqual(line["status"], "ready")
        again = weft(*self.ANSWER, "--store", store)
        self.expect(again, 2, "question 1 has its answer already")
        self.assertTrue(self.lines("show", "a1", "--json", "--store", store)[-1]["questions"][0]["answered"])

    def test_an_answer_with_an_id_can_be_sent_twice(self):
        store = make_store(WAITING)
        self.expect(weft(*self.ANSWER, "--id", "k1", "--store", store), 0, "it counts once")
        self.expect(weft(*self.ANSWER, "--id", "k1", "--store", store), 0, "was already sent to run a1b2c3")

    def test_an_unfitting_answer_is_refused_with_the_fitting_ones(self):
        two = {**WAITING, "ticks": [START, asked(1), asked(2)]}
        store = make_store(two, DONE)
        for code, sentence, words in [
                (2, "ApprovalEvent.granted", ["--event", "ApprovalEvent", "--json", '{"granted": "yes"}']),
                (2, "ApprovalEvent.granted", ["--event", "ApprovalEvent"]),
                (2, "takes no FlyEvent from outside; it takes ApprovalEvent", ["--event", "FlyEvent"]),
                (2, "--json: ", ["--event", "ApprovalEvent", "--json", "{"]),
                (2, "--event is required", []),
                (2, "open are: 1 (ApprovalRequestEvent), 2 (ApprovalRequestEvent)",
                 ["--event", "ApprovalEvent", "--json", '{"granted": true}', "--question", "7"])]:
            self.expect(weft("answer", "a1b2c3", *words, "--store", store), code, sentence)
        ended = weft("answer", "b7", *self.ANSWER[2:], "--store", store)
        self.expect(ended, 2, "run b7 has ended (done)")
        self.expect(weft(*self.ANSWER, "--question", "2", "--store", store), 0, "the answer to question 2 ")

    def test_a_cancel_waits_for_the_engine_of_the_run(self):
        store = make_store(WAITING, DONE)
        result = weft("cancel", "a1", "--store", store)
        self.expect(result, 0, "it ends when it is resumed")
        self.assertEqual(result.out, f"weft resume a1b2c3 --store {store}\n")
        self.expect(weft("cancel", "a1", "--store", store), 0, "was already to be cancelled")
        self.expect(weft("cancel", "b7", "--store", store), 2, "run b7 has ended (done)")
        with Engine(store):
            self.assertEqual(weft("cancel", "a1", "--store", store).out, "")


class Kept(Stores):
    def test_ended_runs_are_pruned_by_age_or_id(self):
        store = make_store(WAITING, DONE, {**DONE, "id": "b8", "status": "failed"})

        def said(*words):
            result = weft("prune", *words, "--store", store)
            self.expect(result, 0)
            return result.out
        self.assertEqual(said("--older-than", "1d"), "0 runs went\n")
        self.assertEqual(said("--older-than", "0s", "--dry-run"), "2 runs would go\n")
        self.assertEqual(said("--run", "b8"), "1 run went\n")
        self.assertEqual(said("--older-than", "0s"), "1 run went\n")
        self.assertEqual([line["id"] for line in self.lines("runs", "--json", "--store", store)], ["a1b2c3"])
        self.expect(weft("prune", "--store", store), 2, "--older-than 30d, or --run RUN")
        self.expect(weft("prune", "--run", "a1", "--store", store), 2, "run a1b2c3 has not ended")
        self.expect(weft("prune", "--older-than", "old", "--store", store), 2, "--older-than takes an age")
        self.expect(weft("prune", "--older-than", "1d", "--run", "a", "--store", store), 2, "cannot be given together")

    def test_an_export_can_be_imported_elsewhere(self):
        store, other = make_store(WAITING, DONE), str(driver.FOLDER / "other.db")
        lines = weft("export", "--store", store)
        self.expect(lines, 0)
        self.assertEqual(lines.events[0]["weft_export"], 1)
        result = weft("import", "-", "--store", other, text=lines.out)
        self.expect(result, 0, "2 runs were imported")
        self.assertEqual(sorted(result.out.split()), ["a1b2c3", "b7"])
        self.assertEqual({line["id"]: line["status"] for line in self.lines("runs", "--json", "--store", other)},
                         {"a1b2c3": "waiting", "b7": "done"})
        for run in ("a1", "b7"):
            before, after = (self.lines("show", run, "--json", "--store", s) for s in (store, other))
            self.assertEqual(before[:-1], after[:-1])
            self.assertEqual(before[-1]["slots"], after[-1]["slots"])
        self.expect(weft("import", "-", "--store", other, text=lines.out), 2, "nothing was imported")
        one = driver.FOLDER / "one.jsonl"
        one.write_text(weft("export", "b7", "--store", store).out)
        fresh = str(driver.FOLDER / "fresh.db")
        self.assertEqual(weft("import", str(one), "--store", fresh).out, "b7\n")

    def test_an_import_keeps_the_times_and_the_order_of_runs(self):
        store, other = make_store(WAITING, DONE, {**DONE, "id": "b8"}), str(driver.FOLDER / "aged.db")
        text = weft("export", "--store", store).out
        self.expect(weft("import", "-", "--store", other, text=text), 0)

        def times(name):
            return [(line["id"], line["created"], line["updated"])
                    for line in self.lines("runs", "--json", "--store", name)]
        self.assertEqual([each[0] for each in times(store)], ["b8", "b7", "a1b2c3"])
        self.assertEqual(times(other), times(store))
        self.assertEqual(weft("prune", "--older-than", "0s", "--dry-run", "--store", other).out, "2 runs would go\n")

    def test_a_run_named_twice_is_exported_once(self):
        store, other = make_store(WAITING, DONE), str(driver.FOLDER / "once.db")
        text = weft("export", "a1", "b7", "a1b2c3", "b7", "--store", store).out
        self.assertEqual(weft("import", "-", "--store", other, text=text).out, "a1b2c3\nb7\n")

    def test_a_command_without_a_matching_run_says_so(self):
        store = make_store(WAITING)
        self.assertRegex(weft("prune", "--older-than", "30d", "--store", store).err,
                         r"^weft: no run in .*\.db ended before \d{4}-\d\d-\d\dT")
        self.expect(weft("export", "--store", make_store()), 0, "there are no runs in")

    def test_each_command_on_stores_has_its_own_help(self):
        for command in ("cancel", "export", "import", "prune", "list"):
            text = weft(command, "--help").out
            self.assertIn(f"Usage: weft {command}", text)
            self.assertNotIn("weft COMMAND --help", text)
        self.assertIn("weft COMMAND --help", weft("--help").out)

    def test_a_damaged_export_is_refused_with_its_line(self):
        text = weft("export", "--store", make_store(WAITING)).out
        path, other = driver.FOLDER / "damaged.jsonl", str(driver.FOLDER / "never.db")
        for damaged, sentence in [(text.replace("granted?", "granted!"), "line 4 is damaged"),
                                  (text[:-20], "line 5 is cut off"),
                                  ("".join(text.splitlines(True)[:3]), "line 4 is missing"),
                                  ("", "line 1 is missing"), ("{}\n", "line 1 is not the first line")]:
            path.write_text(damaged)
            self.expect(weft("import", str(path), "--store", other), 3, sentence)
        self.assertEqual(list(driver.FOLDER.glob("never.db*")), [])
        self.expect(weft("import", "gone.jsonl", "--store", other), 3, "there is no such file")
        self.expect(weft("import", str(driver.FOLDER), "--store", other), 3, "it is not a file")


class Named(Stores):
    COMMANDS = [["runs"], ["show", "a"], ["answer", "a", "--event", "E"], ["cancel", "a"],
                ["prune", "--older-than", "1d"], ["export"]]

    def test_a_store_must_be_named_and_exist(self):
        broken = driver.FOLDER / "broken.db"
        broken.write_text("no database, but long enough to look at" * 100)
        for words in self.COMMANDS:
            self.expect(weft(*words), 2, "say which store: --store FILE or --store postgres://")
            self.expect(weft(*words, "--store", "gone.db"), 3, "there is no such file")
            self.expect(weft(*words, "--store", str(broken)), 3, "it is not a SQLite database")
            url = weft(*words, "--store", f"postgres://me:secret@/db?host={driver.FOLDER}")
            self.expect(url, 3, "store")  # no server exists, or weft was built without PostgreSQL
            self.assertNotIn("secret", url.err)
        self.assertFalse((driver.FOLDER / "gone.db").exists())

    def test_a_damaged_tick_is_one_sentence(self):
        store = make_store(WAITING)
        with sqlite3.connect(store) as database:
            database.execute("UPDATE ticks SET body = replace(body, 'granted?', 'granted!')")
        database.close()
        for words in (["show", "a1"], ["answer", "a1", "--event", "ApprovalEvent"], ["export"]):
            result = weft(*words, "--store", store)
            self.expect(result, 5, "tick 1 is damaged")
            self.assertEqual(len(re.findall("^weft: ", result.err, re.M)), 1)
            if words != ["export"]:
                self.assertIn("weft prune --run a1b2c3 --damaged", result.err)
        self.expect(weft("cancel", "a1", "--store", store), 5, "tick 1 is damaged")  # the run could never end

    def test_the_newest_readable_run_is_resumed(self):
        store = make_store({**WAITING, "id": "a0"}, WAITING)
        with sqlite3.connect(store) as database:
            database.execute("UPDATE ticks SET body = replace(body, 'granted?', 'granted!') WHERE run = 'a1b2c3'")
        database.close()
        result = weft("resume", "--store", store)
        self.assertIn("run a1b2c3: tick 1 is damaged", result.err)
        self.assertIn("resuming run a0", result.err)


driver.main()
