"""A source begins with a comment of one to three lines, which says more than the file's name: its content, and
anything unusual. The header explains the use, and the head of the source what a change of it has to respect.
"""
import re

import rule

_source = re.compile(r"(engine|tools|steps|workflows)/.*\.cpp")
_empty = re.compile(r"(?i)\b(implementation|implements|source file|see the header|definitions? (of|for))\b")


def check(files):
    for path, text in files.items():
        if not _source.fullmatch(path):
            continue
        head = re.match(r"(?://[^\n]*\n)*", text)[0]
        if not re.match(r"// \S", head):
            yield f"{path}:1: a source begins with a comment: what it holds, and why it is odd"
        elif _empty.search(head):
            yield f"{path}:1: this head says nothing that the file's name does not: '{_empty.search(head)[0]}'"


rule.main(check, bad=[
    ({"engine/a.cpp": '#include "a.hpp"\n'}, "begins with a comment"),
    ({"steps/x/a.cpp": "//\n// x\n"}, "begins with a comment"),
    ({"tools/a.cpp": "// Implementation of a.\n"}, "says nothing"),
], good=[{"engine/a.cpp": "// Servers leave out the end.\n#include <a>\n", "tests/a.cpp": "int a;"}])
