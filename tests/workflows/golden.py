"""Files of former versions: stores are listed, shown, exported, replayed, and continued; exports, recordings and
memories are read.

tests/workflows/golden/make.py made tests/workflows/golden/v1.db once, with the first program that has stores, and
v0_1 with version 0.1.0. Never make them again: users have such data. A later version adds a folder, and a class with
its content. If a later program differs on purpose, for example in a prompt, its replay names the step: then add the
difference to REPLAYED here, and keep the file.
"""
import gzip
import json
import pathlib
import sqlite3
from contextlib import closing

import driver
from driver import Case, FOLDER, script, weft
from durable import ANSWER, KEY, Model

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"


def version(path):
    with closing(sqlite3.connect(path)) as file:
        return file.execute("pragma user_version").fetchone()[0]


def title(row):
    """Returns a title that does not depend on ids."""
    start = row["options"]["input"]
    name = row["workflow"] + " " + (start.get("order", start.get("text", "")).split(" did ")[0])
    options = row["options"]["options"]
    name += " " + options["dialect"] if options["dialect"] != "react" else ""
    return name + (" asking" if options["approve"] else "") + (" forked" if row["forked_from"] else "")


def former(name):
    """Returns the content of a file of a former version."""
    data = (GOLDEN / name).read_bytes()
    return gzip.decompress(data) if name.endswith(".gz") else data


class First(Case):
    FILE, VERSION = "v1.db", 1
    STATUSES = {
        "hello golden": "done", "research order": "done", "refund ": "failed", "refund granted": "done",
        "refund waiting": "waiting", "refund answered": "ready", "refund cancelled": "cancelled",
        "refund timed out": "timed_out", "react How": "done", "react How function-call": "done",
        "tool_agent How": "done", "reflect How": "done", "refund granted forked": "ready", "react How forked": "ready",
        "refund interrupted": "waiting", "react What is 6 * 7?": "ready", "refund killed": "interrupted"}
    REPLAYED = {}  # title -> expected difference

    def setUp(self):
        self.name = FOLDER / f"{self.id().split('.', 1)[1]}.db"
        self.name.write_bytes(former(self.FILE))
        listed = weft("runs", "--json", "--store", self.name)
        self.expect(listed, 0)
        self.runs = {title(row): row for row in listed.events}

    def of(self, command, run, *words, code=0, **more):
        result = weft(command, self.runs[run]["id"], *words, "--store", self.name, **more)
        self.assertEqual(result.code, code, (run, result))
        return result

    def test_every_run_is_listed_with_its_status(self):
        self.assertEqual({run: row["status"] for run, row in self.runs.items()}, self.STATUSES)

    def test_every_run_is_shown_and_exported(self):
        for run in self.runs:
            shown = self.of("show", run, "--json").events
            self.assertGreater(len(shown), 1, run)
            self.of("show", run)
        exported = weft("export", "--store", self.name)
        self.expect(exported, 0)
        other = str(self.name) + ".imported"
        self.expect(weft("import", "-", "--store", other, text=exported.out), 0)
        self.assertEqual(len(weft("runs", "--json", "--store", other).events), len(self.runs))

    def test_a_reader_changes_no_tables_and_an_engine_makes_a_copy_first(self):
        copy = self.name.with_name(self.name.name + ".before-7")
        for command in ("show", "replay", "export"):
            self.of(command, "hello golden")
        self.of("answer", "refund waiting", "--event", "ApprovalEvent", "--json", '{"granted": true}')
        self.of("cancel", "refund killed")
        self.assertEqual(version(self.name), self.VERSION)
        self.assertFalse(copy.exists())

        self.assertTrue(json.loads(self.of("resume", "refund waiting").out)["granted"])

        self.assertEqual(version(self.name), 7)
        self.assertEqual(version(copy), self.VERSION)
        self.assertEqual(copy.stat().st_mode & 0o777, 0o600)
        of_copy = weft("runs", "--json", "--store", str(copy))
        self.expect(of_copy, 0)
        self.assertEqual({title(row) for row in of_copy.events}, set(self.STATUSES))
        self.of("resume", "refund killed", code=8)  # the run was cancelled before
        migrated = weft("runs", "--json", "--store", self.name)
        self.assertEqual({title(row) for row in migrated.events}, set(self.STATUSES))

    def test_every_run_is_replayed(self):
        for run in self.runs:
            with self.subTest(run):
                difference = self.REPLAYED.get(run)
                result = self.of("replay", run, "--json", code=5 if difference else 0)
                (line,) = result.events
                self.assertEqual(line["difference"], difference)
                self.assertEqual(line["steps"] + line["skipped"] > 0, run not in ("refund ", "refund timed out"))

    def test_ended_runs_have_their_former_results(self):
        self.assertEqual(json.loads(self.of("resume", "hello golden").out), {"text": "Hello, golden!"})
        granted = json.loads(self.of("resume", "refund granted").out)
        self.assertEqual(granted, {"granted": True,
                                   "text": "The refund of 120.00 for order granted is granted: of course."})
        for agent in ("react How", "react How function-call", "tool_agent How", "reflect How"):
            self.assertIn("212.7", self.of("resume", agent).out, agent)
        self.assertTrue(json.loads(self.of("resume", "research order").out)["findings"])
        for run, code in (("refund ", 2), ("refund cancelled", 8), ("refund timed out", 7)):
            self.assertEqual(self.of("resume", run, code=code).out, "")

    def test_waiting_runs_take_answers(self):
        for run in ("refund waiting", "refund interrupted", "refund killed", "refund granted forked"):
            with self.subTest(run):
                resumed = self.of("resume", run, text='{"granted": false}\n')
                self.assertFalse(json.loads(resumed.out)["granted"])
        self.assertIn("1.00 for order forked", json.loads(self.of("resume", "refund granted forked").out)["text"])
        self.assertTrue(json.loads(self.of("resume", "refund answered").out)["granted"])  # by the answer in its inbox

    def test_agents_continue_where_they_stopped(self):
        self.assertEqual(self.of("resume", "react How forked").out, self.of("resume", "react How").out)
        model = script({"reply": "never"}, {"when": "42", "reply": "Thought: I know.\nAnswer: It is 42."})
        resumed = self.of("resume", "react What is 6 * 7?", "--model", model)
        self.assertEqual(resumed.out, "It is 42.\n")


class V01(First):
    FILE, VERSION = "v0_1/weft.db.gz", 3
    STATUSES = {**First.STATUSES, "reflect How asking": "waiting"}

    def test_a_childs_question_takes_an_answer_from_its_inbox_and_from_standard_input(self):
        (question,) = self.of("show", "reflect How asking", "--json").events[-1]["questions"]
        self.assertEqual(question["event"], "ToolApprovalRequestEvent")
        self.of("answer", "reflect How asking", "--event", "ToolApprovalEvent", "--question", question["question"],
                "--json", '{"decision": "approve"}')
        self.assertIn("212.7", self.of("resume", "reflect How asking", text="y\n" * 9).out)

    def test_an_export_is_imported_and_its_runs_continue(self):
        exported = former("v0_1/export.jsonl.gz")
        self.name.unlink()
        self.expect(weft("import", "-", "--store", self.name, text=exported), 0, "were imported")
        listed = weft("runs", "--json", "--store", self.name).events
        self.assertEqual({title(row) for row in listed}, set(self.STATUSES))
        self.assertTrue(json.loads(self.of("resume", "refund waiting", text='{"granted": true}\n').out)["granted"])

    def test_a_recording_answers_beside_a_memory_and_a_later_one_is_refused(self):
        recording, memory = (FOLDER / name for name in ("recording.jsonl", "memory.json"))
        recording.write_bytes(former("v0_1/recording.jsonl.gz"))
        memory.write_bytes(former("v0_1/memory.json"))
        question = json.loads(memory.read_text())["question_trace"][0]
        told = weft("react", "--model", f"replay:{recording}", question)
        self.assertEqual((told.code, told.out), (0, "The result is 18527.424242424244.\n"), told)
        with Model(ANSWER) as (model, chosen):
            self.expect(weft("react", *chosen, "--memory", memory, "And 6 * 7?", env={"OPENAI_API_KEY": KEY}), 0)
            self.assertIn("18527.42", json.dumps(model.asked))
        recording.write_bytes(recording.read_bytes().replace(b'"weft_recording": 1', b'"weft_recording": 2'))
        self.expect(weft("react", "--model", f"replay:{recording}", question), 3, "another version of weft wrote it")

    def test_a_store_of_a_later_version_is_refused_by_every_command(self):
        with closing(sqlite3.connect(self.name)) as file:
            file.execute("pragma user_version = 9")
        for command in (("runs",), ("show", "a"), ("resume",), ("export",), ("prune", "--older-than", "1d")):
            self.expect(weft(*command, "--store", self.name), 3, "of version 9, and this weft knows them up to 7")


if __name__ == "__main__":
    driver.main()
