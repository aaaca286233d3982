"""A source that declares a workflow of five steps gives the compiler less text than Asio's awaitable alone. The rule
counts text, because times vary too much on a busy machine.

usage: compile_cost.py COMPILER
"""
import os
import subprocess
import sys
import tempfile


def text_of(compiler, source):
    """Returns the number of bytes that the compiler reads, with all includes."""
    command = [compiler, "-std=c++20", "-I.", "-E", "-P", source]
    return len(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


compiler = sys.argv[1]
with tempfile.TemporaryDirectory() as folder:
    asio = os.path.join(folder, "asio.cpp")
    with open(asio, "w", encoding="utf-8") as file:
        file.write("#include <boost/asio/awaitable.hpp>\n")
    limit, ours = text_of(compiler, asio), text_of(compiler, "tests/house/five_steps.cpp")
print(f"five steps {ours} bytes, Asio's awaitable {limit} bytes, ratio {ours / limit:.2f}")
if limit < 100_000:
    sys.exit("self-test: Asio should be larger; the count is of no use here")
if not ours < limit:
    sys.exit("declaring a workflow includes more than <boost/asio/awaitable.hpp>")
