"""Failovers of a PostgreSQL cluster under load. In each round the leader is killed, suspended, cut off, or split from
the other nodes only; then the test waits until the leader has two standbys again.

    failover.py WEFT ORDER_WORKER POSTGRES_PROGRAMS [--rounds 6] [--seed N] [--faults kill stop cut split lag]
        [--standbys 1] [--asynchronous] [--postgres FOLDER]

It prints a line of JSON for each round, and one for all. It fails if an acknowledged start, answer or cancel is missing
at the end, or if the audit (tests/postgres/audit.py) finds work that was lost, done twice or done by a former owner.

Each round measures the time from the fault to the *first progress*: a tick of an engine that a new client can read on
the new leader, so that its standby has it. The bound is the lease and `ttl` together, because
  - the leader's key in etcd ends at most `ttl` after the fault; then the synchronous standby takes its place. A silent
    connection counts as lost after 15 s, within that time;
  - a run whose worker lost its lease during the failover becomes ready at most a lease later.
An election, a round of attempts at all hosts (10 s) and a pause between rounds (2 s) run at the same time as the lease.
The bound is only counted: a slow machine may need longer, and so does the other standby (`rewound`) if it has more of
the former leader's log than the new leader. Then Patroni rewinds it, and nothing is committed before it follows.

--standbys is the number of synchronous standbys. --asynchronous turns synchronous replication off, and counts what is
lost, without failing. --postgres takes the place of POSTGRES_PROGRAMS. The fault `lag`, a split with such a standby,
happens only if --faults names it.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import signal
import statistics
import sys
import threading
import time

from faults import FAULTS, USUAL, made, plan
from network import obstacle


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("weft")
    parser.add_argument("order_worker")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--postgres", dest="programs", type=pathlib.Path, default=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--faults", nargs="+", choices=FAULTS, default=USUAL)
    parser.add_argument("--standbys", type=int, choices=(1, 2), default=1)
    parser.add_argument("--asynchronous", dest="standbys", action="store_const", const=0)
    given = parser.parse_args()
    if given.standbys == 0 and "lag" in given.faults:
        parser.error("the fault lag needs a synchronous standby")
    return given


GIVEN = arguments()
if WHY_NOT := obstacle(GIVEN.programs):
    sys.exit(f"failover: {WHY_NOT}")
os.environ["WEFT_CHAOS_SEED"] = str(GIVEN.seed)
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "postgres"))
import chaos  # noqa: E402
from cluster import Cluster, seconds, versions  # noqa: E402
from load import Load  # noqa: E402
from promises import broken, wanted  # noqa: E402
from server import LIMIT, until, wait  # noqa: E402

TTL, LEASE = seconds("ttl"), 10  # the lease of `weft serve` cannot be changed
BOUND = TTL + LEASE
chaos.LEASE_MS = LEASE * 1000
NEW_TICKS = "select count(*) from (select 1 from weft.ticks where at > to_timestamp({}) and seq > 0 limit 1) t"


class Place(chaos.Place):
    """Workers on the cluster, without the proxy that other tests have before their server."""

    def __init__(self):
        self.cluster = self.load = None
        self.pulse = Pulse()
        super().__init__()

    def open_database(self):
        self.cluster = Cluster(GIVEN.programs, GIVEN.standbys)
        self.database = self.cluster.database
        self.url = self.own_url = self.cluster.url

    def begin(self):
        self.database.ask("create index on weft.ticks (at)")  # for NEW_TICKS
        self.load = Load(self)
        self.load.start()
        self.pulse.start()

    def close(self):
        self.pulse.ends.set()
        try:
            if self.load:
                self.load.stop()
            super().close()
        finally:
            if self.cluster:
                self.cluster.close()

    def count_acknowledged(self):
        """Returns the number of runs that a client knows to be stored, and of those that the database lacks."""
        runs = {each["run"] for each in self.load.log.entries()}
        missing = runs - {row[0] for row in self.database.ask("select id from weft.runs")}
        assert GIVEN.standbys == 0 or not missing, f"the database lacks acknowledged runs: {sorted(missing)[:20]}"
        return len(runs), len(missing)

    def ended(self, runs):
        """Whether none of these runs is unfinished."""
        return not runs & {row[0] for row in self.database.ask("select id from weft.runs where ended_at is null")}


class Pulse(threading.Thread):
    """Measures how long the computer let this process wait beyond its time: then weft and Patroni were late, too."""

    def __init__(self):
        super().__init__(daemon=True)
        self.longest, self.ends = 0, threading.Event()

    def run(self):
        begun = time.monotonic()
        while not self.ends.wait(0.05):
            now = time.monotonic()
            self.longest, begun = max(self.longest, now - begun - 0.05), now

    def take(self):
        """Returns the longest delay since the last call, in seconds."""
        longest, self.longest = self.longest, 0
        return longest


def fail_over(place, number, fault):
    """Lets the fault happen. Returns the figures of the round."""
    cluster, database, leaders = place.cluster, place.cluster.database, []
    rewinds = {node: node.rewinds() for node in cluster.nodes if node is not fault.node}
    database.close()
    place.pulse.take()
    database.hosts = fault.hosts(cluster.nodes)
    fault.begin()

    def has_progress():
        fault.end_if_over()
        found = database.ask(NEW_TICKS.format(fault.done))
        leaders.append((time.time(), database.host.name))
        return int(found[0][0]) > 0
    until("an engine stores a tick after the fault", has_progress, pause=0.1)
    progress, delay, load = time.time(), place.pulse.take(), os.getloadavg()[0]
    rewound = [node.name for node, count in rewinds.items() if node.rewinds() > count]
    until("the fault has ended", fault.end_if_over, pause=0.1)
    database.hosts = cluster.nodes
    leader = cluster.whole()
    whole = time.time()
    place.load.check()
    runs, missing = place.count_acknowledged()
    told = [each["at"] for each in place.load.log.entries() if each["at"] > fault.done]
    figures = {"round": number, "fault": fault.name, "leader": fault.node.name, "next_leader": leader.name,
               "lasts_s": fault.lasts, "new_leader_s": leaders[0][0] - fault.begun,
               "first_progress_s": progress - fault.begun,
               "first_acknowledgement_s": min(told) - fault.begun if told else None, "whole_s": whole - fault.begun,
               "rewound": rewound, "computer_late_s": delay, "computer_load": load, "acknowledged_runs": runs,
               "missing_runs": missing}
    figures = {name: round(value, 1) if isinstance(value, float) else value for name, value in figures.items()}
    print(json.dumps(figures), flush=True)
    return figures


def judged(place):
    """Waits until all acknowledged runs have ended. Returns the audit, the acknowledgements and all broken promises."""
    place.load.end()
    place.cluster.whole()
    place.database.close()
    place.database.patience = LIMIT  # for long statements
    entries = place.load.log.entries()
    place.wanted = wanted(entries)
    runs = set(place.wanted) | {each["run"] for each in entries if each["kind"] != "started"}
    began = time.monotonic()
    try:
        until("all acknowledged runs have ended",
              lambda: place.ended(runs) or GIVEN.standbys == 0 and time.monotonic() > began + 60, pause=0.5)
    except AssertionError:
        place.tell_unfinished()
    for each in place.workers:
        each.end()
    place.load.service.end()
    audit = place.audit()
    rows = {run: (status, outcome) for run, status, outcome in
            place.database.ask("select id, status, coalesce(outcome, '') from weft.runs")}
    return audit, entries, {"lost": audit.lost, "broken_promises": list(broken(entries, rows)),
                            "doubled": audit.doubled, "stale": audit.stale}


def summary(rounds, audit, entries, found):
    times = [each["first_progress_s"] for each in rounds]
    longest = {name: max((each["first_progress_s"] for each in rounds if each["fault"] == name), default=None)
               for name in FAULTS}
    keys = collections.Counter((each.run, each.key) for each in audit.effects)
    return {"rounds": len(rounds), "seed": GIVEN.seed, "ttl_s": TTL, "lease_s": LEASE,
            "synchronous_standbys": GIVEN.standbys, "bound_s": BOUND,
            "within_bound": sum(each <= BOUND for each in times),
            "rewound": sum(len(each["rewound"]) for each in rounds),
            "computer_late_s": max(each["computer_late_s"] for each in rounds),
            "computer_load": max(each["computer_load"] for each in rounds),
            "median_s": statistics.median(times), "longest_s": longest,
            "faults": dict(collections.Counter(each["fault"] for each in rounds)),
            "acknowledged": dict(collections.Counter(each["kind"] for each in entries)),
            "runs_ended": audit.ended, "runs_taken_over": audit.resumed, "ticks": audit.ticks,
            "effects": len(audit.effects), "effects_begun_again": sum(count - 1 for count in keys.values()),
            **{name: len(sentences) for name, sentences in found.items()}, **versions(GIVEN.programs)}


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    chosen, rounds = random.Random(GIVEN.seed), []
    with Place() as place:
        try:
            place.begin()
            for number, kind in enumerate(plan(chosen, GIVEN.rounds, [FAULTS[name] for name in GIVEN.faults]), 1):
                wait(chosen.uniform(1, 4))
                rounds.append(fail_over(place, number, made(kind, place.cluster.whole(), chosen, TTL)))
            audit, entries, found = judged(place)
        except Exception:
            place.cluster.tell()
            raise
        print(json.dumps(summary(rounds, audit, entries, found)), flush=True)
    for name, sentences in found.items():
        for sentence in sentences[:20]:
            print(f"{name}: {sentence}", flush=True)
    if GIVEN.standbys > 0 and any(found.values()):
        sys.exit("failover: the cluster has lost or repeated work, as the lines above tell")


if __name__ == "__main__":
    main()
