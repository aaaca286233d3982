"""Replays of stored runs, and forks, which begin with the ticks of stored runs."""
import json

import driver
from driver import Case, FOLDER, script, weft
from durable import ANSWER, CALL, KEY, REFUND, Model, begin, change, kill, read_until, rows, store

SALES = "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"


def ended_refund(answer='{"granted": true}\n'):
    name = store()
    assert weft(*REFUND, "--store", name, text=answer).code == 0
    return name, rows(name)[0]["id"]


def waiting_refund():
    name = store()
    assert weft(*REFUND, "--store", name).code == 10
    return name, rows(name)[0]["id"]


def show(name, run):
    return weft("show", run, "--json", "--store", name).events


class Replays(Case):
    def replay(self, name, run, *words, **more):
        result = weft("replay", run, "--store", name, *words, **more)
        self.expect(result, 0)
        self.assertEqual(result.err, "")
        self.assertRegex(result.out, r"^(1 step|[0-9]+ steps) made again, [0-9]+ skipped: no difference\n$")
        return tuple(int(word) for word in result.out.split() if word.isdigit())

    def test_react_killed_in_a_model_call_has_no_difference_and_another_template_names_the_step(self):
        name = store()
        with Model(CALL, None, ANSWER) as (model, chosen):
            process = begin("react", *chosen, "--store", name, "What is 6 * 7?")
            self.assertTrue(model.hangs.wait(driver.LIMIT))
            kill(process)
            (run,) = rows(name)
            made, skipped = self.replay(name, run["id"])  # replays an unended run
            self.assertGreater(made, 2)
            resumed = weft("resume", "--store", name, env={"OPENAI_API_KEY": KEY})
            self.assertEqual((resumed.code, resumed.out), (0, "It is 42.\n"), resumed)
            asked = len(model.asked)
            more, again = self.replay(name, run["id"])  # works without a key
            self.assertGreater(more, made)
            self.assertEqual(again, skipped)
            self.assertEqual(len(model.asked), asked)
        before = show(name, run["id"])
        template = FOLDER / "other_template.txt"
        template.write_text("Be brief. {tools} {tool_names}\n")
        other = weft("replay", run["id"], "--template", str(template), "--store", name)
        self.expect(other, 5,
                    "step prepare_chat_history has another result at tick 2: its event InputEvent differs at "
                    "/messages/0/content, from its character 1 on: stored \"You answer ")
        self.assertIn(', now "Be brief. ', other.err)
        template.write_text("{toolz}")
        self.expect(weft("replay", run["id"], "--template", str(template), "--store", name), 3, "{toolz}")
        self.assertEqual(before, show(name, run["id"]))

    def test_replays_of_all_agents_have_no_difference(self):
        for words in (["react", "--model", "script:sales", SALES],
                      ["react", "--model", "script:sales-function-call", "--dialect", "function-call", SALES],
                      ["agent", "--model", "script:sales-agent", SALES],
                      ["reflect", "--model", "script:sales-reflect", SALES],
                      ["run", "react", "--model", "script:sales", "--input", json.dumps({"text": SALES})],
                      ["run", "plain_answer", "--model", script("Yes."), "--input", '{"text": "Yes?"}']):
            with self.subTest(words):
                name = store()
                self.expect(weft(*words, "--store", name), 0)
                made, skipped = self.replay(name, rows(name)[0]["id"])
                self.assertGreater(made, 0)

    def test_replays_of_small_workflows_waiting_or_ended_have_no_difference(self):
        self.assertEqual(self.replay(*waiting_refund()), (1, 0))
        self.assertEqual(self.replay(*ended_refund()), (2, 0))
        for workflow, steps in (("hello", (1, 0)), ("research", (1, 7))):
            name = store()
            self.expect(weft("run", workflow, "--input", '{"text": "order"}', "--store", name), 0)
            made, skipped = self.replay(name, rows(name)[0]["id"])
            self.assertEqual(made, steps[0])
            self.assertEqual(skipped > 0, steps[1] > 0)

    def test_another_dialect_is_a_difference_with_the_exit_code_5(self):
        name = store()
        self.expect(weft("react", "--model", script(ANSWER), "--store", name, "What is 6 * 7?"), 0)
        (run,) = rows(name)
        other = weft("replay", run["id"], "--system", "Be brief.", "--store", name)
        self.expect(other, 5, "step prepare_chat_history has another result at tick 2")
        self.assertRegex(other.out, r"^1 step made again, \d+ skipped: a difference at tick 2\n$")
        shown = weft("replay", run["id"], "--dialect", "langchain", "--json", "--store", name)
        self.assertEqual(shown.code, 5)
        (line,) = shown.events
        self.assertEqual((line["difference"]["tick"], line["difference"]["step"]), (2, "prepare_chat_history"))
        (line,) = weft("replay", run["id"], "--json", "--store", name).events
        self.assertIsNone(line["difference"])

    def test_a_replay_reads_and_changes_no_file_of_the_run_except_templates(self):
        name, memory = store(), FOLDER / "remembered.json"
        self.expect(weft("react", "--model", script(ANSWER), "--memory", str(memory), "--store", name, "6 * 7?"), 0)
        before = memory.read_bytes()
        self.replay(name, rows(name)[0]["id"])
        self.assertEqual(memory.read_bytes(), before)
        memory.unlink()
        self.replay(name, rows(name)[0]["id"])
        self.assertFalse(memory.exists())

    def test_a_conversation_is_replayed_question_by_question(self):
        name = store()
        self.expect(weft("react", "--model", script("Answer: one", "Answer: two"), "--store", name,
                         text="First?\nSecond?\n"), 0)
        for row in rows(name):
            self.replay(name, row["id"])

    def test_an_impossible_replay_is_refused_in_one_sentence(self):
        name, run = ended_refund()
        self.expect(weft("replay", "nobody", "--store", name), 2, "no run nobody")
        self.expect(weft("replay", run, "--template", "x.txt", "--store", name), 2,
                    "the workflow refund has no use for --template")
        self.expect(weft("replay", run), 2, "say which store")
        timed = store()
        self.expect(weft("react", "--model", script(ANSWER), "--budget", "time=1m", "--store", timed, "6 * 7?"), 0)
        self.expect(weft("replay", rows(timed)[0]["id"], "--store", timed), 2, "has a budget of time")


class Forks(Case):
    def fork(self, name, run, *words):
        result = weft("fork", run, *words, "--store", name)
        self.expect(result, 0, "; continue it with: weft resume")
        self.assertRegex(result.out, r"^[0-9a-f]{16}\n$")
        return result.out.strip()

    def test_a_fork_of_an_ended_run_takes_another_answer_and_the_first_run_stays_unchanged(self):
        name, run = ended_refund()
        before = show(name, run)
        asked = next(line["tick"] for line in before if line.get("asked"))
        other = self.fork(name, run, "--at", str(asked))
        resumed = weft("resume", other, "--store", name, text='{"granted": false}\n')
        self.expect(resumed, 0)
        self.assertFalse(json.loads(resumed.out)["granted"])
        self.assertEqual(show(name, run), before)
        (row,) = [row for row in rows(name) if row["id"] == other]
        self.assertEqual((row["forked_from"], row["status"]), (run, "done"))
        self.assertEqual(row["options"], before[-1]["options"])

    def test_a_slot_set_by_a_fork_is_visible_to_the_next_step(self):
        name, run = waiting_refund()
        other = self.fork(name, run, "--at", "1", "--set", 'claim={"text": "1.00 for order B=2"}')
        resumed = weft("resume", other, "--store", name, text='{"granted": true}\n')
        self.assertIn("1.00 for order B=2", json.loads(resumed.out)["text"], resumed)
        self.expect(weft("replay", other, "--store", name), 0)

    def test_a_forked_agent_continues_from_the_turn_of_the_fork(self):
        name = store()
        self.expect(weft("react", "--model", "script:sales", "--store", name, SALES), 0)
        (run,) = rows(name)
        ended = weft("resume", run["id"], "--store", name).out
        called = next(line["tick"] for line in show(name, run["id"]) if line.get("step") == "observe")
        other = self.fork(name, run["id"], "--at", str(called))
        resumed = weft("resume", other, "--store", name)
        self.assertEqual((resumed.code, resumed.out), (0, ended), resumed)

    def test_every_tick_can_be_forked(self):
        name, run = ended_refund()
        for line in show(name, run)[:-1]:
            other = self.fork(name, run, "--at", str(line["tick"]))
            resumed = weft("resume", other, "--store", name, text='{"granted": true}\n')
            self.assertTrue(json.loads(resumed.out)["granted"], resumed)

    def test_an_unfitting_fork_is_refused_at_once_and_not_stored(self):
        name, run = waiting_refund()
        for sentence, *words in (
                ("has the ticks 0 to 1, and none with the number 2", "--at", "2"),
                ("--at takes a whole number", "--at", "first"),
                ("--at is required",),
                ("has no slot climb; it has claim", "--at", "1", "--set", "climb={}"),
                ("claim is not JSON", "--at", "1", "--set", "claim={"),
                ("claim.text", "--at", "1", "--set", 'claim={"text": 7}'),
                ("claim.text", "--at", "1", "--set", "claim={}"),
                ("--set takes SLOT=JSON", "--at", "1", "--set", "claim"),
                ("was given twice", "--at", "1", "--set", 'claim={"text": ""}', "--set", 'claim={"text": ""}')):
            with self.subTest(words):
                refused = weft("fork", run, *words, "--store", name)
                self.expect(refused, 2, sentence)
                self.assertEqual(refused.out, "")
        self.expect(weft("fork", "nobody", "--at", "0", "--store", name), 2, "no run nobody")
        self.expect(weft("fork", run, "--at", "0", "--store", "missing.db"), 3, "there is no such file")
        self.assertFalse((FOLDER / "missing.db").exists())
        self.assertEqual(len(rows(name)), 1)
        holder = begin(*REFUND, "--store", name)
        read_until(holder.stderr, "? ApprovalRequestEvent")
        self.expect(weft("fork", run, "--at", "0", "--store", name), 2, "in use by process")
        kill(holder)


if __name__ == "__main__":
    driver.main()
