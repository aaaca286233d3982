"""Stores of former versions: they are listed, shown, exported, replayed, and continued.

tests/workflows/golden/make.py made tests/workflows/golden/v1.db once, with the first version that has stores. Never
make it again: users' stores have such data. A later version adds a file, and a class with its content. If a later
program differs on purpose, for example in a prompt, its replay names the step: then add the difference to REPLAYED
here, and keep the file.
"""
import json
import pathlib
import shutil
import sqlite3
from contextlib import closing

import driver
from driver import Case, FOLDER, script, weft

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"


def version(path):
    with closing(sqlite3.connect(path)) as file:
        return file.execute("pragma user_version").fetchone()[0]


def title(row):
    """Returns a title that does not depend on ids."""
    start = row["options"]["input"]
    name = row["workflow"] + " " + (start.get("order", start.get("text", "")).split(" did ")[0])
    dialect = row["options"]["options"]["dialect"]
    return name + (" " + dialect if dialect != "react" else "") + (" forked" if row["forked_from"] else "")


class First(Case):
    FILE = "v1.db"
    STATUSES = {
        "hello golden": "done", "research order": "done", "refund ": "failed", "refund granted": "done",
        "refund waiting": "waiting", "refund answered": "ready", "refund cancelled": "cancelled",
        "refund timed out": "timed_out", "react How": "done", "react How function-call": "done",
        "tool_agent How": "done", "reflect How": "done", "refund granted forked": "ready", "react How forked": "ready",
        "refund interrupted": "waiting", "react What is 6 * 7?": "ready", "refund killed": "interrupted"}
    REPLAYED = {}  # title -> expected difference

    def setUp(self):
        self.name = shutil.copy(GOLDEN / self.FILE, FOLDER / f"{self.id().rsplit('.', 1)[1]}.db")
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
        other = str(FOLDER / "golden_imported.db")
        self.expect(weft("import", "-", "--store", other, text=exported.out), 0)
        self.assertEqual(len(weft("runs", "--json", "--store", other).events), len(self.runs))

    def test_a_reader_changes_no_tables_and_an_engine_makes_a_copy_first(self):
        copy = self.name.with_name(self.name.name + ".before-3")
        for command in ("show", "replay", "export"):
            self.of(command, "hello golden")
        self.of("answer", "refund waiting", "--event", "ApprovalEvent", "--json", '{"granted": true}')
        self.of("cancel", "refund killed")
        self.assertEqual(version(self.name), 1)
        self.assertFalse(copy.exists())

        self.assertTrue(json.loads(self.of("resume", "refund waiting").out)["granted"])

        self.assertEqual(version(self.name), 3)
        self.assertEqual(version(copy), 1)
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


if __name__ == "__main__":
    driver.main()
