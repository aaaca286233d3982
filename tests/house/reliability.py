"""docs/reliability.md, docs/faults.md and docs/attacks.md name only existing tests; no cell of their tables is empty.

The last cell of each row has a link into tests/. The text of such a link is one of these:
    a case of a C++ test           [a run ends once](../tests/engine/run_test.cpp)
    a check that runs a script     [workers lose nothing](../tests/postgres/kills.py), its title in a CMakeLists.txt
    a test in a script             [a full disk is reported](../tests/workflows/damage.py): test_a_full_disk_is_reported
    a file, or a folder            [disk.hpp](../tests/engine/store/disk.hpp), [tests/crash](../tests/crash)
"""
import os
import re

import quotes
import rule

PAGES = ("docs/reliability.md", "docs/faults.md", "docs/attacks.md")
_link = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_cells = re.compile(r"(?<!\\)\|")
_check = re.compile(r'\w+_check\(\s*(?:([\w/]+)\s+)?"((?:[^"\\]|\\.)*)"([^()]*)\)')
_case_of_python = re.compile(r"^\s+def test_(\w+)\(", re.M)
_case_of_node = re.compile(r'^\s+(?:async )?"((?:[^"\\]|\\.)+)"[(:]', re.M)


def checks(files):
    """Yields the title and the script's path of each check, and the path of its CMakeLists.txt."""
    for path, text in files.items():
        if not re.fullmatch(r"tests/.*CMakeLists\.txt", path):
            continue
        for short, title, rest in _check.findall(text):
            yield title, os.path.join(os.path.dirname(path), short) if short else "", rest


def titles_of(path, files):
    """Returns the titles that a page may use for a test's file, or None if nothing runs the script."""
    text, stem = files[path], os.path.splitext(path)[0]
    if not path.endswith((".py", ".mjs")):
        return list(quotes.titles(text))
    found = [title for title, script, rest in checks(files) if script == stem or path in rest]
    name, folder = os.path.basename(path), os.path.dirname(path)
    by_others = [other for other, content in files.items()  # such as page_served.mjs, which runs page.mjs
                 if other != path and os.path.dirname(other) == folder and other.endswith((".py", ".mjs"))
                 and f'"{name}"' in content]
    if not found and not by_others:
        return None
    cases = [case.replace("_", " ") for case in _case_of_python.findall(text)]
    return found + (cases if path.endswith(".py") else _case_of_node.findall(text))


def mistakes(text, target, page, files):
    """Yields what is wrong with a link into tests/."""
    path = os.path.normpath(os.path.join(os.path.dirname(page), target))
    if not path.startswith("tests/"):
        return
    if path not in files:
        if not any(other.startswith(path + "/") for other in files):
            yield f"links to {path}, which does not exist"
        elif text != path:
            yield f"calls the folder {path} '{text}'"
        return
    if text == os.path.basename(path):
        return
    titles = titles_of(path, files)
    if titles is None:
        yield f"names '{text}', and no check runs {path}"
    elif text not in titles:
        yield f"names '{text}', which is no test in {path}"


def check_table(lines, page, files):
    """`lines`: pairs of a number and the text of a line. The first two are the head."""
    columns = len(_cells.split(lines[0][1].strip())) - 2
    for number, line in lines[2:]:
        cells = [cell.strip() for cell in _cells.split(line.strip())[1:-1]]
        row = f"{page}:{number}: the row '{cells[0] if cells else ''}'"
        if len(cells) != columns:
            yield f"{row} has {len(cells)} cells, and its table has {columns} columns"
            continue
        if not all(cells):
            yield f"{row} has an empty cell"
        if not any(target.startswith("../tests/") for _, target in _link.findall(cells[-1])):
            yield f"{row} names no test in its last cell"
        for cell in cells:
            for text, target in _link.findall(cell):
                for mistake in mistakes(text, target, page, files):
                    yield f"{row} {mistake}"


def check(files):
    for page in PAGES:
        table = []
        for number, line in enumerate(files.get(page, "").splitlines() + [""], 1):
            if line.startswith("|"):
                table.append((number, line))
                continue
            if table:
                yield from check_table(table, page, files)
                table = []
            for text, target in _link.findall(line):
                for mistake in mistakes(text, target, page, files):
                    yield f"{page}:{number}: the text {mistake}"


def with_row(row, **more):
    return {"docs/faults.md": f"# Faults\n\n| fault | test |\n|---|---|\n{row}\n\nEnd.\n",
            "tests/a/b_test.cpp": 'TEST_CASE("it works "\n          "well") {}\n',
            "tests/a/kills.py": "class Kills:\n    def test_a_kill_is_harmless(self):\n",
            "tests/a/page.mjs": 'await run({\n  async "a page opens"() {\n', "tests/a/served.mjs": 'spawn("page.mjs")',
            "tests/a/idle.py": "    def test_a_kill_is_harmless(self):\n",
            "tests/a/CMakeLists.txt": 'chaos_check(kills "kills lose nothing" 9)\nweft_check("all: pages open" node\n'
                                      '  tests/a/served.mjs)\n', **more}


rule.main(check, bad=[
    (with_row("| a kill | [it works](../tests/a/b_test.cpp) |"), "the row 'a kill' names 'it works', which is no test"),
    (with_row("| a kill | [it works well](../tests/a/c_test.cpp) |"), "c_test.cpp, which does not exist"),
    (with_row("| a kill | [kills lose all](../tests/a/kills.py) |"), "names 'kills lose all'"),
    (with_row("| a kill | [a kill is harmless](../tests/a/idle.py) |"), "no check runs tests/a/idle.py"),
    (with_row("| a kill | [folder](../tests/a) |"), "calls the folder tests/a"),
    (with_row("| a kill | |"), "the row 'a kill' has an empty cell"),
    (with_row("| | [it works well](../tests/a/b_test.cpp) |"), "has an empty cell"),
    (with_row("| a kill | it works well |"), "names no test in its last cell"),
    (with_row("| a kill | x | [it works well](../tests/a/b_test.cpp) |"), "has 3 cells"),
    (with_row("| a kill | [it works well](../tests/a/b_test.cpp) |",
              **{"docs/attacks.md": "[x](../tests/a/b_test.cpp)"}), "docs/attacks.md:1: the text names 'x'"),
], good=[with_row("| a kill | [it works well](../tests/a/b_test.cpp); [kills lose nothing](../tests/a/kills.py) |\n"
                  "| a \\| b | [a kill is harmless](../tests/a/kills.py) and [tests/a](../tests/a) |\n"
                  "| a page | [all: pages open](../tests/a/served.mjs); [a page opens](../tests/a/page.mjs) |\n"
                  "| a file | [kills.py](../tests/a/kills.py); [why](decisions/README.md) |")])
