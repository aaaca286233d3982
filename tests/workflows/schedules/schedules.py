"""`weft schedule`: schedules of a store are added, listed, paused, run and removed, and a worker starts their runs."""
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import driver
from driver import Case, weft
from durable import end, rows, store
from workers import until, work

EVERY = ("hello", "--every", "1s", "--input", '{"text": "World"}')


def schedule(name, action, *words):
    return weft("schedule", action, *words, "--store", name)


def shown(name, which):
    (one,) = schedule(name, "show", which, "--json").events
    return one


class Schedules(Case):
    def test_a_schedule_starts_runs_by_a_worker_until_it_is_paused_and_removed(self):
        name = store()
        added = schedule(name, "add", "often", *EVERY, "--overlap", "allow", "--queue", "slow")
        self.assertEqual((added.code, added.out), (0, "schedule:often\n"), added)
        self.assertIn("schedule often starts a run every second from 20", added.err)
        worker = work(name, "--workflows", "hello,schedule")
        until(True, lambda: shown(name, "often")["started"] >= 2)
        self.assertEqual(schedule(name, "pause", "often").code, 0)
        until("paused", lambda: shown(name, "often")["state"])
        by_hand = schedule(name, "run", "often")
        self.assertEqual(by_hand.code, 0, by_hand)
        until("done", lambda: {row["id"]: row["status"] for row in rows(name)}[by_hand.out.strip()])
        until(True, lambda: "by_hand" in [each["kind"] for each in shown(name, "often")["firings"]])
        self.assertEqual(schedule(name, "resume", "often").code, 0)
        before = shown(name, "often")["started"]
        until(True, lambda: shown(name, "often")["started"] > before)
        self.assertIn("active, hello every second", schedule(name, "list").out)
        self.assertEqual(schedule(name, "remove", "often").code, 0)
        until([], lambda: schedule(name, "list", "--json").events)
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(end(worker).code, 0)
        starts = [row["id"] for row in rows(name) if row["workflow"] == "hello"]
        self.assertTrue(all(run.startswith("hello:schedule:often@") for run in starts), starts)
        one = schedule(name, "show", "often")
        self.assertEqual(one.code, 0, one)
        self.assertIn("state       cancelled", one.out)

    def test_schedules_are_described_in_words_with_their_next_times(self):
        name = store()
        added = schedule(name, "add", "mornings", "hello", "--cron", "0 9 * * 1-5", "--tz", "Europe/Berlin", "--input",
                         '{"text": "World"}', "--timeout", "90s")
        self.assertEqual(added.code, 0, added)
        self.assertEqual(schedule(name, "add", "once", "research", "--at", "2100-12-24T18:00+01:00").code, 0)
        listed = schedule(name, "list").out
        self.assertIn("mornings: active, hello at 09:00 on Monday to Friday, Europe/Berlin\n    next at ", listed)
        self.assertIn("once: active, research once, at 2100-12-24T17:00:00Z\n    next at 2100-12-24T17:00:00Z", listed)
        one = shown(name, "mornings")
        self.assertEqual((len(one["next"]), one["missed"], one["overlap"], one["firings"]), (5, "last", "skip", []))
        self.assertEqual(one["timeout_ms"], 90_000)
        self.assertIn("timeout     90s\n", schedule(name, "show", "mornings").out)
        self.assertEqual(one["timetable"], {"cron": "0 9 * * 1-5", "zone": "Europe/Berlin"})

    def test_a_schedule_is_removed_at_once_and_added_again_when_no_worker_is_there(self):
        name = store()
        self.assertEqual(schedule(name, "add", "s", *EVERY).code, 0)
        self.assertIn("no worker uses", schedule(name, "list").err)
        self.assertIn("no worker uses", schedule(name, "show", "s").err)

        removed = schedule(name, "remove", "s")

        self.assertEqual(removed.code, 0, removed)
        self.assertEqual(schedule(name, "list", "--json").events, [])
        self.assertEqual(shown(name, "s")["state"], "cancelled")
        self.expect(schedule(name, "remove", "s"), 2, "has ended or been removed")
        self.assertEqual(schedule(name, "add", "s", *EVERY).code, 0)

    def test_all_missed_times_wait_for_each_other_and_a_past_time_is_now(self):
        name = store()
        self.assertEqual(schedule(name, "add", "all", *EVERY, "--missed", "all", "--window", "90m").code, 0)
        self.assertEqual(shown(name, "all")["overlap"], "wait")
        self.assertIn("window      90m\n", schedule(name, "show", "all").out)
        for which, words in [("past", ("--at", "2000-01-01T00:00Z")), ("soon", ("--in", "1s"))]:
            added = schedule(name, "add", which, "hello", *words, "--input", '{"text": "World"}')
            self.assertEqual(added.code, 0, added)

    def test_the_help_of_an_action_has_its_options_only(self):
        add, pause = weft("schedule", "add", "--help").out, weft("schedule", "pause", "--help").out
        self.assertIn("--cron", add)
        self.assertIn("--timeout", add)
        self.assertNotIn("--cron", pause)
        self.assertNotIn("--timeout", pause)
        self.assertIn("weft schedule pause report", pause)
        self.assertNotIn("weft schedule remove", pause)
        self.assertIn("--store", pause)

    def test_a_pipe_gets_the_whole_ids_of_scheduled_runs(self):
        name = store()
        self.assertEqual(schedule(name, "add", "a-name-that-is-as-long-as-some-names-are", *EVERY).code, 0)
        run = schedule(name, "run", "a-name-that-is-as-long-as-some-names-are").out.strip()
        self.assertIn(run + " ", weft("runs", "--store", name).out)

    def test_a_known_key_is_told_with_the_differences(self):
        name = store()
        words = ("run", "hello", "--detach", "--key", "k", "--store", name, "--input")
        first = weft(*words, '{"text": "World"}')
        self.assertEqual((first.code, first.err), (0, ""), first)
        again = weft(*words, '{"text": "World"}')
        self.assertEqual((again.out, again.err), (first.out, "weft: the key is known, so no run was added\n"))
        other = weft(*words, '{"text": "Moon"}', "--queue", "other", "--in", "1h")
        self.assertEqual(other.out, first.out)
        self.assertIn("keeps its own input, queue, time", other.err)

    def test_the_workflow_of_schedules_has_a_schema(self):
        self.assertIn("ScheduleEvent", weft("schema", "schedule").out)

    def test_each_mistake_has_its_sentence_and_code_2(self):
        name = store()
        self.assertEqual(schedule(name, "add", "other", *EVERY).code, 0)

        def add(*words, given='{"text": "World"}'):
            return ("add", "s", "hello", "--input", given, *words)

        for words, sentence in [
            (("add", "s"), "say which workflow the schedule starts"),
            (("add",), "say which schedule"),
            (add(), "say when the schedule starts runs"),
            (add("--cron", "0 25 * * *"), 'has the hour "25": write 0 to 23'),
            (add("--cron", "0 9 * * *", "--tz", "Mars/Base"), 'there is no time zone "Mars/Base"'),
            (add("--every", "5m", "--tz", "UTC"), "--tz is the zone of --cron"),
            (add("--every", "5"), "--every takes an interval such as"),
            (add("--every", "0s"), "outside of 1 second to 10 years"),
            (add("--at", "2100-01-01T00:00:00.5Z"), "--at of a schedule is a whole second"),
            (add("--at", "2100-01-01T00:00Z", "--in", "1h"), "cannot be given together"),
            (add("--every", "5m", "--missed", "all", "--window", "1h", "--overlap", "skip"), "take overlap wait"),
            (add("--every", "5m", "--missed", "some"), "--missed takes none, last or all"),
            (add("--every", "5m", "--missed", "all"), "needs a window"),
            (add("--every", "5m", "--overlap", "x"), "--overlap takes skip, wait, allow or cancel"),
            (add("--every", "5m", given='{"txt": 1}'), "txt"),
            (("add", "a b", "hello", "--every", "5m"), 'name "a b" is not allowed'),
            (("add", "s", "hallo", "--every", "5m"), 'there is no workflow "hallo"'),
            (("add", "s", "schedule", "--every", "5m"), 'there is no workflow "schedule"'),
            (("drop", "s"), 'there is no action "drop"'),
            (("show", "s"), 'there is no schedule "s"'),
            (("pause", "s"), 'there is no schedule "s"'),
            (("list", "s"), "has no use for s"),
            (("show", "s", "--every", "5m"), "has no use for --every"),
        ]:
            with self.subTest(words=words):
                self.expect(schedule(name, *words), 2, sentence)
        self.assertEqual(schedule(name, *add("--every", "5m")).code, 0)
        self.expect(schedule(name, *add("--every", "5m")), 2, 'there is a schedule "s" already')


if __name__ == "__main__":
    driver.main()
