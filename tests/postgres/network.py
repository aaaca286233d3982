"""Faults of the network between workers and their server: connections that are cut, delays of five seconds, half
messages, silence, and commits whose answer is lost. Workers go on by themselves, and do nothing twice.
"""
import collections
import sys
import threading
import time

from chaos import Place
from server import wait

SECONDS = float(sys.argv[4]) if len(sys.argv) > 4 else 55
FAULTS = ("cut", "halve", "deaf", "delay", "silent")


class Trouble:
    """The rule of the proxy: one fault at a time, for one of the next messages of a worker or of the server."""

    def __init__(self, random):
        self.random, self.next, self.done = random, None, collections.Counter()
        self.lock = threading.Lock()

    def plan(self, fault):
        self.next = (fault, self.random.choice(("worker", "server")), self.random.randrange(12))

    def __call__(self, message):
        if not self.next or message.kind in ("first", "R", "K"):
            return None
        with self.lock:
            if not self.next:
                return None
            fault, whose, skipped = self.next
            if fault == "deaf":
                fits = message.kind == "S" and (message.name or "").startswith("weft_append")
            else:
                fits = (message.name is not None) == (whose == "worker")
            if not fits:
                return None
            if skipped and fault != "deaf":
                self.next = (fault, whose, skipped - 1)
                return None
            self.next = None
            self.done[fault] += 1
        if fault == "delay":
            wait(5)
        elif fault == "silent":
            message.connection.silent.clear()
            threading.Timer(self.random.choice((0.8, 3, 18)), message.connection.silent.set).start()
        return fault if fault in ("cut", "halve", "deaf") else None


with Place() as place:
    refunds = place.put_catalogue(react=6, reflect=3, research=4, refund=3)
    place.put_orders("first", 30, work_ms=100, asks=True)
    trouble = place.proxy.rule = Trouble(place.random)
    place.start_workers(of_weft=2, of_orders=2)
    place.add_clerk()
    end, batch = time.monotonic() + SECONDS, 0
    while time.monotonic() < end:
        if not (trouble.next and trouble.next[0] == "deaf"):  # which waits until something is stored
            trouble.plan(place.random.choice(FAULTS))
        wait(place.random.uniform(0.1, 0.8))
        if place.unfinished() < 25:
            batch += 1
            place.put_orders(f"batch{batch}", 30, work_ms=place.random.choice((0, 50, 300)), asks=batch % 2 == 0)
    trouble.next = None
    place.answer_refunds(refunds)
    place.finish(**{f"{fault}s": trouble.done[fault] for fault in FAULTS})
    assert all(trouble.done[fault] >= 3 for fault in FAULTS), trouble.done
