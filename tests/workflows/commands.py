"""The commands without a store: list, graph, schema, tools, scripts, call, run, prompt, parse, --help."""
import json
import pathlib
import re
import shlex
import sqlite3

import driver
from driver import Case, script, weft

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKFLOWS = ["hello", "plain_answer", "react", "reflect", "tool_agent", "refund", "research"]


class Shown(Case):
    def json(self, *words, text=""):
        result = weft(*words, text=text)
        self.expect(result, 0)
        self.assertEqual(result.err, "")
        return json.loads(result.out)

    def test_lists_have_a_form_for_people_and_one_for_programs(self):
        self.assertEqual([w["name"] for w in self.json("list", "--json")], WORKFLOWS)
        self.assertEqual([line.split()[0] for line in weft("list").out.splitlines()], WORKFLOWS)
        for tool in self.json("tools", "--json"):
            self.assertEqual(tool["schema"]["type"], "object")
            self.assertTrue(tool["description"])
        self.assertIn("sql_db_query", weft("tools").out)
        for one in self.json("scripts", "--json"):
            self.assertEqual(set(one), {"name", "workflow", "dialect", "question", "expect", "command"})

    def test_every_bundled_script_gives_its_promised_answer(self):
        for one in self.json("scripts", "--json"):
            with self.subTest(script=one["name"]):
                result = weft(*shlex.split(one["command"])[1:])
                self.expect(result, 0)
                for part in one["expect"]:
                    self.assertIn(part, result.out)

    def test_workflows_are_drawn(self):
        for name in WORKFLOWS:
            self.assertTrue(weft("graph", name).out.startswith("flowchart TD\n"))
            self.assertTrue(weft("graph", name, "--format", "dot").out.startswith(f'digraph "{name}" {{'))
            graph = self.json("graph", name, "--format", "json")
            self.assertEqual(graph["name"], name)
            ids = {node["id"] for node in graph["nodes"]}
            for edge in graph["edges"]:
                self.assertLessEqual({edge["from"], edge["to"]}, ids)
        nodes = self.json("graph", "react", "--format", "json")["nodes"]
        steps = {node["name"] for node in nodes if node["kind"] == "step"}
        self.assertEqual(
            steps, {"new_user_message", "prepare_chat_history", "handle_llm_input", "hear_approvals", "call_tool",
                    "observe"})

    def test_schemas_have_a_workflows_input_output_and_questions(self):
        refund = self.json("schema", "refund")
        self.assertEqual(refund["start"]["event"], "RefundEvent")
        self.assertEqual(sorted(refund["start"]["schema"]["required"]), ["amount", "order"])
        self.assertEqual(refund["stop"]["event"], "DecisionEvent")
        [question] = refund["questions"]
        self.assertEqual(question["event"], "ApprovalRequestEvent")
        self.assertEqual([a["event"] for a in question["answers"]], ["ApprovalEvent"])
        self.assertEqual([(q["event"], [a["event"] for a in q["answers"]])
                          for q in self.json("schema", "react")["questions"]],
                         [("ToolApprovalRequestEvent", ["ToolApprovalEvent"]),
                          ("ToolQuestionEvent", ["ToolAnswerEvent"])])
        self.assertEqual(self.json("schema", "hello")["questions"], [])

    def test_the_prompt_command_shows_the_request_to_a_model(self):
        words = ["prompt", "--tools", "add", "--system", "Be brief.", "one", "two"]
        messages = self.json(*words, "--json")
        self.assertEqual([m["role"] for m in messages], ["system", "user"])
        self.assertEqual(messages[1]["content"], "one two")
        self.assertIn("Be brief.", messages[0]["content"])
        self.assertNotIn("sql_db_query", messages[0]["content"])
        self.assertIn(messages[0]["content"], weft(*words).out)

    def test_words_of_a_question_are_taken_unchanged(self):
        for words in (["list", "all", "tools"], ["[1,2]", "[a]"], ["--", "--json", "-x"], ["'a' \"b\" \\"]):
            question = " ".join(w for w in words if w != "--")
            self.assertEqual(self.json("prompt", "--json", *words)[1]["content"], question)

    def test_a_system_text_may_be_in_a_file(self):
        (driver.FOLDER / "system.txt").write_text("Speak like a pirate.")
        self.assertIn("like a pirate", weft("prompt", "--system", "@system.txt", "x").out)

    def test_replies_are_parsed_into_one_of_three_kinds(self):
        keys = {"kind", "thought", "action", "action_input", "answer", "error"}
        for reply, wanted in (
                ('Thought: I add.\nAction: add\nAction Input: {"a": 1}',
                 {"kind": "action", "thought": "I add.", "action": "add", "action_input": {"a": 1}, "answer": None}),
                ("Thought: easy\nAnswer: 42", {"kind": "answer", "thought": "easy", "answer": "42", "action": None}),
                ('<think>Answer: 1</think>Thought: easy\nAnswer: 42',
                 {"kind": "answer", "thought": "Answer: 1\neasy", "answer": "42"}),
                ("plain words", {"kind": "answer", "answer": "plain words", "error": None}),
                ("Action: add", {"kind": "error", "answer": None})):
            parsed = self.json("parse", "--dialect", "react", text=reply)
            self.assertEqual(set(parsed), keys)
            self.assertEqual({k: parsed[k] for k in wanted}, wanted)
        self.assertTrue(parsed["error"])
        parsed = self.json("parse", text="Answer: " + "x" * (4 << 20))
        self.assertEqual(parsed, {**dict.fromkeys(keys), "kind": "error", "error": "the reply is longer than 4 MB"})

    def test_help_and_page_agree_about_exit_codes(self):
        shown = dict(re.findall(r"^  (\d)  (.+)$", weft("--help").out, re.M))
        page = re.findall(r"^\| (\d) \|", (ROOT / "docs/exit_codes.md").read_text(), re.M)
        self.assertEqual(sorted(shown), sorted(page))
        self.assertEqual(len(page), 10)

    def test_help_fits_the_terminals_width_and_its_commands_stay_whole(self):
        names = re.findall(r"^  ([a-z]+) {4,}", weft("--help").out.split("Examples:")[0], re.M)
        for words in [[]] + [[name] for name in names]:
            for columns in (60, 80, 100):
                shown = weft(*words, "--help", env={"COLUMNS": str(columns)}).out
                long = [line for line in shown.splitlines() if len(line) > columns and " " in line.strip()]
                self.assertEqual(long, [], words)
        whole = weft("react", "--help", env={"COLUMNS": "200"}).out
        narrow = weft("react", "--help", env={"COLUMNS": "60"}).out
        joined = re.sub(r" \\\n +", " ", narrow)
        for line in whole.splitlines():
            if line.startswith("  weft "):
                self.assertIn(line + "\n", joined)

    def test_every_command_has_help(self):
        self.assertRegex(weft("--version").out, r"^weft \d+\.\d+\.\d+\n$")
        for name in re.findall(r"^  ([a-z]+) {4,}", weft("--help").out.split("Examples:")[0], re.M):
            result = weft(name, "--help")
            self.expect(result, 0)
            self.assertIn("Usage: weft " + name, result.out)


class Tried(Case):
    def test_a_tool_is_called(self):
        result = weft("call", "math_calculator", '{"expression": "(17200 - 5500) / 5500 * 100"}')
        self.expect(result, 0)
        self.assertTrue(result.out.startswith("212.72"))
        self.assertEqual(weft("call", "list_sql_tables").out, "['AGENTS', 'CUSTOMER', 'ORDERS']\n")

    def test_a_failing_tool_says_why(self):
        for arguments, part in (('{"expression": "1/0"}', "zero"), ('[1, 2]', "expected")):
            result = weft("call", "math_calculator", arguments)
            self.expect(result, 5)
            self.assertIn(part, result.out)
        for broken in ("{", "{'a': 1}", '{"a": 1} b'):
            result = weft("call", "add", broken)
            self.expect(result, 2, "the arguments of add: ")
            self.assertEqual(result.out, "")

    def test_integers_are_exact_or_refused(self):
        for a, b, part in ((2**53 + 1, 0, "the integer 9007199254740993 is 2^53 or more"),
                           (2**53 - 1, 2, "an addition gives an integer of 2^53 or more"),
                           (10**20, 0, "beyond 64 bits")):
            result = weft("call", "add", json.dumps({"a": a, "b": b}))
            self.expect(result, 5)
            self.assertIn(part, result.out)

    def test_a_table_outside_of_the_database_is_refused_with_its_kind(self):
        result = weft("call", "sql_db_query", json.dumps({"sql_query": "SELECT * FROM pragma_table_info('ORDERS')"}))
        self.expect(result, 5)
        self.assertIn("only plain tables and views can be read", result.out)

    def test_a_users_database_is_read_and_never_written(self):
        path = driver.FOLDER / "own.db"
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE pet (name TEXT)")
            database.execute("INSERT INTO pet VALUES ('Rex')")
        database.close()
        ask = ["call", "--db", str(path), "sql_db_query"]
        self.assertEqual(weft(*ask, '{"sql_query": "SELECT name FROM pet"}').out, "[('Rex',)]\n")
        self.expect(weft(*ask, '{"sql_query": "DELETE FROM pet"}'), 5)
        self.assertEqual(weft(*ask, '{"sql_query": "SELECT COUNT(*) FROM pet"}').out, "[(1,)]\n")

    def run_json(self, *words, text=""):
        result = weft("run", *words, text=text)
        self.expect(result, 0)
        return json.loads(result.out)

    def test_a_start_event_may_be_in_a_file(self):
        for mark in ("", "\ufeff"):
            (driver.FOLDER / "start.json").write_text(mark + '{"text": "World"}', encoding="utf-8")
            self.assertEqual(self.run_json("hello", "--input", "@start.json"), {"text": "Hello, World!"})

    def test_workflows_are_run_by_json(self):
        self.assertEqual(self.run_json("hello", "--input", '{"text": "World"}'), {"text": "Hello, World!"})
        report = self.run_json("research")
        self.assertEqual([f["table"] for f in report["findings"]], ["AGENTS", "CUSTOMER", "ORDERS"])
        self.assertEqual([f["error"] for f in report["findings"]], [None] * 3)
        self.assertEqual(self.run_json("research", "--input", '{"text": "nothing"}')["findings"], [])
        answer = self.run_json("react", "--model", script("Answer: 42"), "--input", '{"text": "what?"}')
        self.assertEqual((answer["response"], answer["outcome"]), ("42", "answered"))

    def test_a_workflow_asks_a_human_only_when_it_needs_an_answer(self):
        small, large = '{"order": "A", "amount": 20}', '{"order": "A", "amount": 120, "reason": "broken"}'
        self.assertTrue(self.run_json("refund", "--input", small)["granted"])
        for granted in (True, False):
            line = json.dumps({"granted": granted, "comment": "so be it"})
            decision = self.run_json("refund", "--input", large, text="\n" + line + "\n")
            self.assertEqual(decision["granted"], granted)
            self.assertIn("so be it", decision["text"])

    def test_events_of_any_workflow_are_lines_with_their_data(self):
        order = '{"order": "A", "amount": 120, "reason": "broken"}'
        result = weft("run", "refund", "--events", "--input", order, text='{"granted": true}\n')
        self.expect(result, 0)
        lines = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual([line["event"] for line in lines], ["ApprovalRequestEvent", "DecisionEvent"])
        self.assertIn("120", lines[0]["data"]["question"])
        self.assertTrue(lines[1]["data"]["granted"])
        refused = weft("run", "refund", "--events", "--input", '{"order": "A", "amount": -1}')
        self.expect(refused, 2, "more than 0")
        last = json.loads(refused.out.splitlines()[-1])
        self.assertEqual((last["event"], last["data"]["step"], last["outcome"]), ("RunFailedEvent", "review", "failed"))

    def test_a_file_of_no_or_invalid_tokens_starts_no_server(self):
        path = driver.FOLDER / "tokens.txt"
        path.touch(0o600)
        for text, sentence in [(" \t\r\n# none\n", "has no token"),
                               ("t" * 4097 + "\n", "has a line of more than 4096 bytes"),
                               ("0123456789abcdef\n" * 1001, "has more than 1000 tokens")]:
            with self.subTest(sentence):
                path.write_text(text)
                self.expect(weft("serve", "--workflows", "hello", "--port", "0", "--token-file", path), 3, sentence)

    def test_a_token_file_makes_a_note_with_the_cure_when_other_users_can_read_it(self):
        path = driver.FOLDER / "shared_tokens.txt"
        path.write_text("0123456789abcdef\n")
        self.addCleanup(driver.FOLDER.chmod, 0o700)
        for mode, above, is_open in ((0o644, 0o711, True), (0o640, 0o710, True), (0o602, 0o711, True),
                                     (0o600, 0o711, False), (0o400, 0o711, False), (0o644, 0o700, False)):
            with self.subTest((oct(mode), oct(above))):
                driver.FOLDER.chmod(above)
                path.chmod(mode)
                # The missing key ends the command after it has read the tokens.
                result = weft("serve", "--workflows", "hello", "--port", "0", "--token-file", path, "--cert", "a.pem")
                self.expect(result, 3, "a certificate and its key (--cert, --key)")
                sentence = f"{path} can be read by other users of this machine: chmod 600 keeps its tokens secret"
                self.assertEqual(sentence in result.err, is_open, result)

    def test_an_unreadable_answer_ends_the_run(self):
        words = ["run", "refund", "--input", '{"order": "A", "amount": 120}']
        self.expect(weft(*words), 5, "standard input has none")
        self.expect(weft(*words, text="yes\n"), 2, "the answer to ApprovalRequestEvent")
        self.expect(weft(*words, text='{"granted": "yes"}\n'), 2, "answer.granted")
        told = weft(*words, "--events", text='{"granted": "yes"}\n')
        self.expect(told, 2, "answer.granted")
        self.assertEqual(json.loads(told.out.splitlines()[-1])["event"], "RunCancelledEvent")
        self.expect(weft("run", "refund", "--input", '{"order": "A", "amount": -1}'), 2, "more than 0")


driver.main()
