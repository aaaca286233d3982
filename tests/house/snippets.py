"""The examples in headers compile: the blocks of the first comment that follow an empty line and have four more blanks
of indentation.

The rule compiles every such block with a line that ends in ';', unless its code has '...', which makes it a sketch. A
block that is not C++ (a picture, a table, a file's form) has no such line. tests/house/snippets.hpp declares the names
that blocks use, such as a model or an engine, for all headers or for those of one folder.

usage: snippets.py COMPILER
"""
import re
import subprocess
import sys

import rule

GIVEN = "tests/house/snippets.hpp"
INNER = ("client", "commands", "data", "graph", "guard", "impl", "loop", "machine", "openai", "parts",
         "protocol", "runs", "schema", "storage", "stored", "terminal", "text", "wait", "wire")  # folders of a room
WRONG = "engine/wrong.hpp"  # an invented header with a mistake, which the compiler has to report
_header = re.compile(r"(engine|tools|steps|workflows)/.*\.hpp")
_line = re.compile(r"//(?: {5}(.*)|\s*)$")
_type = re.compile(r"(struct|enum|BOOST_DESCRIBE_\w+|inline constexpr|double \w+\(double|awaitable<.*\) ?[;{])")


def blocks(text):
    """Yields the blocks of a header's first comment, each as a list of line number and line."""
    found, block, after_blank = [], [], False
    for number, line in enumerate(text.splitlines() + ["end"], 1):
        match = _line.match(line)
        if match and match[1] and (block or after_blank):
            block.append((number, match[1]))
            continue
        if block:
            found.append(block)
        block, after_blank = [], line == "//"
        if not line.startswith("//"):
            break
    return found


def is_code(block):
    code = [re.sub(r"//[^\"]*$", "", line).rstrip() for _, line in block]
    return any(line.endswith(";") for line in code) and not any("..." in re.sub(r'"[^"]*"', "", line) for line in code)


def outside(block):
    """Returns the number of first lines that declare types or functions, which are outside of the coroutine."""
    depth, last, inside = 0, 0, False
    for i, (_, line) in enumerate(block):
        inside = _type.match(line) if depth == 0 else inside
        code = re.sub(r"//.*", "", line)
        depth += code.count("{") - code.count("}") + code.count("(") - code.count(")")
        if inside:
            last = i + 1
    return last


def rooms_of(path):
    """Returns folders and file below the top folder: models, http, retry for steps/models/http/retry.hpp."""
    *folders, name = path[:-len(".hpp")].split("/")
    parts = [f for n, f in enumerate(folders) if n < 2 and folders[0] == "steps" or f not in INNER] + [name]
    return parts[1:] if parts[0] == "steps" else parts[-2:]


def program(files):
    headers, parts = [], []
    for path, text in files.items():
        for block in filter(is_code, blocks(text)):
            if path not in headers:
                headers.append(path)
            scope = "::".join("in_" + part for part in rooms_of(path))
            cut = outside(block)
            lines = [f'#line {number} "{path}"\n{line}' for number, line in block]
            parts.append("\n".join([f"namespace given::{scope}::snippet_{len(parts)} {{", *lines[:cut],
                                    "awaitable<void> snippet() {", *lines[cut:], "co_return;", "}", "}"]))
    includes = "".join(f'#include "{header}"\n' for header in headers if header != WRONG)
    return includes + f'#include "{GIVEN}"\n' + "\n".join(parts) + "\n"


def compiled(compiler, source):
    """Yields the compiler's errors."""
    command = [compiler, "-std=c++20", "-I.", "-fsyntax-only", "-w", "-x", "c++", "-"]
    return subprocess.run(command, input=source, text=True, capture_output=True, check=False).stderr


for text, count in [("// A.\n//\n//     f();\n//\n//     g();\n", 2), ("// A.\n//     f();\n", 0),
                    ("// A.\n//\n//     f(...);\n", 0), ("// A.\n//\n//     a -> b\n", 0),
                    ('// A.\n//\n//     f("...");  // and so on ...\n', 1), ("int a;\n//\n//     f();\n", 0)]:
    if len(list(filter(is_code, blocks(text)))) != count:
        sys.exit(f"self-test: {count} snippets should be found in {text!r}")
shown = {path: text for path, text in rule.tree().items() if _header.fullmatch(path)}
shown[WRONG] = "// Wrong.\n//\n//     there_is_no_such_thing();\n"
said = compiled(sys.argv[1], program(shown))
wrong = [line for line in said.splitlines() if re.search(r": (fatal )?error:", line)]
ours = [line for line in wrong if not line.startswith(WRONG)]
if ours:
    sys.exit(f"{said}\nWhat a header shows does not compile. What it takes for granted stands in {GIVEN}:\n" +
             "\n".join(ours))
if not wrong:
    sys.exit("self-test: a snippet with a mistake should not compile")
