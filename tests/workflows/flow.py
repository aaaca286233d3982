"""Limits of queues by `weft queue set`: runs wait for a place, and a killed worker gives its places back."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import driver
from driver import Case, LIMIT, weft
from durable import ANSWER, CALL, Model, kill, store
from workers import HELLO, QUESTION, detach, queue, status, until, work


class Flow(Case):
    def limited(self, name, queue_name="mail"):
        return next(row for row in queue(name)["queues"] if row["queue"] == queue_name)

    def test_a_killed_worker_gives_its_place_back_and_the_next_run_waits_for_it(self):
        name = store()
        with Model(None, CALL, ANSWER, CALL, ANSWER) as (model, chosen):
            first = detach(name, *QUESTION, "--queue", "mail")
            self.expect(weft("queue", "set", "mail", "--running", "1", "--store", name), 0)
            process = work(name, *chosen)
            self.assertTrue(model.hangs.wait(LIMIT))
            second = detach(name, *QUESTION, "--queue", "mail")
            other = detach(name, *HELLO)  # another queue has room
            until("done", lambda: status(name, other))
            self.assertEqual((self.limited(name)["running"], self.limited(name)["held_back"]), (1, 1))
            shown = weft("queue", "--store", name)
            self.assertIn("at most 1 at once", shown.out)
            kill(process)

            process = work(name, *chosen)
            until(["done", "done"], lambda: [status(name, each) for each in (first, second)])
            self.assertEqual(self.limited(name)["held_back"], 0)
            kill(process)

    def test_limits_are_changed_one_by_one_shown_and_removed(self):
        name = store()
        detach(name, *HELLO, "--queue", "mail", "--value", "tenant=acme")
        ten, two, rate = "at most 10 at once", "at most 2 at once per value.tenant", "at most 100/min"
        for words, text in ((("--running", "10", "--per", "value.tenant=2"), f"{ten}, {two}"),
                            (("--rate", "100/min"), f"{ten}, {two}, {rate}"),
                            (("--per", "value.tenant"), f"{ten}, in turn per value.tenant, {rate}"),
                            (("--running", "none", "--rate", "5/s"), "in turn per value.tenant, at most 5/s")):
            set_one = weft("queue", "set", "mail", *words, "--store", name)
            self.assertEqual((set_one.code, set_one.out), (0, f"mail: {text}\n"))
        as_json = json.loads(weft("queue", "set", "mail", "--running", "7", "--json", "--store", name).out)
        self.assertEqual((as_json["queue"], as_json["limits"]["running"]), ("mail", 7))
        other = weft("queue", "set", "mial", "--running", "7", "--store", name)
        self.assertIn("no unfinished run is in the queue mial yet; the store has the queues mail", other.err)
        limits = self.limited(name)["limits"]
        self.assertEqual((limits["per"], limits["starts"], limits["seconds"]), ("value.tenant", 5, 1))
        removed = weft("queue", "set", "mail", "--running", "none", "--per", "none", "--rate", "none", "--store",
                       name)
        self.assertEqual(removed.out, "mail: no limits\n")
        self.assertIsNone(self.limited(name)["limits"])

    def test_a_wrong_limit_is_refused_with_a_sentence(self):
        name = store()
        detach(name, *HELLO)
        for words, sentence in ((("set", "mail"), "needs the name of a queue and a limit"),
                                (("set", "mail", "--running", "-1"), "--running takes a whole number"),
                                (("set", "mail", "--running", "many"), "--running takes a whole number"),
                                (("set", "mail", "--per", "tenant"), "such as value.tenant"),
                                (("set", "mail", "--per", "value.tenant=x"), "takes a whole number"),
                                (("set", "mail", "--rate", "100"), "--rate takes a number and a time"),
                                (("set", "mail", "--rate", "0/s"), "--rate takes 1 or more"),
                                (("set", "mail", "--rate", "1/day"), "--rate takes a number and a time"),
                                (("unset", "mail"), "is set or absent"),
                                (("--running", "5"), "is for `weft queue set QUEUE`")):
            with self.subTest(words):
                self.expect(weft("queue", *words, "--store", name), 2, sentence)


if __name__ == "__main__":
    driver.main()
