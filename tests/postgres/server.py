"""A test's private PostgreSQL server, and processes that end with the test, also after a kill.

The server has its own folder and no TCP. It refuses to run as root: then it runs as `postgres` or `nobody`. A kill
waits for the server's end, because a new server cannot use its folder before. No test needs the cost of a sync, so the
folder is in memory if possible; the server does sync.
"""
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from limit import LIMIT  # noqa: E402
from wire import Database, Gone, Refused  # noqa: E402

PROGRAMS = pathlib.Path(sys.argv[3])


def until(what, ask, pause=0.05):
    """Waits until `ask` returns a true value, and returns it. A server that is away counts as a false value."""
    end = time.monotonic() + LIMIT
    while True:
        try:
            seen = ask()
            if seen:
                return seen
        except (Gone, Refused) as error:  # the server is starting, or was killed
            seen = error
        if time.monotonic() > end:
            raise AssertionError(f"within {LIMIT} s it did not come that {what}: {seen!r}")
        wait(pause)


def wait(seconds):
    threading.Event().wait(seconds)


def begin(words, out, user=None, signal="KILL", **more):
    """A process that gets this signal when its starting thread ends: so start it on a thread that stays."""
    change = ["--pdeathsig", signal]
    if user:
        change += [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    with open(out, "ab") as file:
        return subprocess.Popen(["setpriv", *change, *map(str, words)], stdin=subprocess.DEVNULL, stdout=file,
                                stderr=file, **more)


class Server:
    def __init__(self, on_disk=False):
        self.user, self.on_disk = None, on_disk
        if os.geteuid() == 0:
            names = {each.pw_name for each in pwd.getpwall()}
            self.user = next(name for name in ("postgres", "nobody") if name in names)
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) and not on_disk else None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft_pg_", dir=memory))
        self.log, self.process, self.restarts = self.folder / "log", None, 0
        if self.user:
            os.chown(self.folder, pwd.getpwnam(self.user).pw_uid, pwd.getpwnam(self.user).pw_gid)
        made = self.launch("initdb", "-D", self.folder / "data", "-U", "weft", "--auth=trust", "--no-sync", "-E",
                           "UTF8", "--locale=C", *([] if on_disk else ["--wal-segsize=1"]))
        assert made.wait(LIMIT) == 0, self.log.read_text()
        self.socket = str(self.folder / ".s.PGSQL.5432")
        self.database = Database(self.socket)
        self.start()

    def launch(self, program, *words):
        return begin([PROGRAMS / program, *words], self.log, self.user, "QUIT", cwd=self.folder, env={"LC_ALL": "C"})

    def start(self):
        self.run()
        until("the server answers", self.answers, pause=0.01)

    def answers(self):
        if self.process.poll() is not None:  # exits while a child of the killed server lives
            self.run()
        return self.database.ask("select 1")

    def run(self):
        self.process = self.launch(
            "postgres", "-D", self.folder / "data", "-c", "listen_addresses=", "-c",
            f"unix_socket_directories={self.folder}", "-c", "track_commit_timestamp=on", "-c", "max_connections=200",
            "-c", "dynamic_shared_memory_type=mmap",
            *([] if self.on_disk else ["-c", "max_wal_size=64MB", "-c", "min_wal_size=2MB"]))

    def call(self, program, *words, text=""):
        """What a program of PostgreSQL prints. It finds this server, and is its superuser."""
        path = shutil.which(program, path=os.pathsep.join((str(PROGRAMS), os.environ["PATH"])))
        words = [path, "-h", self.folder, "-U", "weft", *words]
        told = subprocess.run(words, input=text, capture_output=True, text=True)
        assert told.returncode == 0, told.stderr
        return told.stdout

    def kill(self):
        self.process.kill()
        self.process.wait(LIMIT)
        self.restarts += 1

    def close(self):
        self.database.close()
        if self.process and self.process.poll() is None:
            self.process.send_signal(2)  # SIGINT: it also closes its clients' connections
            try:
                self.process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(LIMIT)
        shutil.rmtree(self.folder, ignore_errors=True)
