"""Runs a test program with a mutant, within limits that do not depend on the machine's speed.

A program hangs if one test takes much more processor time than the slowest one without a mutant, or if neither it nor
its children want a processor for a minute.
Its files and its servers are in a folder of its own, which nothing survives: see tests/support/postgres_server.hpp.
"""
import glob
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

MEMORY = 4 << 30  # bytes of address space; the leak sanitizer cannot run with this limit
RESIDENT = 2000   # MiB, the leak sanitizer's limit
CPU = 10.0        # seconds of processor time for one test, beside three times that of the slowest one
IDLE = 60.0       # seconds without any work
END = 20.0        # seconds for a server to end itself
LINE_BUFFER = next(iter(glob.glob("/usr/lib*/coreutils/libstdbuf.so")), "")  # a program's file names each ended test


def try_program(program, filters=(), leaks=False, slowest=0.0, times=None):
    """Returns None if the program passes, else (kind of failure, first failing test). `slowest` is the processor time
    of the slowest test; `times` gets those of this trial."""
    folder = tempfile.mkdtemp(prefix="weft_m_", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    os.chmod(folder, 0o755)  # a server of the tests may belong to another user
    try:
        return run(program, filters, leaks, folder, CPU + 3 * slowest, [] if times is None else times)
    finally:
        end_all_in(folder)
        shutil.rmtree(folder, ignore_errors=True)


def run(program, filters, leaks, folder, cpu, times):
    def bound():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (256 << 20, resource.RLIM_INFINITY))  # tests set it, too
        if not leaks:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    said = os.path.join(folder, "said.txt")
    environment = {**os.environ, "MALLOC_PERTURB_": "165", "TMPDIR": folder, "WEFT_TEST_MEMORY": folder,
                   "LSAN_OPTIONS": f"exitcode=23:hard_rss_limit_mb={RESIDENT}"}
    if LINE_BUFFER and not leaks:
        environment |= {"LD_PRELOAD": LINE_BUFFER, "_STDBUF_O": "L"}
    with open(said, "wb") as out:
        process = subprocess.Popen([program, "--abort-after=1", "--no-intro", "--duration=true", *filters], cwd=folder,
                                   env=environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                                   start_new_session=True, preexec_fn=bound)
    watch = Watch(process.pid, said, cpu if LINE_BUFFER and not leaks else 100 * cpu, times)
    while True:
        try:
            code = process.wait(0.5)
            break
        except subprocess.TimeoutExpired:
            if watch.hangs():
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                code = None
                break
    if code == 0:
        return None
    with open(said, encoding="utf-8", errors="replace") as file:
        text = file.read(4 << 20)
    title = (re.findall(r"^TEST CASE:\s*(.*)$", text, re.M) or [""])[-1]
    if code is None:
        return "hang", title and "after: " + title
    if code == 23 and leaks:
        return "leak", ""
    return ("crash" if code < 0 or "test case CRASHED" in text else "test"), title


class Watch:
    """Looks at a program and its children about once a second."""

    def __init__(self, pid, said, cpu, times):
        self.pid, self.said, self.cpu, self.times = pid, said, cpu, times
        self.size, self.cpu_then, self.busy_then, self.used_then = -1, 0.0, time.monotonic(), 0.0

    def hangs(self):
        used, runs = usage(self.pid)
        size = os.path.getsize(self.said)
        now = time.monotonic()
        if runs or size != self.size or used > self.used_then + 0.3:
            self.busy_then, self.used_then = now, used
        self.times.append(used - self.cpu_then)
        if size != self.size:  # one more test has ended
            self.size, self.cpu_then = size, used
        return used > self.cpu_then + self.cpu or now > self.busy_then + IDLE


def usage(pid):
    """Returns the processor seconds of a program, and whether it or a child wants a processor."""
    parents, runs, used = {}, set(), 0
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(") ")[2].split()
        except OSError:
            continue
        other = int(path.split("/")[2])
        parents[other] = int(fields[1])
        if fields[0] in "RD":
            runs.add(other)
        if other == pid:
            used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    for path in glob.glob(f"/proc/{pid}/task/*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                if file.read().rpartition(") ")[2][:1] in "RD":
                    return used, True
        except OSError:
            pass
    return used, any(descends(other, pid, parents) for other in runs)


def descends(other, pid, parents):
    while other > 1 and other != pid:
        other = parents.get(other, 0)
    return other == pid


def end_all_in(folder):
    """Waits for the end of the processes in a folder: a server ends itself after the program. Then kills the rest."""
    deadline = time.monotonic() + END
    while found := processes_in(folder):
        if time.monotonic() > deadline:
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        time.sleep(0.1)


def processes_in(folder):
    found = []
    for path in glob.glob("/proc/[0-9]*/cwd"):
        try:
            place = os.readlink(path)
        except OSError:
            continue
        if place == folder or place.startswith(folder + "/"):
            found.append(int(path.split("/")[2]))
    return found
