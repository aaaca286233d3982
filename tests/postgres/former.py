"""Runs of a former version in PostgreSQL are listed, shown, answered and finished; tables of a later one are refused.

tests/workflows/golden/make.py made the dump with version 0.1.0, whose tables are of version 3.
"""
import gzip
import json
import os
import pathlib
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "workflows"))
from driver import Case, FOLDER, weft
from durable import GRANT, REFUND, end, rows
from workers import status, work
from server import Server, until

DUMP = pathlib.Path(__file__).resolve().parents[1] / "workflows" / "golden" / "v0_1" / "postgres.sql.gz"
SERVER = Server()
STORE = f"postgres://weft@/weft?host={SERVER.folder}"
NEWEST = "9"


def sql(database, *words, text=""):
    return SERVER.call("psql", "-v", "ON_ERROR_STOP=1", *words, database, text=text)


def setUpModule():
    SERVER.database.ask("create database weft")
    sql("weft", "-q", text=gzip.decompress(DUMP.read_bytes()).decode())


def version():
    return sql("weft", "-Atc", "select version from weft.meta").strip()


class Former(Case):
    def test_every_run_ends_after_the_tables_were_changed(self):
        self.assertEqual(version(), "3")
        runs = {(row["workflow"], row["status"]): row["id"] for row in rows(STORE)}  # the owner's command changes them
        self.assertEqual(version(), NEWEST)
        self.assertEqual(set(runs), {("hello", "done"), ("hello", "ready"), ("refund", "waiting"), ("refund", "ready"),
                                     ("refund", "running"), ("reflect", "waiting")})
        for run in runs.values():
            self.assertGreater(len(weft("show", run, "--json", "--store", STORE).events), 1)
        self.assertEqual(json.loads(weft("resume", runs["hello", "done"], "--store", STORE).out)["text"],
                         "Hello, golden!")
        for run in runs["refund", "waiting"], runs["refund", "running"]:
            self.expect(weft("answer", run, *GRANT, "--store", STORE), 0)

        worker = work(STORE, "--lease", "1s")
        until("a queued, an answered and a killed run are done", lambda: all(
            status(STORE, run) == "done" for kind, run in runs.items() if kind[0] != "reflect"))
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(end(worker).code, 0)
        asks = runs["reflect", "waiting"]  # a child asks; a worker leaves runs with --approve to `weft resume`
        self.assertIn("212.7", weft("resume", asks, "--store", STORE, text="y\n" * 9).out)

    def test_tables_of_a_later_version_are_refused_by_every_command(self):
        SERVER.database.ask("create database later")
        later = STORE.replace("/weft?", "/later?")
        self.expect(weft(*REFUND, "--store", later), 10)
        sql("later", "-qc", "update weft.meta set version = 10")
        for command in ("runs", "queue", "worker", "resume", "export"):
            self.expect(weft(command, "--store", later), 3, f"of version 10, and this weft knows them up to {NEWEST}")


if __name__ == "__main__":
    try:
        unittest.main(argv=[sys.argv[0]], verbosity=2)
    finally:
        SERVER.close()
