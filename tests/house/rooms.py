"""Every folder with sources has a row in the table of docs/architecture.md. Each of its files opens the row's
namespace, except headers with only includes, and CMake makes the row's target. A room may include only the rooms of
earlier rows, so that includes have a direction.
"""
import os
import re

import rule

_source = re.compile(r"(engine|tools|steps|workflows)/.*\.(cpp|hpp)")
_namespace = re.compile(r"^(?:inline )?namespace ([\w:]+(?:inline \w+)?) \{", re.M)
_made = re.compile(r"weft_library\((\w+)|add_executable\((\w+)")


def is_code(text):
    return any(line.strip("\0 ") and not line.startswith("#") for line in rule.bare(text).splitlines())


def check(files):
    rooms = rule.rooms(files)
    lists = "\n".join(text for path, text in files.items() if path.endswith("CMakeLists.txt"))
    targets = {"weft::" + library if library else program for library, program in _made.findall(lists)}
    order = list(rooms)
    folders = {os.path.dirname(path) for path in files if _source.fullmatch(path)}
    for folder in sorted(folders - rooms.keys()):
        yield f"{rule.PLAN}:1: the folder {folder} has sources and no row in the table of rooms"
    for folder, (_, target, below) in rooms.items():
        if folder not in folders:
            yield f"{rule.PLAN}:1: the table of rooms has a row for {folder}, and there are no sources"
        if target not in targets:
            yield f"{rule.PLAN}:1: the target {target} of {folder} is made by no CMakeLists.txt"
        for name in below:
            meant = [other for other in rooms if rule.may_include((name,), other)]
            if not meant:
                yield f"{rule.PLAN}:1: {folder} may include {name}, and there is no such folder"
            if folder not in meant and any(order.index(other) > order.index(folder) for other in meant):
                yield f"{rule.PLAN}:1: {folder} may include {name}, which stands behind it in the table of rooms"
    for path, text in files.items():
        folder = os.path.dirname(path)
        if not _source.fullmatch(path) or folder not in rooms or not is_code(text):
            continue
        ours = rooms[folder][0]
        opened = [name.replace("inline ", "") for name in _namespace.findall(text)]
        if not any(name == ours or name.startswith(ours + "::") for name in opened):
            yield f"{path}:1: a file of {folder} opens the namespace {ours}, and this one opens {opened or 'none'}"


def house(text, target="steps/a", room="| `steps/a` | `weft::a` | `weft::a` | `engine/*` | it |\n"):
    return {rule.PLAN: "| `engine` | `weft` | `weft::engine` | nothing | it |\n" + room,
            "CMakeLists.txt": "weft_library(a\n  x.cpp)\nweft_library(engine b.cpp)",
            "engine/b.cpp": "namespace weft {\n", target + "/x.cpp": text}


good_row = "| `steps/a` | `weft::a` | `weft::a` | {} | it |\n"
rule.main(check, bad=[
    (house("namespace weft::a {\n", target="steps/b"), "steps/b has sources and no row"),
    (house("namespace weft::a {\n", target="steps/b"), "row for steps/a"),
    (house("namespace weft::b {\n"), "opens the namespace weft::a"),
    (house("int a;\n"), "opens none"),
    (house("namespace weft::a {\n", room="| `steps/a` | `weft::a` | `weft::c` | `engine` | it |\n"), "weft::c"),
    (house("namespace weft::a {\n", room=good_row.format("`tools/*`")), "no such folder"),
    (house("namespace weft::a {\n", room=good_row.format("`steps/b`") + good_row.format("").replace("/a`", "/b`")),
     "stands behind it"),
], good=[house("namespace weft {\nclass B;\n}\nnamespace weft::a {\n"), house("namespace weft::a::detail {\n"),
         house("// Of others.\n#pragma once\n#include <a>\n"),
         house("namespace weft::a {\n", room=good_row.format("`engine`"))])
