"""Machines of a test on one computer. Each machine is a network namespace with two cables: the inner network connects
the machines with each other and with the test, the outer network connects them with their clients.

    network = Network(("a", "b", "c"))
    network.machines["a"].begin(["patroni", file], log)     # a process on the machine a, of the user postgres
    network.machines["a"].plug("inner", False)              # pulls the cable: all packets are lost, silently
    network.close()

A second process, the keeper, waits for the end of the test in any manner, also by kill -9. Then it kills all processes
on the machines, and removes the machines, the networks and the folder. It is this file as a program.
"""
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

USER = "postgres"
CABLES = {"inner": "198.18", "outer": "198.19"}  # two networks for tests of network devices: RFC 2544
PROGRAMS = (("ip", "iproute2"), ("nsenter", "util-linux"), ("unshare", "util-linux"), ("setpriv", "util-linux"),
            ("etcd", "etcd-server"), ("patroni", "patroni"))
TRIAL = "ip link add trial type bridge && ip link add one type veth peer name two"


def obstacle(postgres):
    """Returns a sentence about the first thing that this computer lacks, or None."""
    if os.geteuid() != 0:
        return "the test makes network namespaces, so it needs root: call it by sudo"
    for program, package in PROGRAMS:
        if not shutil.which(program):
            return f"the program {program} is missing: sudo apt-get install {package}"
    if not os.access(postgres / "pg_rewind", os.X_OK):
        return f"there is no server of PostgreSQL in {postgres}: sudo apt-get install postgresql-15"
    if USER not in {each.pw_name for each in pwd.getpwall()}:
        return f"the user {USER} is missing: sudo apt-get install postgresql-15"
    tried = subprocess.run(["unshare", "--net", "--ipc", "sh", "-c", TRIAL], capture_output=True, text=True,
                           check=False)
    if tried.returncode != 0:
        return f"this computer permits no network namespaces with bridges and cables: {tried.stderr.strip()}"
    return None


def ip(*words, must=True):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if must and done.returncode != 0:
        raise RuntimeError(f"ip {' '.join(words)}: {done.stderr.strip()}")


def space_of(number, name):
    return f"weft{number}_{name}"


def bridge_of(number, cable):
    return f"weft{number}{cable}"


def processes_in(space):
    """Returns the processes of a network namespace."""
    try:
        wanted = os.stat(f"/run/netns/{space}")
    except FileNotFoundError:
        return []
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            seen = os.stat(f"/proc/{entry}/ns/net")
        except OSError:  # the process has ended
            continue
        if (seen.st_dev, seen.st_ino) == (wanted.st_dev, wanted.st_ino):
            found.append(int(entry))
    return found


def send_to(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass  # the process has ended


def kill_all_in(space):
    while found := processes_in(space):  # again, because a process may have begun another one
        for process in found:
            send_to(process, signal.SIGKILL)
        time.sleep(0.01)


def state_of(process):
    """Returns the letter of the process's state, such as T for a stopped one, or None after its end."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return None


class Machine:
    def __init__(self, number, name, position, folder):
        self.name, self.number, self.space, self.folder = name, number, space_of(number, name), folder / name
        self.inner, self.outer = (f"{net}.{number}.{11 + position}" for net in CABLES.values())
        os.mkdir(self.folder)
        shutil.chown(self.folder, USER, USER)
        ip("netns", "add", self.space)
        ip("-n", self.space, "link", "set", "lo", "up")
        for cable, address in zip(CABLES, (self.inner, self.outer)):
            ip("link", "add", self.plug_of(cable), "type", "veth", "peer", "name", cable, "netns", self.space)
            ip("link", "set", self.plug_of(cable), "master", bridge_of(number, cable), "up")
            ip("-n", self.space, "addr", "add", f"{address}/24", "dev", cable)
            ip("-n", self.space, "link", "set", cable, "up")

    def plug_of(self, cable):
        return bridge_of(self.number, cable) + self.name

    def plug(self, cable, is_in):
        """The machine sees a cable without a signal, like one whose other end was pulled from a switch."""
        ip("link", "set", self.plug_of(cable), "up" if is_in else "down")

    def begin(self, words, log, **more):
        """A process that dies with the test's thread. The namespace of shared memory ends with the process, too."""
        place = ["nsenter", f"--net=/run/netns/{self.space}", "unshare", "--ipc", "setpriv", "--pdeathsig", "KILL",
                 f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        with open(log, "ab") as file:
            return subprocess.Popen([*place, *map(str, words)], stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                    cwd=self.folder, **more)

    def kill(self):
        kill_all_in(self.space)

    def stop(self):
        """Suspends all processes, as a virtual machine is suspended."""
        while moving := [each for each in processes_in(self.space) if state_of(each) not in ("T", None)]:
            for process in moving:
                send_to(process, signal.SIGSTOP)
            time.sleep(0.01)

    def go_on(self):
        for process in processes_in(self.space):
            send_to(process, signal.SIGCONT)


class Network:
    def __init__(self, names):
        self.number = next(number for number in range(256) if not any(
            os.path.exists(f"/sys/class/net/{bridge_of(number, cable)}") for cable in CABLES))
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft_failover_", dir=memory))
        shutil.chown(self.folder, USER, USER)
        self.keeper = subprocess.Popen([sys.executable, "-B", os.path.abspath(__file__), str(self.number),
                                        str(self.folder), *names], stdin=subprocess.PIPE, start_new_session=True)
        try:
            for cable, net in CABLES.items():
                ip("link", "add", bridge_of(self.number, cable), "type", "bridge")
                ip("addr", "add", f"{net}.{self.number}.1/24", "dev", bridge_of(self.number, cable))
                ip("link", "set", bridge_of(self.number, cable), "up")
            self.inner = f"{CABLES['inner']}.{self.number}.1"  # the address of the test
            self.machines = {name: Machine(self.number, name, position, self.folder)
                             for position, name in enumerate(names)}
        except BaseException:
            self.close()
            raise

    def close(self):
        self.keeper.stdin.close()
        self.keeper.wait()


def keep(number, folder, *names):
    sys.stdin.buffer.read()  # until the test has ended
    for name in names:
        kill_all_in(space_of(number, name))
        for cable in CABLES:  # the system ends a namespace, and the cables in it, some time after its removal
            ip("link", "del", bridge_of(number, cable) + name, must=False)
        ip("netns", "del", space_of(number, name), must=False)
    for cable in CABLES:
        ip("link", "del", bridge_of(number, cable), must=False)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    keep(*sys.argv[1:])
