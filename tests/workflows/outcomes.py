"""Any behaviour of a model ends its run with a typed outcome, a stream that names the cause, and a known exit code.
"""
import os
import resource
import signal
import subprocess

import driver
from driver import Case, LIMIT, script, weft

OTHER_USER = 65534  # root has no limit of threads
LIMITED = driver.FOLDER / "limited"
SALES = "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"
COMMANDS = (("run", "hello", "--input", '{"text": "World"}', "--store", "run.db"),
            ("call", "math_calculator", '{"expression": "2 ** 10"}'),
            ("react", "--quiet", "--model", "script:sales", SALES))
SERVERS = (("serve", "--port", "0", "--model", "script:sales", "--store", "serve.db"),
           ("worker", "--model", "script:sales", "--store", "worker.db"),
           ("mcp", "--http", "127.0.0.1:0"))
CALL = 'Thought: I call.\nAction: {}\nAction Input: {}'


class Outcomes(Case):
    def last(self, *words):
        result = weft("react", "--events", *words, "what?")
        return result, result.events[-1]

    def test_an_answer_ends_with_code_0(self):
        result = weft("react", "--model", script("Thought: easy\nAnswer: 42"), "what?")
        self.expect(result, 0)
        self.assertEqual(result.out, "42\n")
        self.assertIn("Thought: easy", result.err)

    def test_a_model_that_never_answers_reaches_the_limit(self):
        model = script(CALL.format("add", '{"a": 1, "b": 1}'), CALL.format("add", '{"a": 1, "b": 2}'),
                       CALL.format("add", '{"a": 1, "b": 3}'))
        result, last = self.last("--model", model, "--max-steps", "2")
        self.expect(result, 6, "--max-steps")
        self.assertEqual((last["event"], last["outcome"]), ("AnswerEvent", "limit"))
        self.assertEqual(last["data"]["steps"], 2)
        self.assertIn("Limit: no steps are left", weft("react", "--model", model, "--max-steps", "2", "what?").err)

    def test_a_model_that_repeats_itself_reaches_the_limit(self):
        model = script(*[CALL.format("add", '{"a": 1, "b": 1}')] * 9)
        self.assertEqual(self.last("--model", model)[1]["outcome"], "limit")
        result = weft("react", "--model", model, "what?")
        self.expect(result, 6, "repeated a call too often")
        self.assertIn("Limit: the model has repeated a call too often", result.err)
        self.assertNotIn("steps", result.err)

    def test_an_invented_observation_is_never_used(self):
        model = script('Action: add\nAction Input: {"a": 1, "b": 2}\nObservation: 99\nAnswer: 99',
                       {"when": ["Observation:", "3"], "reply": "Answer: It is 3."})
        result, last = self.last("--model", model)
        self.expect(result, 0)
        self.assertEqual(last["data"]["response"], "It is 3.")
        self.assertEqual([e["data"]["text"] for e in result.events if e["event"] == "ObservationEvent"], ["3"])

    def test_unknown_tools_and_broken_arguments_are_reported_to_the_model(self):
        model = script(CALL.format("teleport", "{}"), CALL.format("add", '{"a": }'), CALL.format("add", '{"a": "x"}'),
                       "Answer: I give up.")
        result, last = self.last("--model", model)
        self.expect(result, 0)
        self.assertEqual(last["outcome"], "answered")
        seen = [e["data"] for e in result.events if e["event"] == "ObservationEvent"]
        self.assertIn("sql_db_query", seen[0]["text"])
        self.assertFalse(seen[0]["ok"] or seen[-1]["ok"])

    def test_unusable_replies_fail_the_run(self):
        result, last = self.last("--model", script(*["Action: add"] * 3))
        self.expect(result, 5, "could not be followed")
        self.assertEqual((last["event"], last["outcome"]), ("RunFailedEvent", "failed"))
        self.assertEqual(last["data"]["code"], "model_failed")

    def test_an_unfitting_script_shows_the_expected_and_the_actual_request(self):
        result, last = self.last("--model", script({"when": "the weather", "reply": "Answer: no"}))
        self.expect(result, 5, '"the weather"')
        self.expect(result, 5, '"what?"')
        self.assertEqual(last["data"]["code"], "script_mismatch")

    def test_a_hanging_model_times_out(self):
        model = script({"reply": "Answer: late", "delay_ms": 600000})
        result, last = self.last("--model", model, "--timeout", "200ms")
        self.expect(result, 7, "--timeout")
        self.assertEqual((last["event"], last["outcome"]), ("RunTimedOutEvent", "timed_out"))

    def test_a_refusal_of_the_model_has_its_own_exit_code(self):
        result, last = self.last("--model", script({"reply": "No.", "finish": "refused"}))
        self.expect(result, 4, "refuses")
        self.assertEqual(last["data"]["code"], "model_refused")

    def test_a_missing_server_is_unreachable(self):
        result, last = self.last("--model", "openai:any", "--base-url", "http://127.0.0.1:1/v1")
        self.expect(result, 4, "http://127.0.0.1:1")
        self.assertEqual(last["data"]["code"], "model_unreachable")

    def test_a_failure_of_the_model_names_the_step_only_in_the_trace(self):
        log = driver.FOLDER / "step.log"
        for reply, sentence in (({"fail": "out of order"}, "out of order"),
                                ({"when": "no", "reply": "x"}, "the request"),
                                ({"reply": "No.", "finish": "refused"}, "the model refuses")):
            words = ["--model", script(reply), "what?"]
            plain = weft("react", *words)
            self.assertIn("weft: " + sentence, plain.err)
            self.assertNotIn("handle_llm_input", plain.err)
            self.assertNotIn("handle_llm_input", weft("run", "react", *words[:2], "--input", '{"text": "what?"}').err)
            log.unlink(missing_ok=True)
            verbose = weft("react", "-v", "--log-file", str(log), *words)
            self.assertIn("weft: step handle_llm_input failed: " + sentence, verbose.err)
            self.assertIn(' "step handle_llm_input failed: ' + sentence, log.read_text())
            [one] = weft("react", "--json", *words).events
            self.assertIn("step handle_llm_input failed: " + sentence, one["error"])

    def test_json_has_an_object_for_success_and_failure(self):
        good = weft("react", "--json", "--model", script("Answer: 42"), "what?")
        self.assertEqual([(e["question"], e["outcome"], e["response"]) for e in good.events],
                         [("what?", "answered", "42")])
        bad = weft("react", "--json", "--model", script({"fail": "out of order"}), "what?")
        self.expect(bad, 5, "out of order")
        self.assertEqual([(e["outcome"], e["code"]) for e in bad.events], [("failed", "model_failed")])

    def test_the_events_are_complete_and_end_with_the_answer(self):
        result, last = self.last("--model", script(CALL.format("add", '{"a": 1, "b": 2}'), "Answer: 3"))
        names = [e["event"] for e in result.events]
        for name in ("TurnEvent", "ThoughtDeltaEvent", "ActionEvent", "ObservationEvent", "AnswerDeltaEvent"):
            self.assertIn(name, names)
        self.assertEqual(last["event"], "AnswerEvent")
        self.assertEqual(result.err, "")


class Usage(Case):
    def test_a_users_mistake_is_one_sentence(self):
        ok = script("Answer: x")
        for code, sentence, words in [
                (2, "say what to do", []),
                (2, 'there is no command "fly"', ["fly"]),
                (2, "this was not expected: --fly; `weft react --help`", ["react", "--fly", "x"]),
                (2, "this was not expected: more; `weft graph --help`", ["graph", "react", "more"]),
                (2, "WORKFLOW is required; `weft graph --help`", ["graph"]),
                (2, "there is no option --fly before a command; `weft --help`", ["--fly"]),
                (2, "there is no option --model=x before a command", ["--model=x", "react"]),
                (2, "say what to do; `weft --help`", ["--", "react"]),
                (2, "this was not expected: -j; `weft react --help`", ["react", "-j", "x"]),
                (2, "--model needs a value; `weft react --help`", ["react", "--model"]),
                (2, "--format needs a value; `weft graph --help`", ["graph", "react", "--format"]),
                (2, "--model can be given only once; `weft react", ["react", "--model", ok, "--model", ok, "x"]),
                (2, "--timeout can be given only once", ["react", "--timeout", "1", "--timeout", "2", "x"]),
                (2, "--model= has no value", ["react", "--model=", "x"]),
                (2, '--json takes no value, so not "maybe"', ["react", "--json=maybe", "x"]),
                (2, "--json and --events cannot be given together", ["react", "--json", "--events", "x"]),
                (2, '--max-steps takes a whole number from 1 to 1000, not "99999999999"; `weft react',
                 ["react", "--max-steps", "99999999999", "x"]),
                (2, 'from 1 to 1000, not "08"', ["react", "--max-steps", "08", "x"]),
                (2, '--max-mib takes a whole number from 1 to 1000000, not "0"', ["serve", "--max-mib", "0"]),
                (3, "allow access without a token (--host, --token-file, --no-auth)", ["serve", "--host", "0.0.0.0"]),
                (3, "a certificate and its key (--cert, --key)", ["serve", "--cert", "a.pem"]),
                (3, "such as https://app.example (--allow-origin)", ["serve", "--allow-origin", "*"]),
                (3, "(--http, --token-file, --no-auth)", ["mcp", "--http", "0.0.0.0:0"]),
                (2, '--temperature takes a number from 0 to 2, not "9"', ["react", "--temperature", "9", "x"]),
                (2, "--max-steps", ["react", "--max-steps", "0", "x"]),
                (2, 'from 1 to 1000, not "2.5"', ["react", "--max-steps", "2.5", "x"]),
                (2, "--temperature", ["react", "--temperature", "hot", "x"]),
                (2, "--timeout", ["react", "--timeout", "soon", "x"]),
                (2, "'fly'", ["react", "--model", ok, "--tools", "add,fly", "x"]),
                (2, "empty", ["react", "--model", ok, " "]),
                (2, "there are arithmetic, ", ["react", "--model", "script:fly", "x"]),
                (2, "--model", ["react", "--base-url", "http://127.0.0.1:1", "x"]),
                (3, "/no/db", ["react", "--model", ok, "--db", "/no/db", "x"]),
                (3, "/no/script", ["react", "--model", "script:/no/script", "x"]),
                (3, "OPENAI_API_KEY", ["react", "--model", "openai:gpt-4o-mini", "x"]),
                (3, "/dev/null/log", ["react", "--model", ok, "--log-file", "/dev/null/log", "x"]),
                (3, "/no/text", ["react", "--model", ok, "--system", "@/no/text", "x"]),
                (2, "hello, plain_answer, react, reflect, tool_agent, refund, research", ["graph", "fly"]),
                (2, "mermaid, dot or json", ["graph", "react", "--format", "png"]),
                (2, "'fly'", ["call", "fly", "{}"]),
                (2, "input.text", ["run", "hello"]),
                (2, "--input: ", ["run", "hello", "--input", "{"]),
                (2, "--input @/dev/stdin reads standard input", ["run", "hello", "--input", "-"]),
                (2, "cannot be read: check its name and its permissions", ["run", "hello", "--input", "@nowhere.json"]),
                (2, "--tools", ["react", "--model", ok, "--tools", ",", "x"]),
                (2, "react", ["parse", "--dialect", "fly"])]:
            with self.subTest(words=words):
                result = weft(*words)
                self.expect(result, code, sentence)
                self.assertEqual(len(result.err.splitlines()), 1, result)
                self.assertEqual(result.out, "")

    def test_an_option_without_use_for_a_workflow_is_named(self):
        values = {"--model": "openai:x", "--base-url": "http://127.0.0.1:1", "--temperature": "1", "--no-stream": None,
                  "--db": "any.db", "--tools": "add", "--max-steps": "3", "--system": "x"}
        for option, value in values.items():
            words = [option] if value is None else [option, value]
            for workflow, start in (("hello", '{"text": "World"}'), ("refund", '{"order": "A", "amount": 1}'),
                                    ("research", "{}")):
                with self.subTest(workflow=workflow, option=option):
                    result = weft("run", workflow, "--input", start, *words)
                    if workflow == "research" and option == "--db":
                        self.expect(result, 3, "any.db")
                    else:
                        self.expect(result, 2, f"the workflow {workflow} has no use for {option}: leave it out")
                        self.assertEqual((result.out, len(result.err.splitlines())), ("", 1))
        self.expect(weft("run", "hello", "-q", "--timeout", "9", "--input", '{"text": "World"}'), 0)

    def test_an_empty_question_is_bad_usage_with_and_without_a_model(self):
        for words in (["react", ""], ["react", " "], ["react", "--model", "openai:x", ""],
                      ["run", "react", "--input", '{"text": ""}'], ["prompt", ""]):
            with self.subTest(words=words):
                self.expect(weft(*words), 2, "the question is empty")

    def test_every_mistake_has_an_object_with_json(self):
        for code, words in ((2, ["--max-steps", "0", "x"]), (2, ["--fly"]), (2, ["--timeout", "soon", "x"]),
                            (2, ["--model", ""]), (2, [""]), (3, ["--db", "/no/db"]),
                            (3, ["--log-file", "/no/folder/log", "x"])):
            with self.subTest(words=words):
                result = weft("react", "--json", *words)
                self.expect(result, code)
                [one] = result.events
                self.assertEqual((one["outcome"], one["code"]), ("failed", {2: "usage", 3: "configuration"}[code]))
                self.assertIn(one["error"], result.err)
        self.assertEqual(weft("react", "--max-steps", "0", "--", "--json").out, "")

    def test_an_unwritable_log_is_reported_once_and_delays_no_answer(self):
        model = script("Answer: 1", "Answer: 2")
        for words, text, out in ((["a"], "", "1\n"), ([], "a\nb\n", "1\n2\n")):
            result = weft("react", "-q", "--log-file", "/dev/full", "--model", model, *words, text=text)
            self.expect(result, 11, "--log-file: /dev/full cannot be written to")
            self.assertEqual((result.out, len(result.err.splitlines())), (out, 1), result)
        pipe = driver.FOLDER / "log.pipe"
        driver.os.mkfifo(pipe)
        for path in (str(pipe), str(driver.FOLDER)):
            result = weft("react", "--log-file", path, "--model", model, "a")
            self.expect(result, 3, f"--log-file: {path} is not a plain file")
            self.assertEqual((result.out, len(result.err.splitlines())), ("", 1), result)
        self.expect(weft("react", "-q", "--log-file", "/dev/null", "--model", model, "a"), 0)

    def test_an_empty_value_is_refused(self):
        for option in ("--model", "--base-url", "--db", "--tools", "--system", "--log-file", "--timeout"):
            for value in ([option, ""], [option, " "]):
                with self.subTest(words=value):
                    self.expect(weft("react", *value, "How many orders were there in 2024?"), 2, option)
        self.expect(weft("call", "list_sql_tables", "--db", ""), 2, "--db")
        self.expect(weft("run", "research", "--db", ""), 2, "--db")

    def test_a_closed_input_or_a_folder_as_input_is_reported(self):
        refund = ["run", "refund", "--input", '{"order": "A", "amount": 120}']
        for words in (["react", "--model", script("Answer: x")], ["parse"], refund):
            for shell, why in (('exec "$@" <&-', "it is closed"), ('exec "$@" < /', "it is a folder")):
                with self.subTest(words=words, why=why):
                    done = driver.subprocess.run(["/bin/sh", "-c", shell, "sh", driver.DRIVER, *words],
                                                 capture_output=True, env=driver.environment(), timeout=driver.LIMIT)
                    result = driver.Result(done.returncode, done.stdout, done.stderr)
                    self.expect(result, 3, f"standard input cannot be read: {why}")
                    self.assertEqual((result.out, result.err.count("weft: ")), ("", 1), result)
        done = driver.subprocess.run(["/bin/sh", "-c", 'exec "$@" <&-', "sh", driver.DRIVER, "list"],
                                     capture_output=True, env=driver.environment(), timeout=driver.LIMIT)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_a_closed_or_full_output_is_reported(self):
        model = script("Answer: x")
        with open("/dev/full", "wb") as full:
            done = driver.subprocess.run([driver.DRIVER, "react", "-q", "--model", model, "what?"], stdout=full,
                                         stderr=driver.subprocess.PIPE, stdin=driver.subprocess.DEVNULL,
                                         env=driver.environment(), timeout=driver.LIMIT)
        self.assertEqual(done.returncode, 9)
        self.assertIn(b"weft: standard output cannot be written to", done.stderr)
        reader, writer = driver.os.pipe()
        driver.os.close(reader)  # the reader is closed
        done = driver.subprocess.run([driver.DRIVER, "react", "-q", "--model", model, "what?"], stdout=writer,
                                     stderr=driver.subprocess.PIPE, stdin=driver.subprocess.DEVNULL,
                                     env=driver.environment(), timeout=driver.LIMIT)
        driver.os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (9, b""))


class Limited(Case):
    """A command that gets too few threads or file descriptors ends with a sentence. It neither hangs nor crashes."""
    @classmethod
    def setUpClass(cls):
        LIMITED.mkdir()
        driver.FOLDER.chmod(0o711)
        LIMITED.chmod(0o777)
        cls.program = os.open(driver.DRIVER, os.O_RDONLY)  # its folders may be closed to the other user

    def begin(self, words, limit, most):
        def before():
            if os.geteuid() == 0:
                os.setgroups([])
                os.setuid(OTHER_USER)
            resource.setrlimit(limit, (most, most))
        return subprocess.Popen(
            [driver.DRIVER, *words], executable=f"/proc/self/fd/{self.program}", pass_fds=[self.program],
            preexec_fn=before, cwd=LIMITED, stdin=subprocess.DEVNULL,
            env={**driver.environment(), "ASAN_OPTIONS": "detect_leaks=0"},  # the search needs descriptors and threads
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process):
        """Ends a server that has begun. Returns the result."""
        line = process.stdout.readline()
        if line.startswith((b"serving on", b"working as", b"MCP at")):
            process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT)
        return driver.Result(process.returncode, line + out, err)

    def begins_with_enough(self, words, limit, numbers, cure):
        refused = 0
        for most in numbers:
            result = self.finish(self.begin(words, limit, most))
            if result.code == 0:
                return refused
            with self.subTest(words=words, most=most):
                self.assertIn(result.code, (3, 5), result)  # 5: the run has begun
                self.assertEqual(result.err.count("\n"), 1, result)
                self.assertRegex(result.err, cure)
            refused += 1
        raise AssertionError(f"{words} never begins")

    def has_a_limit_of_threads(self):
        process = self.begin(COMMANDS[0], resource.RLIMIT_NPROC, 0)
        return self.finish(process).code != 0

    def test_a_command_ends_with_a_sentence_when_the_system_starts_too_few_threads(self):
        if not self.has_a_limit_of_threads():
            self.skipTest("this system limits no threads of this user, who may exceed all limits (CAP_SYS_RESOURCE)")
        for words in COMMANDS + SERVERS:
            # Other processes of the user count, so the first number that suffices is not known.
            refused = self.begins_with_enough(words, resource.RLIMIT_NPROC, range(20_000), "the system starts no")
            self.assertGreater(refused, 2)

    def test_a_command_ends_with_a_sentence_when_there_are_too_few_file_descriptors(self):
        for words in COMMANDS + SERVERS:
            refused = self.begins_with_enough(words, resource.RLIMIT_NOFILE, range(8, 200),
                                              "no file descriptors left|Too many open files")
            self.assertGreater(refused, 0)


driver.main()
