"""A worker with many runs is killed: another one takes all of them in a few claims when the lease is over. --full uses
1 000 runs and the usual lease of 10 s, else 200 runs and a lease of 3 s. The test prints the time of the takeover.
"""
import sys
import time

import chaos
from audit import read_effects
from chaos import Place
from server import until

FULL = "--full" in sys.argv
RUNS, LEASE_MS = (1000, 10_000) if FULL else (200, 3000)
chaos.LEASE_MS = LEASE_MS
MOST = 50 + LEASE_MS // 50  # an idle worker claims four times a second: five times the expected number


def packing(place, worker):
    """Returns the number of runs that have begun their second step, which begins with an effect, in this process."""
    effects = read_effects(place.effects)
    return len({each.run for each in effects if each.process == worker.pid and each.kind == "first"})


with Place() as place:
    gate = place.folder / "gate"  # the second step ends when the file exists
    place.put_orders("many", RUNS)
    first = place.add_worker("order", f"slots={RUNS}", f"gate={gate}").until_working()
    until("all are at their second step", lambda: packing(place, first) == RUNS)
    second = place.add_worker("order", f"slots={RUNS}", f"gate={gate}").until_working()
    claims = []

    def count(message):
        if message.process == second.pid and message.kind == "E" and message.name == "weft_claim":
            claims.append(message)

    place.proxy.rule = count
    began = time.monotonic()
    first.kill()
    until("all are another one's", lambda: len(place.runs_of(second)) == RUNS)
    made = len(claims)
    until("all are at work elsewhere", lambda: packing(place, second) == RUNS)
    took = time.monotonic() - began
    gate.touch()
    place.finish(claims=made, all_at_work_elsewhere=f"after {took:.1f} s with a lease of {LEASE_MS // 1000} s")
    assert claims and made <= MOST, f"it took {made} claims"
