"""Makes the files of a version, for tests/workflows/golden.py: a store with runs of all workflows in all states, an
export of it, a recording, a memory; and a dump of the same tables in PostgreSQL.

    python3 -B tests/workflows/golden/make.py build/release/workflows/weft tests/workflows/golden/v0_1 PROGRAMS

PROGRAMS is the folder of PostgreSQL's programs. Never make existing files again: a former version has written them, and
the tests show that this version reads them. A later version adds a folder. An earlier form of this script has made
v1.db, without the last run.
"""
import gzip
import os
import signal
import sqlite3
import subprocess
import sys

WORKFLOWS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [WORKFLOWS, os.path.join(os.path.dirname(WORKFLOWS), "postgres")]
TARGET = os.path.abspath(sys.argv[2])
from driver import FOLDER, LIMIT, weft  # noqa: E402
from durable import CALL, KEY, Model, begin, end, kill, read_until, rows  # noqa: E402

NAME = "golden.db"  # or the address of a database
SALES = "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"


def refund(order, amount=120):
    return ("run", "refund", "--input", f'{{"order": "{order}", "amount": {amount}}}', "--store", NAME)


def newest():
    return rows(NAME)[0]["id"]


def asked(words, code, **more):
    result = weft(*words, **more)
    assert result.code == code, result
    return newest() if "--store" in words else None


def answer(run, granted="true"):
    assert weft("answer", run, "--event", "ApprovalEvent", "--json", f'{{"granted": {granted}}}', "--store",
                NAME).code == 0


def killed_in_a_model_call():
    with Model(CALL, None) as (model, chosen):
        process = begin("react", *chosen, "--store", NAME, "What is 6 * 7?")
        assert model.hangs.wait(LIMIT)
        kill(process)


def make():
    asked(("run", "hello", "--input", '{"text": "golden"}', "--store", NAME), 0)
    asked(("run", "research", "--input", '{"text": "order"}', "--store", NAME), 0)
    asked(refund(""), 2)  # failed
    granted = asked(refund("granted"), 0, text='{"granted": true, "comment": "of course"}\n')
    asked(refund("waiting"), 10)
    answer(asked(refund("answered"), 10))
    cancelled = asked(refund("cancelled"), 10)
    weft("cancel", cancelled, "--store", NAME)
    weft("resume", cancelled, "--store", NAME)
    asked((*refund("timed out"), "--timeout", "1ms"), 7)
    react = asked(("react", "--model", "script:sales", "--store", NAME, SALES), 0)
    asked(("react", "--model", "script:sales-function-call", "--dialect", "function-call", "--store", NAME, SALES), 0)
    asked(("agent", "--model", "script:sales-agent", "--store", NAME, SALES), 0)
    asked(("reflect", "--model", "script:sales-reflect", "--store", NAME, SALES), 0)
    for run, words in ((granted, ("--at", "1", "--set", 'claim={"text": "1.00 for order forked"}')),
                       (react, ("--at", "5"))):
        assert weft("fork", run, *words, "--store", NAME).code == 0
    process = begin(*refund("interrupted"))
    read_until(process.stderr, "? ApprovalRequestEvent")
    process.send_signal(signal.SIGTERM)
    assert end(process).code == 8
    killed_in_a_model_call()
    asked_by_a_child()
    killed_at_a_question()


def killed_at_a_question():
    process = begin(*refund("killed"))
    read_until(process.stderr, "? ApprovalRequestEvent")
    kill(process)


def asked_by_a_child():
    asked(("reflect", "--model", "script:sales-reflect", "--approve", "sql_db_query", "--store", NAME, SALES), 10)


def write(name, data):
    assert str(FOLDER).encode() not in data and KEY.encode() not in data
    if len(data) > 10_000:
        name, data = name + ".gz", gzip.compress(data, mtime=0)
    with open(os.path.join(TARGET, name), "xb") as file:
        file.write(data)
    print(f"{name}: {len(data)} bytes")


def save():
    """Moves the content of the log into the file."""
    with sqlite3.connect(FOLDER / NAME) as file:
        file.execute("pragma wal_checkpoint(truncate)")
        file.execute("pragma journal_mode = delete")
        file.execute("vacuum")
    file.close()
    write("weft.db", (FOLDER / NAME).read_bytes())
    write("export.jsonl", weft("export", "--store", NAME).raw_out)


def conversation():
    question = "What is 465 times 321, then add 95297 and then divide by 13.2?"
    kept = ("--record", "recording.jsonl", "--memory", "memory.json")
    asked(("react", "--model", "script:arithmetic", *kept, question), 0)
    for name in kept[1::2]:
        write(name, (FOLDER / name).read_bytes())


def database():
    """Runs that a dump can have: queued, ended, waiting with and without an answer, of a child, and killed."""
    global NAME
    from server import PROGRAMS, Server
    server = Server()
    server.database.ask("create database weft")
    NAME = f"postgres://weft@/weft?host={server.folder}"
    asked(("run", "hello", "--input", '{"text": "golden"}', "--store", NAME), 0)
    asked(refund("waiting"), 10)
    answer(asked(refund("answered"), 10))
    asked_by_a_child()
    asked(("run", "hello", "--input", '{"text": "queued"}', "--detach", "--store", NAME), 0)
    killed_at_a_question()
    dump = subprocess.run([PROGRAMS / "pg_dump", "-h", server.folder, "-U", "weft", "--inserts", "--no-owner", "weft"],
                          check=True, capture_output=True).stdout
    write("postgres.sql", b"".join(line for line in dump.splitlines(True) if not line.startswith(b"\\")))
    server.close()


os.makedirs(TARGET)
make()
save()
conversation()
database()
