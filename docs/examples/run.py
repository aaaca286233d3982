"""Runs an example, and compares what it prints with what its source says at the end: "// prints:", then its lines.

usage: run.py PROGRAM SOURCE
"""
import difflib
import subprocess
import sys

program, source = sys.argv[1:]
with open(source, encoding="utf-8") as file:
    text = file.read()
if "\n// prints:\n" not in text:
    sys.exit(f"{source} does not say what it prints: end it with the lines '// prints:', '// ...'")
wanted = [line[3:] for line in text.split("\n// prints:\n")[1].splitlines()]
done = subprocess.run([program], text=True, capture_output=True, timeout=60, check=False)
if done.returncode:
    sys.exit(f"{program} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
printed = done.stdout.splitlines()
if printed != wanted:
    sys.exit("\n".join(difflib.unified_diff(wanted, printed, source, "printed", lineterm="")))
