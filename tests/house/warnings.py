"""The headers give no warning to a program with -Wshadow, -Wconversion and the like, which includes them by plain -I.

usage: warnings.py COMPILER
"""
import os
import subprocess
import sys
import tempfile

PROGRAM = "tests/house/strict_program.cpp"
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion",
         "-Wsign-conversion", "-Werror", "-DBOOST_ASIO_SEPARATE_COMPILATION", "-I."]


def complaints_about(compiler, source):
    """Yields the compiler's warnings."""
    done = subprocess.run([compiler, *FLAGS, source], text=True, capture_output=True, check=False)
    return done.stderr if done.returncode else ""


compiler = sys.argv[1]
for bad in ("int narrow(long n) { return n; }", "int hide(int n) { { int n = 1; return n; } }"):
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
        file.write(bad + "\n")
        file.flush()
        if not complaints_about(compiler, os.path.abspath(file.name)):
            sys.exit(f"self-test: this should give a warning: {bad}")
sys.exit(complaints_about(compiler, PROGRAM) or 0)
