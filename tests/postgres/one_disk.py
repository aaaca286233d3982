"""Runs a second of a store of one database and of four, all on the disk of this machine, by the same workers. The runs,
of one step each, wait in the store before the workers begin. One JSON line per figure.

usage: one_disk.py WEFT RUNS POSTGRES_PROGRAMS      (./dev bench databases; WEFT_BENCH_ROUNDS rounds, otherwise 5)
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path[1:1] = [str(pathlib.Path(__file__).parents[1] / "bench")]
import figures  # noqa: E402
from server import LIMIT, Server, begin, until  # noqa: E402

WEFT, RUNS = sys.argv[1], int(sys.argv[2])
ROUNDS, WORKERS, SLOTS = int(os.environ.get("WEFT_BENCH_ROUNDS", 5)), 4, 100
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of(process):
    """Seconds of a server's processes; the first one counts those that have ended."""
    total = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(words[1]) == process.pid:
            total += sum(map(int, words[11:13]))
        elif stat.parent.name == str(process.pid):
            total += sum(map(int, words[11:15]))
    return total / TICKS


class Store:
    def __init__(self, size):
        self.servers = [Server(on_disk=True) for _ in range(size)]
        self.name = " ".join(f"postgres://weft@/postgres?host={server.folder}" for server in self.servers)

    def ask(self, statement):
        return [row for server in self.servers for row in server.database.ask(statement)]

    def used(self):
        """Syncs and bytes of the log, and seconds of processors, so far."""
        wal = self.ask("select wal_sync::text, wal_bytes::text from pg_stat_wal")
        return [sum(int(row[i]) for row in wal) for i in range(2)] + [sum(cpu_of(s.process) for s in self.servers)]

    def round(self, batch, log):
        """Returns the rates of starts and of ends, and what a run uses from its claim on: syncs, bytes, milliseconds of
        the servers and of the workers."""
        self.ask("truncate weft.runs cascade")
        self.ask("checkpoint")
        began = time.monotonic()
        subprocess.run([WEFT, "run", "hello", "--detach", "--batch", batch, "--store", self.name], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT)
        starts = RUNS / (time.monotonic() - began)
        before, own = self.used(), os.times().children_user + os.times().children_system
        workers = [begin([WEFT, "worker", "--store", self.name, "--slots", SLOTS], log) for _ in range(WORKERS)]
        until("all runs are done", lambda: not any(
            int(row[0]) for row in self.ask("select count(*)::text from weft.runs where ended_at is null")), 0.5)
        time.sleep(1)  # until the servers have written their statistics
        after = self.used()
        for worker in workers:
            worker.send_signal(signal.SIGTERM)
        for worker in workers:
            worker.wait(LIMIT)
        own = os.times().children_user + os.times().children_system - own
        ends = sorted(float(row[0]) for row in self.ask(
            "select (extract(epoch from ended_at))::text from weft.runs where status = 'done'"))
        assert len(ends) == RUNS, len(ends)
        first, last = RUNS // 10, RUNS * 9 // 10  # without the begin and the end
        syncs, size, seconds = ((a - b) / RUNS for a, b in zip(after, before))
        return starts, (last - first) / (ends[last] - ends[first]), syncs, size, seconds * 1e3, own / RUNS * 1e3

    def close(self):
        for server in self.servers:
            server.close()


def main():
    stores = {}
    with tempfile.TemporaryDirectory() as folder:
        batch, log = pathlib.Path(folder, "batch"), pathlib.Path(folder, "log")
        batch.write_text('{"input": {"text": "Ada"}}\n' * RUNS)
        try:
            for size in (1, 4):
                stores[size] = Store(size)
                subprocess.run([WEFT, "runs", "--store", stores[size].name], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                stores[size].round(batch, log)  # warms caches
            found = {size: [] for size in stores}
            for _ in range(ROUNDS):
                for size, store in stores.items():
                    found[size].append(store.round(batch, log))
                    print(f"{size} databases: {found[size][-1][1]:.0f} runs/s", file=sys.stderr, flush=True)
        finally:
            for store in stores.values():
                store.close()
    names = (("starts", "1/s"), ("ends", "1/s"), ("syncs of a run", "1"), ("bytes of log of a run", "B"),
             ("processors of the servers for a run", "ms"), ("processors of the workers for a run", "ms"))
    for size in found:
        for (name, unit), values in zip(names, zip(*found[size])):
            figures.show_values(("weft", "J", f"databases on one disk: {size}: {name}", unit), values)
    for i, (name, _) in enumerate(names[:2]):
        figures.show_values(("ratio", "J", f"{name}: four databases on one disk / one", "x"),
                            [four[i] / one[i] for one, four in zip(found[1], found[4])])


if __name__ == "__main__":
    main()
