"""A worker is stopped for longer than its lease, and then continues: other workers have its runs by then, and no
further work of it may take effect (`audit.py` names the effect that a lease cannot prevent).

In every other round only its connections are stopped, in both directions: then the worker sees that time passes, and
its messages reach the server after other workers have taken its runs.
"""
import os
import signal
import sys
import time

from chaos import Place
from server import until, wait

ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 10


def busy_ones(place, kind):
    place.keep_busy()
    if kind == "weft" and place.count("ended_at is null and workflow in ('react', 'reflect')") == 0:
        place.put_catalogue(react=2, reflect=1, research=0, refund=0)
    return [each for each in place.workers if each.kind == kind and place.runs_of(each)]


def stand_still(place, worker, is_stopped):
    if is_stopped:
        os.kill(worker.pid, signal.SIGSTOP)
    else:
        for each in place.proxy.of(worker.pid):
            each.silent.clear()


def go_on(place, worker, is_stopped):
    if is_stopped:
        place.continued.append((worker.pid, time.time()))
        os.kill(worker.pid, signal.SIGCONT)
    else:
        for each in place.proxy.of(worker.pid):
            each.silent.set()


def still_owned(place, runs):
    """Counts the runs without another owner since. A run may have ended by a last tick on its way to the server."""
    pairs = ",".join(f"('{run}', {epoch})" for run, epoch in runs.items())
    return place.count(f"status = 'running' and (id, epoch) in ({pairs})")


def taken_of(place, runs):
    pairs = ",".join(f"('{run}', {epoch})" for run, epoch in runs.items())
    return int(place.database.ask("select count(distinct o.run) from audit.owners o, "
                                  f"(values {pairs}) as had (run, epoch) "
                                  "where o.run = had.run and o.epoch > had.epoch")[0][0])


def stop_one(place, kind, is_stopped):
    """Stops a worker, and returns it with its runs."""
    while True:
        worker = place.random.choice(until(f"a worker of the kind {kind} has runs", lambda: busy_ones(place, kind)))
        wait(place.random.uniform(0, 0.4))
        stand_still(place, worker, is_stopped)
        runs = place.runs_of(worker)
        if runs:
            return worker, runs
        go_on(place, worker, is_stopped)


with Place(model_takes=0.3) as place:
    refunds = place.put_catalogue(react=6, reflect=2, research=2, refund=2)
    place.start_workers(of_weft=2, of_orders=2)
    place.add_clerk()
    taken, zombies = 0, 0
    while zombies < ROUNDS or taken < ROUNDS:
        place.put_orders(f"round{zombies}", 30, work_ms=place.random.choice((50, 250)), asks=zombies % 2 == 0)
        if zombies % 4 == 3:
            refunds += place.put_catalogue(react=2, reflect=1, research=0, refund=0)
        is_stopped = zombies % 2 == 0
        worker, runs = stop_one(place, "weft" if zombies % 4 == 3 else "order", is_stopped)
        until("others have its runs", lambda: still_owned(place, runs) == 0)
        wait(0.5)
        taken += taken_of(place, runs)
        go_on(place, worker, is_stopped)
        zombies += 1
        wait(0.7)
    place.answer_refunds(refunds)
    refused = len(place.proxy.refused)
    place.finish(zombies_woken=zombies, runs_taken_from_them=taken, appends_refused=refused)
