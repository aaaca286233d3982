"""Makes small mistakes in the engine, one at a time, and checks that its tests find them.

Every mutant is compiled alone and linked before the library with the existing objects of the tests: so the tree stays
unchanged, and the linker ignores the library's object of that name. A surviving mutant is tried again with every block
of memory from malloc, which overwrites freed blocks, and with the leak sanitizer, because ./dev test also finds such
mistakes.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

import mutator

SURVIVORS = os.path.join("tests", "mutants", "survivors.txt")
# Headers with logic, and the sources that are compiled again with a mutated header: their code is first in the link, so
# that the whole program with its tests uses it.
HEADERS = {"engine/core/machine/reducer.hpp": ("engine/core/loop/attempts.cpp", "engine/core/loop/loop.cpp",
           "engine/core/machine/reducer.cpp"),
           "engine/core/loop/cells.hpp": ("engine/core/loop/attempts.cpp", "engine/core/loop/loop.cpp")}
PLAIN_MEMORY = os.path.join("tests", "mutants", "plain_memory.cpp")
MEMORY = 4 << 30  # bytes of address space; the leak sanitizer cannot run with this limit
RESIDENT = 2000   # MiB, the leak sanitizer's limit
FOUND = ("test", "hang", "crash", "leak")


class Build:
    """The folder of a CMake build whose target weft_engine_tests is up to date."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
            commands = json.load(file)
        self.compile = {}
        for entry in commands:
            if "/weft_engine.dir/" in entry["command"]:
                self.compile[os.path.relpath(entry["file"])] = shlex.split(entry["command"])
        said = subprocess.run(["ninja", "-C", folder, "-t", "commands", "weft_engine_tests"], text=True, check=True,
                              capture_output=True).stdout
        self.programs = []
        for line in said.splitlines():
            for part in line.split(" && "):
                if " -o " in part and re.search(r"libweft_engine\.a( |$)", part):
                    self.programs.append(shlex.split(part))
        if not self.compile or not self.programs:
            sys.exit(f"{folder} has no commands to compile and link the engine's tests with")
        self.launcher = ["ccache"] if shutil.which("ccache") else []
        command = self.compile["engine/core/data/recycler.cpp"]
        self.plain_memory = self.compiled(command, PLAIN_MEMORY, folder, "mutants")
        if not self.plain_memory:
            sys.exit(f"{PLAIN_MEMORY} does not compile")

    def sources(self):
        return sorted(self.compile) + sorted(HEADERS)

    def object_of(self, source, changed, folder):
        """Compiles one source; `changed` in `folder` has precedence over the tree's file of that name."""
        where = os.path.join(folder, source) if source == changed else source
        return self.compiled(self.compile[source], where, folder, source)

    def compiled(self, command, source, folder, name):
        made = os.path.join(folder, name + ".o")
        os.makedirs(os.path.dirname(made), exist_ok=True)
        command = list(command)
        command[command.index("-o") + 1] = made
        command[command.index("-c") + 1] = source
        command[1:1] = ["-w", "-I" + folder]
        done = subprocess.run(self.launcher + command, capture_output=True, text=True)
        return made if done.returncode == 0 else None

    def link(self, program, objects, folder, options=()):
        made = os.path.abspath(os.path.join(folder, "program"))
        command = list(program)
        command[command.index("-o") + 1] = made
        first = next(i for i, word in enumerate(command) if word.endswith(".o"))
        command[first:first] = [os.path.abspath(o) for o in objects]
        done = subprocess.run(command + list(options), cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit("a test program cannot be linked:\n" + done.stderr)
        return made


def try_program(program, folder, limit, leaks=False):
    """Runs the program in its own process. Returns None if it passes, else (kind of failure, first failing test)."""
    def bound():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (32 << 20, 32 << 20))
        if not leaks:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    said = os.path.join(folder, "said.txt")
    environment = {**os.environ, "MALLOC_PERTURB_": "165",
                   "LSAN_OPTIONS": f"exitcode=23:hard_rss_limit_mb={RESIDENT}"}
    with open(said, "wb") as out:
        process = subprocess.Popen([program, "--abort-after=1", "--no-intro"], cwd=folder, env=environment, stdout=out,
                                   stderr=out, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=bound)
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "hang", ""
    if code == 0:
        return None
    with open(said, encoding="utf-8", errors="replace") as file:
        text = file.read(1 << 20)
    title = re.search(r"^TEST CASE:\s*(.*)$", text, re.M)
    title = title.group(1) if title else ""
    if code == 23 and leaks:
        return "leak", ""
    return ("crash" if code < 0 or "test case CRASHED" in text else "test"), title


def try_mutant(build, mutant, limit):
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
    objects = [build.object_of(s, mutant.path, folder) for s in HEADERS.get(mutant.path, (mutant.path,))]
    if None in objects:
        found = "does not compile", ""
    else:
        found = try_objects(build, objects, folder, limit) or ("survived", "")
    shutil.rmtree(folder, ignore_errors=True)
    return (*found, round(time.monotonic() - began, 2))


def try_objects(build, objects, folder, limit):
    return run_all(build, objects, folder, limit) or run_all(build, [build.plain_memory, *objects], folder, limit) \
        or run_all(build, [build.plain_memory, *objects], folder, limit, leaks=True)


def run_all(build, objects, folder, limit, leaks=False):
    for program in build.programs:
        made = build.link(program, objects, folder, ["-fsanitize=leak"] if leaks else [])
        found = try_program(made, folder, limit, leaks)
        if found and found[0] == "test":  # a second failure excludes a slow machine as the cause
            found = try_program(made, folder, limit, leaks)
        if found:
            return found
    return None


def baseline(build):
    """Returns the time of the tests without a mutant; a mutant's limit is a multiple of it."""
    folder = os.path.join(build.folder, "mutants", "none")
    os.makedirs(folder, exist_ok=True)
    began = time.monotonic()
    found = run_all(build, [], folder, 600)
    seconds = time.monotonic() - began
    found = found or try_objects(build, [], folder, 600)
    if found:
        sys.exit(f"the tests fail without any mutant: {found[0]} {found[1]}")
    return seconds


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
    columns = ("file", "mutants", *FOUND, "survived", "equivalent", "found of the visible")
    rows, everything = [], collections.Counter()
    for path in sorted({r["file"] for r in results}):
        count = collections.Counter(r["outcome"] for r in results if r["file"] == path)
        everything.update(count)
        rows.append(row(path, count))
    rows.append(row("all", everything))
    width = [max(len(str(r[i])) for r in [columns, *rows]) for i in range(len(columns))]
    for r in [columns, *rows]:
        print("  ".join(str(v).ljust(w) if i == 0 else str(v).rjust(w) for i, (v, w) in enumerate(zip(r, width))))
    if everything["does not compile"]:
        print(f"{everything['does not compile']} more did not compile")


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
    all_mutants = []
    for path in build.sources():
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
    seconds = baseline(build)
    limit = max(20.0, 10 * seconds)
    print(f"{len(all_mutants)} mutants in all; the tests take {seconds:.1f} s, a mutant gets {limit:.0f} s", flush=True)
    results = try_in_order(build, order, asked.count, asked.jobs, limit, reasons)
    with open(os.path.join(build.folder, "results.json"), "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    return report(results, reasons, {m.key for m in all_mutants})


def try_in_order(build, order, count, jobs, limit, reasons):
    """Yields the first `count` mutants that compile, in order."""
    results, waiting, running, compiled = [], iter(order), {}, 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while True:
            while len(running) < jobs and compiled + len(running) < count:
                mutant = next(waiting, None)
                if mutant is None:
                    break
                running[pool.submit(try_mutant, build, mutant, limit)] = mutant
            if not running:
                return results
            for done in concurrent.futures.wait(running, return_when="FIRST_COMPLETED").done:
                mutant = running.pop(done)
                outcome, test, seconds = done.result()
                compiled += outcome != "does not compile"
                if outcome == "survived" and mutant.key in reasons:
                    outcome = "equivalent"
                results.append({"id": mutant.id, "key": mutant.key, "file": mutant.path, "line": mutant.line,
                                "new": mutant.new, "outcome": outcome, "test": test, "seconds": seconds})
                print(f"{compiled:4} {mutant.id} {outcome}: {mutant.path}:{mutant.line} {mutant.function} "
                      f"{mutant.operator}", flush=True)


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
