"""No text of a model, a tool or a user reaches a terminal or a pipe with a control character; no key is shown."""
import base64
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import unicodedata

import driver
from driver import Case, LIMIT, Server, Terminal, script, weft

POISON = ("\x1b[31mred \x1b]0;title\x07 \x1b]52;c;YQ==\x1b\\ \x9b2J \x85 \x08\x7f \x00 \u202egnp.exe \u2066x\u2069 "
          "\u200b\ufeff \u2028 \U000e0041 \r overwritten")
BYTES = "SELECT char(27, 155, 8238) || x'1b5d80ff'"
CALL = "Thought: {0}\nAction: {1}\nAction Input: {2}"
KEY = "sk-canary-7Qz3vX9LmT2b"


def run_as_a_user(words, folder, **variables):
    """Runs the driver as a user without the rights of root, who may read all."""
    def before():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
    program = os.open(driver.DRIVER, os.O_RDONLY)  # its folders may be closed to that user
    subprocess.run([driver.DRIVER, *words], executable=f"/proc/self/fd/{program}", pass_fds=[program], cwd=folder,
                   preexec_fn=before, capture_output=True, timeout=LIMIT, env=driver.environment(**variables))
    os.close(program)


def unlimited_core():
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def controls(text):
    """Returns the characters that are neither text nor a line break nor a tab."""
    return [c for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")]


class Control(Case):
    def check(self, result):
        self.assertEqual(controls(result.out) + controls(result.err), [], result)
        return result

    def test_the_hostile_text_has_control_characters(self):
        self.assertGreater(len(controls(POISON)), 12)

    def test_thoughts_actions_observations_and_answers_are_harmless(self):
        model = script(CALL.format("I " + POISON, "te" + POISON.split(" ", 1)[0] + "st", "{}"),
                       CALL.format("more", "get_country_capitals", json.dumps({"country": POISON})),
                       CALL.format("more", "sql_db_query", json.dumps({"sql_query": "SELECT '" + POISON + "'"})),
                       CALL.format("more", "sql_db_query", json.dumps({"sql_query": BYTES})),
                       "Thought: ready\nAnswer: the " + POISON + " end")
        for options in ([], ["--json"], ["--events"], ["-v"], ["--no-stream"]):
            with self.subTest(options=options):
                result = self.check(weft("react", *options, "--model", model, "what " + POISON.replace("\0", "")))
                self.assertEqual(result.code, 0, result)
        piped = self.check(weft("react", "--model", model, text="what?\n"))
        self.assertEqual(len(piped.out.splitlines()), 1)
        self.assertRegex(piped.out, r"^the .* end\n$")

    def test_invalid_bytes_are_replaced(self):
        result = self.check(weft("react", "--model", script("Answer: x"), text=b"\xff\xfe\x1b[2J\xc0\x80\n"))
        self.assertEqual(result.out, "x\n")
        self.check(weft(b"prompt", b"\xff\x1b[2J"))
        self.check(weft("parse", text=b"Answer: \xff\x1b[2J\xe2\x80\xae"))

    def test_messages_about_mistakes_are_harmless_and_one_line(self):
        for words in (["react", "--model", script({"fail": "bad\n" + POISON}), "what?"],
                      ["react", "--model", script({"reply": POISON, "finish": "refused"}), "what?"],
                      ["react", "--model", script({"when": POISON, "reply": "x"}), "what?"],
                      ["react", "--model", "script:/no/\x1b[2J\nfile", "what?"],
                      ["call", "\x1b[2J\n", "{}"], ["graph", "\x1b[2J"], ["\x1b[2J"], ["react", "--\x1b[2J"],
                      ["call", "get_country_capitals", json.dumps({"country": POISON})]):
            with self.subTest(words=words):
                result = self.check(weft(*words))
                self.assertNotEqual(result.code, 0)
                self.assertLessEqual(len([l for l in result.err.splitlines() if l.startswith("weft: ")]), 1)

    def test_a_terminal_gets_no_sequence_but_colours(self):
        terminal = Terminal("react", "--model", script("Thought: " + POISON + "\nAnswer: " + POISON + " end"), "what?")
        terminal.expect(" end")
        self.assertEqual(terminal.end(), 0)
        text = terminal.seen.decode()
        for code in ("\x1b[94m", "\x1b[0m"):
            text = text.replace(code, "")
        self.assertEqual(controls(text.replace("\r\n", "\n")), [], repr(text))


class Keys(Case):
    def test_a_key_is_never_shown(self):
        folder = driver.FOLDER / "keys"
        folder.mkdir()
        (folder / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
        for env in ({}, {"OPENAI_API_KEY": KEY}):
            for options in ([], ["--json"], ["--events"], ["-v", "--log-file", "log"]):
                result = weft("react", *options, "--base-url", "http://127.0.0.1:1", "--model", "openai:any", "what?",
                              cwd=folder, env=env)
                self.assertEqual(result.code, 4, result)
                self.assertNotIn(KEY, result.out + result.err)
        self.assertIn("model_unreachable", (folder / "log").read_text())
        self.assertNotIn(KEY, (folder / "log").read_text())

    def test_a_key_repeated_by_a_server_is_never_shown(self):
        spoken = f"Thought: I was sent {KEY}.\nAnswer: {KEY} is a key."
        reply = {"model": KEY, "choices": [{"message": {"content": spoken}, "finish_reason": "stop"}]}
        stream = "".join("data: " + json.dumps({"model": KEY, "choices": [{"delta": {"content": c}}]}) + "\n\n"
                         for c in spoken) + "data: [DONE]\n\n"
        for body, status, code in ((reply, 200, 0), (stream, 200, 0), (f"data: {{{KEY}\n\n", 200, 5),
                                   ({"error": {"message": "x" * 290 + KEY}}, 400, 4), (KEY, 500, 5),
                                   ({"error": {"code": 503, "message": "not for " + KEY}}, 200, 5),
                                   ({"error": {"message": KEY}}, 401, 4)):
            for options in ([], ["--json"], ["--events"], ["-v"]):
                with self.subTest(body=body, status=status, options=options), Server(body, status) as (_, url):
                    log = driver.FOLDER / "echo.log"
                    log.unlink(missing_ok=True)
                    result = weft("react", *options, "--log-file", str(log), "--base-url", url + "/v1", "--model",
                                  "openai:any", "what?", env={"OPENAI_API_KEY": KEY})
                    self.assertEqual(result.code, code, result)
                    for text in (result.out, result.err, log.read_text()):
                        self.assertNotIn(KEY[:9], text)
                    if code == 0:
                        self.assertIn("*** is a key.", log.read_text() + result.out)

    def test_the_env_file_never_overrides_the_environment(self):
        folder = driver.FOLDER / "override"
        folder.mkdir()
        (folder / ".env").write_text("WEFT_MODEL=script:/from/file\n")
        self.expect(weft("react", "what?", cwd=folder), 3, "/from/file")
        self.expect(weft("react", "what?", cwd=folder, env={"WEFT_MODEL": "script:/from/shell"}), 3, "/from/shell")

    def test_an_env_file_above_the_working_directory_is_not_read(self):
        above = driver.FOLDER / "above"
        below = above / "below"
        below.mkdir(parents=True)
        (above / ".env").write_text("WEFT_MODEL=script:/from/above\n")
        self.expect(weft("react", "what?", cwd=above), 3, "/from/above")
        result = weft("react", "what?", cwd=below)
        self.expect(result, 3, "there is no model to answer this")
        self.assertNotIn("/from/above", result.err)

    def test_an_env_file_makes_a_note_with_the_cure_when_other_users_can_read_its_keys(self):
        folder = driver.FOLDER / "shared"
        folder.mkdir()
        path = folder / ".env"
        sentence = ".env can be read by other users of this machine: chmod 600 keeps its keys secret"
        setting, key = f"WEFT_MODEL={script('Answer: 1')}\n", f"OPENAI_API_KEY={KEY}\n"
        try:
            for text, mode, above, is_open in (
                    (setting + key, 0o644, 0o755, True), (setting + key, 0o640, 0o750, True),
                    (setting + key, 0o600, 0o755, False), (setting + key, 0o644, 0o700, False),
                    (setting + key, 0o755, 0o755, False), (setting, 0o644, 0o755, False)):
                with self.subTest((len(text), oct(mode), oct(above))):
                    path.write_text(text)
                    path.chmod(mode)
                    driver.FOLDER.chmod(above)
                    result = weft("react", "-q", cwd=folder, text="a\n")
                    self.expect(result, 0)
                    self.assertEqual(result.err.count(sentence), int(is_open), result)
                    found = weft("doctor", "--json", cwd=folder)
                    self.assertEqual(found.out.count(sentence), int(is_open), found)
        finally:
            driver.FOLDER.chmod(0o700)

    def test_no_other_program_of_the_user_reads_the_keys_and_no_core_file_has_them(self):
        """The program of a tool is such a program."""
        folder = driver.FOLDER / "spied"
        folder.mkdir()
        folder.chmod(0o777)
        driver.FOLDER.chmod(0o711)
        self.addCleanup(driver.FOLDER.chmod, 0o700)
        (folder / "spy.sh").write_text("cat /proc/$PPID/environ > found; head -c 1 /proc/$PPID/mem 2> refused\n")
        for more, is_open in (({}, False), ({"WEFT_CORE_DUMPS": "1"}, True)):
            with self.subTest(more):
                run_as_a_user(["tools", "--mcp", "spy=sh spy.sh"], folder, OPENAI_API_KEY=KEY, **more)
                self.assertEqual(KEY in (folder / "found").read_text(), is_open)
                self.assertEqual("Permission denied" in (folder / "refused").read_text(), not is_open)

        def dumps(**more):
            process = subprocess.Popen([driver.DRIVER, "run", "refund", "--input", '{"order": "A", "amount": 120}'],
                                       cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                       preexec_fn=unlimited_core, env=driver.environment(OPENAI_API_KEY=KEY, **more))
            self.assertIn(b"? ApprovalRequestEvent", process.stderr.readline())
            process.send_signal(signal.SIGABRT)
            return os.WCOREDUMP(os.waitpid(process.pid, 0)[1])
        self.assertFalse(dumps())
        if not dumps(WEFT_CORE_DUMPS="1"):
            print("not tested: this system or this build writes no core files", file=sys.stderr)

    def test_unreadable_lines_of_the_env_file_are_reported_once_by_number(self):
        folder = driver.FOLDER / "odd"
        folder.mkdir()
        model = script("Answer: 1", "Answer: 2")
        (folder / ".env").write_text(f"{KEY}\nWEFT_MODEL={model}\n2X={KEY}\nOPENAI_API_KEY=\"{KEY}\n")
        result = weft("react", "-q", cwd=folder, text="a\nb\n")
        self.expect(result, 0, ".env: lines 1, 3 and 4 are left out")
        self.assertEqual((result.out, len(result.err.splitlines())), ("1\n2\n", 1), result)
        self.assertNotIn(KEY[:9], result.err)

    def test_the_log_has_the_run_and_no_control_characters(self):
        path = driver.FOLDER / "a.log"
        weft("react", "-q", "--log-file", str(path), "--model", script("Answer: " + POISON), "what?")
        text = path.read_text()
        self.assertIn('"answer":', text)
        self.assertIn('"what?"', text)
        self.assertNotIn("DeltaEvent", text)
        self.assertEqual(controls(text), [])


class Stored(Case):
    """Stores are copied, mailed and exported: no key is in them in any form, even if a server repeats it."""
    FORMS = [KEY.encode(), KEY.encode()[3:], KEY.encode().hex().encode(), KEY.encode()[::-1],
             *(base64.b64encode(b"x" * n + KEY.encode())[4:20] for n in range(3)), base64.b64encode(KEY.encode())[:16]]

    def check(self, store, runs):
        files = list(driver.FOLDER.glob(store + "*"))
        self.assertIn(driver.FOLDER / store, files)
        exported = weft("export", "--store", store)
        self.assertEqual((exported.code, exported.out.count('"run":')), (0, runs), exported)
        for data in [exported.raw_out, *(file.read_bytes() for file in files)]:
            for form in self.FORMS:
                self.assertNotIn(form, data)

    def test_a_run_is_stored_without_the_key_of_its_requests(self):
        reply = {"choices": [{"index": 0, "finish_reason": "stop", "message": {
            "role": "assistant", "content": "Thought: I know.\nAnswer: It is 42."}}]}
        with Server(reply) as (server, url):
            result = weft("react", "--model", "openai:any", "--base-url", url + "/v1", "--no-stream", "--fallback",
                          "anthropic:other", "--store", "canary.db", "What is 6 * 7?",
                          env={"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY})
        self.assertEqual((result.code, result.out), (0, "It is 42.\n"), result)
        self.assertIn(KEY, str(server.asked[0][1]))  # the server has received the key
        self.check("canary.db", 1)

    def test_a_servers_error_is_stored_without_the_key_that_it_repeats(self):
        with Server({"error": {"message": f"the key {KEY} is not valid"}}, status=401) as (server, url):
            result = weft("react", "--model", "openai:any", "--base-url", url + "/v1", "--no-stream", "--store",
                          "refused.db", "What is 6 * 7?", env={"OPENAI_API_KEY": KEY})
        self.assertEqual(result.code, 4, result)
        self.assertIn(KEY, str(server.asked[0][1]))
        self.check("refused.db", 1)


driver.main()
