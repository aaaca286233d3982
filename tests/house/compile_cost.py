"""Declaring a workflow of five steps compiles faster than including Asio's awaitable, both measured in this run.

usage: compile_cost.py COMPILER
"""
import os
import subprocess
import sys
import tempfile


def user_seconds(compiler, source):
    before = os.times().children_user
    subprocess.run([compiler, "-std=c++20", "-I.", "-fsyntax-only", source], check=True)
    return os.times().children_user - before


def best(compiler, *sources):
    """The best of three for each, taken in turns, so that a busy moment of the machine hits all alike."""
    rounds = [[user_seconds(compiler, s) for s in sources] for _ in range(3)]
    return [min(times) for times in zip(*rounds)]


compiler = sys.argv[1]
with tempfile.TemporaryDirectory() as folder:
    asio, nothing = os.path.join(folder, "asio.cpp"), os.path.join(folder, "nothing.cpp")
    with open(asio, "w", encoding="utf-8") as file:
        file.write("#include <boost/asio/awaitable.hpp>\n")
    with open(nothing, "w", encoding="utf-8") as file:
        file.write("int main() {}\n")
    limit, ours, least = best(compiler, asio, "tests/house/five_steps.cpp", nothing)
print(f"five steps {ours:.2f} s, Asio's awaitable {limit:.2f} s, ratio {ours / limit:.2f}")
if not least < limit:
    sys.exit("self-test: an empty file should be cheaper than Asio; the clock is of no use here")
if not ours < limit:
    sys.exit("declaring a workflow costs more than including <boost/asio/awaitable.hpp>")
