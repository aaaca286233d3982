"""g++ 12 corrupts some temporaries that share an expression with co_await: braced aggregates and lambdas with captures.

So no expression that awaits may contain a brace or a capturing lambda: name the value, then
`co_await f(std::move(value))`; name the awaited result, then build the aggregate.
"""
import re

import rule

CLOSING = {")": "(", "]": "[", "}": "{"}
_head = re.compile(r"(\bif|\bwhile|\bfor|\bswitch|\bconstexpr)\s*$")
_block = re.compile(r"(^|[;{})\]:]|\b(else|do|try|const|noexcept|mutable|override|final))\s*$")
_rest = re.compile(r"\s*(?:<[^{}();]*>\s*)?(?:\([^{}]*?\)\s*)?(?:mutable|noexcept|->[^{};,]*|\s)*\{")
_trailing = re.compile(r"\)[^;{}()]*->[^;{}]*$")


def opener(text, position):
    """Returns the position of the opening bracket that matches the one at `position`."""
    depth = 0
    for i in range(position, -1, -1):
        if text[i] in CLOSING:
            depth += 1
        elif text[i] in "([{":
            depth -= 1
            if depth == 0:
                return i
    return 0


def closer(text, position):
    depth = 0
    for i in range(position, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in CLOSING:
            depth -= 1
            if depth == 0:
                return i
    return len(text) - 1


def is_block(text, brace):
    """Whether the brace contains statements, not the values of an object."""
    before = text[max(0, brace - 400):brace]
    return bool(_block.search(before) or _trailing.search(before))


def begin(text, position):
    """Returns the begin of the full expression around `position`, or None inside a braced initialiser."""
    i = position - 1
    while i >= 0:
        c = text[i]
        if c == ";":
            return i + 1
        if c == "{":
            return i + 1 if is_block(text, i) else None
        if c == "(" and _head.search(text[max(0, i - 12):i]):
            return i + 1
        if c in CLOSING:
            start = opener(text, i)
            if c == "}" and is_block(text, start) and not text[i + 1:].lstrip().startswith((",", ")", "(")):
                return i + 1
            i = start
        i -= 1
    return 0


def lambdas(text, start):
    """Returns (captures, end of body) if a lambda begins at this bracket, else None."""
    if text[start] != "[" or text[start + 1] == "[" or re.search(r"[\w)\]]\s*$", text[max(0, start - 40):start]):
        return None
    end = closer(text, start)
    rest = _rest.match(text, end + 1)
    return (text[start + 1:end].strip(), closer(text, rest.end() - 1)) if rest else None


def hazard(text, position):
    start = begin(text, position)
    if start is None:
        return "co_await inside of a braced initialiser"
    i, depth = start, 0
    while i < len(text):
        c = text[i]
        if c == ";" and depth == 0:
            return None
        found = lambdas(text, i) if c == "[" else None
        if found:
            if found[0]:
                return "a capturing lambda in one expression with co_await"
            i = found[1]
        elif c == "{":
            if i > position and depth == 0:
                return None if is_block(text, i) else "a brace in one expression with co_await"
            return "a brace in one expression with co_await"
        elif c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
            if depth < 0:
                return None  # the end of a condition of an if or a loop
        elif c == "}":
            return None
        i += 1
    return None


def check(files):
    for path, text in files.items():
        if not path.endswith(rule.CODE):
            continue
        text = rule.bare(text)
        for match in re.finditer(r"\bco_await\b", text):
            if re.search(r"\boperator\s*$", text[:match.start()]):
                continue
            what = hazard(text, match.start())
            if what:
                yield f"{path}:{rule.line_of(text, match.start())}: {what}: name the value first (g++ 12 corrupts it)"


def body(statement):
    return {"engine/a.cpp": f"awaitable<void> f(Context& c) {{\n    int n = 1;\n    {statement}\n    done();\n}}\n"}


rule.main(check, bad=[
    (body('co_await g(Event{.text = "s"});'), "a brace"),
    (body('co_await g({.text = "s"});'), "a brace"),
    (body("co_await g(h(Event{n}));"), "a brace"),
    (body("auto x = co_await g(\n        Event{n});"), "a brace"),
    (body("co_await g([n] { return n; });"), "capturing"),
    (body("co_await g([&n]() mutable -> int { return n; });"), "capturing"),
    (body('auto e = Event{"s", co_await g()};'), "inside of"),
    (body('co_return Event{"s", co_await g()};'), "inside of"),
    (body("co_return {co_await g()};"), "inside of"),
    (body("Event e{co_await g()};"), "inside of"),
    (body("use(Event{n}, co_await g());"), "a brace"),
    (body("if (auto x = co_await g(Event{n})) go();"), "a brace"),
], good=[
    body("co_await g(std::move(event));"),
    body("co_await g([](int i) { return i; });"),
    body("if (n) { h(Event{n}); }\n    co_await g();"),
    body("while (auto event = co_await run.next_event()) { use(Event{*event}); }"),
    body("for (auto& x : all) co_await g(x);"),
    body('co_return Event{.text = "s"};'),
    body("auto work = [n]() -> awaitable<void> { co_await g(n); };"),
    body("spawn(executor, [](int i) -> awaitable<std::vector<int>> { co_await g(i); }, Options{});"),
    body("auto t = table[n]; co_await g(table[n], n);"),
    body("Event e{n};\n    co_await g(e); // co_await g(Event{n})\n"),
    body("try {\n co_await g();\n } catch (...) { h(Event{n}); }"),
    body("if (n) co_await g();\n    else { h(Event{n}); }"),
])
