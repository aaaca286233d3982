"""Titles of tests can be asked for by name: ctest runs each case alone, by its title, and a title that matches nothing
would pass in silence. So none has a character that CMake's lists or doctest's filters take for their own, and no two
tests of a folder have the same.
"""
import os
import re

import rule

_title = re.compile(r'\bTEST_CASE\(\s*((?:"(?:[^"\\\n]|\\.)*"\s*)+)\)')


def check(files):
    seen = {}
    for path, text in files.items():
        if not path.startswith("tests/") or not path.endswith(".cpp"):
            continue
        for match in _title.finditer(text):
            where = f"{path}:{rule.line_of(text, match.start())}"
            title = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', match.group(1)))
            if re.search(r'[;\[\]\\*"$]', title):
                yield f'{where}: the title "{title}" has one of ; [ ] \\ * " $, so ctest cannot ask for it'
            key = (os.path.dirname(path), title.lower())
            if seen.setdefault(key, where) != where:
                yield f'{where}: the title "{title}" is taken by {seen[key]}'


def one(title):
    return {"tests/a/b_test.cpp": f'TEST_CASE("{title}") {{}}'}


rule.main(check, bad=[
    (one("a; b"), "has one of"), (one("a[0]"), "has one of"), (one('say \\"x\\"'), "has one of"),
    ({"tests/a/b_test.cpp": 'TEST_CASE("x") {}\nTEST_CASE("X") {}'}, "is taken"),
    ({"tests/a/b_test.cpp": 'TEST_CASE("a long "\n          "title;") {}'}, "has one of"),
], good=[one("a run, once ended, says so"), {"tests/a/x.cpp": 'TEST_CASE("x") {}', "tests/b/y.cpp": 'TEST_CASE("x") {}'}])
