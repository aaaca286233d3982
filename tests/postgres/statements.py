"""kill -9 of a worker at every message that it sends to the server, from its start to the end of a run; and every third
time also of the worker that continues the run.

A point is a message with its statement, its kind and its count, so that the same point is found again. The message does
not reach the server: the messages before it may be a part of a transaction, or all of it. The fourth argument is the
number of tried points, first one for each statement and kind; WEFT_CHAOS_ALL=1 tries all.
"""
import collections
import itertools
import os
import signal
import sys
import threading

from chaos import ORDER_WORKER, Place, Worker
from server import LIMIT, until
from wire import Database

LANES = 8
POINTS = int(sys.argv[4]) if len(sys.argv) > 4 else 160
ALL = bool(os.environ.get("WEFT_CHAOS_ALL"))


class Counter:
    """The proxy's rule: counts the messages of each process, and kills the process at its point."""

    def __init__(self):
        self.lock, self.points, self.seen, self.killed = threading.Lock(), {}, {}, set()
        self.tried = 0  # points with a killed process

    def __call__(self, message):
        if message.name is None:
            return None
        with self.lock:
            seen = self.seen.setdefault(message.process, collections.Counter())
            what = (message.name, message.kind)
            seen[what] += 1
            if self.points.get(message.process) != (*what, seen[what]):
                return None
            self.killed.add(message.process)
        os.kill(message.process, signal.SIGKILL)
        return "cut"


class Lane(threading.Thread):
    """A thread that tries one point after another."""

    def __init__(self, place, counter, points, numbers):
        super().__init__()
        self.place, self.counter, self.points, self.numbers = place, counter, points, numbers
        self.kills, self.missed, self.error = 0, 0, None
        self.database = Database(place.server.socket)

    def run(self):
        try:
            while (point := self.next_point()) is not None:
                self.live(point, next(self.numbers))
        except BaseException as error:  # the main thread reports it
            self.error = error

    def next_point(self):
        with self.counter.lock:
            return next(self.points, None) if ALL or self.counter.tried < POINTS else None

    def start_worker(self, number):
        return Worker(self.place, f"q{number}", "order", [f"queues=q{number}", "slots=2"])

    def has_ended(self, number):
        return self.database.ask(f"select ended_at from weft.runs where id = 'q-{number}'")[0][0] is not None

    def live(self, point, number):
        worker, again = self.start_worker(number), None
        if number % 3 == 2:
            again = self.place.random.choice(CLEAN)
        for each in (point, again, None):
            worker.start()
            self.counter.points[worker.pid] = each
            try:
                until(f"run q-{number} continues after {point} and {again}",
                      lambda: not worker.is_alive() or self.has_ended(number))
            finally:
                if worker.is_alive():
                    worker.process.kill()
                worker.process.wait(LIMIT)
            was_killed = worker.pid in self.counter.killed
            assert was_killed or self.has_ended(number) or worker.complain()
            self.kills += was_killed
            if each is point:
                with self.counter.lock:
                    self.counter.tried += was_killed
                self.missed += not was_killed
            if self.has_ended(number):
                break


def of_one_run(place, counter):
    """Returns all points in order: the messages of a worker without kills."""
    seen = []

    def note(message):
        if message.name is not None:
            counter(message)
            with counter.lock:
                seen.append((message.name, message.kind, counter.seen[message.process][message.name, message.kind]))

    place.proxy.rule = note
    worker = Worker(place, "clean", "order", ["queues=p0", "slots=2"]).start()
    place.workers.append(worker)
    until("a run ends that nobody disturbs", lambda: place.count("id = 'p-0' and ended_at is not null") == 1)
    place.proxy.rule = None
    worker.end()
    return list(dict.fromkeys(seen))


def put(place, name, count):
    """Stores each run in its own queue."""
    ids = place.call(ORDER_WORKER, "put", f"url={place.own_url}", f"name={name}", f"count={count}", "work_ms=20",
                     "asks=1", f"queues={name}").split()
    place.wanted.update({run: ("SentEvent",) for run in ids})


with Place() as place:
    put(place, "p", 1)
    place.add_clerk()
    counter = Counter()
    CLEAN = of_one_run(place, counter)
    firsts = list({point[:2]: point for point in reversed(CLEAN)}.values())
    # A run's number of looks for mail and claims depends on its time: another run may not reach the last one.
    rest = [point for point in CLEAN if point not in firsts and (ALL or point[2] <= 8)]
    place.random.shuffle(rest)
    count = len(firsts + rest) if ALL else min(len(firsts + rest), 2 * POINTS)  # some points are not reached
    put(place, "q", count)
    points, numbers = iter((firsts + rest)[:count]), itertools.count()
    place.proxy.rule = counter
    lanes = [Lane(place, counter, points, numbers) for _ in range(LANES)]
    for each in lanes:
        each.start()
    for each in lanes:
        each.join()
    for each in lanes:
        if each.error:
            raise each.error
    unused = [f"q-{number}" for number in range(next(numbers), count)]
    for run in unused:
        place.wanted.pop(run)
    place.database.ask("delete from weft.runs where id = any('{" + ",".join(unused) + "}')")
    tried, missed = counter.tried, sum(each.missed for each in lanes)
    place.finish(workers_killed=sum(each.kills for each in lanes), points_tried=f"{tried} of {len(CLEAN)}",
                 not_reached=missed, statements=len({name for name, _, _ in CLEAN}))
    assert tried >= min(POINTS, count // 2), f"only {tried} points were tried"
