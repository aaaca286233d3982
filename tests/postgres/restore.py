"""A dump, restored on another server as docs/postgres.md tells, has its runs and the rights of the roles."""
import os
import pathlib
import re
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "workflows"))
from driver import Case, weft
from durable import GRANT, REFUND, end, rows
from workers import status, work
from server import Server, until

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "postgres.md"
ROLES, RIGHTS = re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.S)[:2]
BEFORE, AFTER = Server(), Server()


def store(server, role="weft_worker"):
    return f"postgres://{role}@/weft?host={server.folder}"


def start(key, server):
    return weft("run", "hello", "--detach", "--key", key, "--input", '{"text": "Ada"}', "--store", store(server))


class Restore(Case):
    def test_runs_go_on_where_the_dump_has_them(self):
        BEFORE.call("psql", "postgres", text=ROLES)
        self.expect(weft("runs", "--store", store(BEFORE, "weft_owner")), 0)
        BEFORE.call("psql", "weft", text=RIGHTS)
        self.expect(weft(*REFUND, "--store", store(BEFORE)), 10)  # it asks
        asks = rows(store(BEFORE))[0]["id"]
        self.expect(start("early", BEFORE), 0)
        dump = str(BEFORE.folder / "dump")
        BEFORE.call("pg_dump", "-Fc", "-n", "weft", "-f", dump, "weft")
        roles = BEFORE.call("pg_dumpall", "--roles-only")
        self.expect(start("late", BEFORE), 0)
        self.expect(weft("answer", asks, *GRANT, "--store", store(BEFORE)), 0)

        AFTER.call("psql", "postgres", text=roles)
        AFTER.call("psql", "postgres", text="create database weft owner weft_owner")
        AFTER.call("pg_restore", "-d", "weft", dump)
        self.assertEqual({row["id"] for row in rows(store(AFTER))}, {asks, "hello:early"})
        self.assertEqual(status(store(AFTER), asks), "waiting")
        for key, new in ("early", False), ("late", True):
            self.assertEqual("the key is known" in start(key, AFTER).err, not new)
        self.expect(weft("answer", asks, *GRANT, "--store", store(AFTER)), 0)
        worker = work(store(AFTER))
        until("all runs are done", lambda: all(
            status(store(AFTER), run) == "done" for run in (asks, "hello:early", "hello:late")))
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(end(worker).code, 0)


if __name__ == "__main__":
    try:
        unittest.main(argv=[sys.argv[0]], verbosity=2)
    finally:
        BEFORE.close()
        AFTER.close()
