"""A worker is stopped for longer than its lease, and then continued: others have its runs by then, and nothing that it
does may take effect.

In every other round only its connections are stopped, in both directions: then it can see that time passes, and what it
has sent reaches the server after others have taken its runs over.
"""
import os
import signal
import sys
import time

from chaos import Place
from server import until, wait

ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 10


def runs_of(place, worker):
    """What it has now: run -> epoch."""
    rows = place.database.ask("select r.id, r.epoch from weft.runs r join audit.workers w on w.owner = r.owner "
                              f"where r.status = 'running' and w.info like '%:{worker.pid}\"%'")
    return {run: int(epoch) for run, epoch in rows}


def busy_ones(place, kind):
    return [each for each in place.workers if each.kind == kind and runs_of(place, each)]


def epochs(place, runs):
    names = ",".join(f"'{run}'" for run in runs)
    rows = place.database.ask(f"select id, epoch from weft.runs where id in ({names})") if runs else []
    return {run: int(epoch) for run, epoch in rows}


def stand_still(place, worker, is_stopped):
    if is_stopped:
        os.kill(worker.pid, signal.SIGSTOP)
    else:
        for each in place.proxy.of(worker.pid):
            each.silent.clear()


def go_on(place, worker, is_stopped):
    if is_stopped:
        os.kill(worker.pid, signal.SIGCONT)
    else:
        for each in place.proxy.of(worker.pid):
            each.silent.set()


def has_lost(place, runs):
    now = epochs(place, runs)
    return all(now[run] > epoch for run, epoch in runs.items())


with Place(model_takes=0.3) as place:
    refunds = place.put_catalogue(react=6, reflect=2, research=2, refund=2)
    place.start_workers(of_weft=2, of_orders=2)
    place.add_clerk()
    taken, zombies = 0, 0
    for number in range(ROUNDS):
        place.put_orders(f"round{number}", 30, work_ms=place.random.choice((50, 250)), asks=number % 2 == 0)
        if number % 4 == 3:
            refunds += place.put_catalogue(react=2, reflect=1, research=0, refund=0)
        kind = "weft" if number % 4 == 3 else "order"
        busy = until(f"a worker of the kind {kind} has runs", lambda: busy_ones(place, kind), limit=20)
        worker = place.random.choice(busy)
        wait(place.random.uniform(0, 0.4))
        stand_still(place, worker, number % 2 == 0)
        began = time.monotonic()
        runs = runs_of(place, worker)
        until("others have its runs", lambda: has_lost(place, runs), limit=20)
        wait(max(0, 1.5 + began - time.monotonic()))
        go_on(place, worker, number % 2 == 0)
        zombies, taken = zombies + 1, taken + len(runs)
        wait(0.7)
    place.answer_refunds(refunds)
    refused = len(place.proxy.refused)
    place.finish(zombies_woken=zombies, runs_taken_from_them=taken, appends_refused=refused)
    assert taken >= ROUNDS, "there was nothing to take"
