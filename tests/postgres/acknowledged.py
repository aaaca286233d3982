"""Acknowledged changes are stored: each way to change a run with each failure of its store, in a file and a database.

A server has waiting runs. Its store fails, each change is requested, the server is killed, and the store is repaired.
Another process then finds each acknowledged change; every other change was refused with 503, or an exit code other
than 0, and a reason.
"""
import http.client
import json
import os
import resource
import sqlite3
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "workflows"))
import driver  # noqa: E402
from driver import Case, DRIVER, LIMIT, environment, weft  # noqa: E402
from durable import GRANT  # noqa: E402
from server import Server, begin, until  # noqa: E402
from wire import Database, Gone, Refused  # noqa: E402

POSTGRES = Server()
WAITING = ("answered", "cancelled", "purged", "mailed", "wished")
_made = 0


class Service:
    """A process of `weft serve` on a store."""

    def __init__(self, store):
        global _made
        _made += 1
        self.log = driver.FOLDER / f"serve_{_made}.log"
        self.process = begin([DRIVER, "serve", "--port", "0", "--store", store], self.log, env=environment())
        self.port = until("it serves", self._port)

    def _port(self):
        if self.process.poll() is not None:
            raise AssertionError(self.log.read_text())
        lines = [line for line in self.log.read_text().splitlines() if line.startswith("serving on ")]
        return lines and int(lines[0].rsplit(":", 1)[1].strip("/"))

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        return reply.status, text

    def start(self, name):
        return self.ask("POST", "/workflows/refund/run-nowait",
                        {"handler_id": name, "start_event": {"order": name, "amount": 120}})

    def kill(self):
        self.process.kill()
        self.process.wait(LIMIT)


class File:
    """A store in a file. Each method breaks it in one way, and returns a function that repairs it."""

    def __init__(self):
        self.store = os.path.join(tempfile.mkdtemp(dir=driver.FOLDER), "weft.db")

    limits = ()  # for the processes that change a run

    def sound(self, _):
        return lambda: None

    def full(self, service):
        room = (8192, resource.RLIM_INFINITY)  # enough for the server's log, and too little for the store
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, room)
        self.limits = (resource.RLIMIT_FSIZE, room)
        return lambda: setattr(self, "limits", ())

    def refusing(self, _):
        return self._change("create trigger no_{0} before {1} on {0} begin select raise(abort, 'not today'); end",
                            "drop trigger no_{0}")

    def _change(self, statement, back):
        tables = (("ticks", "insert"), ("runs", "insert"), ("inbox", "insert"), ("runs", "update"), ("runs", "delete"))

        def run(text):
            database = sqlite3.connect(self.store, timeout=LIMIT)
            with database:
                for table, act in tables:
                    database.execute(text.format(table, act).replace(f"no_{table}", f"no_{table}_{act}"))
            database.close()
        run(statement)
        return lambda: run(back)


class Base:
    """A store in a database, with the same methods."""

    limits, sound = (), File.sound

    def __init__(self):
        global _made
        _made += 1
        name = f"weft_{_made}"
        POSTGRES.database.ask(f"create database {name}")
        self.store = f"postgres://weft@/{name}?host={POSTGRES.folder}"
        self.database = Database(POSTGRES.socket, name)

    def gone(self, _):
        POSTGRES.kill()
        return POSTGRES.start

    def read_only(self, _):
        POSTGRES.database.ask("alter system set default_transaction_read_only = on")
        POSTGRES.database.ask("select pg_reload_conf()")
        until("it is read-only", lambda: self._setting() == "on")

        def mend():
            POSTGRES.database.ask("set default_transaction_read_only = off")
            POSTGRES.database.ask("alter system reset default_transaction_read_only")
            POSTGRES.database.ask("select pg_reload_conf()")
            until("it can be written", lambda: self._setting() == "off")
        return mend

    def _setting(self):
        fresh = Database(POSTGRES.socket)
        ((value,),) = fresh.ask("show default_transaction_read_only")
        fresh.close()
        return value

    def refusing(self, _):
        tables = ("ticks", "runs", "inbox")
        self.database.ask("create function weft.no() returns trigger language plpgsql as "
                          "$$ begin raise exception 'not today'; end $$")
        for table in tables:
            self.database.ask(f"create trigger no before insert or update or delete on weft.{table} "
                              "for each row execute function weft.no()")
        return lambda: [self.database.ask(f"drop trigger no on weft.{table}") for table in tables]

    def locked(self, _):
        self.database.ask("begin")
        self.database.ask("lock table weft.ticks, weft.runs, weft.inbox in exclusive mode")
        return lambda: self.database.ask("rollback")


class Acknowledged(Case):
    def test_each_change_of_a_run_is_stored_or_refused_when_its_store_fails(self):
        for kind, failures in ((File, ("sound", "full", "refusing")),
                               (Base, ("sound", "refusing", "read_only", "locked", "gone"))):
            for failure in failures:
                with self.subTest(store=kind.__name__, failure=failure):
                    self.beside(kind(), failure)

    def beside(self, place, failure):
        service = Service(place.store)
        runs = {}
        for name in WAITING:
            status, text = service.start(name)
            self.assertEqual(status, 200, text)
            runs[name] = json.loads(text)["run_id"]
        for name in WAITING:
            until("it waits", lambda: json.loads(service.ask("GET", f"/handlers/{name}")[1])["waiting"])
        mend = getattr(place, failure)(service)
        try:
            replies = self.change(place, service, runs)
        finally:
            said = service.log.read_text()
            service.kill()
            mend()
        done = {}
        for change, reply in replies.items():
            with self.subTest(change=change):
                done[change], cause = self.judged(reply)
                self.assertTrue(done[change] or cause.strip(), "a refusal has a cause")
        after = Service(place.store)
        for change in [change for change, is_done in done.items() if is_done]:
            with self.subTest(change=change):
                until(f"{change} is there", lambda: self.is_there(change, after, place, runs))
        after.kill()
        print(type(place).__name__, failure, done, flush=True)
        if failure == "sound":
            self.assertEqual(set(done.values()), {True}, replies)
        else:
            self.assertIn("the store", said, "the server says what is wrong")

    def states(self, place):
        listed = weft("runs", "--json", "--store", place.store)
        self.expect(listed, 0)
        return {row["id"]: row["status"] for row in listed.events}

    def change(self, place, service, runs):
        """Tries all changes in parallel. Returns for each whether it was acknowledged, and else the reason."""
        def asked(*words):
            return lambda: service.ask(*words)

        def called(*words):
            limits = place.limits
            more = {"preexec_fn": lambda: resource.setrlimit(*limits)} if limits else {}
            return lambda: weft(*words, "--store", place.store, **more)
        changes = {
            "started": lambda: service.start("started"),
            "answered": asked("POST", "/events/answered",
                              {"event": {"type": "ApprovalEvent", "value": {"granted": True}}}),
            "cancelled": asked("POST", "/handlers/cancelled/cancel"),
            "purged": asked("POST", "/handlers/purged/cancel?purge=true"),
            "mailed": called("answer", runs["mailed"], *GRANT),
            "wished": called("cancel", runs["wished"]),
            "detached": called("run", "hello", "--detach", "--queue", "none", "--input", '{"text": "World"}'),
        }
        replies, threads = {}, []
        for change, act in changes.items():
            ask = threading.Thread(target=lambda change=change, act=act: replies.update({change: act()}))
            ask.start()
            threads.append(ask)
        for thread in threads:
            thread.join(LIMIT)
        self.assertEqual(set(replies), set(changes))
        return replies

    def judged(self, reply):
        """Returns whether the change was acknowledged, and the reason if it was not."""
        if not isinstance(reply, tuple):
            return reply.code == 0, reply.err
        status, text = reply
        if status >= 300:
            self.assertEqual(status, 503, text)
        return status < 300, text

    def is_there(self, change, service, place, runs):
        states = self.states(place)
        if change == "started":
            return service.ask("GET", "/handlers/started")[0] in (200, 202)
        if change == "detached":
            return len(set(states) - set(runs.values())) > 0
        if change == "purged":
            return runs[change] not in states
        return states.get(runs[change]) == ("cancelled" if change in ("cancelled", "wished") else "done")


if __name__ == "__main__":
    try:
        unittest.main(argv=sys.argv[:1])
    finally:
        POSTGRES.close()
