"""A cluster of three nodes with PostgreSQL and Patroni, and one etcd beside them. `dcs.yml` has its settings.

    cluster = Cluster(programs)                     # makes the nodes and the database `weft`
    leader = cluster.whole()                        # waits for a leader with two standbys, and returns it
    leader.machine.kill()
    leader.start()
    cluster.close()

Each node has a machine of its own (network.py). Clients reach the nodes by the outer network, and Patroni and the
standbys use the inner one. Passwords and TLS are left out: no other computer reaches these networks.
"""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import textwrap
import urllib.request

from network import USER, Network

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "postgres"))
from server import LIMIT, begin, until  # noqa: E402
from wire import Database, Gone, Refused  # noqa: E402

NAMES = ("a", "b", "c")
DCS = pathlib.Path(__file__).with_name("dcs.yml").read_text(encoding="utf-8")
KINDS = ("all", "replication")
HBA = [f"local {kind} all trust" for kind in KINDS]
HBA += [f"host {kind} all {net} trust" for kind in KINDS for net in ("127.0.0.1/32", "198.18.0.0/15")]
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # whatever proxy the environment names


def seconds(name):
    """Returns a time of dcs.yml."""
    return int(re.search(rf"^{name}: (\d+)$", DCS, re.M)[1])


def changed(dcs, standbys):
    """Returns settings with so many synchronous standbys."""
    if standbys == 0:
        return re.sub(r"^(synchronous_mode(?:_strict)?): true", r"\1: false", dcs, flags=re.M)
    return re.sub(r"^(synchronous_node_count): \d", rf"\1: {standbys}", dcs, flags=re.M)


class Leader(Database):
    """A client of the node that takes writes, by the outer network. `hosts`: the nodes that it tries, in order."""

    def __init__(self, hosts, name="weft", user="weft"):
        super().__init__(None, name, user)
        self.hosts, self.host, self.patience = list(hosts), None, 2

    def reach(self):
        return socket.create_connection((self.host.machine.outer, 5432), timeout=self.patience)

    def connect(self):
        refused = "no host is known"
        for self.host in self.hosts:
            try:
                super().connect()
                if self.query("show transaction_read_only") == [["off"]]:
                    return
                refused = f"{self.host.name} is a standby"
            except (OSError, Gone, Refused) as error:
                refused = f"{self.host.name}: {error}"
            self.close()
        raise Gone(f"no node takes writes; {refused}")


class Node:
    def __init__(self, machine, programs, etcd, dcs):
        self.machine, self.name, self.process, self.restarts = machine, machine.name, None, -1
        self.log, self.file = machine.folder / "log", machine.folder / "patroni.yml"
        own = {
            "scope": "weft",
            "name": self.name,
            "restapi": {"listen": f"{machine.inner}:8008", "connect_address": f"{machine.inner}:8008"},
            "etcd": {"host": etcd},  # by its API v2: docs/postgres.md tells why
            "watchdog": {"mode": "off"},
            "postgresql": {
                "listen": "0.0.0.0:5432", "connect_address": f"{machine.inner}:5432",
                "data_dir": str(machine.folder / "data"), "bin_dir": str(programs),
                "pgpass": str(machine.folder / "pgpass"), "use_unix_socket": True, "pg_hba": HBA,
                "authentication": {"superuser": {"username": "postgres"}, "replication": {"username": "replicator"},
                                   "rewind": {"username": "rewinder"}},
                "basebackup": [{"checkpoint": "fast"}],
                "parameters": {"unix_socket_directories": str(machine.folder), "dynamic_shared_memory_type": "mmap"}},
        }
        lines = [f"{key}: {json.dumps(value)}" for key, value in own.items()]
        lines += ["bootstrap:", '  initdb: [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"]', "  dcs:",
                  textwrap.indent(dcs, "    ")]
        self.file.write_text("\n".join(lines), encoding="utf-8")

    def start(self):
        place = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "HOME": str(self.machine.folder)}
        self.process = self.machine.begin(["patroni", self.file], self.log, env=place)
        self.restarts += 1

    def rewinds(self):
        """Returns how often Patroni has begun to remove changes from this node that its leader lacks."""
        return self.log.read_text(encoding="utf-8", errors="replace").count("INFO: running pg_rewind from dbname=")

    def own(self, sql):
        """Returns the rows of a statement on this node."""
        client = Leader([self], "postgres", "postgres")
        try:
            return client.ask(sql)
        finally:
            client.close()

    def sender(self):
        """Returns the process of this leader that sends its log to a synchronous standby."""
        return int(self.own("select pid from pg_stat_replication where sync_state = 'sync' limit 1")[0][0])

    def until_ahead(self, sender):
        """Waits until another standby has more of this leader's log than that process has sent."""
        sql = ("select from pg_stat_replication a, pg_stat_replication b "
               f"where b.pid = {sender} and a.flush_lsn > b.sent_lsn")
        until("another standby has more", lambda: self.own(sql))

    def kill(self):
        self.machine.kill()
        self.process.wait()


class Cluster:
    """`standbys`: the number of synchronous standbys."""

    def __init__(self, programs, standbys=1):
        self.standbys, self.etcd, self.nodes = standbys, None, []
        self.network = Network(NAMES)
        try:
            etcd = self.start_etcd()
            dcs = changed(DCS, standbys)
            self.nodes = [Node(machine, programs, etcd, dcs) for machine in self.network.machines.values()]
            self.admin = Leader(self.nodes, "postgres", "postgres")
            for node in self.nodes:
                node.start()
            self.whole()  # before it nothing can be committed
            self.admin.patience = LIMIT
            self.leader()
            self.admin.ask("create role weft login")
            self.admin.ask("create database weft owner weft encoding 'UTF8' template template0")
            self.admin.close()
            self.admin.patience = 2
            self.database = Leader(self.nodes)
        except BaseException:
            self.tell()
            self.close()
            raise

    def start_etcd(self):
        """Starts etcd at the address of the test, and returns its address for clients."""
        client, peer = (f"{self.network.inner}:{port}" for port in (2379, 2380))
        self.etcd = begin(["etcd", "--enable-v2", "--data-dir", self.network.folder / "etcd", "--name", "one",
                           "--listen-client-urls", f"http://{client}", "--advertise-client-urls", f"http://{client}",
                           "--listen-peer-urls", f"http://{peer}", "--initial-advertise-peer-urls", f"http://{peer}",
                           "--initial-cluster", f"one=http://{peer}"],
                          self.network.folder / "etcd.log", USER, cwd=self.network.folder)
        until("etcd is healthy", lambda: ask(f"http://{client}/health").get("health") == "true")
        return client

    @property
    def url(self):
        return f"postgres://weft@{','.join(node.machine.outer for node in self.nodes)}/weft"

    def leader(self):
        """Returns the node that takes writes now."""
        self.admin.close()  # its node may have become a standby
        self.admin.ask("select 1")
        return self.admin.host

    def whole_leader(self):
        """Returns the leader, or None while it has no two standbys, or Patroni would choose neither of them."""
        leader = self.leader()
        rows = self.admin.ask("select application_name, sync_state from pg_stat_replication where state = 'streaming'")
        if {name for name, _ in rows} != set(NAMES) - {leader.name}:
            return None
        if self.standbys:
            seen = ask(f"http://{leader.machine.inner}:8008/cluster")["members"]
            chosen = [each["name"] for each in seen if each["role"] == "sync_standby"]
            if len(chosen) != self.standbys or set(chosen) != {row[0] for row in rows if row[1] == "sync"}:
                return None
        return leader

    def whole(self):
        return until("the leader has two standbys", self.whole_leader, pause=0.5)

    def tell(self):
        """Prints the last lines of the nodes."""
        for log in sorted(self.network.folder.glob("*/log")) + [self.network.folder / "etcd.log"]:
            if log.exists():
                print(f"--- {log.parent.name}: {log.read_text(errors='replace')[-3000:]}", flush=True)

    def close(self):
        for client in (getattr(self, "admin", None), getattr(self, "database", None)):
            if client:
                client.close()
        if self.etcd:
            self.etcd.kill()
            self.etcd.wait()
        self.network.close()
        for node in self.nodes:
            if node.process:
                node.process.wait()


def ask(url):
    """Returns the answer of an HTTP server, which is JSON."""
    try:
        with DIRECT.open(url, timeout=2) as answer:
            return json.loads(answer.read())
    except OSError as error:
        raise Gone(str(error)) from error


def versions(programs):
    """Returns the versions of the programs of a cluster."""
    def first_line(*words):
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return {"postgres": first_line(programs / "postgres", "--version").split()[2],
            "patroni": first_line("patroni", "--version").split()[-1],
            "etcd": first_line("etcd", "--version").split()[-1]}
