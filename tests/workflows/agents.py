"""The agents beyond plain react: dialects, templates, reflect, memory files, pages, describe and compare."""
import fcntl
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(__file__))
import driver
from driver import Case, script, weft

SALES = "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"
DIALECTS = ("react", "langchain", "pause", "function-call", "thinking")


class Agents(Case):
    def test_every_dialect_answers_the_same_question(self):
        for dialect in DIALECTS:
            with self.subTest(dialect):
                result = weft("react", "--dialect", dialect, SALES)
                self.expect(result, 0, "the bundled script sales")
                for part in ("5500", "17200", "11700", "212.73"):
                    self.assertIn(part, result.out)
        self.expect(weft("react", "--dialect", "reacd", "x"), 2,
                    'there is no dialect "reacd"; there are react, langchain, pause, function-call, thinking')

    def test_replies_are_read_by_their_dialect(self):
        for dialect, reply, tool in (("react", 'Action: add\nAction Input: {"a": 1, "b": 2}', "add"),
                                     ("langchain", "Action: math_calculator\nAction Input: 1 + 2", "math_calculator"),
                                     ("pause", "Action: calculate: 1 + 2\nPAUSE", "calculate"),
                                     ("function-call", '{"action": "add(1, b=2)"}', "add")):
            with self.subTest(dialect):
                result = weft("parse", "--dialect", dialect, text=reply)
                self.expect(result, 0)
                read = json.loads(result.out)
                self.assertEqual((read["kind"], read["action"]), ("action", tool))
                self.assertIn(read["action_input"], ({"a": 1, "b": 2}, {"expression": "1 + 2"}))

    def test_templates_are_read_from_files(self):
        path = driver.FOLDER / "template.txt"
        path.write_text("Be brief. {tools} {tool_names}\n")
        prompt = weft("prompt", "--template", str(path), "what?")
        self.expect(prompt, 0)
        self.assertIn("Be brief. - list_sql_tables", prompt.out)
        path.write_text("{tools} {tool_names} {toolz}")
        self.expect(weft("react", "--template", str(path), "--model", script("Answer: 1"), "x"), 3, "{toolz}")
        path.write_bytes(b"\xef\xbb\xbfBe brief. {tools} {tool_names}\n")
        self.assertEqual(weft("prompt", "--template", str(path), "what?").out, prompt.out)
        path.write_text(" \n")
        self.expect(weft("reflect", "--template", str(path), "--model", script("Answer: 1"), "x"), 3, "is empty")
        self.expect(weft("prompt", "--template", "/no/file", "x"), 3, "--template: the file /no/file cannot be read")
        for dialect in DIALECTS:
            self.assertIn("what?", weft("prompt", "--dialect", dialect, "what?").out)

    def test_reflect_has_templates_and_shows_its_reflections_at_once(self):
        path = driver.FOLDER / "prompts.txt"
        usual = weft("describe", "reflect")
        self.expect(usual, 0)
        path.write_text(usual.out)
        self.assertEqual(weft("describe", "reflect", "--template", str(path)).out, usual.out)
        result = weft("reflect", "--template", str(path), "--model", "script:sales-reflect", SALES)
        self.expect(result, 0)
        self.assertIn("212.73", result.out)
        path.write_text("=== reflection ===\nThink of {tools}. {actions}\n=== action ===\nAct: {tools} {actions}\n")
        model = script({"prompt": "Think of - list_sql", "reply": "REFLECTION >> " + "I know it. " * 9},
                       {"prompt": "Act: - list_sql", "reply": '{"request": "final_answer", "argument": "42"}'},
                       by_guards=True)
        result = weft("reflect", "--template", str(path), "--model", model, "what?")
        self.expect(result, 0)
        self.assertEqual(result.out, "42\n")
        result = weft("reflect", "--events", "--template", str(path), "--model", model, "what?")
        pieces = [e["data"]["text"] for e in result.events if e["event"] == "ReflectionDeltaEvent"]
        whole = [e["data"]["text"] for e in result.events if e["event"] == "ReflectionEvent"]
        self.assertEqual(["".join(pieces)], whole)
        self.assertGreater(len(pieces), 2)
        path.write_text("=== reflection ===\n{tools} {toolz}")
        for words in (["x"], []):  # refused before any question is read
            result = weft("reflect", "--template", str(path), "--model", model, *words, text="a\nb\n")
            self.expect(result, 3, "the section reflection: the template has places that nothing is known for: {toolz}")
            self.assertEqual(len(result.err.splitlines()), 1, result)

    def test_reflect_remembers_in_a_file_and_writes_a_page(self):
        memory, page = driver.FOLDER / "memory.json", driver.FOLDER / "trace.html"
        for path in (memory, page):
            path.unlink(missing_ok=True)
        words = ["reflect", "--model", "script:sales-reflect", SALES, "--memory", str(memory), "--html", str(page)]
        result = weft(*words)
        self.expect(result, 0)
        self.assertIn("    SUBQUESTION >> 1.", result.err)
        for part in ("11700", "212.73"):
            self.assertIn(part, result.out)
            self.assertIn(part, page.read_text())
        kept = json.loads(memory.read_text())
        self.assertEqual(kept["question_trace"][-1], SALES)
        self.assertEqual(len(kept["question_trace"]), len(kept["answer_trace"]))
        self.assertEqual(page.read_text().count("<script"), 1)
        model = script("Answer: 1", question="And in Q3?")
        result = weft("react", "--memory", str(memory), "--model", model, "--log-file",
                      str(driver.FOLDER / "memory.log"), "-v", "And in Q3?")
        self.expect(result, 0)
        self.assertIn("212.73", (driver.FOLDER / "memory.log").read_text())  # the prompt has what was said before
        memory.write_text("not JSON")
        self.expect(weft(*words), 3, str(memory))
        self.assertEqual(memory.read_text(), "not JSON")

    def test_an_unwritable_page_is_refused_before_a_request_to_a_model(self):
        result = weft("react", "--model", script("Answer: 42"), "--html",
                      str(driver.FOLDER / "missing" / "page.html"), "x")
        self.expect(result, 3, "--html: ")
        self.assertEqual(result.out, "")

    def test_a_page_is_readable_only_by_its_owner(self):
        page = driver.FOLDER / "own.html"
        self.expect(weft("react", "--model", script("Answer: 42"), "--html", str(page), "x", umask=0o022), 0)
        self.assertEqual(page.stat().st_mode & 0o777, 0o600)

    def test_a_page_without_a_question_is_refused(self):
        self.expect(weft("react", "--html", "page.html", "--model", script("Answer: 1"), text="x\n"), 2, "--html")

    def test_a_file_with_two_purposes_is_refused(self):
        kept = driver.FOLDER / "kept.txt"
        kept.write_text("mine")
        model = script("Answer: 1")
        for words in (["--db", str(kept), "--html", str(kept)], ["--memory", "./kept.txt", "--log-file", str(kept)],
                      ["--html", str(kept), "--template", "kept.txt"]):
            result = weft("react", "--model", model, *words, "x")
            self.expect(result, 2, "name the same file")
        self.expect(weft("react", "--model", model, "--html", str(kept), "x"), 3, "there is a file that is not a page")
        self.assertEqual(kept.read_text(), "mine")
        self.expect(weft("react", "--model", model, "--log-file", "missing/a.log", "x"), 3, "make the folder first")

    def test_a_script_plays_only_for_its_own_dialects(self):
        self.expect(weft("react", "--model", "script:sales-pause", "x"), 2,
                    "the script sales-pause is for react --dialect pause, not for react --dialect react")
        self.expect(weft("reflect", "--model", "script:orders", "x"), 2,
                    "is for react --dialect react, not for reflect")
        self.expect(weft("reflect", "--parallel", SALES), 3, "there is no model to answer this")
        self.expect(weft("react", "--model", "./script.json", "x"), 2, "write script:./script.json")
        self.expect(weft("react", "--tools", "fly", "x"), 2, "'fly'")
        self.expect(weft("call", "http_get", '{"url": "http://example.org"}'), 2, "add --web HOSTS")
        self.expect(weft("call", "http_get", '{"url": "http://127.0.0.1/"}', "--web", "127.0.0.1"), 5)

    def test_an_unsaved_memory_makes_a_warning_also_without_a_trace(self):
        memory = driver.FOLDER / "locked.json"
        memory.write_text('{"question_trace": [], "answer_trace": []}')
        memory.chmod(0o640)
        with open(memory) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            result = weft("react", "-q", "--model", script("Answer: 1"), "--memory", str(memory), "x")
        self.expect(result, 0, "were not saved")
        self.assertEqual(result.out, "1\n")
        self.expect(weft("react", "-q", "--model", script("Answer: 1"), "--memory", str(memory), "x"), 0)
        self.assertEqual(json.loads(memory.read_text())["answer_trace"], ["1"])
        self.assertEqual(memory.stat().st_mode & 0o777, 0o640)

    def test_describe_shows_the_agent(self):
        for dialect in DIALECTS:
            text = weft("describe", "react", "--dialect", dialect).out
            for part in ("dialect: " + dialect, "sql_db_query", "template:", "places: {", "max_steps:"):
                self.assertIn(part, text)
            self.assertNotRegex(text, r"parser:\n  a reply ends")
        self.assertIn("llm_tool", weft("describe", "react", "--dialect", "function-call").out)
        self.assertNotIn("llm_tool", weft("describe", "react", "--dialect", "function-call", "--no-fallback").out)
        self.expect(weft("describe", "hello"), 2, "describe shows the react agent and the templates of reflect")
        self.expect(weft("describe", "agent"), 2, 'there is no workflow "agent"; there are')

    def test_compare_shows_a_plain_answer_beside_the_agents(self):
        result = weft("compare", "--model", script("Answer: 42"), "What is 6 * 7?")
        self.expect(result, 0)
        self.assertRegex(result.out.splitlines()[0], r"^without the agent +\| with the agent")
        self.assertRegex(result.out, r"Answer: 42 +\| 42")
        both = json.loads(weft("compare", "--json", "--model", script("Answer: 42"), "What?").out)
        self.assertEqual((both["plain"]["response"], both["agent"]["response"]), ("Answer: 42", "42"))

    def test_each_step_is_one_line_of_the_log(self):
        path = driver.FOLDER / "steps.log"
        path.unlink(missing_ok=True)
        self.expect(weft("react", "-q", "--log-file", str(path), "--model", "script:sales", SALES), 0)
        lines = [line for line in path.read_text().splitlines() if '"action"' in line]
        self.assertEqual(len(lines), 6)
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        for line in lines:
            step = json.loads(line[line.index("{"):])
            self.assertTrue(re.fullmatch(r"[0-9a-f]{16}", step["run"]) and step["observation"], step)


driver.main()
