"""Checks one file: it compiles, and with -DWRONG it fails with the sentence of its first line; with g++, in few lines.

usage: check.py COMPILER HEADER FILE

HEADER is included first. It has the includes of most files, and may be precompiled.
"""
import subprocess
import sys

LINES = 40  # a longer message does not help; a second line "// lines: N" allows N


def compile_file(*flags):
    command = [compiler, "-std=c++20", "-Wno-missing-field-initializers", "-I.", "-fsyntax-only", "-include", header,
               *flags, path]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    return done.returncode == 0, done.stderr


compiler, header, path = sys.argv[1:]
bounded = "clang" not in compiler  # clang shows the whole chain of instantiations
with open(path, encoding="utf-8") as file:
    first, second = file.readline().rstrip("\n"), file.readline()
allowed = int(second.split(":")[1]) if second.startswith("// lines:") else LINES
if not first.startswith("// "):
    sys.exit(f"{path}:1: the first line is the sentence: // ...")
builds, errors = compile_file()
if not builds:
    sys.exit(f"{path} should compile without -DWRONG:\n{errors}")
builds, errors = compile_file("-DWRONG")
if builds:
    sys.exit(f"{path} should not compile with -DWRONG")
if first[3:] not in errors:
    sys.exit(f"{path} should fail with '{first[3:]}', but the message is:\n{errors}")
if bounded and len(errors.splitlines()) > allowed:
    sys.exit(f"{path} fails in {len(errors.splitlines())} lines, more than {allowed}:\n{errors}")
