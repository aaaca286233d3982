"""Tools that ask before they run: answered in a line, left in a store with two questions open, and refused."""
import json
import os
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
        self.assertIn("changed by whoever approved it", told.err)

    def test_arguments_that_do_not_fit_are_asked_about_again(self):
        told = weft("agent", *ASKING, script({"calls": TWO["calls"][:1]}, "Done."), "Count.", text='{"a": 5}\ny\n')
        self.assertEqual((told.code, told.out), (0, "Done.\n"), told)
        self.assertIn("wrong arguments for add", told.err)

    def test_react_asks_in_a_conversation_and_reads_the_answer_from_the_next_line(self):
        call = 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}\n'
        told = weft("react", *ASKING, script(call, "Thought: I know.\nAnswer: It is 3."), text="1 + 2?\nyes\n")
        self.assertEqual((told.code, told.out), (0, "It is 3.\n"), told)

    def test_a_run_waits_in_its_store_with_two_questions_which_are_answered_in_the_other_order(self):
        model = script(TWO, "Done.")
        waits = weft("agent", *ASKING, model, "--store", "approvals.db", "Count.")
        self.expect(waits, 10, "waits for the answer to ToolApprovalRequestEvent, ToolApprovalRequestEvent")
        self.assertIn("weft resume", waits.err)
        (run,) = weft("runs", "--json", "--store", "approvals.db").events
        self.expect(weft("resume", "--store", "approvals.db"), 10)  # as nobody has answered yet
        shown = weft("show", run["id"], "--json", "--store", "approvals.db").events[-1]
        first, second = [each["question"] for each in shown["questions"]]
        for question, answer in ((second, {"decision": "approve"}), (first, {"decision": "reject", "reason": "no"})):
            self.expect(weft("answer", run["id"], "--event", "ToolApprovalEvent", "--question", question, "--json",
                             json.dumps(answer), "--store", "approvals.db"), 0)
        told = weft("resume", "--store", "approvals.db")
        self.assertEqual((told.code, told.out), (0, "Done.\n"), told)
        self.assertIn("The reason: no", told.err)

    def test_without_a_store_a_missing_answer_ends_the_run(self):
        self.expect(weft("agent", *ASKING, script(TWO, "Done."), "Count."), 5, "standard input has none")

    def test_a_tool_that_there_is_not_is_a_mistake(self):
        told = weft("agent", "--approve", "pay", "--model", script("Done."), "Count.")
        self.expect(told, 2, "there is no tool 'pay'")


if __name__ == "__main__":
    driver.main()
