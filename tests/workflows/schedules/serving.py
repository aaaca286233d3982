"""`weft serve` with a store executes schedules, detached and delayed runs, without a worker beside it."""
import datetime
import json
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import driver
from driver import Case, weft
from durable import REFUND, end, kill, rows, store
from workers import HELLO, ask, detach, queue, serve, status, until

EVERY_SECOND = {"workflow": "hello", "timetable": {"every": 1}, "input": {"text": "World"}, "overlap": "allow"}
PLAIN = ("--workflows", "hello,refund")  # without a model, whose choice would be told
GREET = {"start_event": {"text": "World"}}


def in_seconds(count):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=count)).isoformat()


class Serving(Case):
    def stop(self, server):
        server.send_signal(signal.SIGTERM)
        ended = end(server)
        self.assertEqual((ended.code, ended.err), (0, ""), ended)  # it has refused no run

    def test_a_schedule_added_over_http_fires_in_a_lone_server_and_goes_on_after_a_kill(self):
        name = store()
        server, url = serve(name, *PLAIN)
        waiting = {"handler_id": "schedule:often", "start_event": json.loads(REFUND[3])}  # also the schedule's run id
        ask(url + "/workflows/refund/run-nowait", waiting)
        self.assertEqual(ask(url + "/schedules/often", EVERY_SECOND)["state"], "active")
        until(True, lambda: ask(url + "/schedules/often")["started"] >= 2)
        until("done", lambda: ask(url + "/schedules/often")["firings"][0]["status"])
        kill(server)
        before = len(rows(name))

        server, url = serve(name, *PLAIN)
        until(True, lambda: len(rows(name)) >= before + 2)
        ask(url + "/schedules/often/remove", {})
        until(True, lambda: weft("schedule", "list", "--json", "--store", name).events == [])
        starts = [row for row in rows(name) if row["workflow"] == "hello"]
        until({"done"}, lambda: {row["status"] for row in rows(name) if row["workflow"] == "hello"})
        self.assertTrue(all(row["id"].startswith("hello:schedule:often@") for row in starts), starts)
        self.stop(server)

    def test_detached_runs_are_executed_and_waiting_ones_take_no_slot(self):
        name = store()
        server, url = serve(name, *PLAIN, "--slots", "1")
        asks = [detach(name, *REFUND) for _ in range(2)]
        until({"waiting"}, lambda: {status(name, run) for run in asks})
        greets = detach(name, *HELLO)
        until("done", lambda: status(name, greets))
        (worker,) = queue(name)["workers"]
        self.assertEqual(worker["slots"], 1)
        answered = weft("answer", asks[0], "--event", "ApprovalEvent", "--json", '{"granted": true}', "--store", name)
        self.expect(answered, 0)
        until("done", lambda: status(name, asks[0]))
        self.assertEqual(ask(url + "/handlers")["handlers"], [])  # they are not its clients' runs
        self.stop(server)

    def test_a_delayed_start_begins_at_its_time_beside_delayed_detached_runs(self):
        name = store()
        server, url = serve(name, *PLAIN)
        begun = [ask(url + "/workflows/hello/run-nowait", {**GREET, "not_before": in_seconds(1)}) for _ in range(5)]
        detached = detach(name, *HELLO, "--in", "1s")
        for each in begun:
            until("completed", lambda: ask(f"{url}/handlers/{each['handler_id']}")["status"])
        until("done", lambda: status(name, detached))
        self.stop(server)

    def test_served_runs_and_detached_ones_go_on_after_a_kill(self):
        name = store()
        server, url = serve(name, *PLAIN)
        begun = [ask(url + "/workflows/refund/run-nowait", {"start_event": {"order": "A", "amount": 120}})
                 for _ in range(20)]
        detached = detach(name, *REFUND)
        until("waiting", lambda: status(name, detached))
        kill(server)

        server, url = serve(name, *PLAIN, "--slots", "100")
        grant = {"event": {"type": "ApprovalEvent", "value": {"granted": True}}}
        for each in begun:
            self.assertEqual(ask(f"{url}/events/{each['handler_id']}", grant)["status"], "sent")
            until("completed", lambda: ask(f"{url}/handlers/{each['handler_id']}")["status"])
        self.assertEqual(status(name, detached), "waiting")
        self.stop(server)

    def test_a_server_leaves_other_workflows_and_without_slots_all_runs_to_workers(self):
        name = store()
        server, _ = serve(name, "--workflows", "hello")
        refund, hello = detach(name, *REFUND), detach(name, *HELLO)
        until("done", lambda: status(name, hello))
        until(["no worker has the workflow refund"], lambda: [row["missing"] for row in queue(name)["stuck"]])
        self.assertEqual(status(name, refund), "ready")
        self.stop(server)

        server, _ = serve(name, *PLAIN, "--slots", "0")
        self.assertEqual(queue(name)["workers"], [])
        hello = detach(name, *HELLO)
        self.assertEqual(status(name, hello), "ready")
        self.stop(server)

        self.expect(weft("serve", "--slots", "3"), 2, "--slots is for the runs of a store")


if __name__ == "__main__":
    driver.main()
