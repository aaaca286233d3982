"""Tests of the page of figures: equal lines make equal pages, with the words and the numbers of the lines."""
import json
import unittest
import xml.etree.ElementTree

import report

ABOUT = {"date": "2026-01-02", "kernel": "Linux 6.1", "machine": "2 cores", "compiler": "GNU 12.2.0, -O2",
         "versions": {"Node": "22.1.0"}}
README = f"before\n{report.BEGIN}old figures\n{report.END}after\n"


def line(peer, workload, metric, value, low=None, high=None):
    spread = {} if low is None else {"low": low, "high": high, "rounds": 3}
    return json.dumps({"peer": peer, "workload": workload, "metric": metric, "unit": "x", "value": value, **spread})


LINES = "\n".join([
    json.dumps(ABOUT),
    line("weft: sync steps", "A", "event, N=1000000", 20, 19, 22),
    line("weft: awaitable steps", "A", "event, N=10000", 50, 40, 60),
    line("weft: awaitable steps", "A", "event, N=1000000", 60, 55, 66),
    line("weft: awaitable steps", "A", "event, N=10000000", 60, 55, 66),
    line("floor: variant and switch", "A", "event, N=1000000", 10, 9, 11),
    line("workflow-core 1.3.3", "A", "event, N=2000", 66000, 60000, 90000),
    line("weft: awaitable steps", "B", "items/s", 10_000_000, 9e6, 11e6),
    line("workflow-core 1.3.3", "B", "items/s", 20_000, 19_000, 21_000),
    line("weft: model answers by post", "C", "conc runs/s", 800_000),
    line("weft: model answers by post", "C", "conc runs/s, 2 threads", 1_400_000),
    line("weft: model answers by post", "C", "conc runs/s, 2 processes", 1_440_000),
    line("weft", "D", "idle run", 500), line("weft", "E", "start to exit", 1.5),
    line("weft", "F", "plain, 0 ms, 500 at once: agents/s", 12_000),
    line("asio alone", "F", "plain, 0 ms, 500 at once: agents/s", 16_000),
    line("ratio", "G", "one run: steps / fdatasyncs of the bare disk", "void"),
    line("weft", "G, a stored step", "share: SQLite", 40), line("weft", "G, a stored step", "share: heap", 60)])


class Report(unittest.TestCase):
    def setUp(self):
        self.made = report.made(LINES, README)

    def test_equal_lines_make_equal_pages(self):
        self.assertEqual(self.made, report.made(LINES, README))

    def test_a_peer_stands_beside_weft_with_its_size_its_spread_and_its_ratio(self):
        self.assertIn("|workflow-core 1.3.3|2,000|66.0k|60.0k–90.0k|1100|", self.made[report.PAGE])
        self.assertIn("|weft: awaitable steps|1,000,000|60.0|55.0–66.0|1.00|", self.made[report.PAGE])
        self.assertIn("|workflow-core 1.3.3|20.0k|19.0k–21.0k|500|", self.made[report.PAGE])

    def test_two_loops_stand_beside_two_processes(self):
        self.assertIn("complete 1.75 times as many runs per second as one loop", self.made[report.PAGE])
        self.assertIn("processes 1.80 times as many", self.made[report.PAGE])

    def test_a_void_figure_is_not_shown(self):
        self.assertNotIn("void", self.made[report.PAGE])

    def test_the_readme_changes_only_between_its_marks(self):
        readme = self.made[report.README]
        self.assertTrue(readme.startswith("before\n") and readme.endswith("after\n"))
        self.assertIn("|an event|60.0&nbsp;ns|workflow-core: 66.0&nbsp;µs|", readme)
        self.assertNotIn("old figures", readme)

    def test_each_picture_is_xml_that_names_its_bars(self):
        pictures = {path: text for path, text in self.made.items() if path.endswith(".svg")}
        for text in pictures.values():
            xml.etree.ElementTree.fromstring(text)
        self.assertIn("workflow-core 1.3.3", pictures["docs/pictures/performance_engine.svg"])
        self.assertIn("SQLite", pictures["docs/pictures/performance_shares.svg"])


if __name__ == "__main__":
    unittest.main()
