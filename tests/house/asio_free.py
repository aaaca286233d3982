"""Headers that declare steps and workflows do not include Asio, so that a declaration of a workflow compiles fast.

usage: asio_free.py COMPILER
"""
import glob
import os
import subprocess
import sys
import tempfile

HEADERS = ["engine/workflow.hpp", "engine/context.hpp", "engine/awaitable.hpp"]


def asio_in(compiler, header):
    """Returns a header of Asio that `header` includes, or None."""
    command = [compiler, "-std=c++20", "-I.", "-M", "-x", "c++", header]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{header} does not stand alone:\n{done.stderr}")
    return next((word for word in done.stdout.split() if "/boost/asio" in word or "/boost/beast" in word), None)


compiler = sys.argv[1]
with tempfile.NamedTemporaryFile("w", suffix=".hpp") as bad:
    bad.write('#include "engine/core/wait/scope.hpp"\n')
    bad.flush()
    if not asio_in(compiler, bad.name):
        sys.exit("self-test: a header that includes Asio should be found")
complaints = []
for header in HEADERS + sorted(glob.glob("workflows/*.hpp")):
    found = asio_in(compiler, header)
    if found:
        complaints.append(f"{header}: includes {os.path.normpath(found)}; declarations include no Asio")
sys.exit("\n".join(complaints) or 0)
