"""Files, lines and folders have budgets: split them when they exceed one."""
import collections
import os
import re

import rule

# The first matching pattern counts.
BUDGETS = [
    (r"tests/.*\.(cpp|hpp)", 400, "a test"),
    (r"docs/examples/.*\.(cpp|hpp)", 80, "an example"),
    (r"workflows/(?!catalog)[^/]+\.hpp", 60, "a workflow"),
    (r".*\.hpp", 250, "a header"),
    (r".*\.cpp", 400, "a source"),
]
COLUMNS = 120
FILES = 40  # in one folder, except docs/decisions
LONG = ("docs/decisions",)
NARROW = re.compile(r".*\.(cpp|hpp|py|sh|cmake)|(.*/)?CMakeLists\.txt|dev|\.ci/run")


def check(files):
    for folder, count in collections.Counter(map(os.path.dirname, files)).items():
        if count > FILES and folder not in LONG:
            yield f"{folder}:1: {count} files, more than {FILES}: split the folder"
    for path, text in files.items():
        lines = text.splitlines()
        for pattern, budget, kind in BUDGETS:
            if re.fullmatch(pattern, path):
                if len(lines) > budget:
                    yield f"{path}:{len(lines)}: {kind} has at most {budget} lines: split it"
                break
        if NARROW.fullmatch(path):
            for number, line in enumerate(lines, 1):
                if len(line) > COLUMNS:
                    yield f"{path}:{number}: {len(line)} columns, more than {COLUMNS}"


rule.main(check, bad=[
    ({"engine/a.hpp": "\n" * 251}, "a header"), ({"engine/a.cpp": "\n" * 401}, "a source"),
    ({"tests/a/b_test.cpp": "\n" * 401}, "a test"), ({"workflows/react.hpp": "\n" * 61}, "a workflow"),
    ({"docs/examples/a.cpp": "\n" * 81}, "an example"), ({"engine/a.cpp": "x" * 121}, "121 columns"),
    ({f"engine/{n}.cpp": "" for n in range(41)}, "41 files"),
], good=[
    {"engine/a.hpp": "\n" * 250, "engine/a.cpp": "\n" * 400, "workflows/catalog.hpp": "\n" * 61,
     "README.md": "x" * 200},
])
