"""Counts the instructions of the hot paths with callgrind, and compares them with instructions.json: a figure that
differs by more than 3 % fails with one sentence. Each figure is the difference of two sizes, so that start-up does not
count. Only the instructions of weft's own process count, not those of the kernel, the disk, a client or a model server.

The counts depend on the compiler and the C library, and a little on the processor, whose fastest `memcpy` is taken. If
the versions are not those of the file, nothing is compared, and the exit code is 77.

usage: guard.py FOLDER-OF-THE-PROGRAMS [--update]      (./dev bench guard [--update])
       guard.py FOLDER-OF-THE-PROGRAMS --shares        the parts of the instructions, for ./dev bench report
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time

import figures

TOLERANCE, SKIPPED = 0.03, 77
MEMORY = "/dev/shm"  # a folder without a disk
FILE = pathlib.Path(__file__).resolve().parent / "instructions.json"
# Name: variables, program and arguments; two sizes; how many units a size of 1 has.
FIGURES = {
    "A, an event, sync steps": ("weft_bench A {} sync", (10_000, 100_000), 1),
    "A, an event, awaitable steps": ("weft_bench A {} awaitable", (10_000, 100_000), 1),
    "B, an item, sync steps": ("weft_bench B {} sync", (10, 110), 1000),
    "B, an item, awaitable steps": ("weft_bench B {} awaitable", (10, 110), 1000),
    "C, a run": ('weft_bench C {} "by post, seq"', (1_000, 5_000), 1),
    "F, a streamed turn of an agent": ("weft_bench_agents weft stream 0 1 {}", (100, 300), 3),
    "F, a delta of a streamed turn": ("WEFT_BENCH_DELTAS={} weft_bench_agents weft stream 0 1 100", (17, 51), 300),
    "F, a whole turn of an agent": ("weft_bench_agents weft plain 0 1 {}", (100, 300), 3),
    "G, a stored step": ("weft_bench G steps {}", (500, 3_000), 1),
    "H, a served request": ("weft_bench_serve weft", (200, 700), 1),
}
# Parts of a program, by names; the first that matches counts.
PARTS = {
    "SQLite": r"sqlite",
    "heap": r"malloc|free|realloc|calloc|operator new|operator delete|unlink_chunk",
    "JSON trees": r"nlohmann",
    "text copies": r"mem(cpy|move|chr|cmp|set|mem)|str(len|chr|cmp)|std::.*string",
    "Asio": r"boost::asio|pthread|epoll|recv|send|futex|nptl",
    "engine": r"weft::core|weft::Loop|weft::Context|weft::Engine|weft::journal|weft::storage|weft::Run",
    "HTTP": r"weft::net|boost::beast",
    "model protocols": r"weft::models",
    "steps": r"weft::|on_ping|on_pong|co_ping|co_pong",
}
SHARES = ["A, an event, awaitable steps", "F, a streamed turn of an agent", "G, a stored step"]


def wait_until_idle(process):
    """Waits until all threads of a process sleep, so that it takes the same way for each request."""
    idle = 0
    while idle < 3:
        states = [stat.read_text().rsplit(")", 1)[1].split()[0] for stat in
                  pathlib.Path(f"/proc/{process}/task").glob("*/stat")]
        idle = idle + 1 if set(states) == {"S"} else 0
        time.sleep(0.0002)


def ask(process, port, times):
    body = b'{"start_event":{"text":"World"}}'
    request = (b"POST /workflows/hello/run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               b"Content-Length: %d\r\n\r\n%s" % (len(body), body))  # one write, so one read
    with socket.create_connection(("127.0.0.1", port)) as connection:
        for _ in range(times):
            wait_until_idle(process)
            connection.sendall(request)
            answer = b""
            while not answer.endswith(b"}"):
                answer += connection.recv(4096)
            if b"Hello, World!" not in answer:
                sys.exit("H: a wrong answer")
        wait_until_idle(process)


def total_of(counted):
    found = re.search(r"^totals: (\d+)", counted.read_text() if counted.exists() else "", re.M)
    return found and int(found.group(1))


def instructions(folder, command, size, read=total_of):
    """Returns the instructions of all threads of one process, read from callgrind's file."""
    words = shlex.split(command.format(size))
    variables = dict(word.split("=") for word in words if "=" in word)
    program, *arguments = words[len(variables):]
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as place:
        counted = pathlib.Path(place) / "counted"
        process = subprocess.Popen(["valgrind", "--tool=callgrind", "--fair-sched=yes",
                                    f"--callgrind-out-file={counted}", os.path.join(folder, program), *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, **variables, "WEFT_BENCH_FOLDER": place})
        if program == "weft_bench_serve":
            ask(process.pid, int(process.stdout.readline()), size)
            process.send_signal(signal.SIGTERM)
        complaint = process.communicate()[1]
        found = read(counted)
        if process.returncode not in (0, -signal.SIGTERM) or not found:
            sys.exit(f"{command.format(size)} fails:\n{complaint}")
        return found


def count(folder, name):
    command, (small, large), units = FIGURES[name]
    before, after = (instructions(folder, command, size) for size in (small, large))
    return round((after - before) / ((large - small) * units))


def plain_name(function):
    """Returns a name without arguments of templates and functions, with its file and its library."""
    name, _, library = function.replace("(anonymous namespace)", "").partition(" [")
    before = None
    while before != name:
        before, name = name, re.sub(r"<[^<>]*>", "", name)
    return f"{name.split('(')[0]} [{library.rsplit('/', 1)[-1]}"


def parts_of(counted):
    """Returns the instructions of each part of a program, by the names of its functions and libraries."""
    command = ["callgrind_annotate", "--threshold=100", str(counted)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = collections.Counter()
    for number, function in re.findall(r"^ *([\d,]+) \( *[\d.]+%\)  (.*)", text, re.M):
        name = plain_name(function)
        part = next((part for part, names in PARTS.items() if re.search(names, name)), "the rest")
        if "PROGRAM TOTALS" not in function:
            found[part] += int(number.replace(",", ""))
    return found


def show_shares(folder):
    """Prints one JSON line for each part of each figure of SHARES: its part of the instructions in percent."""
    for name in SHARES:
        command, (small, large), _ = FIGURES[name]
        before, after = (instructions(folder, command, size, parts_of) for size in (small, large))
        more = {part: max(after[part] - before[part], 0) for part in (*PARTS, "the rest")}
        for part, number in more.items():
            figures.show(("weft", name, f"share: {part}", "%"), 100 * number / sum(more.values()))


def complaint(name, found, known):
    if known and abs(found / known - 1) <= TOLERANCE:
        return None
    return (f"{name}: {found} instructions, but tests/bench/instructions.json says {known}: if this is meant, run "
            f"`./dev bench guard --update`, commit the new number together with the change, and say why")


def main(folder, *options):
    if "--shares" in options:
        return show_shares(folder)
    made_by = f"{pathlib.Path(folder, 'compiler.txt').read_text().strip()}, {' '.join(platform.libc_ver())}"
    known = json.loads(FILE.read_text())
    update = "--update" in options
    if made_by != known["made by"] and not update:
        print(f"nothing is compared: the numbers of instructions.json are for {known['made by']}, this is {made_by}")
        return SKIPPED
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(FIGURES, pool.map(lambda name: count(folder, name), FIGURES)))
    for name, number in found.items():
        print(f"{number:>9}  {name}")
    if update:
        FILE.write_text(json.dumps({"made by": made_by, "instructions": found}, indent=2) + "\n")
        return 0
    complaints = [complaint(name, number, known["instructions"].get(name)) for name, number in found.items()]
    complaints = [each for each in complaints if each]
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
