"""Permissions of tools: asked by y, a, e and n, allowed, denied, without a human; and a writable database."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import driver
from driver import Case, FOLDER, script, weft

MARK = "DELETE FROM item WHERE name = 'cup'"
_made = 0


def call(tool, **arguments):
    return {"tool": tool, "arguments": arguments}


def reply(*calls):
    return {"calls": list(calls)}


def sql(statement):
    return reply(call("sql_db_query", sql_query=statement))


def reflecting(statement):
    """Returns the script of a reflecting agent: first on its question, and then on the observation."""
    def two(when, thought, request, argument):
        act = json.dumps({"request": request, "argument": argument})
        return ({"prompt": "Now you reflect", "when": when, "reply": "REFLECTION >> " + thought},
                {"prompt": "Now you act", "when": [thought], "reply": act})
    return script(*two(["QUESTION"], "I tidy up.", "sql_db_query", statement),
                  *two(["OBSERVATION >>"], "I have been told.", "final_answer", "Done."), by_guards=True)


def shop():
    """Makes a database of two items, and returns its name."""
    global _made
    _made += 1
    name = f"shop_{_made}.db"
    with contextlib.closing(sqlite3.connect(FOLDER / name)) as db, db:
        db.execute("CREATE TABLE item(name, price)")
        db.execute("INSERT INTO item VALUES ('cup', 5), ('pot', 20)")
    return name


def items(name):
    with contextlib.closing(sqlite3.connect(FOLDER / name)) as db:
        return [row[0] for row in db.execute("SELECT name FROM item")]


class Permissions(Case):
    def expect(self, result, code, *texts):
        self.assertEqual(result.code, code, result)
        for text in texts:
            self.assertIn(text, result.out + result.err, result)

    def writes(self, *words, model=None, name=None, text=""):
        name = name or shop()
        told = weft("agent", "--db", name, "--db-write", *words, "--model", model or script(sql(MARK), "Done."),
                    "Tidy up.", text=text)
        return told, items(name)

    def test_the_human_decides_when_present_and_else_the_mode(self):
        ran, stays = ["pot"], ["cup", "pot"]
        table = [  # options, input, rest of the database, message
            ((), "y\n", ran, "sql_db_query was allowed"),
            ((), "a\n", ran, "allowed for the rest of this run"),
            ((), "n not today\n", stays, "The reason: not today"),
            ((), "", stays, "there was no person to ask"),
            (("--yes",), "", ran, ""),
            (("--permission", "auto"), "", ran, ""),
            (("--permission", "ask"), "", stays, "there was no person to ask"),
            (("--permission", "never"), "y\n", stays, "no person is asked for one here"),
            (("--allow", "sql_db_query"), "", ran, ""),
            (("--deny", "sql_db_query"), "y\n", stays, "it is not allowed here"),
            (("--deny", "sql_db_query", "--yes"), "", stays, "it is not allowed here"),
            (("--approve", "sql_db_query", "--permission", "auto"), "", stays, "there was no person to ask"),
            (("--approve", "sql_db_query", "--permission", "auto"), "y\n", ran, "was allowed"),
            (("--approve", "sql_db_query", "--yes"), "", ran, ""),
        ]
        for options, text, left, told in table:
            with self.subTest((options, text)):
                result, kept = self.writes(*options, text=text)
                self.expect(result, 0, told, "Done.")
                self.assertEqual(kept, left, result)

    def test_the_three_agents_and_the_dialects_obey_the_permissions(self):
        arguments = json.dumps({"sql_query": MARK})
        react = f"Thought: I tidy up.\nAction: sql_db_query\nAction Input: {arguments}\n"
        langchain = react.replace("Thought: I tidy up.\n", "Thought: I tidy up\n")
        paused = f"Thought: I tidy up.\nAction: sql_db_query: {MARK}\nPAUSE"
        function = json.dumps({"action": f'sql_db_query(sql_query="{MARK}")'})
        finish = json.dumps({"action": 'finish(answer="Done.")'})
        known = "Thought: I know.\nAnswer: Done."
        for words, model in ((("react",), script(react, known)),
                             (("react", "--dialect", "langchain"),
                              script(langchain, "Final Answer: Done.", spoken="\nObservation: ", question="Tidy up.")),
                             (("react", "--dialect", "pause"), script(paused, "Answer: Done.")),
                             (("react", "--dialect", "function-call"),
                              script(function, finish, spoken='\n"Observation": ')),
                             (("reflect",), reflecting(MARK)),
                             (("agent",), script(sql(MARK), "Done."))):
            for given, left in (("y\n", ["pot"]), ("n\n", ["cup", "pot"])):
                with self.subTest((words, given)):
                    name = shop()
                    told = weft(*words, "--db", name, "--db-write", "--model", model, "Tidy up.", text=given)
                    self.expect(told, 0, "Done.", "? ToolApprovalRequestEvent")
                    self.assertEqual(items(name), left, told)

    def test_a_reading_tool_needs_no_approval(self):
        told, left = self.writes(model=script(sql("SELECT name FROM item"), "Done."))
        self.expect(told, 0, "[('cup',), ('pot',)]")
        self.assertNotIn("ToolApprovalRequestEvent", told.err)

    def test_repeated_denied_calls_count_as_no_fault(self):
        model = script(*[reply(call("add", a=1, b=n)) for n in range(4)], "Done.")
        told = weft("agent", "--deny", "add", "--model", model, "Count.")
        self.expect(told, 0, "it is not allowed here", "Done.")

    def test_an_always_allowed_tool_needs_one_approval_in_its_run(self):
        model = script(reply(call("add", a=1, b=2), call("add", a=3, b=4)), reply(call("add", a=5, b=6)), "Done.")
        told = weft("agent", "--approve", "add", "--json", "--model", model, "Count.", text="a\n")
        self.expect(told, 0, "add was allowed for the rest of this run")
        self.assertEqual(told.err.count("? ToolApprovalRequestEvent"), 1, told)
        (answer,) = told.events
        self.assertEqual([each["output"] for each in answer["sources"]], ["3", "7", "11"])
        self.assertEqual([each["tool"] for each in answer["always_allowed"]], ["add"])
        again = weft("agent", "--approve", "add", "--model", model, "Count.", text="")
        self.assertEqual(again.err.count("? ToolApprovalRequestEvent"), 3, again)  # in another run

    def test_an_edited_call_is_shown_to_the_model_and_everywhere_else(self):
        model = script(reply(call("add", a=1, b=2)), "Done.")
        text = 'e {"a": 40, "b": 2}\n'
        told = weft("agent", "--approve", "add", "--html", "edited.html", "--json", "--model", model, "Count.",
                    text=text)
        self.expect(told, 0, "add was allowed with", "changed by the person who approved it")
        observation = [step for step in told.events[0]["reasoning"] if step["kind"] == "observation"][0]
        self.assertEqual((observation["arguments"], observation["text"]), ({"a": 40, "b": 2}, "42"))
        page = (FOLDER / "edited.html").read_text()
        self.assertIn("changed by the person who approved it", page)
        self.assertIn("add was allowed with", page)
        events = weft("agent", "--approve", "add", "--events", "--model", model, "Count.", text=text).events
        named = {each["event"]: each["data"] for each in events}
        self.assertEqual(named["ToolApprovalRequestEvent"]["tool"], "add")
        self.assertEqual(named["ToolDecisionEvent"]["decision"], "edit")

    def test_a_question_stays_open_in_a_store_which_gives_no_permission_to_write(self):
        name = shop()
        waits = weft("agent", "--db", name, "--db-write", "--model", script(sql(MARK), "Done."), "--store", "open.db",
                     "Tidy up.")
        self.expect(waits, 10, "waits for the answer to ToolApprovalRequestEvent")
        resume = [line for line in waits.err.splitlines() if line.startswith("weft resume ")][-1]
        self.assertIn("--db-write", resume)
        (run,) = weft("runs", "--json", "--store", "open.db").events
        self.expect(weft("answer", run["id"], "--event", "ToolApprovalEvent", "--json", '{"decision": "always"}',
                         "--store", "open.db"), 0)
        self.expect(weft("resume", "--store", "open.db"), 2, "add --db-write")
        self.assertEqual(items(name), ["cup", "pot"])
        self.expect(weft("resume", "--store", "open.db", "--db-write"), 0, "Done.")
        self.assertEqual(items(name), ["pot"])

    def test_permissions_are_not_read_from_a_store(self):
        model = script(reply(call("multiply", a=1, b=2)), reply(call("add", a=1, b=2)), "Done.")
        waits = weft("agent", "--approve", "multiply", "--allow", "add", "--store", "more.db", "--model", model,
                     "Count.")
        self.expect(waits, 10)
        self.expect(weft("resume", "--store", "more.db", text="y\n"), 0, "began with --allow add")

    def test_a_run_begun_with_yes_asks_when_it_resumes_without_it(self):
        for more, code, left, told in (((), 10, ["cup", "pot"], "the run began with --yes"),
                                       (("--yes",), 0, ["pot"], "Done.")):
            with self.subTest(more):
                name, store = shop(), f"yes_{len(more)}.db"
                slow = script(reply(call("add", a=1, b=2)), {"reply": "Done.", "delay_ms": 3600_000})
                process = subprocess.Popen(
                    [driver.DRIVER, "agent", "--approve", "add", "--db", name, "--db-write", "--yes", "--store", store,
                     "--model", slow, "Tidy up."], cwd=FOLDER, env=driver.environment(),
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                seen = any(b"Observation: 3" in line for line in process.stderr)
                process.send_signal(signal.SIGTERM)
                said = process.communicate(timeout=driver.LIMIT)[1].decode()
                self.assertTrue(seen, said)
                self.assertEqual(process.returncode, 8, said)
                model = script(reply(call("add", a=1, b=2)), sql(MARK), "Done.")
                resumed = weft("resume", "--store", store, "--db-write", "--model", model, *more)
                self.expect(resumed, code, told)
                self.assertEqual(items(name), left, resumed)

    def test_the_call_is_shown_and_letters_decide_at_a_terminal(self):
        hostile = "\x1b[2Jab\u202ec"
        model = script(sql(MARK + " -- " + hostile), reply(call("add", a=1, b=2)), "Done.")
        name = shop()
        terminal = driver.Terminal("agent", "--db", name, "--db-write", "--approve", "add", "--model", model, "Tidy.")
        terminal.expect("the agent wants to call sql_db_query (it may change something)")
        terminal.prompt("may it run?")
        terminal.type("n\r")
        terminal.prompt("why not?")
        terminal.type("too much\r")
        terminal.expect("The reason: too much")
        terminal.prompt("may it run?")
        terminal.type("e\r")
        terminal.prompt("arguments: ")
        terminal.type("\x05\x7f\x7f40}\r")  # edits from the end, where b is 2
        terminal.expect("41")
        terminal.expect("Done.")
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(items(name), ["cup", "pot"])
        for hidden in ("\x1b[2Jab", "\u202e"):
            self.assertNotIn(hidden.encode(), terminal.seen)
        for shown in ("\\u001b[2Jab", "<U+202E>c"):
            self.assertIn(shown.encode(), terminal.seen)

    def test_contradictory_options_and_unknown_names_are_refused(self):
        model = ("--model", script("Done."), "Count.")
        self.expect(weft("agent", "--deny", "ad", *model), 2, "there is no tool 'ad'")
        self.expect(weft("agent", "--allow", "add", "--deny", "add", *model), 2, "both name add")
        self.expect(weft("agent", "--allow", ",", *model), 2, "--allow names no tool")
        self.expect(weft("agent", "--permission", "maybe", *model), 2, "ask, auto or never")
        self.expect(weft("agent", "--permission", "never", "--yes", *model), 2)
        self.expect(weft("agent", "--db-write", *model), 2, "name your own by --db FILE")
        self.expect(weft("run", "hello", "--yes", "--input", '{"text": "x"}'), 2, "has no use for")

    def test_a_tool_called_by_hand_needs_no_permission_but_a_writable_database(self):
        name = shop()
        arguments = json.dumps({"sql_query": MARK})
        self.expect(weft("call", "sql_db_query", arguments, "--db", name), 5, "this tool only reads")
        self.expect(weft("call", "sql_db_query", arguments, "--db", name, "--db-write"), 0, "1 row was changed")
        self.assertEqual(items(name), ["pot"])
        os.chmod(FOLDER / name, 0o400)
        if os.geteuid() != 0:
            self.expect(weft("call", "add", '{"a": 1, "b": 2}', "--db", name, "--db-write"), 3)


if __name__ == "__main__":
    driver.main()
