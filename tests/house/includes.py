"""Includes go only downward, from the root of the tree, and heavy libraries stay where they belong."""
import re

import rule

# The first folder that fits says what its files may include of the project.
LAYERS = [
    ("tests/", None),
    ("docs/", None),
    ("workflows/", ("workflows/", "steps/", "tools/", "engine/")),
    ("steps/", ("steps/", "tools/", "engine/")),
    ("tools/", ("tools/", "engine/")),
    ("engine/testing/", ("engine/testing/", "engine/")),
    ("engine/server/", ("engine/server/", "engine/")),
    ("engine/store/", ("engine/store/", "engine/")),
    ("engine/net/", ("engine/net/", "engine/")),
    ("engine/", ("engine/",)),
]
# The rooms of the engine. What users include stands on the machine; some of it is so small that the machine uses it
# too, and that stands on nothing but itself, the machine and JSON.
ROOMS = ("engine/core/", "engine/json/")
BASE = {f"engine/{name}.hpp" for name in (
    "awaitable", "clock", "context", "describe", "error", "event", "growing", "journal", "observer", "retry",
    "run_options", "slot_values", "terminal", "text", "timeout", "utf8")}
PARTS = ("engine/testing/", "engine/server/", "engine/store/", "engine/net/")
PROJECT = ("engine/", "tools/", "steps/", "workflows/", "tests/", "docs/")

# A library -> where it may be included (tests may do anything), and how to say so.
LIBRARIES = [
    (r"sqlite3", r"(engine/store|tools/sql)/[^/]+\.cpp", "SQLite only in engine/store/*.cpp and tools/sql/*.cpp"),
    (r"boost/beast", r"engine/(net|server)/[^/]+\.cpp", "Beast only in engine/net/*.cpp and engine/server/*.cpp"),
    (r"spdlog/", r".*\.cpp", "spdlog only in .cpp files"),
    (r"(valijson|re2|muParser|CLI|editline|histedit)\b", r".*\.cpp", "heavy libraries only in .cpp files"),
    (r"openssl/", r".*\.cpp|engine/net/.*", "OpenSSL only in .cpp files and engine/net"),
    (r"doctest/", r"(?!)", "doctest only in tests"),
    (r"boost/(?!asio|beast|describe|mp11|system)", r"(?!engine/).*", "of Boost, the engine takes Asio and Describe"),
]
_include = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)


def in_room(path):
    return path.startswith(ROOMS) or path in BASE


def allowed(path, target):
    if in_room(path):
        return in_room(target)
    for prefix, below in LAYERS:
        if path.startswith(prefix):
            if below is None:
                return True
            part = next((p for p in PARTS if target.startswith(p)), None)
            if part and path.startswith("engine/"):
                return path.startswith(part)  # the core knows none of its parts, and they do not know each other
            return target.startswith(below)
    return True


def check(files):
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
                elif not allowed(path, target):
                    yield f'{where}: "{target}" is not below {path}: includes go only downward'
            if path.startswith(("tests/", "docs/")):
                continue
            for library, place, sentence in LIBRARIES:
                if re.match(library, target) and not re.fullmatch(place, path):
                    yield f"{where}: <{target}>: {sentence}"


def one(path, include):
    return {path: f"#pragma once\n#include {include}\n"}


rule.main(check, bad=[
    (one("engine/run.hpp", '"steps/a.hpp"'), "downward"),
    (one("engine/run.hpp", '"engine/net/url.hpp"'), "downward"),
    (one("engine/net/tls.cpp", '"engine/store/a.hpp"'), "downward"),
    (one("engine/core/loop.hpp", '"engine/run.hpp"'), "downward"),
    (one("engine/core/loop.cpp", '"engine/net/url.hpp"'), "downward"),
    (one("engine/json/read.cpp", '"engine/json.hpp"'), "downward"),
    (one("engine/event.hpp", '"engine/workflow.hpp"'), "downward"),
    (one("tools/tool.hpp", '"steps/a.hpp"'), "downward"),
    (one("steps/a.hpp", '"workflows/a.hpp"'), "downward"),
    (one("steps/a.hpp", '"a.hpp"'), "root"),
    (one("steps/a.hpp", "<sqlite3.h>"), "SQLite"),
    (one("engine/net/a.hpp", "<boost/beast/http.hpp>"), "Beast"),
    (one("steps/a.hpp", "<spdlog/spdlog.h>"), "spdlog"),
    (one("engine/a.cpp", "<boost/regex.hpp>"), "of Boost"),
    ({"engine/a.hpp": ""}, "#pragma once"),
], good=[
    one("tests/a.cpp", '"workflows/a.hpp"'), one("workflows/a.hpp", '"steps/a.hpp"'),
    one("steps/a.cpp", '"engine/net/url.hpp"'), one("tools/sql/a.cpp", "<sqlite3.h>"),
    one("tests/a.cpp", "<sqlite3.h>"), one("engine/a.cpp", "<boost/asio/post.hpp>"),
    one("engine/run.hpp", '"engine/core/loop.hpp"'), one("engine/core/loop.hpp", '"engine/clock.hpp"'),
    one("engine/core/slots.hpp", '"engine/json/shape_of.hpp"'), one("engine/event.hpp", '"engine/core/check.hpp"'),
])
