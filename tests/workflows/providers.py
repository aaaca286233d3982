"""The driver with model servers: aimock, of another project, by every protocol; and the choice of the model."""
import json
import pathlib
import sys

import driver
from driver import Case, Server, weft

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "protocol"))
import aimock  # noqa: E402

QUESTION = "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"


class Aimock(Case):
    @classmethod
    def setUpClass(cls):
        cls.process, cls.url = aimock.start("sales_react.json")

    @classmethod
    def tearDownClass(cls):
        cls.process.kill()
        cls.process.wait()
        cls.process.stdout.close()

    def test_a_run_with_tools_is_completed_by_both_protocols_streamed_or_not(self):
        for model, base in (("openai:any", "/v1"), ("ollama:any", "")):
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

    def test_a_running_ollama_is_chosen(self):
        result = weft("react", QUESTION, env={"OLLAMA_HOST": self.url})
        self.assertIn("weft: Ollama is running, so ollama:", result.err)
        self.expect(result, 0)


class EveryProtocol(Case):
    WAYS = (("openai:any", "/v1"), ("responses:any", "/v1"), ("anthropic:any", ""), ("gemini:any", ""),
            ("ollama:any", ""))

    @classmethod
    def setUpClass(cls):
        cls.process, cls.url = aimock.start("sales_agent.json")

    @classmethod
    def tearDownClass(cls):
        cls.process.kill()
        cls.process.wait()
        cls.process.stdout.close()

    def test_three_turns_with_tools_are_completed_natively_and_in_text_streamed_or_not(self):
        for command in ("agent", "react"):
            for model, base in self.WAYS:
                for options in ([], ["--no-stream"]):
                    with self.subTest(command=command, model=model, options=options):
                        result = weft(command, "--json", "--model", model, "--base-url", self.url + base, *options,
                                      QUESTION)
                        self.expect(result, 0)
                        self.assertNotIn("Warning:", result.err)
                        [answer] = result.events
                        for part in ("5500", "17200", "11700", "212.73"):
                            self.assertIn(part, answer["response"])
                        self.assertEqual((answer["steps"], answer["requests"], answer["tool_calls"]), (3, 3, 2))
                        self.assertEqual([s["output"] for s in answer["sources"]], ["[(5500,)]", "[(17200,)]"])


class Chosen(Case):
    def test_a_key_chooses_openai_and_is_sent_there_only(self):
        with Server({"error": {"message": "no such key"}}, 401) as (server, url):
            result = weft("react", "what?", env={"OPENAI_API_KEY": "sk-canary-1", "OPENAI_BASE_URL": url + "/v1"})
        self.expect(result, 4, "openai:gpt-4o-mini")
        self.assertNotIn("canary", result.out + result.err)
        [(path, headers, body)] = server.asked
        self.assertEqual((path, headers["Authorization"]), ("/v1/chat/completions", "Bearer sk-canary-1"))
        self.assertEqual(json.loads(body)["model"], "gpt-4o-mini")

    def test_weft_model_overrides_a_key_and_an_option_overrides_both(self):
        env = {"WEFT_MODEL": driver.script("Answer: by variable"), "OPENAI_API_KEY": "sk-canary-2"}
        self.assertEqual(weft("react", "what?", env=env).out, "by variable\n")
        chosen = weft("react", "--model", driver.script("Answer: by option"), "what?", env=env)
        self.assertEqual(chosen.out, "by option\n")

    def test_an_embedding_model_is_not_chosen_for_chat(self):
        tags = {"models": [{"name": "nomic-embed-text:latest"}, {"name": "llama3.2:3b"}]}
        with Server(tags) as (server, url):
            result = weft("react", "what?", env={"OLLAMA_HOST": url})
        self.assertIn("ollama:llama3.2:3b answers", result.err)
        with Server({"models": tags["models"][:1]}) as (server, url):
            self.expect(weft("react", "what?", env={"OLLAMA_HOST": url}), 3, "ollama pull")
        self.assertEqual([path for path, _, _ in server.asked], ["/api/tags"])

    def test_an_invalid_address_is_named(self):
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
