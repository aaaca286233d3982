"""docs/troubleshooting.md quotes only messages of the program: a source contains each part of a message between the
dots that stand for variable text.

usage: messages.py
"""
import re

import rule

PAGE = "docs/troubleshooting.md"
_row = re.compile(r"^\| `([^`]+)` \|", re.M)
_literal = re.compile(r'"((?:\\.|[^"\\\n])*)"')


def said(files):
    """Returns every literal of the sources as one text, adjacent ones joined."""
    out = []
    for path, text in files.items():
        if re.fullmatch(r"(engine|tools|steps|workflows)/.*\.(cpp|hpp)", path):
            joined = re.sub(r'(?<!\\)"\s*\n\s*"', "", text)
            out += (literal.replace('\\"', '"') for literal in _literal.findall(joined))
    return "\n".join(out)


def check(files):
    known = said(files)
    for sentence in _row.findall(files.get(PAGE, "")):
        for part in (p.strip() for p in sentence.split("…")):
            words = re.sub(r"\(\d+\)$", "", part).strip(" (")  # the program inserts the status
            if words and words not in known:
                yield f"{PAGE}: nothing says '{words}'"


rule.main(check,
          bad=[({PAGE: "| `it … fails` | x |\n", "steps/a.cpp": 'say("it works")'}, "nothing says 'fails'")],
          good=[{PAGE: "| `it … fails (401)` | x |\n", "steps/a.cpp": 'say("it " + x +\n    " never " \n "fails")'}])
