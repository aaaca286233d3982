"""Makes small mistakes in the engine, one at a time, and checks that its tests find them.

A mutant is compiled alone and linked before its library with the existing objects of the tests: so the tree stays
unchanged. Blocks of memory come from malloc, which overwrites freed ones, and a surviving mutant is tried again with
the leak sanitizer, because ./dev test also finds such mistakes.

Tests run in the order in which they are likely to fail: those that found a mutant of the same file, those with a word
of the file's path in their name, the others of its library, and then those of libraries that use it.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import signal
import sys
import threading
import time

import mutator
from build import Build
from trial import try_program

SURVIVORS = os.path.join("tests", "mutants", "survivors.txt")
FOUND = ("test", "hang", "crash", "leak")
UNTRIED = ("does not compile", "does not link")


class Memory:
    """The tests that have found mutants, in this run and in former ones: they come first for the same file."""

    def __init__(self, folder):
        self.path, self.lock = os.path.join(folder, "found_by.json"), threading.Lock()
        try:
            with open(self.path, encoding="utf-8") as file:
                self.found = json.load(file)
        except OSError:
            self.found = {}

    def titles(self, file, program):
        with self.lock:
            found = self.found.get(file, {}).get(program, {})
            return sorted(found, key=lambda title: -found[title])[:8]

    def add(self, file, program, title):
        with self.lock:
            found = self.found.setdefault(file, {}).setdefault(program, {})
            found[title] = found.get(title, 0) + 1
            with open(self.path + ".new", "w", encoding="utf-8") as out:
                json.dump(self.found, out, indent=1)
            os.replace(self.path + ".new", self.path)


def try_mutant(build, library, mutant, memory):
    """Returns (outcome, the test that found the mutant, seconds)."""
    began = time.monotonic()
    # The folder's name depends on the mutant alone, so that ccache knows the mutants of an earlier run.
    folder = os.path.join(build.folder, "mutants", mutant.id)
    shutil.rmtree(folder, ignore_errors=True)
    changed = os.path.join(folder, mutant.path)
    os.makedirs(os.path.dirname(changed))
    with open(mutant.path, encoding="utf-8") as file:
        text = file.read()
    with open(changed, "w", encoding="utf-8") as file:
        file.write(mutant.apply(text))
    made = build.object_of(library, mutant.path, folder)
    found = try_object(build, library, mutant, made, folder, memory) if made else ("does not compile", "")
    shutil.rmtree(folder, ignore_errors=True)
    return (*found, round(time.monotonic() - began, 2))


def try_object(build, library, mutant, made, folder, memory):
    own = [p for p in library.programs if len(p.libraries) == len(library.programs[0].libraries)]
    trials = [(program, [build.plain_memory, made], False) for program in library.programs]
    if "recycler" in mutant.path:  # plain memory replaces it
        trials = [(program, [made], False) for program in own]
    trials += [(program, [build.plain_memory, made], True) for program in own]
    for program, objects, leaks in trials:
        linked = build.link(program, objects, folder, ["-fsanitize=leak"] if leaks else [])
        if not linked:
            return "does not link", ""
        found = try_stages(program, linked, mutant.path, memory, leaks)
        os.remove(linked)
        if found:
            if found[0] == "test":
                memory.add(mutant.path, program.name, found[1])
            return found
    return "survived", ""


def try_stages(program, linked, file, memory, leaks):
    """Returns None, or (outcome, title) of the first stage with a failure."""
    stages = []
    if titles := memory.titles(file, program.name):
        stages.append([only(titles)])
    if near := program.near(file):
        stages += [["--source-file=" + ",".join("*" + test for test in near)],
                   ["--source-file-exclude=" + ",".join("*" + test for test in near)]]
    else:
        stages.append([])
    for filters in stages:
        found = try_program(linked, filters, leaks, program.slowest)
        if found and found[0] == "test":  # a second failure excludes a slow machine as the cause
            found = try_program(linked, [only([found[1]])], leaks, program.slowest) or \
                try_program(linked, filters, leaks, program.slowest)
        if found:
            return found
    return None


def only(titles):
    """Returns doctest's filter for tests with these titles: it takes a comma for the end of a title."""
    return "--test-case=" + ",".join(title.replace(",", "?") for title in titles)


def check_programs(build, libraries):
    """Ends this command if a test fails without any mutant. Tests that have passed are not tried again."""
    folder = os.path.join(build.folder, "mutants", "none")
    os.makedirs(folder, exist_ok=True)
    for program in {p.name: p for library in libraries for p in library.programs}.values():
        passed = os.path.join(build.folder, "mutants", program.name + ".passed")
        if os.path.exists(passed) and os.path.getmtime(passed) > os.path.getmtime(
                os.path.join(build.folder, program.path)):
            with open(passed, encoding="utf-8") as file:
                program.slowest = float(file.read())
            continue
        for leaks in (True, False):
            linked = build.link(program, [build.plain_memory], folder, ["-fsanitize=leak"] if leaks else [])
            began, times = time.monotonic(), [0.0]
            found = try_program(linked, (), leaks, 600, times)
            os.remove(linked)
            if found:
                sys.exit(f"{program.name} fails without any mutant: {found[0]} {found[1]}")
            print(f"{program.name} takes {time.monotonic() - began:.0f} s{' to look for leaks' if leaks else ''}",
                  flush=True)
        program.slowest = max(times)
        with open(passed, "w", encoding="utf-8") as file:
            file.write(f"{program.slowest:.1f}")


def listed():
    """Returns a dictionary of key -> the reason why no visible behaviour changes."""
    reasons = {}
    with open(SURVIVORS, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                key, mark, reason = line.rstrip("\n").partition(" ## ")
                if not mark or not reason.strip():
                    sys.exit(f"{SURVIVORS}:{number}: a key, ' ## ' and a reason are expected")
                reasons[key.strip()] = reason.strip()
    return reasons


def table(results):
    columns = ("folder", "mutants", *FOUND, "survived", "equivalent", "found of the visible")
    rows, everything = [], collections.Counter()
    for path in sorted({os.path.dirname(r["file"]) for r in results}):
        count = collections.Counter(r["outcome"] for r in results if os.path.dirname(r["file"]) == path)
        everything.update(count)
        rows.append(row(path, count))
    rows.append(row("all", everything))
    width = [max(len(str(r[i])) for r in [columns, *rows]) for i in range(len(columns))]
    for r in [columns, *rows]:
        print("  ".join(str(v).ljust(w) if i == 0 else str(v).rjust(w) for i, (v, w) in enumerate(zip(r, width))))
    for how in UNTRIED:
        if everything[how]:
            print(f"{everything[how]} more: the mutant {how}")


def row(path, count):
    found = sum(count[how] for how in FOUND)
    visible = found + count["survived"]
    share = f"{100 * found / visible:.1f} %" if visible else "-"
    return (path, visible + count["equivalent"], *(count[how] for how in FOUND), count["survived"],
            count["equivalent"], share)


def main():
    options = argparse.ArgumentParser(prog="./dev mutants", description=__doc__.split("\n")[0])
    options.add_argument("build", help=argparse.SUPPRESS)
    options.add_argument("--count", type=int, default=220, help="how many mutants that compile (%(default)s)")
    options.add_argument("--seed", default="1", help="which ones (%(default)s)")
    options.add_argument("--file", help="only those of the files whose path contains this")
    options.add_argument("--id", action="append", help="only this one, as --list and the report call it")
    options.add_argument("--list", action="store_true", help="show them instead of trying them")
    options.add_argument("--jobs", type=int, default=int(os.environ.get("WEFT_JOBS") or os.cpu_count() or 1))
    asked = options.parse_args()

    build = Build(asked.build)
    library_of, all_mutants = build.files(), []
    for path in library_of:
        with open(path, encoding="utf-8") as file:
            all_mutants += mutator.mutants(path, file.read())
    order = mutator.in_order(all_mutants, asked.seed)
    if asked.file:
        order = [m for m in order if asked.file in m.path]
    if asked.id:
        order = [m for m in order if m.id in asked.id]
    if asked.list:
        for m in order[:asked.count]:
            print(f"{m.id}  {m.path}:{m.line}  {m.key.split(' ', 1)[1]}  =>  {m.new or '(removed)'}")
        return 0

    reasons = listed()
    print(f"{len(all_mutants)} mutants in all", flush=True)
    check_programs(build, {library_of[m.path].name: library_of[m.path] for m in order[:asked.count]}.values())
    results = try_in_order(build, library_of, order, asked, reasons)
    return report(results, reasons, {m.key for m in all_mutants})


def try_in_order(build, library_of, order, asked, reasons):
    """Tries the first mutants that compile, in order. SIGTERM ends it early: the report has those that are done."""
    results, waiting, running, tried, ended = [], iter(order), {}, 0, []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    memory = Memory(build.folder)
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        while True:
            while len(running) < asked.jobs and tried + len(running) < asked.count and not ended:
                mutant = next(waiting, None)
                if mutant is None:
                    break
                running[pool.submit(try_mutant, build, library_of[mutant.path], mutant, memory)] = mutant
            if not running:
                return results
            for done in concurrent.futures.wait(running, return_when="FIRST_COMPLETED").done:
                mutant = running.pop(done)
                outcome, test, seconds = done.result()
                tried += outcome not in UNTRIED
                if outcome == "survived" and mutant.key in reasons:
                    outcome = "equivalent"
                results.append({"id": mutant.id, "key": mutant.key, "file": mutant.path, "line": mutant.line,
                                "new": mutant.new, "outcome": outcome, "test": test, "seconds": seconds})
                print(f"{tried:4} {mutant.id} {outcome}: {mutant.path}:{mutant.line} {mutant.function} "
                      f"{mutant.operator}", flush=True)
                with open(os.path.join(build.folder, "results.json"), "w", encoding="utf-8") as file:
                    json.dump(results, file, indent=1)


def report(results, reasons, keys):
    print()
    table(results)
    for r in results:
        if r["outcome"] in FOUND and r["key"] in reasons:
            print(f"\nlisted in {SURVIVORS}, but found by {r['test'] or r['outcome']}:\n    {r['key']}")
    for key in reasons:
        if key not in keys:
            print(f"\nlisted in {SURVIVORS}, but there is no such mutant any more:\n    {key}")
    survivors = [r for r in results if r["outcome"] == "survived"]
    for r in survivors:
        print(f"\nsurvived: {r['id']} {r['file']}:{r['line']} => {r['new'] or '(removed)'}\n    {r['key']}")
    if survivors:
        print(f"\nA survivor needs a test, or, if nothing visible changes, a line in {SURVIVORS}.")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
