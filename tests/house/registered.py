"""Every source and every test is built: the CMakeLists.txt of its folder or of a parent folder names it."""
import os
import re

import rule

_built = re.compile(r"(engine|tools|steps|workflows)/.*\.cpp|tests/.*_test\.cpp|docs/examples/.*\.cpp")


def lists_above(path, files):
    folder = os.path.dirname(path)
    while True:
        name = os.path.join(folder, "CMakeLists.txt")
        if name in files:
            yield folder, files[name]
        if not folder:
            return
        folder = os.path.dirname(folder)


def check(files):
    for path in files:
        if not _built.fullmatch(path):
            continue
        relative = [(os.path.relpath(path, folder or "."), text) for folder, text in lists_above(path, files)]
        stems = [(name[:-len(".cpp")], text) for name, text in relative]
        if not any(re.search(rf"(?<![\w/.]){re.escape(stem)}(\.cpp)?(?![\w/])", text) for stem, text in stems):
            yield f"{path}:1: no CMakeLists.txt names this file, so nobody builds it"


rule.main(check, bad=[
    ({"tests/engine/a_test.cpp": "", "tests/engine/CMakeLists.txt": "weft_test(x b_test.cpp)"}, "nobody"),
    ({"steps/models/a.cpp": "", "steps/CMakeLists.txt": "x(other/a.cpp)"}, "nobody"),
], good=[{
    "tests/engine/a_test.cpp": "", "tests/engine/CMakeLists.txt": "weft_test(x a_test.cpp)",
    "engine/testing/b.cpp": "", "engine/CMakeLists.txt": "testing/b.cpp",
    "docs/examples/c.cpp": "", "docs/examples/CMakeLists.txt": "foreach(e c d)",
}])
