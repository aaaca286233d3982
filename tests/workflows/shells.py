"""Manual pages, and completions in bash, zsh and fish. Called with the paths of the driver and of make_store."""
import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import sqlite3
import subprocess
import sys

MAKE_STORE = os.path.abspath(sys.argv.pop(2))
import driver  # noqa: E402
from driver import Case, FOLDER, Server, Terminal, weft  # noqa: E402

COMMANDS = re.findall(r"^  ([a-z]+)", weft("--help").out.split("Subcommands:")[1].split("Examples:")[0], re.M)
OUT = {name: weft(name, "--help").out for name in COMMANDS}
# Kinds of values that nobody but the user knows.
FREE = {"URL", "NUMBER", "N", "HOSTS", "LIST", "TOKENS", "TIME", "NAME=TEXT", "JSON", "ID", "AGE", "TICK", "SLOT=JSON",
        "QUEUE", "QUEUES", "PORT", "ADDRESS", "NAME", "ZONE", "ORIGIN", "HOST:PORT", "QUESTION", "KEY", "KEY[=N]",
        "EXPRESSION", "N/TIME"}
BIN = FOLDER / "bin"
BIN.mkdir()
(BIN / "weft").symlink_to(driver.DRIVER)
PATH = {"PATH": f"{BIN}:{os.environ['PATH']}", "WEFT_COMPLETION_MS": str(driver.LIMIT * 1000)}


def options_of(command):
    """The options of a command with the names of their values, by its help."""
    rows = re.findall(r"^  (-[-\w,]+)(?: ([A-Z](?:\S*[^\s:])?)(?!\S))?", OUT[command], re.M)
    return {name: value for names, value in rows for name in names.split(",") if name.startswith("--")}


def arguments_of(command):
    usage = re.search(r"Usage: weft \S+(.*)", OUT[command]).group(1)
    return [word.strip("[].") for word in usage.split() if word.strip("[].").isupper() and "OPTIONS" not in word]


def completed(*words, env=None, cwd=None):
    """The kind of the answer, the part before a file, and the values."""
    result = weft("complete", "--", *words, env={**PATH, **(env or {})}, cwd=cwd)
    assert (result.code, result.err) == (0, ""), result
    if not result.out:
        return "nothing", "", []
    head, *lines = result.out.splitlines()
    return (*head.split("\t"), [line.split("\t")[0] for line in lines])


def values(*words, **more):
    return completed(*words, **more)[2]


def engine_of(path, *runs):
    """A process that has put these runs into a store, and works on it until its input ends."""
    process = subprocess.Popen([MAKE_STORE, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdout.readline()
    for run in runs:
        process.stdin.write(json.dumps(run).encode() + b"\n")
    process.stdin.flush()
    return process


def make_store(name, *runs):
    path = str(FOLDER / name)
    engine_of(path, *runs).communicate(timeout=driver.LIMIT)
    return path


class Pages(Case):
    def page(self, *words, **env):
        result = weft("man", *words, env=env)
        self.expect(result, 0)
        return result.out

    def rendered(self, page, columns=80):
        shown = subprocess.run(["mandoc", "-T", "ascii", f"-Owidth={columns}"], input=page.encode(),
                               capture_output=True, check=True).stdout.decode()
        return re.sub(".\b", "", shown)

    def test_each_command_and_option_stands_in_its_page(self):
        whole = self.rendered(self.page())
        for command in COMMANDS:
            self.assertIn(f"weft-{command}(1)", whole)
            shown = self.rendered(self.page(command))
            for option in options_of(command):
                self.assertRegex(shown, rf"(?m)^ +(\S.*, )?{option}\b", command)
        for code in range(12):
            self.assertRegex(whole, rf"(?m)^ +{code} ")

    def test_each_variable_of_weft_stands_in_the_page(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        read = set()
        for part in ("engine", "steps", "tools", "workflows"):
            for source in (root / part).rglob("*.cpp"):
                read |= set(re.findall(r'(?:get|getenv)\("(WEFT_\w+)"\)', source.read_text()))
        self.assertLessEqual({"WEFT_MODEL", "WEFT_STORE"}, read)
        for name in read - {"WEFT_RECORD"}:  # for tests of other programs
            self.assertIn(name, self.page())

    def test_pages_have_no_fault_and_fit_80_columns(self):
        folder = FOLDER / "man"
        folder.mkdir()
        self.expect(weft("man", "--folder", str(folder)), 0)
        files = sorted(file.name for file in folder.iterdir())
        self.assertEqual(files, sorted(["weft.1", *(f"weft-{command}.1" for command in COMMANDS)]))
        for file in files:
            with self.subTest(page=file):
                page = (folder / file).read_text(encoding="ascii")
                self.assertNotRegex(re.sub(r"\\.", "", page.split("\n", 1)[1]).replace('"', ""), r"[-^~`']")
                lint = subprocess.run(["mandoc", "-T", "lint", "-W", "style", folder / file], capture_output=True)
                self.assertEqual(lint.stdout, b"")
                groff = subprocess.run(["groff", "-man", "-ww", "-z", "-rHY=0", "-rCHECKSTYLE=3", folder / file],
                                       capture_output=True)
                self.assertEqual(groff.stderr, b"")
                for line in self.rendered(page).splitlines():
                    self.assertLessEqual(len(line), 80)

    def test_examples_can_be_pasted_into_a_shell(self):
        page = self.rendered(self.page("answer"))
        for text in page, weft("answer", "--help").out:
            example = re.search(r"weft answer 4f2a (?:.*\\\n)*.*", text).group()
            self.assertIn('{"granted": true}', shlex.split(example))

    def test_pages_are_the_same_at_any_time(self):
        self.assertEqual(self.page("react"), self.page("react", TZ="Asia/Tokyo"))
        self.assertIn('"2001-09-09"', self.page("react", SOURCE_DATE_EPOCH="1000000000"))

    def test_mistakes_have_a_sentence(self):
        self.expect(weft("man", "reakt"), 2, 'there is no command "reakt"')
        self.expect(weft("man", "react", "--folder", "."), 2, "leave out react")
        self.expect(weft("man", "--folder", "none/such"), 3, "cannot be written")
        self.expect(weft("completion", "tcsh"), 2, "there are bash, zsh and fish")


class Values(Case):
    def test_each_command_and_option_is_completed(self):
        self.assertEqual(values(""), COMMANDS)
        self.assertEqual(values("re"), [name for name in COMMANDS if name.startswith("re")])
        for command in COMMANDS:
            self.assertEqual(set(values(command, "-")), {*options_of(command), "--help"}, command)

    def test_each_kind_of_value_is_completed_or_free(self):
        for command in COMMANDS:
            for option, kind in options_of(command).items():
                if kind and kind not in FREE:
                    given = completed(command, option, "", env={"WEFT_STORE": self.store()})
                    self.assertTrue(given[0] != "words" or given[2], (command, option, given))
            for kind in arguments_of(command)[:1]:
                if kind not in FREE:
                    given = completed(command, "", env={"WEFT_STORE": self.store()})
                    self.assertTrue(given[0] != "words" or given[2], (command, kind, given))

    _store = None

    def store(self):
        if not Values._store:
            Values._store = make_store("values.db", {"id": "a1b2c3"}, {"id": "b7", "status": "done"})
        return Values._store

    def test_offered_words_are_accepted(self):
        for command, option, more in (("runs", "--status", ["--store", self.store()]), ("graph", "--format", ["hello"]),
                                      ("prompt", "--dialect", ["hi"]),
                                      ("react", "--permission", ["--model", driver.script("Answer: 1"), "what?"])):
            for word in values(command, option, ""):
                self.expect(weft(command, option, word, *more), 0)
        for shell in values("completion", ""):
            self.expect(weft("completion", shell), 0)
        for agent in values("describe", ""):
            self.expect(weft("describe", agent), 0)

    def test_lists_are_completed_name_by_name(self):
        self.assertIn("add,math_calculator", values("react", "--tools", "add,"))
        self.assertNotIn("add,add", values("react", "--tools", "add,"))
        self.assertIn("--tools=add,subtract", values("react", "--tools=add,sub"))
        self.assertIn("http_get", values("call", ""))

    def test_options_that_cannot_be_given_are_not_offered(self):
        self.assertNotIn("--verbose", values("react", "--quiet", "-"))
        self.assertNotIn("--quiet", values("react", "-q", "-"))
        self.assertIn("--fallback", values("react", "--fallback", "a", "-"))
        self.assertEqual(completed("react", "--", "-")[2], [])
        self.assertEqual(completed("nothing", "-")[2], [])

    def test_files_are_left_to_the_shell(self):
        for words, kind in ((["react", "--db", ""], ["files", ""]), (["serve", "--debugger", ""], ["folders", ""]),
                            (["run", "hello", "--input", "@in"], ["files", "@"]),
                            (["react", "--model", "replay:"], ["files", "replay:"]),
                            (["react", "--model=script:./a"], ["files", "--model=script:"]),
                            (["import", ""], ["files", ""]), (["tools", "--mcp", "se"], ["files", ""])):
            self.assertEqual(list(completed(*words)[:2]), kind, words)

    def test_models_of_ollama_are_named_while_it_answers(self):
        body = {"models": [{"name": "llama3.2:3b"}, {"name": "qwen3:8b"}, {"name": "bad\x1b[2J"}]}
        with Server(body) as (_, address):
            env = {"OLLAMA_HOST": address}
            self.assertEqual(values("react", "--model", "ollama:l", env=env), ["ollama:llama3.2:3b"])
            self.assertEqual(len(values("react", "--model", "ollama:", env=env)), 2)
        self.assertEqual(values("react", "--model", "ollama:"), [])
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = f"http://127.0.0.1:{silent.getsockname()[1]}"
            env = {"OLLAMA_HOST": address, "WEFT_COMPLETION_MS": "8"}
            self.assertEqual(values("react", "--model", "ollama:", env=env), [])

    def test_runs_are_read_without_a_trace(self):
        folder = FOLDER / "store"
        folder.mkdir()
        store = str(shutil.copy(self.store(), folder / "weft.db"))
        for file in (folder / "weft.db", folder):
            file.chmod(0o500)
        before = pathlib.Path(store).read_bytes()
        self.assertEqual(sorted(values("show", "--store", store, "")), ["a1b2c3", "b7"])
        self.assertEqual(values("show", "a1", env={"WEFT_STORE": store}), ["a1b2c3"])
        self.assertEqual(values("prune", f"--store={store}", "--run", "b"), ["b7"])
        self.assertEqual([file.name for file in folder.iterdir()], ["weft.db"])
        self.assertEqual(pathlib.Path(store).read_bytes(), before)

    def test_runs_of_a_working_engine_are_read(self):
        store = str(FOLDER / "worked.db")
        engine = engine_of(store, {"id": "w1"})
        while values("show", "--store", store, "") != ["w1"]:
            self.assertIsNone(engine.poll())
        engine.communicate(timeout=driver.LIMIT)

    def test_nothing_is_said_when_anything_is_wrong(self):
        broken = FOLDER / "broken.db"
        broken.write_bytes(self.store_bytes()[:5000])
        os.mkfifo(FOLDER / "fifo")
        for store in ("none.db", "fifo", str(broken), ".", "/dev/zero", "postgres://u:sk-canary-x@localhost/d", ""):
            self.assertEqual(values("show", "--store", store, ""), [], store)
        self.assertFalse((FOLDER / "none.db").exists())
        for words in ([], ["bash"], ["bash", ""], ["--"], ["bash", "--", "re"], ["--help"]):
            result = weft("complete", *words)
            self.assertEqual((result.code, result.err), (0, ""), words)
        odd = FOLDER / "odd"
        odd.mkdir()
        (odd / ".env").write_bytes(b"\xff" * 100_000)
        self.assertEqual(values("show", "", cwd=odd), [])

    def store_bytes(self):
        return pathlib.Path(self.store()).read_bytes()


HOSTILE = ["$(touch pwned)", "`touch pwned`", "it's", 'a "b" \\', "c:d=e", "f;touch pwned", "~g", "!h", "*"]
UNSHOWN = ["new\nline", "\x1b[2Jx", "-rf", "\u202egnp", "tab\tx"]


class Shells(Case):
    """Each shell completes what is typed: on a terminal, where it also inserts it."""

    @classmethod
    def setUpClass(cls):
        cls.store = make_store("hostile.db", *({"id": name} for name in [*HOSTILE, "plain1", "plain2"]),
                               *({"id": f"x{i}"} for i in range(len(UNSHOWN))))
        with sqlite3.connect(cls.store) as database:  # no weft stores such ids
            for i, name in enumerate(UNSHOWN):
                database.execute("UPDATE runs SET id = ? WHERE id = ?", (name, f"x{i}"))
        database.close()
        cls.server = Server({"models": [{"name": "llama3.2:3b"}]})
        _, address = cls.server.__enter__()
        (FOLDER / "my notes.json").write_text("{}")
        (FOLDER / "my folder").mkdir()
        cls.env = {**PATH, "OLLAMA_HOST": address, "WEFT_STORE": cls.store, "HISTFILE": "/dev/null",
                   "ZDOTDIR": str(FOLDER)}
        (FOLDER / "weft.bash").write_text(weft("completion", "bash").out)
        (FOLDER / "_weft").write_text(weft("completion", "zsh").out)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    TYPED = {
        "weft comple": "weft completion ",
        "weft completion z": "weft completion zsh ",
        "weft react --no-pr": "weft react --no-prompt-cache ",
        "weft react --model ollama:ll": "weft react --model ollama:llama3.2:3b ",
        "weft react --model=ollama:ll": "weft react --model=ollama:llama3.2:3b ",
        "weft react --model ollama:llama3.2:": "weft react --model ollama:llama3.2:3b ",
        "weft react --model repl": "weft react --model replay:",
        "weft react --tools add,math": "weft react --tools add,math_calculator ",
        "weft react --db my\\ n": "weft react --db my\\ notes.json ",
        "weft react --db=my\\ n": "weft react --db=my\\ notes.json ",
        "weft run hello --input @my\\ n": "weft run hello --input @my\\ notes.json ",
        "weft react --model replay:my\\ n": "weft react --model replay:my\\ notes.json ",
        "weft serve --debugger my": "weft serve --debugger my\\ folder/",
        "weft show pla": "weft show plain",
        "weft show c:": "weft show c:d=e ",
        "weft show it": "weft show it\\'s ",
        "echo | weft rep": "echo | weft replay ",
        "X=1 weft show plain1; weft rep": "X=1 weft show plain1; weft replay ",
        "weft show $(touch pwned) --js": None,
        "weft show '; touch pwned #' --js": "weft show '; touch pwned #' --json ",
    }

    def check(self, start):
        terminal = start()
        for typed, expected in self.TYPED.items():
            shown = self.after_tab(terminal, typed).replace("\\@", "@")
            if expected is not None:
                self.assertEqual(shown, expected, typed)
        for name in HOSTILE:
            self.assertFalse((FOLDER / "pwned").exists(), name)
        terminal.type("exit\n")
        terminal.end()

    def after_tab(self, terminal, typed):
        """Ctrl-X prints the line between < and >, and clears it."""
        terminal.type(typed + "\t\x18")
        terminal.expect("<<")
        terminal.expect(">>")
        return terminal.seen[:terminal.at - 2].rsplit(b"<<", 1)[1].decode()

    def bash(self, *before):
        rc = FOLDER / "bashrc"
        rc.write_text("\n".join([*before, f". {FOLDER}/weft.bash", "PS1='ready> '", "bind 'set bell-style none'",
                                 "bind 'set enable-bracketed-paste off'",
                                 "show() { printf '<%s%s>%s' '<' \"$READLINE_LINE\" '>'; READLINE_LINE=; }",
                                 "bind -x '\"\\C-x\": show'", ""]))
        terminal = Terminal("--noprofile", "--rcfile", str(rc), "-i", env=self.env, program=shutil.which("bash"))
        terminal.prompt("ready> ")
        return terminal

    def test_bash_completes_without_bash_completion(self):
        self.check(self.bash)

    def test_bash_completes_beside_bash_completion(self):
        self.check(lambda: self.bash(". /usr/share/bash-completion/bash_completion"))

    def test_bash_completes_with_other_settings(self):
        self.check(lambda: self.bash("COMP_WORDBREAKS=${COMP_WORDBREAKS//[:=@]/}"))
        self.check(lambda: self.bash("set -u", "shopt -s failglob nullglob", "IFS=:"))

    def test_zsh_completes(self):
        for loaded in (f"fpath=({FOLDER} $fpath)\nautoload -U compinit\ncompinit -u -D",
                       f"autoload -U compinit\ncompinit -u -D\n. {FOLDER}/_weft"):
            (FOLDER / ".zshrc").write_text(loaded + """
PS1='ready> '
unsetopt beep
unsetopt bang_hist
show() { print -rn -- "<""<$BUFFER>"">"; BUFFER= }
zle -N show
bindkey '^X' show
""")

            def start():
                terminal = Terminal("-d", "-i", env=self.env, program=shutil.which("zsh"))
                terminal.prompt("ready> ")
                return terminal

            self.check(start)

    def fish(self, line):
        config = FOLDER / "fish"
        (config / "fish" / "completions").mkdir(parents=True, exist_ok=True)
        (config / "fish" / "completions" / "weft.fish").write_text(weft("completion", "fish").out)
        done = subprocess.run(["fish", "-c", 'complete -C "$argv[1]"', "--", line], capture_output=True,
                              cwd=FOLDER, timeout=driver.LIMIT, check=True,
                              env=driver.environment(**self.env, XDG_CONFIG_HOME=str(config)))
        return [each.split("\t")[0] for each in done.stdout.decode().splitlines()]

    def test_fish_completes(self):
        for typed, expected in self.TYPED.items():
            if expected is None or expected.endswith("plain") or ";" in typed:
                continue
            word = re.sub(r"\\(.)", r"\1", re.search(r"((?:\\.|\S)*) ?$", expected).group(1))
            self.assertEqual(self.fish(typed), [word], typed)
        self.assertEqual(sorted(self.fish("weft show pla")), ["plain1", "plain2"])
        self.assertEqual(sorted(self.fish("weft show ")), sorted([*HOSTILE, "plain1", "plain2"]))
        self.assertEqual(self.fish("weft show '$(t"), ["$(touch pwned)"])
        self.assertFalse((FOLDER / "pwned").exists())


driver.main(sys.argv[2:])
