"""Makes a store with runs of all workflows in all states, for tests/workflows/golden.py:

    python3 -B tests/workflows/golden/make.py build/release/workflows/weft tests/workflows/golden/v1.db

Never make an existing file again: a former version has written it, and the tests show that this version reads it. A
later version with other stores adds its own file.
"""
import os
import shutil
import signal
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.path.abspath(sys.argv.pop(2))
import driver  # noqa: E402
from driver import FOLDER, LIMIT, weft  # noqa: E402
from durable import CALL, KEY, Model, begin, end, kill, read_until, rows  # noqa: E402

NAME = "golden.db"
SALES = "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"


def refund(order, amount=120):
    return ("run", "refund", "--input", f'{{"order": "{order}", "amount": {amount}}}', "--store", NAME)


def newest():
    return rows(NAME)[0]["id"]


def asked(words, code, **more):
    result = weft(*words, **more)
    assert result.code == code, result
    return newest()


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
    process = begin(*refund("killed"))
    read_until(process.stderr, "? ApprovalRequestEvent")
    kill(process)


def save():
    """Moves the content of the log into the file."""
    with sqlite3.connect(FOLDER / NAME) as file:
        file.execute("pragma wal_checkpoint(truncate)")
        file.execute("pragma journal_mode = delete")
        file.execute("vacuum")
    file.close()
    data = (FOLDER / NAME).read_bytes()
    assert str(FOLDER).encode() not in data and KEY.encode() not in data
    shutil.copy(FOLDER / NAME, TARGET)
    print(f"{TARGET}: {len(data)} bytes, {len(rows(NAME))} runs")


assert not os.path.exists(TARGET), f"{TARGET} is there, and is never made again"
make()
save()
