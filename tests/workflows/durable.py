"""Runs that outlive their process: killed, interrupted or left with an open question, and continued elsewhere."""
import http.server
import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
import driver
from driver import Case, DRIVER, FOLDER, LIMIT, script, weft

KEY = "sk-canary-durable-4711"
REFUND = ("run", "refund", "--input", '{"order": "A-17", "amount": 120}')
GRANT = ("--event", "ApprovalEvent", "--json", '{"granted": true}')  # the answer to its question
CALL = 'Thought: I multiply.\nAction: math_calculator\nAction Input: {"expression": "6 * 7"}\n'
ANSWER = "Thought: I know.\nAnswer: It is 42."
ELSEWHERE = FOLDER / "elsewhere"
ELSEWHERE.mkdir()
_stores = 0


def store():
    global _stores
    _stores += 1
    return f"store_{_stores}.db"


def begin(*words, cwd=FOLDER, preexec_fn=None, **environment):
    """Starts the driver in the test's folder, with a standard input that stays open. The default environment has a
    key."""
    return subprocess.Popen([DRIVER, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            cwd=cwd, preexec_fn=preexec_fn,
                            env=driver.environment(**(environment or {"OPENAI_API_KEY": KEY})))


def hang_ups(handler):
    """Returns a function that sets a child's handling of SIGHUP, which it may have from nohup."""
    return lambda: signal.signal(signal.SIGHUP, handler)


def read_until(stream, text):
    """Returns the output up to this text."""
    seen, until = b"", time.monotonic() + LIMIT
    while text.encode() not in seen:
        ready = select.select([stream], [], [], max(0, until - time.monotonic()))[0]
        data = os.read(stream.fileno(), 4096) if ready else b""
        assert data, f"{text!r} did not come: {seen!r}"
        seen += data
    return seen.decode()


def end(process):
    """Returns the exit code and the rest of the output. The input stays open until the process ends, because the end
    of the input would end it like a signal."""
    try:
        process.wait(timeout=LIMIT)
        out, err = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert KEY.encode() not in out + err
    return driver.Result(process.returncode, out, err)


def kill(process):
    process.kill()
    process.communicate(timeout=LIMIT)


def rows(name):
    listed = weft("runs", "--json", "--store", name)
    assert listed.code == 0, listed
    return listed.events


def change(name, what, *values):
    with sqlite3.connect(FOLDER / name) as file:
        file.execute(what, values)
    file.close()


class Model:
    """A model server that gives one reply after another. It does not answer the request of a None."""

    def __init__(self, *replies):
        self.asked, self.released, self.hangs = [], threading.Event(), threading.Event()
        left, asked, released, hangs = list(replies), self.asked, self.released, self.hangs

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                text = left.pop(0)
                if text is None:
                    hangs.set()
                    released.wait(LIMIT)
                    return
                data = json.dumps({"choices": [{"index": 0, "finish_reason": "stop", "message": {
                    "role": "assistant", "content": text}}]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        return self, ("--model", "openai:any", "--base-url", url, "--no-stream")

    def __exit__(self, *_):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()


class Durable(Case):
    def test_a_killed_refund_is_listed_answered_and_resumed_from_another_folder(self):
        name = store()
        process = begin(*REFUND, "--store", name)
        read_until(process.stderr, "? ApprovalRequestEvent")
        kill(process)

        (run,) = rows(name)
        self.assertEqual((run["workflow"], run["status"]), ("refund", "interrupted"))
        path = str(FOLDER / name)
        answered = weft("answer", run["id"], *GRANT, "--store", path, cwd=ELSEWHERE)
        self.expect(answered, 0)
        resumed = weft("resume", run["id"][:8], "--store", path, cwd=ELSEWHERE)
        self.expect(resumed, 0)
        self.assertTrue(json.loads(resumed.out)["granted"], resumed)
        self.assertEqual(rows(name)[0]["status"], "done")
        again = weft("resume", run["id"], "--store", path)
        self.assertEqual((again.code, again.out), (0, resumed.out), again)

    def test_react_killed_in_a_model_call_answers_the_same_and_repeats_no_finished_call(self):
        name = store()
        with Model(CALL, None, ANSWER) as (model, chosen):
            process = begin("react", *chosen, "--store", name, "What is 6 * 7?")
            self.assertTrue(model.hangs.wait(LIMIT))
            kill(process)

            (run,) = rows(name)
            resumed = weft("resume", "--store", str(FOLDER / name), cwd=ELSEWHERE, env={"OPENAI_API_KEY": KEY})
            self.expect(resumed, 0, "resuming run " + run["id"] + " (react)")
            self.assertEqual(resumed.out, "It is 42.\n")
            self.assertEqual(len(model.asked), 3)
            self.assertEqual(model.asked[1]["messages"], model.asked[2]["messages"])
            again = weft("resume", run["id"], "--json", "--store", name)
            self.assertEqual((again.code, again.events[0]["response"]), (0, "It is 42."), again)
            self.assertEqual(len(model.asked), 3)

    def test_ctrl_c_leaves_the_run_and_shows_the_command_to_continue(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            name = store()
            with self.subTest(number), Model(None, ANSWER) as (model, chosen):
                process = begin("react", *chosen, "--store", name, "What is 6 * 7?",
                                preexec_fn=hang_ups(signal.SIG_DFL))
                self.assertTrue(model.hangs.wait(LIMIT))
                process.send_signal(number)
                left = end(process)
                self.expect(left, 8, "the run stays in its store")
                self.assertEqual(left.out, "")
                (run,) = rows(name)
                resume = f"weft resume {run['id']} --store {FOLDER / name}"
                self.assertIn(resume, left.err)
                resumed = self.paste(resume)
                self.assertEqual((resumed.code, resumed.out), (0, "It is 42.\n"), resumed)

    def test_a_run_stays_in_its_store_when_its_terminal_is_closed(self):
        name = store()
        with self.subTest("in a model call"), Model(None, ANSWER) as (model, chosen):
            terminal = driver.Terminal("react", *chosen, "--store", name, "What is 6 * 7?", env={"OPENAI_API_KEY": KEY})
            self.assertTrue(model.hangs.wait(LIMIT))
            self.assertEqual(terminal.hang_up(), 8)
            resumed = weft("resume", "--store", name, env={"OPENAI_API_KEY": KEY})
            self.assertEqual((resumed.code, resumed.out), (0, "It is 42.\n"), resumed)
        with self.subTest("at a question"):
            terminal = driver.Terminal(*REFUND, "--store", name)
            terminal.expect("? ApprovalRequestEvent")
            self.assertIn(terminal.hang_up(), (8, 10))  # the end of the input may come before the signal
            resumed = weft("resume", "--store", name, text='{"granted": true}\n')
            self.expect(resumed, 0)
            self.assertTrue(json.loads(resumed.out)["granted"], resumed)

    def test_a_run_goes_on_after_sighup_when_that_is_ignored_from_the_start(self):
        with Model(None, ANSWER) as (model, chosen):
            process = begin("react", *chosen, "--store", store(), "What is 6 * 7?",
                            preexec_fn=hang_ups(signal.SIG_IGN))  # as nohup does
            self.assertTrue(model.hangs.wait(LIMIT))
            process.send_signal(signal.SIGHUP)
            model.released.set()  # the connection ends, and the request is sent again
            ended = end(process)
            self.assertEqual((ended.code, ended.out), (0, "It is 42.\n"), ended)

    def test_an_interrupted_question_is_asked_again(self):
        name = store()
        process = begin(*REFUND, "--store", name)
        read_until(process.stderr, "? ApprovalRequestEvent")
        process.send_signal(signal.SIGTERM)
        self.expect(end(process), 8, "weft resume")
        resumed = weft("resume", "--store", name, text='{"granted": false}\n')
        self.expect(resumed, 0)
        self.assertIn("? ApprovalRequestEvent", resumed.err)
        self.assertFalse(json.loads(resumed.out)["granted"])

    def test_a_run_continues_here_and_elsewhere_when_its_working_directory_vanishes(self):
        for killed in (False, True):
            with self.subTest(killed=killed):
                path, here = str(FOLDER / store()), FOLDER / "vanishing"
                here.mkdir()
                process = begin(*REFUND, "--store", path, cwd=here)
                read_until(process.stderr, "? ApprovalRequestEvent")
                here.rmdir()
                if killed:
                    kill(process)
                    here.mkdir()
                    done = weft("resume", "--store", path, text='{"granted": true}\n', cwd=here,
                                preexec_fn=here.rmdir)  # this process, too, begins without its working directory
                else:
                    process.stdin.write(b'{"granted": true}\n')
                    process.stdin.flush()
                    done = end(process)
                self.expect(done, 0)
                self.assertTrue(json.loads(done.out)["granted"], done)

    def test_the_exit_code_is_10_without_an_answer_and_the_shown_commands_work_when_pasted(self):
        waits = weft(*REFUND, "--store", store())
        self.expect(waits, 10, "waits for the answer to ApprovalRequestEvent")
        self.assertEqual(waits.out, "")
        answer, resume = [line for line in waits.err.splitlines() if line.startswith("weft ") and "--store" in line]
        self.assertIn("--event ApprovalEvent", answer)
        self.expect(self.paste(resume), 10)  # without an answer yet
        self.expect(self.paste(answer), 0)
        resumed = self.paste(resume)
        self.expect(resumed, 0)
        self.assertFalse(json.loads(resumed.out)["granted"], resumed)

    def test_a_missing_answer_ends_a_run_without_a_store(self):
        self.expect(weft(*REFUND), 5, "standard input has none")

    def test_a_mistake_in_an_answer_leaves_the_run_unchanged(self):
        name = store()
        self.expect(weft(*REFUND, "--store", name, text="granted\n"), 2)
        resumed = weft("resume", "--store", name, text='{"granted": true}\n')
        self.expect(resumed, 0)

    def test_a_failed_run_fails_again_with_the_same_message_and_runs_no_step(self):
        name = store()
        failed = weft("react", "--model", script(), "--quiet", "--store", name, "What?")
        self.assertEqual(failed.code, 5, failed)
        (run,) = rows(name)
        again = weft("resume", run["id"], "--store", name)
        self.assertEqual((again.code, again.out, again.err), (failed.code, failed.out, failed.err), again)
        self.expect(weft("resume", "--store", name), 2, " to resume;")

    def test_each_question_of_a_conversation_is_a_run_of_the_store_that_the_environment_names(self):
        name = store()
        told = weft("react", "--model", script("Answer: one", "Answer: two"), text="First?\nSecond?\n",
                    env={"WEFT_STORE": name})
        self.assertEqual((told.code, told.out), (0, "one\ntwo\n"), told)
        self.assertEqual([row["status"] for row in rows(name)], ["done", "done"])

    def test_options_are_stored_with_absolute_paths_and_without_keys(self):
        name, model = store(), script("Answer: yes")
        (FOLDER / "memory.json").unlink(missing_ok=True)
        asked = weft("react", "--memory", "memory.json", "--tools", "add,multiply", "--timeout", "1m", "--budget",
                     "tokens=5000", "--store", name, "Yes?",
                     env={"WEFT_MODEL": model, "OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY})
        self.expect(asked, 0)
        kept = rows(name)[0]["options"]
        self.assertEqual((kept["command"], kept["workflow"], kept["input"]), ("react", "react", {"text": "Yes?"}))
        options = kept["options"]
        self.assertEqual((options["model"], options["memory_file"]), (model, str(FOLDER / "memory.json")))
        self.assertEqual((options["timeout_ms"], options["budget"]["tokens"]), (60000, 5000))
        for part in FOLDER.glob(name + "*"):
            self.assertNotIn(b"sk-canary", part.read_bytes(), part)

    def test_a_password_in_an_address_is_not_stored(self):
        name = store()
        refused = weft("react", "--model", "openai:any", "--base-url", "http://me:hunter2@127.0.0.1:1", "--store", name,
                       "What?", env={"OPENAI_API_KEY": KEY})
        self.expect(refused, 3, "password")
        for part in FOLDER.glob(name + "*"):
            self.assertNotIn(b"hunter2", part.read_bytes(), part)

    def test_an_unusable_store_is_refused(self):
        (FOLDER / "letter.txt").write_text("Dear store,\n" * 1000)
        with sqlite3.connect(FOLDER / "shop.db") as file:
            file.execute("create table orders (id integer)")
        file.close()
        for name in (str(FOLDER), "/proc/weft.db", "nowhere/weft.db", "letter.txt", "shop.db"):
            with self.subTest(name):
                self.expect(weft(*REFUND, "--store", name), 3, os.path.basename(name))
        self.expect(weft("resume", "--store", "missing.db"), 3, "there is no such file")
        self.expect(weft("resume"), 2, "WEFT_STORE")
        self.expect(weft("react", "--db", "shop.db", "--store", "shop.db", "What?"), 2, "name the same file")

    def test_an_output_in_the_place_of_the_store_is_refused(self):
        name = store()
        self.expect(weft(*REFUND, "--store", name), 10)
        self.expect(weft("react", "--model", script(CALL), "--approve", "math_calculator", "--memory",
                         "kept_memory.json", "--store", name, "What?"), 10)
        (FOLDER / "other_name.db").symlink_to(FOLDER / name)
        before = (FOLDER / name).read_bytes()
        for file in (name, f"./{name}", name + "-wal", "other_name.db", "kept_memory.json"):
            for option in ("--html", "--log-file"):
                with self.subTest((option, file)):
                    self.expect(weft("resume", "--store", name, option, file), 2, "name the same file")
        self.expect(weft("run", "react", "--input", '{"text": "What?"}', "--record", name, "--store", name), 2,
                    "name the same file")
        self.assertEqual((FOLDER / name).read_bytes(), before)
        self.assertEqual(len(rows(name)), 2)

    def test_invalid_utf8_is_refused_in_a_sentence(self):
        name = store()
        self.expect(weft(*REFUND, "--store", name), 10)
        (run,) = rows(name)
        wrong = b"\xff"
        for words in (("answer", run["id"], "--event", wrong), ("answer", wrong, "--event", "E"),
                      ("answer", run["id"], "--event", "ApprovalEvent", "--json", b'{"granted": "\xff"}'),
                      ("answer", run["id"], "--event", "ApprovalEvent", "--id", wrong), ("show", wrong),
                      ("resume", wrong), ("cancel", wrong), ("prune", "--run", wrong), ("export", wrong),
                      ("runs", "--workflow", wrong), ("fork", run["id"], "--at", "0", "--set", b"\xff=1")):
            with self.subTest(words):
                self.expect(weft(*words, "--store", name), 2, "UTF-8")

    def test_a_run_that_cannot_resume_is_refused_in_one_sentence(self):
        name = store()
        self.expect(weft(*REFUND, "--store", name), 10)
        (run,) = rows(name)
        self.expect(weft("resume", "nobody", "--store", name), 2, "no run nobody")
        holder = begin(*REFUND, "--store", name)
        read_until(holder.stderr, "? ApprovalRequestEvent")
        self.expect(weft("resume", run["id"], "--store", name), 2, "in use by process")
        kill(holder)

    def test_a_changed_outcome_is_not_printed(self):
        name = store()
        self.expect(weft(*REFUND, "--store", name, text='{"granted": false}\n'), 0)
        (run,) = rows(name)
        change(name, "update runs set outcome = replace(outcome, 'false', 'true')")
        result = weft("resume", run["id"], "--store", name)
        self.expect(result, 5, "damaged")
        self.assertEqual(result.out, "")

    def paste(self, command):
        done = subprocess.run(["sh", "-c", command], cwd=ELSEWHERE, capture_output=True, timeout=LIMIT,
                              stdin=subprocess.DEVNULL,
                              env=driver.environment(OPENAI_API_KEY=KEY,
                                                     PATH=os.path.dirname(DRIVER) + ":" + os.environ["PATH"]))
        return driver.Result(done.returncode, done.stdout, done.stderr)


if __name__ == "__main__":
    driver.main()
