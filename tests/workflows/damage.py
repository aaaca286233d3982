"""Damaged stores and exports: each command reports the damage in one sentence, with the exit code 3 or 5, or gives the
same output as before. No command gives a wrong answer, and none crashes.
"""
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys

MAKE_STORE = os.path.abspath(sys.argv.pop(2))
import driver  # noqa: E402
from driver import Case, DRIVER, FOLDER, script, weft  # noqa: E402
from durable import GRANT, REFUND, begin, kill, read_until, rows  # noqa: E402

CALL = 'Thought: I multiply.\nAction: math_calculator\nAction Input: {"expression": "6 * 7"}\n'


class Damaged(Case):
    """One store with three runs: a waiting run, an ended run, and an agent's run."""
    @classmethod
    def setUpClass(cls):
        cls.whole = FOLDER / f"whole_{cls.__name__}.db"
        name = str(cls.whole)
        assert weft(*REFUND, "--store", name).code == 10
        cls.waiting = rows(name)[0]["id"]
        assert weft(*REFUND, "--store", name, text='{"granted": false}\n').code == 0
        cls.done = rows(name)[0]["id"]
        long = "Thought: I know.\nAnswer: It is 42." + " Really." * 2000
        assert weft("react", "--model", script(CALL, long), "--store", name, "What is 6 * 7?").code == 0
        cls.react = rows(name)[0]["id"]
        assert not cls.whole.with_name(cls.whole.name + "-wal").exists()
        cls.right = {words: weft(*words, "--store", name) for words in cls.readers()}
        assert all(result.code == 0 for result in cls.right.values()), cls.right

    of_all = [("runs", "--json"), ("export",)]  # these have a sentence for each damaged run

    @classmethod
    def readers(cls):
        return cls.of_all + [
            (*words, run) for run in (cls.waiting, cls.done, cls.react)
            for words in (("show", "--json"), ("replay",), ("export",))]

    def copy(self):
        """Copies the store into its own folder."""
        folder = FOLDER / f"copy_{self.id().rsplit('.', 1)[1]}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return shutil.copy(self.whole, folder / "weft.db")

    def is_one_sentence(self, result, codes=(3, 5), part=""):
        self.assertEqual(len(result.err.splitlines()), 1, result)
        self.are_sentences(result, codes, part)

    def are_sentences(self, result, codes=(3, 5), part=""):
        self.assertIn(result.code, codes, result)
        self.assertTrue(result.err)
        for line in result.err.splitlines():
            self.assertTrue(line.startswith("weft: ") and part in line, f"{part!r} is not said: {result}")
            self.assertNotIn("mistake of weft itself", line)

    def is_refused(self, name, codes=(3, 5), part=""):
        """Checks that every command is refused, also writing ones."""
        for words in [*self.readers(), ("resume", self.waiting), ("answer", self.waiting, *GRANT),
                      ("cancel", self.waiting), ("prune", "--older-than", "0s"), ("fork", self.done, "--at", "0"),
                      REFUND]:
            with self.subTest(words):
                result = weft(*words, "--store", str(name))
                self.is_one_sentence(result, codes, part)
                self.assertEqual(result.out, "")

    def is_right_or_refused(self, name):
        """Returns the number of refused commands."""
        refused = 0
        for words, right in self.right.items():
            result = weft(*words, "--store", str(name))
            if words[0] == "runs" and result.out:
                self.assertEqual(len(result.events), len(right.events))
                for line, as_it_was in zip(result.events, right.events):
                    self.assertTrue(line == as_it_was or line["status"] == "damaged", line)
            elif result.code == 0:
                self.assertEqual(result.out, right.out, words)
            if result.code == 0:
                continue
            refused += 1
            (self.are_sentences if words in self.of_all else self.is_one_sentence)(result)
        return refused

    def change(self, name, *statements):
        with sqlite3.connect(name) as file:
            for what in statements:
                file.execute(*what) if isinstance(what, tuple) else file.execute(what)
        file.close()


class Pages(Damaged):
    def test_a_changed_byte_of_a_page_is_refused(self):
        size, refused = self.whole.stat().st_size, 0
        for at in range(200, size, size // 12):
            name = self.copy()
            with open(name, "r+b") as file:
                file.seek(at)
                byte = file.read(1)[0]
                file.seek(at)
                file.write(bytes([byte ^ 0x20]))
            with self.subTest(at):
                refused += self.is_right_or_refused(name) > 0
        self.assertGreater(refused, 0)


class Files(Damaged):
    def test_a_truncated_file_is_refused(self):
        size = self.whole.stat().st_size
        for left in (size - 4096, size // 2, 4096, 100, 50):
            with self.subTest(left):
                name = self.copy()
                os.truncate(name, left)
                self.assertGreater(self.is_right_or_refused(name), 0)
        name = self.copy()
        os.truncate(name, 50)
        self.is_refused(name, (3, 5), "weft.db")

    def test_a_database_of_another_program_and_a_text_file_are_refused(self):
        foreign = FOLDER / "foreign.db"
        with sqlite3.connect(foreign) as file:
            file.execute("create table runs (id text)")
        file.close()
        before = foreign.read_bytes()
        self.is_refused(foreign, (3,), "it is a SQLite database of another program")
        self.assertEqual(foreign.read_bytes(), before)
        text = FOLDER / "letter.txt"
        text.write_text("Dear store,\n" * 1000)
        self.is_refused(text, (3,), "it is not a SQLite database")
        self.assertEqual(text.read_text(), "Dear store,\n" * 1000)

    def test_a_folder_and_an_impossible_path_are_refused(self):
        self.is_refused(FOLDER, (3,), "it is not a file")
        self.is_refused("/proc/weft.db", (3,), "/proc/weft.db")
        self.is_refused("nowhere/weft.db", (3,), "there is no folder")

    def test_tables_of_a_later_version_are_refused(self):
        name = self.copy()
        self.change(name, "pragma user_version = 99")
        self.is_refused(name, (3,), "use a newer weft")

    def test_a_missing_wal_file_is_noticed(self):
        """The file had acknowledged data: the rest is either whole or refused."""
        name = FOLDER / "lost_log.db"
        process = begin(*REFUND, "--store", str(name))
        read_until(process.stderr, "? ApprovalRequestEvent")
        kill(process)
        log = name.with_name(name.name + "-wal")
        self.assertTrue(log.exists())
        log.unlink()
        for words in (("runs",), ("resume",), ("export",)):
            result = weft(*words, "--store", str(name))
            self.is_one_sentence(result)
            self.assertEqual(result.out, "")

    def test_a_wal_file_without_its_database_is_refused(self):
        name = FOLDER / "lost_file.db"
        process = begin(*REFUND, "--store", str(name))
        read_until(process.stderr, "? ApprovalRequestEvent")
        kill(process)
        name.unlink()
        self.is_refused(name, (3,), "one needs the other")


class Ticks(Damaged):
    """Checksums find the damage, and other runs are unchanged."""

    def damaged(self, *statements, run=None):
        run, name = run or self.done, self.copy()
        self.change(name, *statements)
        for words in (("show", run), ("replay", run), ("export", run), ("export",), ("fork", run, "--at", "1")):
            with self.subTest(words):
                result = weft(*words, "--store", name)
                self.is_one_sentence(result, (5,), f"run {run}")
                if words[0] != "export":
                    self.assertEqual(result.out, "")
        self.expect(weft("show", self.react, "--store", name), 0)
        self.others_are_exported(name, run)
        return name

    def others_are_exported(self, name, run):
        exported = weft("export", "--store", name)
        self.is_one_sentence(exported, (5,), f"the export leaves run {run} out")
        other = f"{name}.other"
        imported = weft("import", "-", "--store", other, text=exported.out)
        self.expect(imported, 0, "2 runs were imported")
        self.assertEqual(set(imported.out.split()), {self.waiting, self.done, self.react} - {run})
        for each in imported.out.split():
            ticks = [weft("show", each, "--json", "--store", store).events[:-1] for store in (name, other)]
            self.assertEqual(*ticks)

    def test_a_changed_byte_of_a_tick_is_refused(self):
        name = self.damaged(("update ticks set body = replace(body, 'order A-17', 'order A-18') where run = ?",
                             (self.waiting,)), run=self.waiting)
        for words in (("resume", self.waiting), ("answer", self.waiting, *GRANT)):
            result = weft(*words, "--store", name)
            self.assertEqual((result.code, result.out), (5, ""), result)

    def test_a_missing_tick_is_refused(self):
        self.damaged(("delete from ticks where run = ? and seq = 1", (self.done,)))
        self.damaged(("delete from ticks where run = ? and seq = (select max(seq) from ticks where run = ?)",
                      (self.done, self.done)))

    def test_ticks_in_another_order_are_refused(self):
        self.damaged(("update ticks set seq = 100 where run = ? and seq = 1", (self.done,)),
                     ("update ticks set seq = 1 where run = ? and seq = 2", (self.done,)),
                     ("update ticks set seq = 2 where run = ? and seq = 100", (self.done,)))

    def test_ticks_of_another_run_are_refused(self):
        self.damaged(("update ticks set body = (select body from ticks o where o.run = ? and o.seq = 1) "
                      "where run = ? and seq = 2", (self.react, self.done)))

    def test_a_changed_outcome_is_refused(self):
        self.damaged("update runs set outcome = replace(outcome, 'false', 'true')")

    def test_a_changed_checksum_is_refused(self):
        self.damaged(("update ticks set sum = sum + 1 where run = ? and seq = 1", (self.done,)))


class Rows(Damaged):
    """A damaged row does not block other runs."""

    def damaged(self, run):
        name = self.copy()
        self.change(name, ("update runs set options = options || ' ' where id = ?", (run,)))
        return name

    def test_other_runs_are_listed_shown_and_continued(self):
        name = self.damaged(self.react)
        listed = weft("runs", "--json", "--store", name)
        self.is_one_sentence(listed, (5,), f"weft prune --run {self.react} --damaged")
        right = {line["id"]: line for line in self.right["runs", "--json"].events}
        for line in listed.events:
            if line["id"] == self.react:
                self.assertEqual((line["status"], line["workflow"]), ("damaged", ""))
            else:
                self.assertEqual(line, right[line["id"]])
        self.assertEqual([line["id"] for line in listed.events], list(right))
        self.assertEqual(weft("runs", "--status", "damaged", "--json", "--store", name).events[0]["id"], self.react)
        done = weft("runs", "--status", "done", "--json", "--store", name)
        self.expect(done, 0)
        self.assertNotIn(self.react, done.out)
        for run in (self.waiting, self.done):
            for words in (("show", "--json", run[:8]), ("replay", run[:8]), ("export", run[:8])):
                result = weft(*words, "--store", name)
                self.expect(result, 0)
                self.assertEqual(result.out, self.right[(*words[:-1], run)].out)
        self.expect(weft("prune", "--older-than", "0s", "--store", name), 0)
        resumed = weft("resume", "--store", name, text='{"granted": true}\n')
        self.expect(resumed, 0, f"resuming run {self.waiting}")

    def test_a_command_that_names_a_damaged_run_is_refused(self):
        name = self.damaged(self.waiting)
        for run in (self.waiting, self.waiting[:8]):
            for words in (("show", run), ("resume", run), ("cancel", run), ("replay", run), ("fork", run, "--at", "0"),
                          ("answer", run, *GRANT)):
                with self.subTest(words):
                    result = weft(*words, "--store", name)
                    self.is_one_sentence(result, (5,), f"the row of run {self.waiting} is damaged")
                    self.assertEqual(result.out, "")
        result = weft("export", self.waiting[:8], self.done, "--store", name)
        self.is_one_sentence(result, (5,), f"the export leaves run {self.waiting} out")
        self.assertEqual(result.events[-1]["end"], 1)


class Gone(Damaged):
    """An unreadable run can be deleted, and no other unended run."""

    def test_a_damaged_run_is_pruned_by_its_id(self):
        for statement in ("update runs set options = options || ' ' where id = ?",
                          "update ticks set body = body || ' ' where run = ?",
                          "delete from ticks where run = ? and seq = 1"):
            with self.subTest(statement):
                name = self.copy()
                self.change(name, (statement, (self.waiting,)))
                prune = ("prune", "--store", name, "--run", self.waiting[:8])
                self.is_one_sentence(weft(*prune), (2,), "--damaged deletes the rest")
                self.assertEqual(weft(*prune, "--damaged", "--dry-run").out, "1 run would go\n")
                self.assertEqual(weft(*prune, "--damaged").out, "1 run went\n")
                listed = weft("runs", "--json", "--store", name)
                self.expect(listed, 0)
                self.assertEqual({line["id"] for line in listed.events}, {self.done, self.react})
                with sqlite3.connect(name) as file:
                    left = file.execute("select count(*) from ticks where run = ?", (self.waiting,)).fetchone()
                file.close()
                self.assertEqual(left, (0,))
                self.expect(weft("export", "--store", name), 0)

    def test_an_undamaged_run_stays(self):
        name = self.copy()
        self.expect(weft("prune", "--run", self.waiting, "--damaged", "--store", name), 2,
                    f"run {self.waiting} has not ended, and is not damaged: end it by `weft cancel`")
        self.expect(weft("prune", "--damaged", "--store", name), 2, "--damaged needs --run RUN")
        self.assertEqual(weft("runs", "--json", "--store", name).out, self.right["runs", "--json"].out)

    def test_a_working_engine_keeps_its_runs(self):
        name = FOLDER / "at_work.db"
        process = begin(*REFUND, "--store", str(name))
        read_until(process.stderr, "? ApprovalRequestEvent")
        [run] = [line["id"] for line in rows(str(name))]
        self.change(name, "update ticks set body = body || ' '")
        self.is_one_sentence(weft("prune", "--run", run, "--damaged", "--store", str(name)), (2,), "is in use")
        kill(process)
        self.assertEqual(weft("prune", "--run", run, "--damaged", "--store", str(name)).out, "1 run went\n")


class Elsewhere(Damaged):
    def test_a_full_disk_is_reported(self):
        """A limit of file length: a write fails in the middle of the run, and its retries fail too."""
        name = self.copy()
        before = weft("show", self.done, "--json", "--store", name).out
        model = script(CALL, "Thought: I know.\nAnswer: It is 42." + " Really." * 20_000)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, 100 << 10))
        full = weft("react", "--quiet", "--model", model, "--store", name, "What is 6 * 7?", preexec_fn=limit,
                    restore_signals=False)
        self.is_one_sentence(full, (11,), "the store did not keep a tick of the run, which continues from there")
        self.assertEqual(full.out, "")
        self.assertEqual(weft("show", self.done, "--json", "--store", name).out, before)
        resumed = weft("resume", "--store", name)  # with room again
        self.assertTrue(resumed.code == 0 and resumed.out.startswith("It is 42. Really."), resumed)

    def test_an_import_from_standard_input_says_why_its_copy_cannot_be_written(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 10, 4 << 10))
        result = weft("import", "-", "--store", str(driver.FOLDER / "uncopied.db"), text="x" * (64 << 10),
                      preexec_fn=limit, restore_signals=False)
        self.is_one_sentence(result, (3,), "File too large; give the name of the file in place of -")

    def test_a_read_only_disk_and_a_file_of_another_user_are_reported(self):
        somebody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        name = self.copy()
        folder = os.path.dirname(name)
        try:
            os.chmod(FOLDER, 0o711)
            os.chmod(folder, 0o555)
            os.chmod(name, 0o444)
            try:
                subprocess.run([DRIVER, "--version"], capture_output=True, check=True, **somebody)
            except OSError:
                self.skipTest("another user cannot start the driver where it is")
            for words in (REFUND, ("resume", self.waiting), ("answer", self.waiting, *GRANT)):
                with self.subTest(words):
                    self.is_one_sentence(weft(*words, "--store", name, **somebody), (3, 5), "weft.db")
            read = weft("runs", "--json", "--store", name, **somebody)  # readable, because no process writes to it
            self.assertEqual((read.code, read.out), (0, self.right["runs", "--json"].out), read)
            os.chmod(name, 0)
            for words in (REFUND, ("resume", self.waiting), ("runs",)):
                with self.subTest(words):
                    self.is_one_sentence(weft(*words, "--store", name, **somebody), (3,), "weft.db")
        finally:
            os.chmod(name, 0o600)
            os.chmod(folder, 0o700)
            os.chmod(FOLDER, 0o700)

    def test_a_run_of_an_unknown_workflow_is_reported(self):
        name = self.copy()
        add_run(name, {"id": "x1", "status": "waiting", "workflow": "loan"})
        for words in (("resume", "x1"), ("replay", "x1")):
            self.is_one_sentence(weft(*words, "--store", name), (2,),
                                 "the workflow loan, which this weft does not have")
        self.expect(weft("show", "x1", "--store", name), 0)
        self.expect(weft("show", self.react, "--store", name), 0)

    def test_a_run_asks_its_question_although_its_inbox_has_an_invalid_answer(self):
        """An invalid answer to a run and to an agent, whose other question has a valid answer."""
        calls = {"calls": [{"tool": "add", "arguments": {"a": 1, "b": n}} for n in (2, 3)]}
        ok = {"decision": "approve"}
        for words, event, datas, text in ((REFUND, "ApprovalEvent", [{"granted": "perhaps"}], '{"granted": true}\n'),
                                          (("agent", "--approve", "add", "--model", script(calls, "Done."), "Count."),
                                           "ToolApprovalEvent", [ok, {"decision": "perhaps"}], "y\n")):
            with self.subTest(event):
                name = self.copy()
                self.expect(weft(*words, "--store", name), 10)
                run = rows(name)[0]["id"]
                questions = weft("show", run, "--json", "--store", name).events[-1]["questions"]
                add_run(name, {"id": run, "is_there": True, "mail": [
                    {"id": f"m{asked['question']}", "body": {"event": event, "data": data,
                                                             "question": int(asked["question"])}}
                    for asked, data in zip(questions, datas)]})
                resumed = weft("resume", run, "--store", name, text=text)
                self.expect(resumed, 0)
                asked = [line for line in resumed.err.splitlines() if line.startswith("? ")]
                self.assertEqual(len(asked), 1, resumed)

    def test_a_damaged_export_is_not_imported(self):
        text = weft("export", "--store", str(self.whole)).out
        lines = text.splitlines(True)
        path, other = FOLDER / "damaged.jsonl", FOLDER / "never.db"
        middle = len(text) // 2
        for damaged in (text[:middle], text[:middle] + chr(ord(text[middle]) ^ 1) + text[middle + 1:],
                        "".join(lines[:3] + lines[4:]), "".join(lines[:3] + [lines[4], lines[3]] + lines[5:]),
                        text + lines[-1], text.replace("false", "true", 1), "", "\0" * 100, "[" * 100_000,
                        json.dumps({"sum": "0" * 16, "weft_export": 1}) + "\n"):
            path.write_text(damaged)
            result = weft("import", str(path), "--store", str(other))
            self.is_one_sentence(result, (3,), "damaged.jsonl")
        self.assertEqual(list(FOLDER.glob("never.db*")), [])


def add_run(name, run):
    """Writes a run into the store, like an engine of another program."""
    result = subprocess.run([MAKE_STORE, name], input=json.dumps(run).encode() + b"\n", capture_output=True,
                            timeout=driver.LIMIT)
    assert result.returncode == 0, result


if __name__ == "__main__":
    driver.main(sys.argv[2:])
