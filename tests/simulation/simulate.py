"""Plays many histories, and shortens those that fail.

    python3 tests/simulation/simulate.py BINARY [--first N] [--seeds N] [--jobs N]

A history that breaks a promise, or ends the program by an assertion, is played again without one of its outside events
after the other, as long as it still fails. The seeds of tests/simulation/seeds.txt, which failed once, come first.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import time

KNOWN = pathlib.Path(__file__).with_name("seeds.txt")
LIMIT = 900  # seconds for one call of the program; a history takes a fraction of a second


def play(binary, first, count, skips=(), tells=False):
    """Returns the results by seed. A program that dies gives its last words as the fault of the seed."""
    results, left = {}, count
    while left > 0:
        command = [binary, str(first), str(left)]
        command += ["--tell"] if tells else []
        command += ["--skip", ",".join(map(str, sorted(skips)))] if skips else []
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
            lines, words = done.stdout.splitlines(), done.stderr.strip()
            code = done.returncode
        except subprocess.TimeoutExpired as late:
            lines, words, code = (late.stdout or b"").decode().splitlines(), f"no end within {LIMIT} s", 1
        seed = first
        for line in lines:
            result = json.loads(line)
            if "seed" in result:
                seed = result["seed"]
            else:
                results[seed] = result
        if code == 0:
            break
        if seed in results or code == 2:
            sys.exit(f"simulate: {binary} failed with {code}: {words}")
        results[seed] = {"faults": [f"the program died with {code}: {words[:2000]}"], "outside": 200}
        left -= seed + 1 - first
        first = seed + 1
    return results


def shorten(binary, seed, outside):
    """Returns the outside events without which the history still fails, and its last result."""
    fails = lambda skips: play(binary, seed, 1, skips, True)[seed]
    skips, size = set(), max(1, outside // 2)
    result = fails(skips)
    while True:
        rest = [n for n in range(1, outside + 1) if n not in skips]
        for i in range(0, len(rest), size):
            tried = skips | set(rest[i:i + size])
            shorter = fails(tried)
            if shorter["faults"]:
                skips, result = tried, shorter
        if size == 1:
            return skips, result
        size //= 2


def report(binary, seed, result):
    skips, shorter = shorten(binary, seed, result["outside"])
    print(f"seed {seed} fails:")
    for fault in result["faults"]:
        print(f"  {fault}")
    print(f"shortened, with --skip {','.join(map(str, sorted(skips)))}:")
    for line in shorter.get("journal", []) + shorter["faults"]:
        print(f"  {line}")


def known_seeds():
    lines = KNOWN.read_text().splitlines() if KNOWN.exists() else []
    return [int(line.split()[0]) for line in lines if line and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if given.seeds < 1 or given.jobs < 1:
        parser.error("--seeds and --jobs are at least 1")
    begun = time.monotonic()
    parts = [(seed, 1) for seed in known_seeds()]
    size = 50
    end = given.first + given.seeds
    parts += [(first, min(size, end - first)) for first in range(given.first, end, size)]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for part in pool.map(lambda p: play(given.binary, *p), parts):
            results.update(part)
    failed = sorted(seed for seed, result in results.items() if result["faults"])
    for seed in failed[:5]:
        report(given.binary, seed, results[seed])
    again = play(given.binary, given.first, min(5, given.seeds))
    for seed, result in again.items():
        if result != results[seed]:
            failed.append(seed)
            print(f"seed {seed} gives another history the second time")
    total = lambda member: sum(result.get(member, 0) for result in results.values())
    members = ("events", "runs", "steps", "effects", "crashes", "pauses", "cuts", "leaves", "takeovers", "compared",
               "firings", "limited", "told")
    states = {state for result in results.values() for state in result.get("states", [])}
    print(json.dumps({"histories": len(results), "failed": len(failed), "distinct":
                      len({result.get("trace") for result in results.values()}),
                      "states": len(states), **{member: total(member) for member in members},
                      "seconds": round(time.monotonic() - begun, 1)}))
    if failed:
        sys.exit(f"simulate: {len(failed)} seeds fail: {failed[:50]}")


if __name__ == "__main__":
    main()
