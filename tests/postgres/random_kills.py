"""kill -9 at random moments: of workers, of the server, and of both, while runs are being executed all the time.

The fourth argument is the number of seconds that each of these three parts takes.
"""
import sys
import time

from chaos import Place
from server import wait

SECONDS = float(sys.argv[4]) if len(sys.argv) > 4 else 14


def kill_one(place):
    worker = place.random.choice(place.workers)
    worker.kill()
    worker.start()


def restart(place):
    place.server.kill()
    wait(place.random.uniform(0, 0.5))
    place.server.start()


def keep_busy(place):
    """Puts further runs there, so that each part has runs at all stages; the next part finishes the last ones."""
    for each in place.clerks:
        assert each.poll() is None, (place.folder / "clerk.log").read_text()
    if place.unfinished() < 25:
        keep_busy.batch += 1
        place.put_orders(f"batch{keep_busy.batch}", 30, work_ms=place.random.choice((0, 50, 300)),
                         asks=keep_busy.batch % 2 == 0)


keep_busy.batch = 0
with Place() as place:
    refunds = place.put_catalogue(react=8, reflect=3, research=4, refund=3)
    place.put_orders("first", 30, work_ms=100, asks=True)
    place.start_workers(of_weft=2, of_orders=2)
    place.add_clerk()
    for what in ("workers", "server", "both"):
        end, next_restart = time.monotonic() + SECONDS, 0
        while time.monotonic() < end:
            keep_busy(place)
            if what != "server":
                kill_one(place)
            if what != "workers" and time.monotonic() >= next_restart:
                restart(place)
                next_restart = time.monotonic() + place.random.uniform(2, 5)
            wait(place.random.uniform(0.1, 1.2))
        refunds += place.put_catalogue(react=2, reflect=1, research=1, refund=1)
    place.answer_refunds(refunds)
    for each in place.workers:
        if each.found_no_server():
            each.start()
        each.until_working()
    audit = place.finish()
    assert place.server.restarts >= 5 and audit.resumed > 20, "this was no chaos"
