"""The messages between PostgreSQL and its clients, and a client of them.

    database = Database("/dev/shm/weft_pg_1/.s.PGSQL.5432")
    for run, status in database.ask("select id, status from weft.runs"): ...

A message is a letter, a length and a body; only a client's first message has no letter. See "Frontend/Backend
Protocol" in PostgreSQL's manual.
"""
import os
import socket
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from limit import LIMIT  # noqa: E402


class Gone(Exception):
    """The connection is lost, or the server cannot be reached."""


class Refused(Exception):
    """The server's error about a statement."""


class Messages:
    """Reads whole messages from bytes in pieces."""

    def __init__(self, has_first=False):
        self.rest, self.has_first = b"", has_first

    def take(self, data):
        """Yields (kind, message) for each whole message. A client's first message has the kind "first"."""
        self.rest += data
        at, found = 0, []
        while True:
            head = 4 if self.has_first else 5
            if len(self.rest) - at < head:
                break
            size = struct.unpack_from("!I", self.rest, at + head - 4)[0] + head - 4
            if len(self.rest) - at < size:
                break
            kind = "first" if self.has_first else chr(self.rest[at])
            self.has_first = False
            found.append((kind, self.rest[at:at + size]))
            at += size
        self.rest = self.rest[at:]
        return found


def text_at(message, at):
    """Returns the text that begins there, and the begin of the next one."""
    end = message.index(b"\0", at)
    return message[at:end].decode(), end + 1


class Database:
    """A client that connects at its first statement, and again after the server was away."""

    def __init__(self, path, name="postgres", user="weft"):
        self.path, self.name, self.user, self.stream = path, name, user, None

    def close(self):
        if self.stream:
            self.stream.close()
        self.stream = None

    def reach(self):
        """Returns a socket to the server."""
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stream.settimeout(LIMIT)
        stream.connect(self.path)
        return stream

    def connect(self):
        self.stream = self.reach()
        words = f"user\0{self.user}\0database\0{self.name}\0\0".encode()
        self.stream.sendall(struct.pack("!II", len(words) + 8, 196608) + words)
        self.messages = Messages()
        self.read()

    def read(self):
        rows, error = [], None
        while True:
            data = self.stream.recv(1 << 16)
            if not data:
                raise Gone("the server has closed the connection")
            for kind, message in self.messages.take(data):
                if kind == "D":
                    rows.append(self.row(message))
                elif kind == "E":
                    error = message[5:].decode(errors="replace").replace("\0", " ")
                elif kind == "Z":
                    if error:
                        raise Refused(error)
                    return rows

    @staticmethod
    def row(message):
        (count,), at, values = struct.unpack_from("!H", message, 5), 7, []
        for _ in range(count):
            (size,) = struct.unpack_from("!i", message, at)
            at += 4
            values.append(None if size < 0 else message[at:at + size].decode())
            at += max(size, 0)
        return values

    def query(self, sql):
        text = sql.encode() + b"\0"
        self.stream.sendall(b"Q" + struct.pack("!I", len(text) + 4) + text)
        return self.read()

    def ask(self, sql):
        """Returns the rows of the last statement, as texts. Raises Gone without a server."""
        try:
            if not self.stream:
                self.connect()
            return self.query(sql)
        except OSError as error:
            self.close()
            raise Gone(str(error)) from error
        except (Gone, Refused):
            self.close()
            raise
