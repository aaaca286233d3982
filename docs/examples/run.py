"""Runs an example, and compares its output with the expected lines at the end of its source, after "// prints:".

usage: run.py PROGRAM SOURCE             for a program that ends by itself
       run.py PROGRAM SOURCE serves      sends SIGTERM after its first line; compares ports as PORT
"""
import difflib
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tests", "support"))
from limit import LIMIT  # noqa: E402

program, source, *serves = sys.argv[1:]
with open(source, encoding="utf-8") as file:
    text = file.read()
if "\n// prints:\n" not in text:
    sys.exit(f"{source} does not say what it prints: end it with the lines '// prints:', '// ...'")
wanted = [line[3:] for line in text.split("\n// prints:\n")[1].splitlines()]
with subprocess.Popen([program], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
    first = ""
    try:
        if serves:
            first = process.stdout.readline()
            process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit(f"{program} did not end within {LIMIT} s")
out = first + rest
if process.returncode:
    sys.exit(f"{program} ended with {process.returncode}:\n{out}{errors}")
printed = (re.sub(r"(//127\.0\.0\.1):\d+", r"\1:PORT", out) if serves else out).splitlines()
if printed != wanted:
    sys.exit("\n".join(difflib.unified_diff(wanted, printed, source, "printed", lineterm="")))
