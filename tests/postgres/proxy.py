"""A proxy between workers and their server that cuts connections, and halves, delays or withholds messages.

    proxy = Proxy(server.socket)
    proxy.rule = lambda message: "cut" if message.name == "weft_claim" else None    # called for each message
    connect_to(proxy.folder)

A rule gets each message before it is forwarded, and returns the proxy's action. None: forward it. "cut": close its
connection instead. "halve": forward half of it, then close. "deaf", for a message of a worker: forward it, but close
the connection instead of forwarding the answers up to the next sync. A rule may wait. The proxy knows a client's
process from its socket, and the server's process for it from the server's first messages.
"""
import os
import pathlib
import shutil
import socket
import struct
import tempfile
import threading
from collections import deque

from wire import Messages, text_at


class Message:
    """`name`: the name of the message's statement; None for a message of the server."""

    def __init__(self, connection, kind, name, data):
        self.connection, self.kind, self.name, self.data = connection, kind, name, data
        self.process = connection.process


class Connection:
    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        credentials = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.process = struct.unpack("3i", credentials)[0]
        self.name, self.is_deaf, self.silent = "first", False, threading.Event()
        self.executed = deque()  # statements without their result yet
        self.silent.set()  # set: answers are forwarded

    def run(self):
        for target in (self.forward, self.backward):
            threading.Thread(target=target, daemon=True).start()

    def close(self):
        for stream in (self.client, self.server):
            try:
                stream.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the other side has closed it

    def pump(self, source, target, messages, look):
        try:
            while data := source.recv(1 << 16):
                passed = b""
                for kind, whole in messages.take(data):
                    act = look(kind, whole)
                    if act == "cut":
                        whole = b""
                    elif act == "halve":
                        whole = whole[:len(whole) // 2]
                    if not (self.is_deaf and target is self.client):
                        passed += whole
                    if act in ("cut", "halve"):
                        break
                else:
                    act = None
                self.silent.wait()
                target.sendall(passed)
                if act:
                    break
        except OSError:
            pass
        self.close()

    def forward(self):
        def look(kind, whole):
            if kind in "PB":  # Parse has its name; Bind the portal's name and its own
                self.name = text_at(whole, 5 if kind == "P" else text_at(whole, 5)[1])[0]
            elif kind == "E":
                self.executed.append(self.name)
            elif kind == "S":
                self.executed.append("")
            act = self.proxy.judge(Message(self, kind, self.name, whole))
            if act == "deaf":
                self.is_deaf = True
            return act
        self.pump(self.client, self.server, Messages(has_first=True), look)

    def backward(self):
        def look(kind, whole):
            if kind == "K":
                self.proxy.backends.append((struct.unpack_from("!I", whole, 5)[0], self.process))
            elif kind == "Z":
                while self.executed and self.executed.popleft():
                    pass  # statements skipped after an error
                if self.is_deaf:
                    return "cut"
            elif kind == "C" and self.executed:
                name, tag = self.executed.popleft(), whole[5:-1].decode()
                if name.startswith("weft_append") and tag.endswith(" 0"):
                    self.proxy.refused.append(self.process)
            return self.proxy.judge(Message(self, kind, None, whole))
        self.pump(self.server, self.client, Messages(), look)


class Proxy:
    def __init__(self, server):
        self.server, self.rule = server, None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft_px_"))
        self.connections, self.backends, self.refused = [], [], []
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(self.folder / os.path.basename(server)))
        self.listener.listen(200)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                server.connect(self.server)
            except OSError:  # the server is away
                client.close()
                server.close()
                continue
            connection = Connection(self, client, server)
            self.connections.append(connection)
            connection.run()

    def judge(self, message):
        rule = self.rule
        return rule(message) if rule else None

    def of(self, process):
        """Returns the connections of a process, also closed ones."""
        return [each for each in self.connections if each.process == process]

    def close(self):
        self.listener.close()
        for each in self.connections:
            each.silent.set()
            each.close()
        shutil.rmtree(self.folder, ignore_errors=True)
