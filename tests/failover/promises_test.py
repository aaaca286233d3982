"""The judge of the failovers finds each acknowledgement without its effect, and the plan has each fault."""
import collections
import pathlib
import random
import tempfile
import unittest

from faults import FAULTS, Fault, Kill, made, plan
from promises import Log, broken, wanted

GRANTED = '{"granted":true}'


class Promises(unittest.TestCase):
    def entries(self, *all_of):
        with tempfile.TemporaryDirectory() as folder:
            log = Log(pathlib.Path(folder) / "log")
            for entry in all_of:
                log.note(*entry)
            return log.entries()

    def test_a_kept_acknowledgement_is_not_reported(self):
        entries = self.entries(("started", "r1", "order"), ("answered", "r2", "refund"), ("cancelled", "r3", "refund"))
        rows = {"r1": ("running", ""), "r2": ("done", GRANTED), "r3": ("cancelled", "")}
        self.assertEqual(list(broken(entries, rows)), [])

    def test_each_acknowledgement_without_its_effect_is_reported(self):
        for kind, rows in (("started", {}), ("answered", {}), ("answered", {"r": ("waiting", "")}),
                           ("answered", {"r": ("done", '{"granted":false}')}), ("cancelled", {"r": ("done", GRANTED)}),
                           ("cancelled", {})):
            with self.subTest(kind=kind, rows=rows):
                (sentence,) = broken(self.entries((kind, "r", "refund")), rows)
                self.assertIn(f"was {kind}", sentence)

    def test_a_refund_must_end_only_if_its_answer_was_acknowledged(self):
        entries = self.entries(("started", "r1", "refund"), ("started", "r2", "refund"), ("answered", "r2", "refund"),
                               ("started", "r3", "order"))
        self.assertEqual(set(wanted(entries)), {"r2", "r3"})


class Faults(unittest.TestCase):
    def test_a_plan_has_each_fault_equally_often_and_depends_only_on_its_seed(self):
        kinds = plan(random.Random(7), 40)
        self.assertEqual(set(collections.Counter(kinds).values()), {8})
        self.assertEqual(set(kinds), set(FAULTS.values()))
        self.assertEqual(kinds, plan(random.Random(7), 40))

    def test_each_fault_outlasts_the_key_of_the_leader_except_an_early_restart(self):
        for kind in FAULTS.values():
            lasts = {made(kind, None, random.Random(seed), ttl=20).lasts for seed in range(50)}
            self.assertEqual({each for each in lasts if each <= 20}, {1} if kind is Kill else set())

    def test_a_fault_is_mended_once_at_its_time(self):
        class Counted(Fault):
            mended = 0

            def strike(self):
                pass

            def mend(self):
                self.mended += 1
        fault = Counted(None, 1000)
        fault.begin()
        self.assertFalse(fault.end_if_over())
        fault.lasts = 0
        self.assertTrue(fault.end_if_over())
        self.assertTrue(fault.end_if_over())
        self.assertEqual(fault.mended, 1)


if __name__ == "__main__":
    unittest.main()
