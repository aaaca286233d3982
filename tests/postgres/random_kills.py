"""kill -9 of workers, of the server, and of both at random moments during the execution of runs.

The fourth argument is the number of rounds of each of these three parts. A part that kills workers continues until
enough runs have changed from one worker to another.
"""
import sys

from chaos import Place
from server import wait

ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 16
TAKEN_OVER = 12  # runs that change their worker in each part with kills of workers


def kill_one(place):
    worker = place.random.choice(place.workers)
    worker.kill()
    worker.start()


def restart(place):
    place.server.kill()
    wait(place.random.uniform(0, 0.5))
    place.server.start()


with Place() as place:
    refunds = place.put_catalogue(react=8, reflect=3, research=4, refund=3)
    place.put_orders("first", 30, work_ms=100, asks=True)
    place.start_workers(of_weft=2, of_orders=2)
    place.add_clerk()
    for what in ("workers", "server", "both"):
        rounds, wanted = 0, place.taken_over() + TAKEN_OVER * (what != "server")
        while rounds < ROUNDS or place.taken_over() < wanted:
            place.keep_busy()
            if what != "server":
                kill_one(place)
            if what != "workers" and rounds % 3 == 0:
                restart(place)
            rounds += 1
            wait(place.random.uniform(0.1, 1.2))
            if rounds % 2 == 0:  # a slow worker needs more time to get runs
                place.until_busy()
        refunds += place.put_catalogue(react=2, reflect=1, research=1, refund=1)
    place.answer_refunds(refunds)
    place.start_again()
    for each in place.workers:
        each.until_working()
    place.finish()
