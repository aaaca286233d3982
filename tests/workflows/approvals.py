"""Tools that need approval: answered in a line, left in a store with two open questions, and refused."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import driver
from driver import Case, script, weft

TWO = {"calls": [{"tool": "add", "arguments": {"a": 1, "b": 2}}, {"tool": "multiply", "arguments": {"a": 2, "b": 3}}]}
ASKING = ("--approve", "add,multiply", "--model")


class Approvals(Case):
    def expect(self, result, code, text=""):
        self.assertEqual(result.code, code, result)
        self.assertIn(text, result.out + result.err, result)

    def test_an_answer_is_y_or_n_with_a_reason_or_other_arguments(self):
        told = weft("agent", *ASKING, script(TWO, TWO, "Done."), "Count.",
                    text='y\nn not that one\n{"a": 5, "b": 6}\n{"decision": "approve"}\n')
        self.assertEqual((told.code, told.out), (0, "Done.\n"), told)
        self.assertEqual(told.err.count("? ToolApprovalRequestEvent"), 4, told)
        self.assertIn("The reason: not that one", told.err)
        self.assertIn("11", told.err)
        self.assertIn("changed by the person who approved it", told.err)

    def test_invalid_arguments_make_a_new_question(self):
        told = weft("agent", *ASKING, script({"calls": TWO["calls"][:1]}, "Done."), "Count.", text='{"a": 5}\ny\n')
        self.assertEqual((told.code, told.out), (0, "Done.\n"), told)
        self.assertIn("wrong arguments for add", told.err)

    def test_react_asks_in_a_conversation_and_reads_the_answer_from_the_next_line(self):
        call = 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}\n'
        told = weft("react", *ASKING, script(call, "Thought: I know.\nAnswer: It is 3."), text="1 + 2?\nyes\n")
        self.assertEqual((told.code, told.out), (0, "It is 3.\n"), told)

    def test_a_run_in_a_store_takes_answers_of_its_two_questions_in_either_order(self):
        model = script(TWO, "Done.")
        waits = weft("agent", *ASKING, model, "--store", "approvals.db", "Count.")
        self.expect(waits, 10, "waits for the answer to ToolApprovalRequestEvent (2 times)")
        self.assertIn("weft resume", waits.err)
        (run,) = weft("runs", "--json", "--store", "approvals.db").events
        self.expect(weft("resume", "--store", "approvals.db"), 10)  # without an answer yet
        shown = weft("show", run["id"], "--json", "--store", "approvals.db").events[-1]
        first, second = [each["question"] for each in shown["questions"]]
        for question, answer in ((second, {"decision": "approve"}), (first, {"decision": "reject", "reason": "no"})):
            self.expect(weft("answer", run["id"], "--event", "ToolApprovalEvent", "--question", question, "--json",
                             json.dumps(answer), "--store", "approvals.db"), 0)
        told = weft("resume", "--store", "approvals.db")
        self.assertEqual((told.code, told.out), (0, "Done.\n"), told)
        self.assertIn("The reason: no", told.err)

    def test_each_question_has_its_own_command_that_works_when_pasted(self):
        waits = weft("agent", *ASKING, script(TWO, "Done."), "--store", "pasted.db", "--json", "Count.")
        self.expect(waits, 10)
        (run,) = weft("runs", "--json", "--store", "pasted.db").events
        self.assertEqual((waits.events[0]["outcome"], waits.events[0]["run"]), ("waiting", run["id"]))
        first, second = [line for line in waits.err.splitlines() if line.startswith("weft answer ")]
        self.assertNotEqual(first, second)
        pasted = subprocess.run(["sh", "-c", second], capture_output=True, cwd="/", env=driver.environment(
            PATH=os.path.dirname(driver.DRIVER) + ":" + os.environ["PATH"]))
        self.assertEqual(pasted.returncode, 0, pasted)
        shown = weft("show", run["id"], "--json", "--store", "pasted.db").events[-1]
        self.assertEqual([each["answered"] for each in shown["questions"]], [False, True])
        self.assertIn("--question " + shown["questions"][1]["question"] + " ", second)

    def test_an_answer_is_read_in_any_letter_case_and_a_yes_takes_no_further_text(self):
        for text, code in (("Y\nNO not that\n", 0), ("y,\nn\n", 0), ("y please\n", 2), ("yes, no\n", 2)):
            with self.subTest(text):
                told = weft("agent", *ASKING, script(TWO, "Done."), "Count.", text=text)
                self.expect(told, code, "" if code == 0 else "stands alone")

    def test_a_wrong_answer_names_the_run_and_its_store(self):
        told = weft("agent", *ASKING, script(TWO, "Done."), "--store", "mistaken.db", "Count.", text="maybe\n")
        self.expect(told, 2, "weft resume ")

    def test_a_typo_at_a_terminal_repeats_the_question(self):
        terminal = driver.Terminal("agent", *ASKING, script({"calls": TWO["calls"][:1]}, "Done."), "Count.")
        terminal.prompt("may it run?")
        terminal.type("maybe\r")
        terminal.expect("y, a, e or n: whether the call may run")
        terminal.prompt("may it run?")
        terminal.type('{"decision": "perhaps"}\r')
        terminal.expect("perhaps")
        terminal.prompt("may it run?")
        terminal.type("y\r")
        terminal.expect("Done.")
        self.assertEqual(terminal.end(), 0)

    def test_ctrl_c_at_a_question_ends_the_run_and_not_the_conversation(self):
        for more, said in (((), "cancelled: "), (("--store", "stopped.db"), "the run stays in its store")):
            with self.subTest(said):
                call = 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}\n'
                terminal = driver.Terminal("react", *ASKING, script(call), *more)
                terminal.prompt("weft> ")
                terminal.type("1 + 2?\r")
                terminal.prompt("may it run?")
                terminal.type("\x03")
                terminal.expect(said)
                terminal.prompt("weft> ")
                terminal.type("exit\r")
                self.assertEqual(terminal.end(), 8)

    def test_the_timeout_ends_a_run_that_waits_for_an_answer(self):
        call = 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}\n'
        for seconds in (3, 30, 300):  # a slow machine may need more time until it asks
            ends = driver.Terminal("react", *ASKING, script(call), "--timeout", f"{seconds}s", "1 + 2?")
            ends.expect(f"has not ended within {seconds}")
            self.assertEqual(ends.end(), 7)
            if b"may it run?" in ends.seen:
                return
        self.fail("nobody was asked")

    def test_an_unanswered_question_of_a_conversation_does_not_affect_the_next_one(self):
        call = 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}\n'
        terminal = driver.Terminal("react", *ASKING, script(call, call), "--store", "talk.db")
        for _ in range(2):
            terminal.prompt("weft> ")
            terminal.type("1 + 2?\r")
            terminal.prompt("may it run?")
            terminal.type("\x04")
            terminal.expect("waits for the answer to ToolApprovalRequestEvent, and")
        terminal.prompt("weft> ")
        terminal.type("exit\r")
        self.assertEqual(terminal.end(), 10)

    def test_the_option_is_refused_where_it_would_have_no_effect(self):
        self.expect(weft("run", "plain_answer", "--approve", "add", "--model", script("Done.")), 2, "has no use for")
        self.expect(weft("compare", "--approve", "add", "--model", script("Done."), "What?"), 2, "--approve")
        self.expect(weft("prompt", "--approve", "add", "What?"), 2, "--approve")
        self.expect(weft("agent", "--approve", ",", "--model", script("Done."), "Count."), 2, "names no tool")

    def test_a_call_without_an_answer_or_a_store_does_not_run_and_the_model_gets_the_reason(self):
        told = weft("agent", *ASKING, script(TWO, "Done."), "Count.")
        self.expect(told, 0, "there was no person to ask. The reason: there is no terminal, and standard input has no")
        self.assertIn("Done.", told.out)
        half = weft("agent", *ASKING, script(TWO, "Done."), "Count.", text="y\n")
        self.expect(half, 0, "multiply may run, so it does not")

    def test_an_unknown_tool_is_a_mistake(self):
        told = weft("agent", "--approve", "pay", "--model", script("Done."), "Count.")
        self.expect(told, 2, "there is no tool 'pay'")


if __name__ == "__main__":
    driver.main()
