"""Tests the limits of a trial: each kind of failure is told, and a killed program leaves no process and no folder."""
import glob
import os
import stat
import tempfile
import time

import trial

trial.CPU, trial.IDLE = 1.0, 2.0
FOLDER = tempfile.mkdtemp()


def outcome(script, leaks=False):
    path = os.path.join(FOLDER, "program")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + script)
    os.chmod(path, stat.S_IRWXU)
    return trial.try_program(path, leaks=leaks)


def expect(script, expected, leaks=False):
    got = outcome(script, leaks)
    assert got == expected, f"{script}: expected {expected}, got {got}"


expect("exit 0", None)
expect("echo 'TEST CASE:  it passes'; echo 'TEST CASE:  it fails'; exit 1", ("test", "it fails"))
expect("echo 'TEST CASE:  it crashes'; kill -SEGV $$", ("crash", "it crashes"))
expect("echo 'TEST CASE:  it throws'; echo 'test case CRASHED: SIGSEGV'; exit 1", ("crash", "it throws"))
expect("exit 23", ("leak", ""), leaks=True)
expect("echo 'TEST CASE:  it ends'; while :; do :; done", ("hang", "after: it ends"))
expect("sleep 1000", ("hang", ""))

# A test may set a smaller limit of its files, and the former one again.
expect("ulimit -S -f 64 && ulimit -S -f unlimited", None)

# A child that works is no hang, nor are many short tests that take long together.
expect("(i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done) ; exit 0", None)
expect("for n in 1 2 3 4 5 6; do i=0; while [ $i -lt 150000 ]; do i=$((i + 1)); done; echo $n; done; exit 0", None)

# A child of its own session goes with the program, however that ends, and so do its files.
for end in ("exit 1", "kill -KILL $$", "sleep 1000"):
    began = time.monotonic()
    where = os.path.join(FOLDER, "where")
    trial.END = 1.0
    assert outcome(f"mkdir server; (cd server; pwd >{where}; exec setsid sleep 999) & sleep 0.3; {end}")
    with open(where, encoding="utf-8") as file:
        place = os.path.dirname(file.read().strip())
    assert not os.path.exists(place), place
    assert not [cwd for cwd in glob.glob("/proc/[0-9]*/cwd") if os.path.exists(cwd) and place in os.readlink(cwd)]
