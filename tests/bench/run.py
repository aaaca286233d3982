"""Runs all workloads, the reading of streams, and each kind of growth at two sizes, and prints one JSON line per
figure: the median of three rounds with the lowest and the highest value. Each round runs all programs in turn, so that
a busy moment of the machine affects all alike. The ratios at the end compare these medians.

usage: run.py FOLDER-OF-THE-PROGRAMS

Workloads F to K compare within one program, round by round, and print their own ratios; J needs an installed server of
PostgreSQL. A figure of G or J is void if the disk has changed its speed in every round.
"""
import os
import sys

from figures import lines, process, show, show_all

ROUNDS, STARTS = 3, 100


def ratio(medians, title, above, below):
    top = next((v for k, v in medians.items() if k[:3] == above), None)
    bottom = next((v for k, v in medians.items() if k[:3] == below), None)
    if top and bottom:
        show(("ratio", above[1], title, "x"), top / bottom)


folder = os.path.abspath(sys.argv[1])
bench, growth, stream, hello, floor = (os.path.join(folder, "weft_bench" + end)
                                       for end in ("", "_growth", "_stream", "_hello", "_floor"))
figures = {}
for done in range(ROUNDS):
    print(f"round {done + 1} of {ROUNDS}", file=sys.stderr, flush=True)
    for found in (lines(floor, "A"), *(lines(bench, workload) for workload in "ABCDG"), lines(growth), lines(stream),
                  process("floor: a static program", STARTS, floor, tells_peak=True),
                  process("weft", STARTS, hello, tells_peak=True)):
        for key, value in found:
            figures.setdefault(key, []).append(value)
    for program in ("weft_bench_agents", "weft_bench_serve", "weft_bench_mcp", "weft_bench_postgres",
                    "weft_bench_prompt_cache"):
        if not os.path.exists(os.path.join(folder, program)):
            print(f"{program} is not built here", file=sys.stderr)
            continue
        for key, value in lines(os.path.join(folder, program)):
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
