"""`weft agent`: calls through the model's protocol, answers of a given form, budgets and prices."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import driver
from driver import Case, Server, script, weft

SALES = "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"
ADD = {"calls": [{"tool": "add", "arguments": {"a": 1, "b": 2}}, {"tool": "add", "arguments": {"a": 3, "b": 4}}]}


def file(name, content):
    path = driver.FOLDER / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


class Native(Case):
    def test_the_sample_question_is_answered_from_the_tools_results(self):
        result = weft("agent", SALES)
        self.expect(result, 0, "the bundled script sales-agent replaces it")
        for part in ("5500", "17200", "11700", "212.73"):
            self.assertIn(part, result.out)
        self.assertEqual(result.err.count("Observation:"), 6)

    def test_the_result_has_usage_and_cost(self):
        prices = file("prices.json", {"script:*": {"prompt": 1, "completion": 2}})
        result = weft("agent", "--json", "--prices", prices, "--model", script(ADD, "3 and 7"), "sums?")
        self.expect(result, 0)
        answer = json.loads(result.out)
        self.assertEqual(answer["response"], "3 and 7")
        self.assertEqual((answer["requests"], answer["tool_calls"], answer["cost"]), (2, 2, None))  # no tokens counted
        self.assertEqual([source["output"] for source in answer["sources"]], ["3", "7"])
        bounded = weft("agent", "--json", "--prices", prices, "--budget", "cost=1", "--model", script(ADD, "3 and 7"),
                       "sums?")
        self.assertGreater(json.loads(bounded.out)["cost"], 0)  # the bound uses estimated tokens
        unknown = weft("agent", "--json", "--model", script(ADD, "3 and 7"), "sums?")
        self.assertIsNone(json.loads(unknown.out)["cost"])

    def test_an_answer_has_the_form_of_its_schema_or_the_run_fails_with_the_reason(self):
        schema = file("answer.json", {"type": "object", "properties": {"sum": {"type": "number"}},
                                      "required": ["sum"], "additionalProperties": False})
        good = weft("agent", "--schema", schema, "--model", script(ADD, "3", '```json\n{"sum": 3}\n```'), "1 + 2?")
        self.expect(good, 0)
        self.assertEqual(json.loads(good.out), {"sum": 3})
        self.assertIn("a fault in its reply: answer: expected {", good.err)
        bad = weft("agent", "--schema", schema, "--model", script(ADD, '{"sum": "3"}', '{"s": 3}', "{}"), "?")
        self.expect(bad, 5, "answer.sum: missing")
        self.assertEqual(bad.out, "")
        text = weft("agent", "--schema", schema, "--model",
                    script("Thought: easy\nAnswer: It is 3.", '{"sum": 3}'), "1 + 2?")
        self.expect(text, 0)
        self.assertEqual(json.loads(text.out), {"sum": 3})

    def test_an_unusable_schema_is_refused_with_the_reason(self):
        model = script("x")
        self.expect(weft("agent", "--schema", "/no/file", "--model", model, "x"), 3, "the file cannot be read")
        for content, why in (("{", "syntax error"), ("[]", "not a JSON object"), ('{"type": 1}', "not valid")):
            with self.subTest(content):
                path = file("broken.json", content)
                self.expect(weft("agent", "--schema", path, "--model", model, "x"), 3, why)

    def test_a_model_without_tool_calls_gets_text(self):
        text = script('Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}', "Thought: So.\nAnswer: 3")
        result = weft("agent", "--model", text, "1 + 2?")
        self.expect(result, 0)
        self.assertEqual(result.out, "3\n")
        self.assertEqual(result.err.count("Warning:"), 1)
        self.assertIn(". The agent continues in text, as `react` does", result.err)
        with Server({"error": "registry.ollama.ai/library/old does not support tools"}, status=400) as (server, url):
            asked = weft("agent", "--model", "ollama:old", "--base-url", url, "1 + 2?")
            self.expect(asked, 4)
            self.assertIn(". The agent continues in text", asked.err)
            self.assertIn("tools", json.loads(server.asked[0][2]))
            self.assertNotIn("tools", json.loads(server.asked[1][2]))

    def test_a_run_stays_within_its_budget(self):
        busy = [{"calls": [{"tool": "add", "arguments": {"a": n, "b": 0}}]} for n in range(9)]
        for limit in ("requests", "tool_calls"):
            with self.subTest(limit):
                replies = busy[:2] + ["What I have."]
                words = "3" if limit == "requests" else "2"
                result = weft("agent", "--json", "--budget", f"{limit}={words}", "--model", script(*replies), "x")
                self.expect(result, 6, f"the limit of its budget ({limit})")
                answer = json.loads(result.out)
                self.assertEqual((answer["outcome"], answer["limit"]), ("limit", limit))
        for text in ("tokens", "tokens=0", "tokens=1.5", "toks=3", "cost=-1", "requests=", "time=0"):
            with self.subTest(text):
                self.expect(weft("agent", "--budget", text, "--model", script("x"), "x"), 2, "takes a")
        self.expect(weft("agent", "--budget", "cost=1", "--model", script("x"), "x"), 2, "add --prices FILE")
        broken = file("prices.json", {"a": {"prompt": "1"}})
        self.expect(weft("agent", "--prices", broken, "--model", script("x"), "x"), 3, "the prices in")

    def test_the_native_agent_is_a_workflow_like_others(self):
        self.assertIn("tool_agent", weft("list").out)
        result = weft("run", "tool_agent", "--model", script(ADD, "3 and 7"), "--input", '{"text": "sums?"}')
        self.expect(result, 0)
        self.assertEqual(json.loads(result.out)["response"], "3 and 7")
        self.expect(weft("agent", ""), 2, "the question is empty")
        lines = weft("agent", "--events", "--model", script(ADD, "3 and 7"), "sums?").out.splitlines()
        names = [json.loads(line)["event"] for line in lines]
        self.assertEqual(names[0], "TurnEvent")
        self.assertEqual(names[-1], "AnswerEvent")
        self.assertEqual(names.count("ActionEvent"), 2)


if __name__ == "__main__":
    driver.main()
