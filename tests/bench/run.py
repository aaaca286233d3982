"""Runs all workloads, the reading of streams, and each kind of growth at two sizes, and prints one JSON line per
figure: the median of three rounds with the lowest and the highest value. Each round runs all programs in turn, so that
a busy moment of the machine affects all alike. The ratios at the end compare these medians.

usage: run.py FOLDER-OF-THE-PROGRAMS [LETTERS]      only these workloads; WEFT_BENCH_ROUNDS rounds, otherwise 3

Goals of workload G, durable runs in SQLite, by the parts of `weft_bench G PART`:
    one           steps of one run, each synced before the next begins, to fdatasyncs of 512 bytes: 0.8 or more
    many          steps of 64 runs to records of a bare SQLite log with 64 a commit: 0.7 or more
    long          time of steps 10 000 to 10 500 of a run to steps 10 to 510: 1.3 or less
    react         bytes stored for turn 200 of an agent to turn 2: 1.5 or less
    interrupted   from opening the store of a process killed with 10 000 runs to the first step: 2 s or less
    idle          memory of a waiting run: 4 KB or less; of one that has left memory: 0
Goals of workload J, runs in PostgreSQL on a private server with default settings, by the parts of
`weft_bench_postgres PART`; the bare disk syncs 512 bytes to an existing file:
    one           steps of one run, each committed before the next begins, to fdatasyncs: 0.45 or more
    many          steps of 64 runs to fdatasyncs: 16 or more below 1 000 fdatasyncs in a second, else 1.0 or more
    claims        claims of one run by 4 workers to fdatasyncs: 0.6 or more
    workers       turns of 2 and 4 workers of 50 slots to those of 1, with a model that takes 200 ms: 1.8 and 3 or more
    restart       from the return of a killed server until all runs of 4 workers are at work: 5 s or less
Other goals:
    I             start of eight MCP servers to that of the slowest alone: 1.1 or less
    I, peers      median time and client CPU of a call to those of the official TypeScript clients: 0.5 or less
    J, peers      workflows of five steps, 100 at once, to DBOS for TypeScript: 4 times its steps or more
    K             full-price part of the tokens of ten turns, with caches like Anthropic's and OpenAI's: 0.4 or less

Workloads F to K compare within one program, round by round, and print their own ratios; J needs an installed server of
PostgreSQL. A figure of G or J is void if the disk has changed its speed in every round.
"""
import os
import sys

from figures import lines, process, show, show_all

ROUNDS, STARTS = int(os.environ.get("WEFT_BENCH_ROUNDS", 3)), 100
PROGRAMS = {"F": "weft_bench_agents", "H": "weft_bench_serve", "I": "weft_bench_mcp", "J": "weft_bench_postgres",
            "K": "weft_bench_prompt_cache"}


def ratio(medians, title, above, below):
    top = next((v for k, v in medians.items() if k[:3] == above), None)
    bottom = next((v for k, v in medians.items() if k[:3] == below), None)
    if top and bottom:
        show(("ratio", above[1], title, "x"), top / bottom)


folder = os.path.abspath(sys.argv[1])
bench, growth, stream, hello, floor = (os.path.join(folder, "weft_bench" + end)
                                       for end in ("", "_growth", "_stream", "_hello", "_floor"))
wanted = sys.argv[2] if len(sys.argv) > 2 else ""
figures = {}


def measure():
    if not wanted:
        yield from lines(floor, "A")
    for workload in wanted or "ABCDG":
        if workload in "ABCDG":
            yield from lines(bench, workload)
    if not wanted:
        yield from lines(growth)
        yield from lines(stream)
        yield from process("floor: a static program", STARTS, floor, tells_peak=True)
        yield from process("weft", STARTS, hello, tells_peak=True)
    for workload, program in PROGRAMS.items():
        if not os.path.exists(os.path.join(folder, program)):
            print(f"{program} is not built here", file=sys.stderr)
        elif not wanted or workload in wanted:
            yield from lines(os.path.join(folder, program))


for done in range(ROUNDS):
    print(f"round {done + 1} of {ROUNDS}", file=sys.stderr, flush=True)
    for key, value in measure():
        figures.setdefault(key, []).append(value)
medians = show_all(figures)

SYNC, WAITS, SWITCH = "weft: sync steps", "weft: awaitable steps", "floor: variant and switch"
MODEL = "weft: model answers by post"
MILLION, TEN_THOUSAND, TEN_MILLION = "event, N=1000000", "event, N=10000", "event, N=10000000"
ratio(medians, "sync steps / switch loop", (SYNC, "A", MILLION), (SWITCH, "A", MILLION))
ratio(medians, "awaitable steps / switch loop", (WAITS, "A", MILLION), (SWITCH, "A", MILLION))
ratio(medians, "10^7 / 10^4 events, sync steps", (SYNC, "A", TEN_MILLION), (SYNC, "A", TEN_THOUSAND))
ratio(medians, "10^7 / 10^4 events, awaitable steps", (WAITS, "A", TEN_MILLION), (WAITS, "A", TEN_THOUSAND))
ratio(medians, "1000 runs in flight / one at a time, cpu", (MODEL, "C", "conc cpu/run"), (MODEL, "C", "seq cpu/run"))
for protocol in ("openai", "responses"):
    ratio(medians, f"{protocol}: scanner first / a tree of every chunk", ("weft: scanner first", "stream", protocol),
          ("weft: a tree of every chunk", "stream", protocol))
ratio(medians, "hello / a static program, time", ("weft", "E", "start to exit"),
      ("floor: a static program", "E", "start to exit"))

grown = {}
for (peer, workload, metric, unit), value in medians.items():
    if workload == "growth":
        grown.setdefault(metric.split(", N=")[0], []).append((int(metric.split("=")[1]), value))
for what, sizes in grown.items():
    (small, before), (large, after) = sorted(sizes)
    show(("ratio", "growth", f"{what}, cost of each: {large} / {small}", "x"), after / before)
