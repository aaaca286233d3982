"""Plants mistakes in the code that the simulation executes, one at a time, and counts the histories that find each.

    python3 tests/simulation/planted.py [--seeds N] [--enough N] [--more N] [--jobs N] [--only N] [--table] [--page]
    python3 tests/simulation/planted.py --check

One program contains all faults of planted_faults.py, and the environment variable WEFT_PLANTED chooses one of them. The
program is built from a copy of the sources in build/planted, so that the tree stays unchanged. After some failing
histories of a fault, the rest is not played. A fault that the first histories miss gets more of them. Exit code 1: the
histories miss more than 3 %.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

import planted_faults
import planted_page
import simulate

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = ROOT / "build" / "planted" / "tree"
HEADER = TREE / "weft_planted.hpp"
PRESET = "simulate"
BINARY = TREE / "build" / PRESET / "tests" / "simulation" / "weft_simulation"
SWITCH = """// Whether the environment chooses this fault.
#pragma once
#include <cstdlib>
inline bool weft_planted(int number) {
    static const char* const text = std::getenv("WEFT_PLANTED");
    static const int chosen = text ? std::atoi(text) : 0;
    return number == chosen;
}
"""
LIMIT = 30          # seconds of processor time for a part, whose histories take a fraction of a second each
PART = 5            # histories
HANG = f"the program died with -{int(signal.SIGXCPU)}"
MOST_HANGS = 3      # further histories of a fault that hangs are not played
MEMORY = 4 << 30    # bytes of address space
WITHOUT_FAULT = 20  # histories
MOST_MISSED = 0.03  # of the faults
ENOUGH_OF_MORE = 3  # failing histories of a fault that the first histories miss


def read(file):
    path = ROOT / file
    return path.read_text() if path.is_file() else ""


def check_problems():
    """The check refuses bad examples."""
    fault = lambda name, old, new: planted_faults.PlantedFault(1, name, "file", old, new)
    good = fault("a", "x > 1", "PLANTED || x > 1")
    examples = [([fault("a", "y", "PLANTED")], "0 times"), ([fault("a", "x", "PLANTED")], "2 times"),
                ([good, fault("a", "x < 3", "PLANTED")], "called"), ([fault("a", "x > 1", "x > 2")], "no PLANTED"),
                ([good, fault("b", "> 1 &&", "PLANTED &&")], "the same text"), ([good], None)]
    for faults, expected in examples:
        said = "\n".join(planted_faults.problems(faults, lambda file: "x > 1 && x < 3"))
        if said if expected is None else expected not in said:
            sys.exit(f"planted: the check of {faults} says {said!r}")
    measured, other = (planted_faults.PlantedFault(0, name, "a.cpp", "x", "y", "file") for name in ("a", "b"))
    of = {"failed": 1, "played": 20, "first": 17}
    pages = {planted_page.PAGE: planted_page.page([(measured, of), (other, None)]),
             planted_page.SUMMARY: "\n".join(planted_page.summary([(measured, of), (other, None)]))}
    if planted_page.figures(pages[planted_page.PAGE]) != {"a": of}:
        sys.exit("planted: the figures of a page are not those that it was written with")
    for faults, count in ([measured, other], 0), ([measured], 2), ([measured, other, other._replace(name="c")], 2):
        if len(list(planted_page.problems(faults, pages.get))) != count:
            sys.exit(f"planted: the check of a page for {len(faults)} faults does not find {count} mistakes")


def check(faults):
    check_problems()
    found = list(planted_faults.problems(faults, read))
    if found:
        sys.exit("\n".join(f"planted: {sentence}" for sentence in found))


def write_if_changed(path, content):
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def copy_sources(faults):
    """Makes TREE equal to the sources, with all faults. Equal files keep their times, so that little is built again."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True)
    if listed.returncode != 0:
        sys.exit(f"planted: git cannot list the sources: {listed.stderr.strip()}")
    names = {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}
    for folder, folders, files in os.walk(TREE):
        if pathlib.Path(folder) == TREE:
            folders[:] = [name for name in folders if name != "build"]
        for path in (pathlib.Path(folder) / name for name in files):
            if str(path.relative_to(TREE)) not in names:
                path.unlink()
    for name in names:
        of_file = [fault for fault in faults if fault.file == name]
        content = (ROOT / name).read_bytes()
        if of_file:
            content = planted_faults.planted(content.decode(), of_file).encode()
        write_if_changed(TREE / name, content)
        shutil.copymode(ROOT / name, TREE / name)
    write_if_changed(HEADER, SWITCH.encode())


def run(command):
    environment = {**os.environ, "CCACHE_BASEDIR": str(TREE), "CCACHE_NOHASHDIR": "1"}
    if subprocess.run(command, cwd=TREE, env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode != 0:
        sys.exit(f"planted: the program with the faults does not build: {' '.join(command)}")


def build(jobs):
    presets = json.loads((TREE / "CMakePresets.json").read_text())["configurePresets"]
    flags = next(each for each in presets if each["name"] == PRESET)["cacheVariables"]["CMAKE_CXX_FLAGS"]
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    run(["cmake", "--preset", PRESET, f"-DCMAKE_CXX_FLAGS={flags} -include {HEADER}", *launcher])
    run(["cmake", "--build", str(TREE / "build" / PRESET), "-j", str(jobs), "--target", BINARY.name])


def begin_worker():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def play(number, first, count):
    """Returns the first sentence about each history, by seed; empty: it keeps all promises."""
    os.environ["WEFT_PLANTED"] = str(number)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + LIMIT, resource.RLIM_INFINITY))
    try:
        results = simulate.play(BINARY, first, count)
    except SystemExit as stopped:  # the program died after a history
        return {first: str(stopped)}
    return {seed: next(iter(result["faults"]), "") for seed, result in results.items()}


def play_all(pool, number, seeds, enough, begin=1):
    parts = [pool.submit(play, number, first, min(PART, seeds + 1 - first)) for first in range(begin, seeds + 1, PART)]
    results = {}
    for part in parts:
        results.update(part.result())
        hangs = sum(sentence.startswith(HANG) for sentence in results.values())
        if hangs >= MOST_HANGS or sum(map(bool, results.values())) >= enough:
            break
    for part in parts:
        part.cancel()
    return results


def summary(results):
    failed = sorted(seed for seed, sentence in results.items() if sentence)
    return {"failed": len(failed), "played": len(results), "first": failed[0] if failed else None,
            "sentence": " ".join(results[failed[0]].split()) if failed else ""}


def measure(pool, number, asked):
    results = play_all(pool, number, asked.seeds, asked.enough)
    if not any(results.values()) and asked.more > asked.seeds:
        results.update(play_all(pool, number, asked.more, ENOUGH_OF_MORE, asked.seeds + 1))
    return summary(results)


def main():
    options = argparse.ArgumentParser(prog="./dev simulate planted", description=__doc__.split("\n")[0])
    options.add_argument("--seeds", type=int, default=200, help="histories of each fault (%(default)s)")
    options.add_argument("--enough", type=int, default=10, help="failing histories of each fault (%(default)s)")
    options.add_argument("--jobs", type=int, default=2, help="histories, or compilers, at once (%(default)s)")
    options.add_argument("--only", type=int, action="append", metavar="N", help="only the fault with this number")
    options.add_argument("--more", type=int, default=0, metavar="N",
                         help=f"histories of a fault that the first ones miss, until {ENOUGH_OF_MORE} fail")
    options.add_argument("--table", action="store_true", help="print the results as Markdown, too")
    options.add_argument("--page", action="store_true", help=f"write the results into {planted_page.PAGE}, too")
    options.add_argument("--check", action="store_true", help="only look whether each fault has its place in the code")
    asked = options.parse_args()
    faults = planted_faults.listed()
    if min(asked.seeds, asked.enough, asked.jobs) < 1 or not set(asked.only or []) <= {each.number for each in faults}:
        options.error(f"--seeds, --enough and --jobs are at least 1, and --only is 1 to {len(faults)}")
    check(faults)
    if asked.check:
        found = list(planted_page.problems(faults, read))
        if found:
            sys.exit("\n".join(f"planted: {sentence}" for sentence in found))
        return
    copy_sources(faults)
    build(asked.jobs)
    chosen = [fault for fault in faults if not asked.only or fault.number in asked.only]
    with concurrent.futures.ProcessPoolExecutor(asked.jobs, initializer=begin_worker) as pool:
        without = summary(play_all(pool, 0, WITHOUT_FAULT, 1))
        if without["failed"]:
            sys.exit(f"planted: without a fault, seed {without['first']} fails: {without['sentence']}")
        found = []
        for fault in chosen:
            of = measure(pool, fault.number, asked)
            found.append((fault, of))
            first = f", first {of['first']}: {of['sentence'][:160]}" if of["failed"] else ""
            print(f"{fault.number:3} {fault.name} ({fault.file}): {of['failed']} of {of['played']}{first}", flush=True)
    if asked.table:
        print("\n" + "\n".join([*planted_page.summary(found), "", *planted_page.rows(found)]))
    if asked.page:
        measured = {fault.name: of for fault, of in found}
        planted_page.write(ROOT, [(fault, measured.get(fault.name)) for fault in faults])
    missed = [fault for fault, of in found if not of["failed"]]
    print(f"found {len(found) - len(missed)} of {len(found)}")
    if len(missed) > (0 if asked.only else len(found) * MOST_MISSED):
        sys.exit("planted: the histories miss: " + "; ".join(f"{fault.number} {fault.name}" for fault in missed))


if __name__ == "__main__":
    main()
