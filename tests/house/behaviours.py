"""Every behaviour that the agents promise has a row in docs/behaviours.md, and every row links the tests that show it.

    A, B-A    the agent that reflects and takes questions apart, and the mistakes that it must not make
    L, B-L    the react workflow and its dialects
    W, B-W    the dialect with PAUSE
    D, B-D    the dialect of function calls

A row: | A-14 | what is promised | [title of a test](../tests/a_test.cpp)<br>[another](../tests/b_test.cpp) |
A link to a CMakeLists.txt names the title of a ctest that stands there.
"""
import os
import re

import quotes
import rule

PAGE = "docs/behaviours.md"
COUNTS = {"A-": 34, "L-": 17, "W-": 9, "D-": 23, "B-A": 26, "B-L": 7, "B-W": 7, "B-D": 9}  # the page may have more
_row = re.compile(r"^\| ((?:B-)?[A-Z]-?\d\d) \| ([^|]*) \| (.*) \|$")
_link = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_code = re.compile(r"(?:\b[ALWD]-|\bB-[A-Z])\d\d\b")
_check = re.compile(r'(?:weft_check|driver_check)\((?:\w+ )?\s*"((?:[^"\\]|\\.)*)"')
_tests = re.compile(r"(tests|docs/examples)/.*\.cpp|tests/.*CMakeLists\.txt")


def titles(path, text):
    return _check.findall(text) if path.endswith(".txt") else list(quotes.titles(text))


def check_row(files, name, promise, links):
    if not promise.strip():
        yield f"row {name} does not say what is promised"
    if not links:
        yield f"row {name} links no test: [title](../tests/x_test.cpp)"
    for title, target in links:
        path = os.path.normpath(os.path.join(os.path.dirname(PAGE), target))
        if title not in titles(path, files.get(path, "")):
            yield f"row {name}: {path} has no test '{title}'"


def check(files):
    seen = set()
    for number, line in enumerate(files.get(PAGE, "").splitlines(), 1):
        row = _row.match(line)
        if not row:
            continue
        if row[1] in seen:
            yield f"{PAGE}:{number}: row {row[1]} stands there twice"
        seen.add(row[1])
        for complaint in check_row(files, row[1], row[2], _link.findall(row[3])):
            yield f"{PAGE}:{number}: {complaint}"
    for name in (f"{kind}{n:02}" for kind, last in COUNTS.items() for n in range(1, last + 1)):
        if name not in seen:
            yield f"{PAGE}:1: the row {name} is missing"
    for path, text in files.items():
        for title in titles(path, text) if _tests.fullmatch(path) else ():
            if _code.search(title):
                yield f"{path}:1: a title is a sentence without a code, which stands in {PAGE}: {title}"


def page(row):
    return {PAGE: row + "\n", "tests/a_test.cpp": 'TEST_CASE("it works") {}',
            "tests/CMakeLists.txt": 'weft_check("the page works" x)'}


every = "\n".join(f"| {kind}{n:02} | x | [it works](../tests/a_test.cpp) |"
                  for kind, last in COUNTS.items() for n in range(1, last + 1))
rule.main(check, bad=[
    (page("| A-01 | x | [it works](../tests/a_test.cpp) |"), "row A-02 is missing"),
    (page("| A-01 | x | [it fails](../tests/a_test.cpp) |"), "has no test 'it fails'"),
    (page("| A-01 | x | [it works](../tests/b_test.cpp) |"), "has no test 'it works'"),
    (page("| A-01 | x | it works |"), "links no test"),
    (page("| A-01 |  | [it works](../tests/a_test.cpp) |"), "what is promised"),
    (page(every + "\n| A-01 | x | [it works](../tests/a_test.cpp) |"), "twice"),
    ({"tests/b_test.cpp": 'TEST_CASE("A-01: it works") {}'}, "without a code"),
], good=[page(every + "\n| B-P02 | x | [the page works](../tests/CMakeLists.txt) |")])
