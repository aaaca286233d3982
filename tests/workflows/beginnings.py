"""The first minutes with the driver: `weft doctor`, `weft init`, and agents without a model. The second argument is the
folder of projects that the build has made from the templates.
"""
import fcntl
import os
import pathlib
import re
import resource
import socket
import sqlite3
import subprocess
import sys
import tempfile

import driver
from driver import Case, FOLDER, Server, Terminal, weft

BUILT = pathlib.Path(sys.argv[2])
KEY = "sk-canary-0123456789abcdef"


PATIENT = ("--timeout", "10m")


def doctor(*words, timeout=PATIENT, **env):
    """Returns the result, and the marks and texts by subject."""
    result = weft("doctor", "--json", *timeout, *words, env=env)
    findings = result.events[0]["findings"]
    return result, {f["about"]: (f["mark"], f["text"] + ": " + f.get("cure", "")) for f in findings}


def tree(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


class Doctor(Case):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=FOLDER))

    def test_without_a_model_it_names_the_ways_and_ends_with_3(self):
        result = weft("doctor", *PATIENT)
        self.assertEqual(result.code, 3, result)
        model = next(line for line in result.out.splitlines() if line.split()[1] == "model")
        self.assertTrue(model.startswith("missing"), model)
        for part in ("OPENAI_API_KEY", "ollama pull llama3.2", "weft scripts"):
            self.assertIn(part, model)
        self.assertNotIn("\033", result.out)
        self.assertEqual(result.err, "")

    def test_a_scripted_model_is_enough(self):
        result, found = doctor("--model", driver.script("Answer: 1"))
        self.assertEqual(result.code, 0, result)
        self.assertTrue(result.events[0]["ready"])
        self.assertIn("--model names it", found["model"][1])

    def test_a_key_is_shown_by_its_name_and_place_only_and_the_server_judges_it(self):
        with Server({"error": "no"}, 401) as (server, url):
            result, found = doctor(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=url + "/v1")
        self.assertEqual(result.code, 3)
        self.assertEqual(found["key"], ("ok", "OPENAI_API_KEY (environment): "))
        self.assertIn("a key of OpenAI is set", found["model"][1])
        self.assertIn("refuses the key: check OPENAI_API_KEY", found["server"][1])
        with Server("bad gateway", 502) as (server, url):
            result, found = doctor(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=url + "/v1")
        self.assertEqual((result.code, found["server"][0]), (3, "wrong"), result)
        with Server({"error": {"message": "Missing scopes: api.model.read"}}, 403) as (server, url):
            result, found = doctor(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=url + "/v1")
        self.assertEqual((result.code, found["server"][0]), (0, "ok"), result)
        self.assertIn("restricted key", found["server"][1])
        with Server("moved", 302) as (server, url):
            result, found = doctor(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=url + "/v1")
        self.assertEqual((result.code, found["server"][0]), (3, "wrong"), result)
        with Server("no page", 404) as (server, url):
            result, found = doctor(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=url)
        self.assertEqual((result.code, found["server"][0]), (0, "ok"), result)
        self.assertIn("most end in one /v1", found["server"][1])
        with Server({"data": []}) as (server, url):
            result, found = doctor(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=url + "/v1")
        self.assertEqual((result.code, found["server"]), (0, ("ok", url + " answers: ")), result)
        [(path, headers, _)] = server.asked
        self.assertEqual((path, headers["Authorization"]), ("/v1/models", "Bearer " + KEY))

    def test_odd_keys_are_explained_without_their_text(self):
        for value, mark, words in ((f'"{KEY}"', "ok", "quotes"), (KEY + "\n", "ok", "line break"),
                                   (KEY[:12] + "\n" + KEY[12:], "wrong", "a line break"),
                                   ("your-api-key-here", "wrong", "placeholder"), ("sk-canary", "wrong", "too short"),
                                   ('""', "wrong", "only blanks or quotes")):
            with self.subTest(value=value):
                result, found = doctor("--model", "script:sales", GEMINI_API_KEY=value)
                self.assertEqual(found["key"][0], mark)
                self.assertIn(words, found["key"][1])
                self.assertEqual(result.code, 0)

    def test_a_key_in_a_file_and_its_odd_lines_are_found(self):
        (self.folder / ".env").write_text(f"ANTHROPIC_API_KEY={KEY}\nthis is no line\n")
        result = weft("doctor", *PATIENT, "--json", "--model", "script:sales", cwd=self.folder)
        self.assertIn("ANTHROPIC_API_KEY (.env)", result.out)
        self.assertIn("line 2 is left out", result.out)

    def test_no_password_of_an_address_is_shown(self):
        result, found = doctor("--model", "script:sales", "--store", "postgres://weft:sk-canary@127.0.0.1:1/weft",
                               https_proxy="http://user:sk-canary@127.0.0.1:1",
                               OPENAI_BASE_URL="http://u:sk-canary@h/v1",
                               OLLAMA_HOST="http://u:sk-canary@127.0.0.1:1", all_proxy="socks5://u:sk-canary@h")
        self.assertEqual(found["store"][0], "wrong")
        self.assertEqual(result.code, 3)
        for name in ("password=sk-canary host=h", "postgres//weft:sk-canary@h/weft"):
            _, found = doctor(WEFT_STORE=name)
            self.assertIn("neither a file nor an address", found["store"][1])

    def test_a_key_in_the_place_of_an_address_is_not_shown(self):
        for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
            result, _ = doctor(**{variable: "sk-canary-of-another-service"})
            self.assertNotIn("canary", result.out)

    def test_ollama_is_found_in_any_state(self):
        def listed(*names):
            return {"models": [{"name": name} for name in names]}
        many = listed(*(f"m{i}" + "x" * 200 for i in range(3000)))
        for body, status, mark, words in ((listed("llama3.2:3b"), 200, "ok", "has 1 model: llama3.2:3b"),
                                          (listed(), 200, "missing", "ollama pull llama3.2"),
                                          ("<html>proxy</html>", 200, "wrong", "not as Ollama does"),
                                          ({"models": [7, {"name": 8}]}, 200, "missing", "has no model"),
                                          ("no", 502, "wrong", "HTTP 502"),
                                          (many, 200, "ok", "3000 models")):
            with self.subTest(words=words), Server(body, status) as (_, url):
                result, found = doctor("--model", "script:sales", OLLAMA_HOST=url)
                self.assertEqual(found["ollama"][0], mark, found)
                self.assertIn(words, found["ollama"][1])
                self.assertLess(len(found["ollama"][1]), 700)

    def test_a_named_model_that_ollama_lacks_is_wrong(self):
        with Server({"models": [{"name": "llama3.2:latest"}]}) as (_, url):
            result, found = doctor("--model", "ollama:llama3.2", OLLAMA_HOST=url)
            self.assertEqual(result.code, 0, result)
            result, found = doctor("--model", "ollama:qwen3", OLLAMA_HOST=url)
        self.assertEqual(result.code, 3)
        self.assertIn("ollama pull qwen3", found["server"][1])

    def test_servers_that_hang_are_reported(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            result, found = doctor("--model", "openai:any", "--base-url", url + "/v1", "--store",
                                   url.replace("http", "postgres") + "/x", timeout=(), OLLAMA_HOST=url)
        self.assertEqual(result.code, 3)
        for about in ("ollama", "server", "store"):
            self.assertEqual(found[about][0], "wrong", found)

    def test_a_store_is_looked_at_and_never_changed(self):
        store = self.folder / "weft.db"
        _, found = doctor("--store", str(store))
        self.assertEqual(found["store"][0], "ok")
        self.assertIn("the first run makes it", found["store"][1])
        self.assertEqual(list(self.folder.iterdir()), [])
        self.expect(weft("run", "hello", "--input", '{"text": "x"}', "--store", str(store)), 0)
        before = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in self.folder.iterdir()}
        _, found = doctor(WEFT_STORE=str(store))
        self.assertIn("tables of version 7", found["store"][1])
        self.assertEqual(before, {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in self.folder.iterdir()})

        def wrong(words):
            result, found = doctor("--model", "script:sales", "--store", str(store))
            self.assertEqual((result.code, found["store"][0]), (3, "wrong"), found)
            self.assertIn(words, found["store"][1])
        with open(str(store) + "-lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _, found = doctor("--store", str(store))
            self.assertIn("in use by an engine", found["store"][1])
        with sqlite3.connect(store, isolation_level=None) as other:
            other.execute("begin immediate")
            wrong(f"is locked by process {os.getpid()}")
            other.execute("rollback")
            other.execute("pragma user_version = 99")
            other.execute("pragma wal_checkpoint(truncate)")
        other.close()
        wrong("use a newer weft")
        store.write_bytes(before["weft.db"][0][:5000])
        wrong("its end is missing")
        with open(store, "r+b") as writer:  # it has written the header, and not yet the end
            fcntl.lockf(writer, fcntl.LOCK_EX, 1, 0x40000000)
            wrong("is locked by process")
        store.write_text("hello " * 50)
        wrong("is not a SQLite database")
        store.write_text("")
        wrong("is empty")
        store.unlink()
        sqlite3.connect(store).execute("create table t (a)").connection.close()
        wrong("of another program")
        store.unlink()
        store.mkdir()
        wrong("is not a file")
        result, found = doctor("--store", str(self.folder / "none" / "weft.db"))
        self.assertIn("there is no folder", found["store"][1])

    def test_a_database_is_looked_at_and_never_changed(self):
        file = self.folder / "shop.db"
        shop = sqlite3.connect(file)
        shop.execute("pragma journal_mode = wal")
        shop.execute("create table t (a)")
        shop.close()
        _, found = doctor("--db", str(file))
        self.assertEqual(found["database"][0], "ok")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["shop.db"])
        result, found = doctor("--model", "script:sales", "--db", str(self.folder / "none.db"))
        self.assertEqual((result.code, found["database"][0]), (3, "wrong"))

    def test_certificates_and_locale_are_checked(self):
        _, found = doctor(SSL_CERT_FILE="/nowhere", LANG="C", LC_ALL="")
        self.assertIn("SSL_CERT_FILE names /nowhere", found["certificates"][1])
        self.assertEqual(found["locale"][0], "wrong")
        _, found = doctor(LC_ALL="xx_YY.UTF-8")
        self.assertIn("lacks the locale", found["locale"][1])

    def test_marks_have_colours_at_a_terminal_only(self):
        terminal = Terminal("doctor", "--model", "script:sales", *PATIENT)
        terminal.expect("\033[32mok")
        terminal.expect("\033[33mmissing")
        self.assertEqual(terminal.end(), 0)


class Init(Case):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=FOLDER))

    def test_a_project_has_the_files_that_the_build_compiles(self):
        for kind, option in (("workflow", []), ("agent", ["--agent"])):
            name = f"init_{kind}"
            result = weft("init", *option, name, cwd=self.folder)
            self.expect(result, 0)
            self.assertIn("cmake -B build", result.out)
            self.assertEqual(tree(self.folder / name), tree(BUILT / name))
            self.assertIn(".gitignore", tree(self.folder / name))

    def test_the_programs_answer_refuse_and_exit_as_their_arguments_ask(self):
        def program(name, *arguments, **environment):
            done = subprocess.run([BUILT.parent / name / name, *arguments], cwd=BUILT / name, text=True,
                                  capture_output=True, stdin=subprocess.DEVNULL,
                                  env={"PATH": os.environ["PATH"], **environment})
            return done.returncode, done.stdout

        self.assertEqual(program("init_agent", WEFT_MODEL="script:./script.json"),
                         (0, "Three cups and a teapot are 3750 cents.\n"))
        self.assertEqual(program("init_agent", "Who are you?", WEFT_MODEL="script:./script.json"), (1, ""))
        self.assertEqual(program("init_workflow", "teapot", "2"), (0, "4800 cents\n"))
        self.assertEqual(program("init_workflow", "spoon", "2"), (1, ""))
        for count in ("x", "2x", "0", "-3", "1001", ""):
            self.assertEqual(program("init_workflow", "cup", count), (2, ""))

    def test_names_that_cannot_be_are_refused_and_leave_nothing(self):
        for name, words in (("a/b", "not a path"), ("..", "not a path"), (".", "not a path"), ("/x/y", "not a path"),
                            ("7up", "begins with a digit"), ("test", "uses it itself"),
                            ("CMakeFiles", "uses it itself"), ("weft_net", "uses it itself"),
                            ("my shop", "write letters"), ("-x", ""),
                            ("é", "write letters"), ("a" * 65, "longer"), ("a\nb", "write letters"),
                            ("a;b", "write letters"), ("$(x)", "write letters")):
            with self.subTest(name=name):
                self.expect(weft("init", name, cwd=self.folder), 2, words)
        self.expect(weft("init", cwd=self.folder), 2)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_nothing_is_overwritten(self):
        (self.folder / "full").mkdir()
        (self.folder / "full" / "mine").write_text("mine")
        (self.folder / "file").write_text("mine")
        (self.folder / "link").symlink_to("nowhere")
        for name in ("full", "file", "link"):
            self.expect(weft("init", name, cwd=self.folder), 2, "is there already")
        self.assertEqual(tree(self.folder), {"full/mine": b"mine", "file": b"mine"})
        (self.folder / "empty").mkdir()
        self.expect(weft("init", "empty", cwd=self.folder), 0)
        self.expect(weft("init", "my-shop", cwd=self.folder), 0)
        self.expect(weft("init", "my-shop", cwd=self.folder), 2, "not empty")

    def test_an_error_leaves_nothing(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))
        result = weft("init", "shop", cwd=self.folder, preexec_fn=small_files)
        self.expect(result, 3, "cannot be written")
        self.assertEqual(list(self.folder.iterdir()), [])


class WithoutAModel(Case):
    def test_a_question_that_no_script_knows_gets_the_ways_and_the_questions(self):
        result = weft("react", "Why?")
        self.expect(result, 3, "there is no model to answer this: set OPENAI_API_KEY")
        for part in ("ollama pull llama3.2", "weft scripts", '"How many orders were there in 2024?"'):
            self.assertIn(part, result.err)
        with Server({"models": []}) as (_, url):
            self.expect(weft("react", "Why?", env={"OLLAMA_HOST": url}), 3, "load a model into Ollama")

    def test_input_without_a_question_is_noticed(self):
        for text in ("", "\n  \n"):
            result = weft("react", text=text)
            self.expect(result, 0, "standard input has no question")
            self.assertEqual(result.out, "")

    def test_the_script_of_the_tutorial_answers_its_question_only(self):
        page = pathlib.Path("docs/tutorial/06_testing.md").read_text(encoding="utf-8")
        script = pathlib.Path(FOLDER, "third.json")
        script.write_text(re.search(r"\n```json\n(\{.*?)```", page, re.S)[1], encoding="utf-8")
        result = weft("react", "--model", f"script:{script}", "What is a third of 42?")
        self.expect(result, 0)
        self.assertEqual(result.out, "A third of 42 is 14.\n")
        self.assertNotEqual(weft("react", "--model", f"script:{script}", "Why?").code, 0)

    def test_a_conversation_begins_with_the_questions_and_the_ways(self):
        terminal = Terminal("react")
        for part in ("There is no model", "How many orders were there in 2024?", "OPENAI_API_KEY",
                     "ollama pull llama3.2", "weft scripts"):
            terminal.expect(part)
        terminal.prompt("weft> ")
        terminal.type("How many orders were there in 2024?\r")
        terminal.expect("There were 34 orders in 2024.\r\n")
        terminal.prompt("weft> ")
        terminal.type("exit\r")
        self.assertEqual(terminal.end(), 0)


driver.main()
