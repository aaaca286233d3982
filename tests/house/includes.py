"""Includes have paths from the root of the tree and go only downward by the table of docs/architecture.md, and heavy
libraries are included only in their permitted places.
"""
import os
import re

import rule

# The inner rooms of the engine, on which its public headers depend. The inner rooms include the small public headers
# in BASE, which include only each other, the inner rooms and JSON.
MACHINE = ("engine/core/", "engine/durable/", "engine/journal/", "engine/json/", "engine/storage/")
BASE = {f"engine/{name}.hpp" for name in (
    "any_event", "awaitable", "clock", "context", "describe", "ending", "error", "event", "growing",
    "observer", "retry", "run_options", "run_status", "slot_values", "store", "terminal", "timeout", "trace_context")}
PROJECT = ("engine/", "tools/", "steps/", "workflows/", "tests/", "docs/")

# A library -> the files that may include it (besides all tests), and their description.
LIBRARIES = [
    (r"sqlite3", r"(engine/store|tools/sql)/.*\.cpp", "SQLite only in sources of engine/store and tools/sql"),
    (r"(libpq|postgres)", r"engine/store/postgres/libpq\.hpp", "libpq only in engine/store/postgres/libpq.hpp"),
    (r"boost/beast", r"engine/(net|server)/[^/]+\.cpp", "Beast only in engine/net/*.cpp and engine/server/*.cpp"),
    (r"spdlog/", r".*\.cpp", "spdlog only in .cpp files"),
    (r"(valijson|re2|muParser|absl)\b", r".*\.cpp", "heavy libraries only in .cpp files"),
    (r"CLI/", r"workflows/driver/command_line\.cpp", "CLI11 only in workflows/driver/command_line.cpp"),
    (r"(editline|histedit)\b", r"workflows/driver/.*\.cpp", "libedit only in workflows/driver/*.cpp"),
    (r"openssl/", r".*\.cpp|engine/net/.*", "OpenSSL only in .cpp files and engine/net"),
    (r"doctest/", r"(?!)", "doctest only in tests"),
    (r"boost/(?!asio|beast|describe|mp11|system|version)", r"(?!engine/).*",
     "of Boost, the engine takes Asio and Describe"),
]
_include = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)


def of_machine(path):
    return path.startswith(MACHINE) or path in BASE


def allowed(rooms, path, target):
    """A folder outside of the table, such as one of tests, may include everything. rooms.py reports a missing row."""
    here, there = os.path.dirname(path), os.path.dirname(target)
    if of_machine(path) and here in rooms:
        return there == "engine/text" or of_machine(target) and (
            path in BASE or target in BASE or here == there or rule.may_include(rooms[here][2], there))
    return here not in rooms or here == there or rule.may_include(rooms[here][2], there)


def check(files):
    rooms = rule.rooms(files)
    for path, text in files.items():
        if not path.endswith(rule.CODE):
            continue
        if path.endswith(".hpp") and not re.search(r"^#pragma once$", text, re.M):
            yield f"{path}:1: a header needs #pragma once"
        for match in _include.finditer(text):
            kind, target = match.groups()
            where = f"{path}:{rule.line_of(text, match.start())}"
            if kind == '"':
                if not target.startswith(PROJECT):
                    yield f'{where}: "{target}" does not start at the root of the tree'
                elif not allowed(rooms, path, target):
                    yield f'{where}: "{target}" is not below {path}: includes go only downward'
            if path.startswith(("tests/", "docs/")):
                continue
            for library, place, sentence in LIBRARIES:
                if re.match(library, target) and not re.fullmatch(place, path):
                    yield f"{where}: <{target}>: {sentence}"


TABLE = "".join(f"| `{folder}` | `weft` | `weft::x` | {below} | it |\n" for folder, below in [
    ("engine/text", "nothing"), ("engine/json", "`engine/text`"), ("engine/journal", "`engine/json`"),
    ("engine/core/machine", "`engine/json`, `engine/journal`"),
    ("engine/core/loop", "`engine/json`, `engine/journal`, `engine/core/*`"),
    ("engine", "`engine/text`, `engine/json`, `engine/core/*`"),
    ("engine/net", "`engine`"), ("engine/store", "`engine`"), ("tools", "`engine/*`"),
    ("steps/models", "`engine/*`"), ("steps/models/protocols", "`engine/*`, `steps/models`"),
    ("steps/models/http", "`engine/*`, `steps/models`, `steps/models/protocols`"),
    ("steps/agents/common", "`engine/*`, `tools/*`, `steps/models/*`"),
    ("steps/agents/react", "`engine/*`, `tools/*`, `steps/models/*`, `steps/agents/common`"),
    ("workflows", "`engine/*`, `tools/*`, `steps/*`"),
    ("workflows/catalog", "`engine/*`, `tools/*`, `steps/*`, `workflows`")])


def one(path, include):
    return {path: f"#pragma once\n#include {include}\n", rule.PLAN: TABLE}


rule.main(check, bad=[
    (one("engine/run.hpp", '"steps/models/a.hpp"'), "downward"),
    (one("engine/run.hpp", '"engine/net/url.hpp"'), "downward"),
    (one("engine/net/tls.cpp", '"engine/store/a.hpp"'), "downward"),
    (one("engine/core/loop/loop.hpp", '"engine/run.hpp"'), "downward"),
    (one("engine/core/machine/state.hpp", '"engine/core/loop/loop.hpp"'), "downward"),
    (one("engine/core/loop/loop.cpp", '"engine/net/url.hpp"'), "downward"),
    (one("engine/json/read.cpp", '"engine/json.hpp"'), "downward"),
    (one("engine/text/utf8.cpp", '"engine/error.hpp"'), "downward"),
    (one("engine/journal/read.cpp", '"engine/core/fold.hpp"'), "downward"),
    (one("engine/journal/read.cpp", '"engine/run.hpp"'), "downward"),
    (one("engine/event.hpp", '"engine/workflow.hpp"'), "downward"),
    (one("tools/tool.hpp", '"steps/models/a.hpp"'), "downward"),
    (one("steps/models/a.hpp", '"steps/models/protocols/a.hpp"'), "downward"),
    (one("steps/models/protocols/a.cpp", '"steps/models/http/a.hpp"'), "downward"),
    (one("steps/models/a.hpp", '"tools/tool.hpp"'), "downward"),
    (one("steps/agents/common/a.cpp", '"steps/agents/react/a.hpp"'), "downward"),
    (one("steps/models/a.hpp", '"workflows/a.hpp"'), "downward"),
    (one("workflows/a.hpp", '"workflows/catalog/a.hpp"'), "downward"),
    (one("steps/models/a.hpp", '"a.hpp"'), "root"),
    (one("steps/models/a.hpp", "<sqlite3.h>"), "SQLite"),
    (one("engine/store/a.hpp", "<libpq-fe.h>"), "libpq"),
    (one("engine/net/a.hpp", "<boost/beast/http.hpp>"), "Beast"),
    (one("steps/view/a.hpp", "<spdlog/spdlog.h>"), "spdlog"),
    (one("workflows/driver/a.cpp", "<CLI/CLI.hpp>"), "CLI11"),
    (one("engine/a.cpp", "<boost/regex.hpp>"), "of Boost"),
    ({"engine/a.hpp": ""}, "#pragma once"),
], good=[
    one("tests/a.cpp", '"workflows/a.hpp"'), one("workflows/a.hpp", '"steps/agents/common/a.hpp"'),
    one("steps/models/a.cpp", '"engine/net/url.hpp"'), one("steps/models/http/a.cpp", '"steps/models/protocols/a.hpp"'),
    one("steps/agents/react/a.cpp", '"steps/agents/common/a.hpp"'), one("workflows/catalog/a.cpp", '"workflows/a.hpp"'),
    one("tools/sql/a.cpp", "<sqlite3.h>"), one("workflows/driver/command_line.cpp", "<CLI/CLI.hpp>"),
    one("tests/a.cpp", "<sqlite3.h>"), one("engine/a.cpp", "<boost/asio/post.hpp>"),
    one("engine/run.hpp", '"engine/core/loop/loop.hpp"'), one("engine/core/loop/loop.hpp", '"engine/clock.hpp"'),
    one("engine/core/data/slots.hpp", '"engine/json/shape_of.hpp"'),
    one("engine/core/fold.cpp", '"engine/journal/a.hpp"'),
    one("engine/core/loop/loop.cpp", '"engine/text/utf8.hpp"'),
    one("engine/journal/read.cpp", '"engine/text/utf8.hpp"'),
    one("engine/journal/a.hpp", '"engine/store.hpp"'), one("engine/event.hpp", '"engine/core/graph/check.hpp"'),
])
