"""Runs that ask a human here, and are answered or ended by another process."""
import contextlib
import json
import os
import signal
import sqlite3
import sys
import termios

sys.path.insert(0, os.path.dirname(__file__))
import driver
from driver import Case, FOLDER, script, weft
from durable import Model, REFUND, begin, end, read_until, rows, store

ASKS = "? ApprovalRequestEvent"
SALES = "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"
ADD = 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}\n'


def asking(*more):
    """Returns the process of a run that waits at standard input, its store and its id."""
    name = store()
    process = begin(*REFUND, "--store", name, *more)
    read_until(process.stderr, ASKS)
    return process, name, rows(name)[0]["id"]


def stop(process, name):
    """Suspends the process while it has no lock of its store: it would keep the lock."""
    while True:
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        try:
            with contextlib.closing(sqlite3.connect(FOLDER / name, timeout=0, isolation_level=None)) as database:
                database.execute("begin immediate")
                database.execute("rollback")
            return
        except sqlite3.OperationalError:
            process.send_signal(signal.SIGCONT)


class Elsewhere(Case):
    def answer(self, name, run, *more, granted=True):
        self.expect(weft("answer", run, "--event", "ApprovalEvent", "--json", json.dumps({"granted": granted}),
                         "--store", name, *more), 0)

    def test_an_answer_from_elsewhere_ends_the_wait_with_the_result_of_the_run(self):
        process, name, run = asking()
        self.answer(name, run)
        done = end(process)
        self.expect(done, 0, "ApprovalRequestEvent was answered elsewhere")
        self.assertTrue(json.loads(done.out)["granted"])
        self.assertEqual(rows(name)[0]["status"], "done")

    def test_a_cancel_from_elsewhere_ends_the_wait_with_its_exit_code(self):
        process, name, run = asking()
        self.expect(weft("cancel", run, "--store", name), 0)
        cancelled = end(process)
        self.expect(cancelled, 8, f"run {run} was cancelled elsewhere")
        self.assertEqual(cancelled.out, "")

    def test_an_unfinished_line_answers_no_other_question(self):
        call = {"calls": [{"tool": "add", "arguments": {"a": 1, "b": 2}},
                          {"tool": "multiply", "arguments": {"a": 2, "b": 3}}]}
        name = store()
        process = begin("agent", "--approve", "add,multiply", "--model", script(call, "Done."), "--store", name,
                        "Count.")
        read_until(process.stderr, "? ToolApprovalRequestEvent")
        process.stdin.write(b"n becau")
        process.stdin.flush()
        (run,) = rows(name)
        self.expect(weft("answer", run["id"], "--event", "ToolApprovalEvent", "--json", '{"decision": "approve"}',
                         "--store", name), 0)
        read_until(process.stderr, "? ToolApprovalRequestEvent")
        process.stdin.write(b"se of that\ny\n")
        process.stdin.flush()
        done = end(process)
        self.assertEqual((done.code, done.out), (0, "Done.\n"), done)
        self.assertNotIn("becau", done.err)

    def test_the_terminal_is_restored_and_typed_text_is_dropped_after_an_answer_from_elsewhere(self):
        name = store()
        terminal = driver.Terminal(*REFUND, "--store", name)
        before = termios.tcgetattr(terminal.stream)[3]
        terminal.prompt("granted (yes or no): ")
        terminal.type("because")
        terminal.expect("because")
        self.answer(name, rows(name)[0]["id"])
        terminal.expect("was answered elsewhere, so what was typed here is dropped")
        terminal.expect('"granted":true')
        wanted = termios.ICANON | termios.ECHO | termios.ISIG
        self.assertEqual(termios.tcgetattr(terminal.stream)[3] & wanted, before & wanted)
        self.assertEqual(terminal.end(), 0)

    def test_a_line_typed_after_an_accepted_answer_from_elsewhere_is_ignored(self):
        for words, code in ((("answer", "--event", "ApprovalEvent", "--json", '{"granted": false}'), 0),
                            (("cancel",), 8)):
            process, name, run = asking()
            stop(process, name)
            self.expect(weft(words[0], run, *words[1:], "--store", name), 0)
            process.stdin.write(b'{"granted": true}\n')
            process.stdin.flush()
            process.send_signal(signal.SIGCONT)
            done = end(process)
            self.expect(done, code)
            self.assertNotIn('"granted":true', done.out)

    def test_only_one_of_several_simultaneous_answers_is_taken(self):
        name = store()
        waiting = weft(*REFUND, "--store", name)
        self.expect(waiting, 10)
        run = rows(name)[0]["id"]
        sent = [begin("answer", run, "--event", "ApprovalEvent", "--json", json.dumps({"granted": i % 2 == 0}),
                      "--store", name) for i in range(6)]
        told = [end(process) for process in sent]
        self.assertEqual(sorted(result.code for result in told), [0, 2, 2, 2, 2, 2], told)
        for i, result in enumerate(told):
            if result.code:
                self.assertIn("has its answer already", result.err)
            else:
                granted = i % 2 == 0
        self.assertEqual(json.loads(weft("resume", run, "--store", name).out)["granted"], granted)

    def test_a_run_cancelled_during_its_next_question_ends_as_cancelled(self):
        call = {"calls": [{"tool": "add", "arguments": {"a": 1, "b": 2}},
                          {"tool": "multiply", "arguments": {"a": 2, "b": 3}}]}
        name = store()
        terminal = driver.Terminal("agent", "--approve", "add,multiply", "--model", script(call, "Done."), "--store",
                                   name, "Count.")
        terminal.prompt("may it run?")
        terminal.type("\x04")  # no answer to the first question
        terminal.prompt("may it run?")
        (run,) = rows(name)
        self.expect(weft("cancel", run["id"], "--store", name), 0)
        terminal.expect("was cancelled elsewhere")
        self.assertEqual(terminal.end(), 8)
        self.assertEqual(rows(name)[0]["status"], "cancelled")

    def test_a_child_runs_question_is_answered_elsewhere(self):
        name = store()
        process = begin("reflect", "--model", "script:sales-reflect", "--approve", "sql_db_query", "--store", name,
                        SALES)
        told = ""
        for _ in range(2):
            told += read_until(process.stderr, "? ToolApprovalRequestEvent")
            (run,) = rows(name)
            self.expect(weft("answer", run["id"], "--event", "ToolApprovalEvent", "--json", '{"decision": "approve"}',
                             "--store", name), 0)
        done = end(process)
        self.expect(done, 0)
        self.assertEqual((told + done.err).count("was answered elsewhere"), 2)
        self.assertIn("212.73", done.out)


class Left(Case):
    def test_a_run_left_by_ctrl_c_shows_its_id_and_the_interruption(self):
        name = store()
        with Model(None) as (model, chosen):
            process = begin("react", *chosen, "--store", name, "--json", "What is 6 * 7?")
            model.hangs.wait(driver.LIMIT)
            process.send_signal(signal.SIGINT)
            left = end(process)
        self.expect(left, 8, "the run stays in its store")
        (line,) = left.events
        self.assertEqual((line["outcome"], line["run"]), ("interrupted", rows(name)[0]["id"]))

    def test_a_wrong_answer_shows_its_error_first_and_then_the_right_command(self):
        name = store()
        wrong = weft("react", "--approve", "add", "--model", script(ADD), "--store", name, "--json", "1 + 2?",
                     text="maybe\n")
        self.expect(wrong, 2, "stays in its store, and waits for the answer to ToolApprovalRequestEvent")
        said = [line for line in wrong.err.splitlines() if line.startswith("weft")]
        self.assertEqual([line.split()[1] for line in said[1:]], ["answer", "resume"], wrong)
        (line,) = wrong.events
        self.assertEqual((line["outcome"], line["run"]), ("waiting", rows(name)[0]["id"]))

    def test_unknown_fields_are_refused(self):
        name = store()
        known = "which ApprovalEvent does not have: it has comment, granted"
        self.expect(weft(*REFUND, "--store", name, text='{"granted": true, "typo": 1}\n'), 2, known)
        (run,) = rows(name)
        self.expect(weft("answer", run["id"], "--event", "ApprovalEvent", "--json", '{"granted": true, "typo": 1}',
                         "--store", name), 2, known)
        self.expect(weft("run", "refund", "--input", '{"order": "A", "ammount": 1}'), 2,
                    "--input has a field ammount, which RefundEvent does not have: it has amount, order, reason")

    def test_a_failed_run_shows_how_to_try_again_and_no_option_changes_its_end(self):
        name = store()
        failed = weft("react", "--model", script(ADD), "--quiet", "--store", name, "What?")
        self.assertEqual(failed.code, 5, failed)
        (run,) = rows(name)
        (fork,) = [line for line in failed.err.splitlines() if line.startswith("weft fork ")]
        self.expect(weft("resume", run["id"], "--base-url", "http://127.0.0.1:1", "--store", name), 2,
                    "has ended, so --base-url has no effect")
        again = weft(*fork.split()[1:])
        self.expect(again, 0)
        resumed = weft("resume", again.out.strip(), "--model", script(ADD, "Thought: I know.\nAnswer: It is 3."),
                       "--store", name)
        self.assertEqual((resumed.code, resumed.out), (0, "It is 3.\n"), resumed)


if __name__ == "__main__":
    driver.main()
