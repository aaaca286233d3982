"""docs/behaviours.md lists the behaviours that the agents promise, from tags in the tests that show them.

A comment line before a test is a tag. One tag of each behaviour has its sentence; each further file has the code:
    // shows A-14: a faulty action has three tries     before TEST_CASE
    # shows A-14, D-17                                 before weft_check or driver_check, in a CMakeLists.txt

usage: behaviours.py [--update]        checks the tags and the page, or writes the page
"""
import os
import re
import sys

import quotes
import rule

PAGE = "docs/behaviours.md"
MISTAKES = "Guards against known mistakes:\n"
SECTIONS = {  # kind of code -> text before its rows
    "A-": "## The agent that reflects\n\nIt divides questions; see "
          "[its tutorial](tutorial/10_an_agent_with_sub_questions.md).\n",
    "B-A": MISTAKES,
    "L-": "## The react workflow\n\nSee its tutorials: [the agent](tutorial/07_the_react_agent.md), "
          "[its dialects](tutorial/08_dialects.md).\n",
    "B-L": MISTAKES,
    "W-": "## The dialect `pause`\n",
    "B-W": MISTAKES,
    "D-": "## The dialect of function calls\n\nSee [its tutorial](tutorial/08_dialects.md#function-call).\n",
    "B-D": MISTAKES,
}
COUNTS = {"A-": 36, "B-A": 26, "L-": 17, "B-L": 8, "W-": 9, "B-W": 7, "D-": 24, "B-D": 9}
HEAD = """# Behaviours

The agents promise these behaviours. [A script](../tests/house/behaviours.py) makes this page from tags in the tests.
"""
_tag = re.compile(r"^(?://|#) shows (.*)\n(?=(.*))", re.M)
_tagged = re.compile(r"TEST_CASE\(|weft_check\(|driver_check\(|(?://|#) shows ")
_codes = re.compile(r"((?:B-[A-Z]|[A-Z]-)\d\d(?:, (?:B-[A-Z]|[A-Z]-)\d\d)*)(?:: (\S.*))?")
_code = re.compile(r"(?:\b[ALWD]-|\bB-[A-Z])\d\d\b")
_check = re.compile(r'(?:weft_check|driver_check)\((?:\w+ )?\s*"((?:[^"\\]|\\.)*)"')
_tests = re.compile(r"(tests|docs/examples)/.*(\.cpp|CMakeLists\.txt)")


def tags(files):
    """Yields each tag as (path, line, codes, sentence or None, whether a test follows); an invalid tag has no codes."""
    for path, text in files.items():
        for match in _tag.finditer(text) if _tests.fullmatch(path) else ():
            form = _codes.fullmatch(match[1])
            yield (path, rule.line_of(text, match.start()), form[1].split(", ") if form else [], form and form[2],
                   _tagged.match(match[2]))


def rows(files):
    """Returns a dictionary of code -> [sentence, paths]."""
    found = {}
    for path, _, codes, sentence, _ in tags(files):
        for code in codes:
            row = found.setdefault(code, ["", []])
            row[0] = sentence or row[0]
            if path not in row[1]:
                row[1].append(path)
    return found


def page(files):
    found, text = rows(files), HEAD
    for kind, before in SECTIONS.items():
        text += f"\n{before}\n"
        for code in sorted(c for c in found if re.fullmatch(re.escape(kind) + r"\d\d", c)):
            links = ", ".join(f"[{os.path.basename(path)}](../{path})" for path in found[code][1])
            text += f"- **{code}**: {found[code][0]} ({links})\n"
    return text


def check(files):
    told = {}
    for path, line, codes, sentence, precedes in tags(files):
        place = f"{path}:{line}"
        if not codes or sentence and len(codes) > 1:
            yield f"{place}: a tag has a code and a sentence, or codes: // shows A-14: a faulty action has three tries"
        if not precedes:
            yield f"{place}: a tag stands right before a test"
        for code in codes:
            if code[:-2] not in COUNTS:
                yield f"{place}: no section of {PAGE} has the code {code}"
            if sentence and code in told:
                yield f"{place}: {told[code]} has a sentence for {code}, too"
            if sentence:
                told[code] = place
    for code in (f"{kind}{n:02}" for kind, last in COUNTS.items() for n in range(1, last + 1)):
        if code not in told:
            yield f"{PAGE}:1: no test has the tag // shows {code}: and its sentence"
    if files.get(PAGE) != page(files):
        yield f"{PAGE}:1: the page differs from the tags: run tests/house/behaviours.py --update"
    for path, text in files.items():
        for title in [*quotes.titles(text), *_check.findall(text)] if _tests.fullmatch(path) else ():
            if _code.search(title):
                yield f"{path}:1: a title is a sentence without a code, which stands in a tag: {title}"


def with_page(tests):
    return {PAGE: page(tests), **tests}


every = "".join(f"// shows {kind}{n:02}: it works\n" for kind, last in COUNTS.items() for n in range(1, last + 1))
case = 'TEST_CASE("it works") {}\n'


def main():
    if sys.argv[1:2] == ["--update"]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page(rule.tree()))
        return
    rule.main(check, bad=[
        (with_page({"tests/a_test.cpp": every.replace("A-02", "A-01") + case}), "no test has the tag // shows A-02"),
        (with_page({"tests/a_test.cpp": every + "// shows A-01: it fails\n" + case}), "has a sentence for A-01, too"),
        (with_page({"tests/a_test.cpp": every + "// shows Z-01\n" + case}), "no section"),
        (with_page({"tests/a_test.cpp": every + "// shows that it works\n" + case}), "a tag has a code"),
        (with_page({"tests/a_test.cpp": every + "// shows A-01, A-02: it works\n" + case}), "a tag has a code"),
        (with_page({"tests/a_test.cpp": every + "\n" + case}), "right before a test"),
        ({PAGE: "", "tests/a_test.cpp": every + case}, "differs from the tags"),
        (with_page({"tests/a_test.cpp": every + 'TEST_CASE("A-01: it works") {}'}), "without a code"),
    ], good=[with_page({"tests/a_test.cpp": every + case,
                        "tests/CMakeLists.txt": '# shows A-01, B-D02\nweft_check("it works" x)'})])


if __name__ == "__main__":
    main()
