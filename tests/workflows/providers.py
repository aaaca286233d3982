"""The driver against model servers: aimock, which nobody here wrote, by every protocol; and which model is chosen."""
import json
import pathlib
import sys

import driver
from driver import Case, Server, weft

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "protocol"))
import aimock  # noqa: E402

QUESTION = "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"


PROTOCOLS = (("openai:any", "/v1"), ("anthropic:any", ""), ("gemini:any", ""), ("ollama:any", ""))


class Aimock(Case):
    fixtures = None

    @classmethod
    def setUpClass(cls):
        cls.process, cls.url = aimock.start(cls.fixtures)

    @classmethod
    def tearDownClass(cls):
        cls.process.kill()
        cls.process.wait()
        cls.process.stdout.close()


class Words(Aimock):
    fixtures = "sales_react.json"

    def test_a_run_that_uses_tools_is_completed_by_every_protocol_streamed_and_not(self):
        for model, base in PROTOCOLS:
            for options in ([], ["--no-stream"]):
                with self.subTest(model=model, options=options):
                    where = ["--model", model, "--base-url", self.url + base]
                    result = weft("react", "--json", *where, *options, QUESTION)
                    self.expect(result, 0)
                    [answer] = result.events
                    for part in ("5500", "17200", "11700", "212.73"):
                        self.assertIn(part, answer["response"])
                    self.assertEqual(answer["steps"], 4)
                    self.assertEqual([s["tool"] for s in answer["sources"]],
                                     ["sql_db_query", "math_calculator", "math_calculator"])
                    self.assertIn("(5500, 17200)", answer["sources"][0]["output"])

    def test_an_ollama_that_answers_is_chosen(self):
        result = weft("react", QUESTION, env={"OLLAMA_HOST": self.url})
        self.assertIn("weft: Ollama is there, so ollama:", result.err)
        self.expect(result, 0)


class Agents(Aimock):
    fixtures = "sales_agent.json"

    def test_a_run_that_uses_tools_is_completed_by_every_protocol_streamed_and_not(self):
        for command in ("react", "agent"):
            for model, base in PROTOCOLS:
                for options in ([], ["--no-stream"]):
                    with self.subTest(command=command, model=model, options=options):
                        where = ["--model", model, "--base-url", self.url + base]
                        result = weft(command, "--json", *where, *options, QUESTION)
                        self.expect(result, 0)
                        [answer] = result.events
                        for part in ("5500", "17200", "11700", "212.73"):
                            self.assertIn(part, answer["response"])
                        self.assertEqual([(s["tool"], s["output"]) for s in answer["sources"]],
                                         [("sql_db_query", "[(5500,)]"), ("sql_db_query", "[(17200,)]")])


class Chosen(Case):
    def test_a_key_chooses_openai_and_is_sent_there_only(self):
        with Server({"error": {"message": "no such key"}}, 401) as (server, url):
            result = weft("react", "what?", env={"OPENAI_API_KEY": "sk-canary-1", "OPENAI_BASE_URL": url + "/v1"})
        self.expect(result, 4, "openai:gpt-4o-mini")
        self.assertNotIn("canary", result.out + result.err)
        [(path, headers, body)] = server.asked
        self.assertEqual((path, headers["Authorization"]), ("/v1/chat/completions", "Bearer sk-canary-1"))
        self.assertEqual(json.loads(body)["model"], "gpt-4o-mini")

    def test_weft_model_comes_before_a_key_and_an_option_before_both(self):
        env = {"WEFT_MODEL": driver.script("Answer: by variable"), "OPENAI_API_KEY": "sk-canary-2"}
        self.assertEqual(weft("react", "what?", env=env).out, "by variable\n")
        chosen = weft("react", "--model", driver.script("Answer: by option"), "what?", env=env)
        self.assertEqual(chosen.out, "by option\n")

    def test_a_model_that_makes_vectors_is_not_asked_to_chat(self):
        tags = {"models": [{"name": "nomic-embed-text:latest"}, {"name": "llama3.2:3b"}]}
        with Server(tags) as (server, url):
            result = weft("react", "what?", env={"OLLAMA_HOST": url})
        self.assertIn("ollama:llama3.2:3b answers", result.err)
        with Server({"models": tags["models"][:1]}) as (server, url):
            self.expect(weft("react", "what?", env={"OLLAMA_HOST": url}), 3, "ollama pull")
        self.assertEqual([path for path, _, _ in server.asked], ["/api/tags"])

    def test_an_address_that_is_none_is_named(self):
        self.expect(weft("react", "what?", env={"OLLAMA_HOST": ":::"}), 3, "OLLAMA_HOST")

    def test_options_of_sampling_are_sent(self):
        with Server({"choices": [{"message": {"content": "Answer: 1"}, "finish_reason": "stop"}]}) as (server, url):
            result = weft("react", "-q", "--no-stream", "--temperature", "0.25", "--model", "openai:any", "--base-url",
                          url + "/v1", "--system", "Be brief.", "what?")
        self.expect(result, 0)
        body = json.loads(server.asked[0][2])
        self.assertEqual(body["temperature"], 0.25)
        self.assertFalse(body.get("stream", False))
        self.assertIn("Be brief.", body["messages"][0]["content"])


driver.main()
