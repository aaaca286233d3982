"""Promises to clients, in a file that no fault of the database reaches, and the promises that were not kept.

    log = Log(file)
    log.note("started", run, "order")                           # a client has got the id of a stored run
    for sentence in broken(log.entries(), rows): ...

An *acknowledgement* is exit code 0 with the id of a run, exit code 0 of `weft answer` or `weft cancel`, or the status
200 of a server.
"""
import json
import threading
import time


class Log:
    """A file with a line for each acknowledgement."""

    def __init__(self, file):
        self.file, self.lock = file, threading.Lock()
        file.touch()

    def note(self, kind, run, workflow):
        line = json.dumps({"at": time.time(), "kind": kind, "run": run, "workflow": workflow})
        with self.lock, open(self.file, "a", encoding="utf-8") as file:
            file.write(line + "\n")

    def entries(self):
        with self.lock:
            return [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]


def broken(entries, rows):
    """Yields a sentence for each acknowledgement without its effect. `rows`: run -> (status, outcome)."""
    for entry in entries:
        status, outcome = rows.get(entry["run"], ("missing", ""))
        is_kept = {"started": status != "missing", "cancelled": status == "cancelled",
                   "answered": status == "done" and '"granted":true' in outcome}
        if not is_kept[entry["kind"]]:
            yield f"run {entry['run']} of {entry['workflow']} was {entry['kind']}, and is {status}: {outcome[:300]}"


def wanted(entries):
    """Returns the texts that the outcomes of acknowledged runs must contain. A refund ends only by its answer."""
    ends = {"order": ("SentEvent",), "react": ("42",)}
    found = {each["run"]: ends[each["workflow"]] for each in entries if each["workflow"] in ends}
    found.update({each["run"]: ('"granted":true',) for each in entries if each["kind"] == "answered"})
    return found
