"""Figures of several rounds: reads the JSON lines of a program, measures a process, and prints each figure as one line
with its median, its lowest and its highest value."""
import json
import os
import statistics
import subprocess
import sys
import time

NAMES = ("peer", "workload", "metric", "unit")


def lines(program, *arguments, peer=""):
    """Yields the key and the value of each line of a program."""
    done = subprocess.run([program, *arguments], text=True, capture_output=True, check=True)
    for line in done.stdout.splitlines():
        figure = {"peer": peer, **json.loads(line)}
        yield tuple(figure[name] for name in NAMES), figure["value"]


def process(peer, starts, *words, tells_peak=False):
    """Measures workload E: the time from start to exit, and the peak of memory. That of the system is never below the
    size of this process: a smaller program tells its own."""
    times, peak = [], 0
    for _ in range(starts):
        begin = time.perf_counter()
        pid = os.posix_spawn(words[0], words, {})
        _, status, used = os.wait4(pid, 0)
        if status != 0:
            sys.exit(f"{' '.join(words)} failed")
        times.append((time.perf_counter() - begin) * 1e3)
        peak = max(peak, used.ru_maxrss / 1024)
    if tells_peak:
        peak = float(subprocess.run([*words, "peak"], text=True, capture_output=True, check=True).stdout)
    yield (peer, "E", "start to exit", "ms"), statistics.median(times)
    yield (peer, "E", "peak memory", "MiB"), peak


def show(key, value, values=()):
    def number(value):
        return value if value == "void" else float(f"{value:.6g}")
    measured = [number(each) for each in values if each != "void"]
    spread = {"low": min(measured), "high": max(measured), "rounds": len(measured)} if measured else {}
    print(json.dumps({**dict(zip(NAMES, key)), "value": number(value), **spread}), flush=True)


def median(values):
    measured = [value for value in values if value != "void"]
    return statistics.median(measured) if measured else "void"


def show_values(key, values):
    show(key, median(values), values)


def show_all(figures):
    """Prints all figures, key -> values, and returns their medians."""
    medians = {key: median(values) for key, values in figures.items()}
    for key, value in medians.items():
        show(key, value, figures[key])
    return medians
