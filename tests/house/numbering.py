"""The pages of docs/decisions and docs/tutorial are numbered from 1 without a gap, in file names and headings, and
docs/decisions/README.md lists each decision with its number and title.
"""
import re

import rule

INDEX = "docs/decisions/README.md"
_page = re.compile(r"docs/(decisions|tutorial)/(\d+)_\w+\.md")
_row = re.compile(r"^(\d+)\. \[([^\]]+)\]\(([^)]+)\)$", re.M)


def check_index(files, titles):
    """`titles`: path of each decision -> its number and title."""
    listed = {}
    for number, title, name in _row.findall(files.get(INDEX, "")):
        path = f"docs/decisions/{name}"
        listed[path] = (int(number), title)
        if path not in titles:
            yield f"{INDEX}:1: there is no decision {name}"
        elif titles[path] != listed[path]:
            yield f"{INDEX}:1: {name} is '{titles[path][0]}. {titles[path][1]}', not '{number}. {title}'"
    for path in titles:
        if path not in listed:
            yield f"{path}:1: {INDEX} does not list this decision: number. [title](file)"


def check(files):
    numbers, titles = {"decisions": [], "tutorial": []}, {}
    for path, text in sorted(files.items()):
        page = _page.fullmatch(path)
        if not page:
            continue
        numbers[page[1]].append(int(page[2]))
        if numbers[page[1]] != list(range(1, len(numbers[page[1]]) + 1)):
            yield f"{path}:1: the next number after {len(numbers[page[1]]) - 1} is {len(numbers[page[1]])}"
        heading = re.match(r"# (\d+)\. (.+)", text)
        if not heading or int(heading[1]) != int(page[2]):
            yield f"{path}:1: the page begins with its number: # {int(page[2])}. Title"
        elif page[1] == "decisions":
            titles[path] = (int(heading[1]), heading[2])
    yield from check_index(files, titles)


_a, _b = {"docs/decisions/0001_a.md": "# 1. A\n"}, {"docs/decisions/0002_b.md": "# 2. B\n"}
_index = "1. [A](0001_a.md)\n2. [B](0002_b.md)\n"
rule.main(check, bad=[
    ({**_a, **_b, INDEX: _index, "docs/decisions/0004_d.md": "# 4. D\n"}, "after 2 is 3"),
    ({**_a, **_b, INDEX: _index, "docs/decisions/0002_c.md": "# 2. C\n"}, "after 2 is 3"),
    ({**_a, INDEX: _index}, "there is no decision 0002_b.md"),
    ({**_a, **_b, INDEX: _index.split("2. ")[0]}, "does not list"),
    ({**_a, **_b, INDEX: _index.replace("[B]", "[C]")}, "is '2. B', not '2. C'"),
    ({"docs/tutorial/01_a.md": "# A\n"}, "begins with its number"),
], good=[{**_a, **_b, INDEX: _index, "docs/tutorial/01_a.md": "# 1. A\n", "docs/tutorial/02_b.md": "# 2. B\n"}])
