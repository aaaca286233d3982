"""Faults of the network between workers and their server: cut connections, delays of five seconds, partial messages,
silence, and commits with a lost answer. Workers continue by themselves, and repeat no work.
"""
import collections
import sys
import threading

import chaos
from chaos import Place
from server import until, wait

TIMES = int(sys.argv[4]) if len(sys.argv) > 4 else 16  # occurrences of each fault
chaos.LEASE_MS = 1000  # shorter than a delay
FAULTS = ("cut", "halve", "deaf", "delay", "silent")


class Trouble:
    """The proxy's rule: one fault at a time, for one of the next messages of a worker or of the server."""

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
    faults = [fault for fault in FAULTS for _ in range(TIMES)]
    place.random.shuffle(faults)
    for fault in faults:
        trouble.plan(fault)
        until(f"a message meets the fault {fault}", lambda: place.keep_busy() or not trouble.next)
        wait(place.random.uniform(0.1, 0.8))
    place.answer_refunds(refunds)
    place.finish(**{f"{fault}s": trouble.done[fault] for fault in FAULTS})
    assert all(trouble.done[fault] == TIMES for fault in FAULTS), trouble.done
