"""A worker with many runs is killed: how long does it take until another one executes all of them? With --full: 1 000
runs and the usual lease of 10 s, at most 20 s; else 200 runs and a lease of 1 s, at most 6 s.
"""
import sys
import time

import chaos
from audit import read_effects
from chaos import Place
from server import until

FULL = "--full" in sys.argv
RUNS, LEASE_MS, LIMIT_S, WORK_MS = (1000, 10_000, 20, 20_000) if FULL else (200, 1000, 6, 4000)
chaos.LEASE_MS = LEASE_MS


def packing(place, worker):
    """How many runs have begun their second step in this process, which begins with an effect."""
    effects = read_effects(place.effects)
    return len({each.run for each in effects if each.process == worker.pid and each.kind == "first"})


with Place() as place:
    place.put_orders("many", RUNS, work_ms=WORK_MS)
    first = place.add_worker("order", f"slots={RUNS}").until_working()
    until("all are at their second step", lambda: packing(place, first) == RUNS, limit=120)
    second = place.add_worker("order", f"slots={RUNS}").until_working()
    began = time.monotonic()
    first.kill()
    until("all are at work elsewhere", lambda: packing(place, second) == RUNS, limit=120)
    took = time.monotonic() - began
    place.finish(limit=120, all_at_work_elsewhere=f"after {took:.1f} s with a lease of {LEASE_MS // 1000} s")
    assert took <= LIMIT_S, f"it took {took:.1f} s"
