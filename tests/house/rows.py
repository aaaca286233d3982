"""Every row of behaviour that the agents follow is shown by a test that bears its name.

    A    the agent that reflects and takes questions apart       B-A  and what it gets right
    L    the react workflow and its dialects                     B-L
    W    the dialect with PAUSE                                  B-W
    D    the dialect of function calls                           B-D

A row stands in a test's title: TEST_CASE("A-14, B-A15: a reply that is no JSON is told so, three times"). The list of
rows and tests is printed.
"""
import re

import rule

_rows = {"A-": 34, "L-": 14, "W-": 9, "D-": 23, "B-A": 26, "B-L": 7, "B-W": 7, "B-D": 9}
_titles = re.compile(r'(?:TEST_CASE|weft_check|driver_check|house_rule)\((?:\w+ )?\s*"((?:[^"\\]|\\.)*)"')
_row = re.compile(r"\b(?:B-)?[ALWD]-?\d\d\b")
_counted = re.compile(r"tests/.*(_test\.cpp|CMakeLists\.txt)")


def shown(files):
    found = {}
    for path, text in files.items():
        if _counted.fullmatch(path):
            for title in _titles.findall(text):
                for row in _row.findall(title):
                    found.setdefault(row, []).append(f"{path}: {title}")
    return found


def check(files):
    found = shown(files)
    rows = [f"{kind}{n:02}" for kind, last in _rows.items() for n in range(1, last + 1)]
    missing = [row for row in rows if row not in found]
    for row in missing:
        yield f"tests:1: no test is named for the row {row}"
    if not missing:
        print("\n".join(f"{row:6} {'; '.join(found[row])}" for row in rows))


rule.main(check, bad=[({"tests/a_test.cpp": 'TEST_CASE("A-02: x") {}'}, "the row A-01")])
