"""The faults of a leader. Each fault begins, and ends after `lasts` seconds; then the node returns.

    fault = Stop(leader, lasts=30)
    fault.begin()
    while not fault.end_if_over(): ...

`hosts(nodes)`: the nodes that may take writes while the fault lasts, for a test that looks for the new leader. A former
leader that still answers must not deceive it.
"""
import signal
import time

from network import send_to


class Fault:
    name = ""

    def __init__(self, node, lasts):
        self.node, self.lasts = node, lasts
        self.begun = self.done = self.ended = None  # `done`: the time at which the whole node has the fault

    def begin(self):
        self.begun = time.time()
        self.strike()
        self.done = time.time()

    def end_if_over(self):
        """Ends the fault at its time. Returns whether it has ended."""
        if self.ended is None and time.time() >= self.begun + self.lasts:
            self.mend()
            self.ended = time.time()
        return self.ended is not None

    def hosts(self, nodes):
        return [node for node in nodes if node is not self.node]


class Kill(Fault):
    """kill -9 of PostgreSQL and Patroni, and their restart. An early restart finds the leader's key still valid."""
    name = "kill"

    def strike(self):
        self.node.kill()

    def mend(self):
        self.node.start()

    def hosts(self, nodes):
        return super().hosts(nodes) + [self.node]


class Stop(Fault):
    """The machine is suspended. It continues with all of its connections, while another node is the leader."""
    name = "stop"

    def strike(self):
        self.node.machine.stop()

    def mend(self):
        self.node.machine.go_on()


class Cut(Fault):
    """The machine has no network: neither its clients, nor the other nodes, nor etcd reach it."""
    name = "cut"
    cables = ("inner", "outer")

    def strike(self):
        for cable in self.cables:
            self.node.machine.plug(cable, False)

    def mend(self):
        for cable in self.cables:
            self.node.machine.plug(cable, True)


class Split(Cut):
    """Its clients reach the machine, but the other nodes and etcd do not: for some seconds it is a second primary."""
    name = "split"
    cables = ("inner",)


class Lag(Split):
    """A split at a moment at which the other standby has more of the leader's log than the next leader."""
    name = "lag"

    def strike(self):
        sender = self.node.sender()
        send_to(sender, signal.SIGSTOP)
        self.node.until_ahead(sender)
        super().strike()
        send_to(sender, signal.SIGCONT)


FAULTS = {kind.name: kind for kind in (Kill, Stop, Cut, Split, Lag)}
USUAL = [name for name in FAULTS if name != Lag.name]


def plan(random, rounds, faults=tuple(FAULTS.values())):
    """Returns the class of each round's fault: in each group of rounds, each fault once in a random order."""
    kinds = []
    while len(kinds) < rounds:
        group = list(faults)
        random.shuffle(group)
        kinds += group
    return kinds[:rounds]


def made(kind, node, random, ttl):
    """Returns a fault that lasts longer than the leader's key; a killed node may also return at once."""
    lasts = ttl + random.uniform(3, 15)
    return kind(node, random.choice((1, lasts)) if kind is Kill else lasts)
