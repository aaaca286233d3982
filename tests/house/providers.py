"""The facts about a provider are only in its row of steps/models/protocols/protocols.cpp: no other source names its
variables, address, default model or headers of limits, or a key that no row has.
"""
import re

import rule

TABLE = "steps/models/protocols/protocols.cpp"
_literal = re.compile(r'"((?:\\.|[^"\\\n])*)"')
_fact = re.compile(r"[A-Z]+(_[A-Z]+)+|https?://.+|[\w-]*ratelimit-[\w-]+")
_usual = re.compile(r'\.usual_model = "([^"]+)"')
_key = re.compile(r"\b[A-Z]+_(?:API_KEY|BASE_URL)\b")
_comment = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.S)


def spoken(text):
    """Returns a source without its comments; every line keeps its number."""
    return _comment.sub(lambda m: m.group(1) or re.sub(r"[^\n]", "", m.group()), text)


def check(files):
    table = files.get(TABLE, "")
    facts = {literal for literal in _literal.findall(spoken(table)) if _fact.fullmatch(literal)}
    usual = set(_usual.findall(table))
    if not facts or not usual:
        yield f"{TABLE}:1: there is no row of a provider here"
        return
    longest_first = sorted(map(re.escape, facts), key=len, reverse=True)
    known = re.compile("|".join([rf"(?<![\w-])({'|'.join(longest_first)})(?![\w-])",
                                 rf'"(\w+:)?({"|".join(map(re.escape, usual))})"(?!:)']))
    for path, text in files.items():
        if path == TABLE or not re.fullmatch(r"(engine|tools|steps|workflows)/.*\.(cpp|hpp)", path):
            continue
        text = spoken(text)
        for match in [*known.finditer(text), *_key.finditer(text)]:
            yield f"{path}:{rule.line_of(text, match.start())}: '{match.group()}' is for the provider's row in {TABLE}"


_row = {TABLE: 'P a{.usual_model = "big-1", .keys = {"A_API_KEY"}, .base = "https://a", .limits = '
               '{"a-ratelimit-left"}};'}
rule.main(check,
          bad=[(_row | {"steps/b.cpp": 'get("A_API_KEY")'}, "A_API_KEY"),
               (_row | {"workflows/b.cpp": '"set A_API_KEY or start"'}, "A_API_KEY"),
               (_row | {"steps/models/b.cpp": 'get("B_API_KEY")'}, "B_API_KEY"),
               (_row | {"workflows/driver/b.cpp": '{"a:big-1"}'}, "big-1"),
               (_row | {"steps/models/b.cpp": 'parse("https://a")'}, "https://a"),
               (_row | {"steps/models/b.cpp": 'find(headers, "a-ratelimit-left")'}, "a-ratelimit-left"),
               ({"steps/b.cpp": ""}, "no row")],
          good=[_row | {"steps/b.hpp": '//     get("A_API_KEY")', "tests/b.cpp": 'get("A_API_KEY")',
                        "steps/c.cpp": '"big-10", "try --model a:big-1", "https://ab//c"'}])
