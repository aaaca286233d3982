"""No snippet without a compiler: README.md and docs/ quote their code from programs that ctest builds and runs.

A comment before a fenced block names its source:
    <!-- docs/examples/steps/hello.cpp greet --> the part from "// [greet]" to "// [/greet]"; required for ```cpp
                                                 and ```cmake, whose marks are "# [greet]"
    <!-- docs/examples/steps/hello.cpp prints --> the output of the example
    <!-- tests/compile_fail/graph/unconsumed.cpp --> a compiler's message, with the sentence of that test
Blocks of ```sh use only existing commands. The text of a link to a test's file, [title](x_test.cpp), is the title of a
test or the name of the file.

usage: quotes.py [--update]               checks; or writes the regions into the pages
       quotes.py --driver PROGRAM         checks that the driver knows the commands and options of ```sh blocks
"""
import os
import re
import subprocess
import sys
import textwrap

import rule

_block = re.compile(r"^(?P<marker><!--[ ](?P<source>\S+)(?:[ ](?P<tag>\S+))?[ ]-->\n)?"
                    r"(?P<fence>```(?P<language>\w*)[^\n]*\n)(?P<body>.*?)^```$", re.M | re.S)
_test = re.compile(r"\[(?P<title>[^\]]+)\]\((?P<target>[^)\s]+_test\.cpp)\)")
_page = re.compile(r"README\.md|docs/.*\.md")
_tag = re.compile(r"^\s*(?://|#) \[/?[\w-]+\]\n|^// shows .*\n", re.M)


def region(text, tag):
    """Returns the lines between the tags, dedented and without other tags, or None without such tags."""
    if tag == "prints":
        found = re.search(r"^// prints:\n((?:// ?[^\n]*\n)*)", text, re.M)
        return found and "".join(line[3:] + "\n" for line in found.group(1).splitlines())
    tag = re.escape(tag)
    found = re.search(rf"^\s*(?://|#) \[{tag}\]\n(.*?)^\s*(?://|#) \[/{tag}\]\n", text, re.M | re.S)
    return found and textwrap.dedent(_tag.sub("", found.group(1)))


def blocks(files):
    for path, text in files.items():
        if _page.fullmatch(path):
            for match in _block.finditer(text):
                yield path, rule.line_of(text, match.start()), match


def commands(block):
    """Yields the lines of a shell block without comments, continued ones joined."""
    for line in block["body"].replace("\\\n", " ").splitlines():
        line = re.sub(r"(^|\s)#.*", "", line).strip()
        if line:
            yield line


def check_shell(files, block):
    known = set(re.findall(r"^  ([\w|-]+)\)", files.get("dev", ""), re.M))
    for line in commands(block):
        match = re.match(r"(?:\w+=\S+\s+)*\./dev(?:\s+(\S+))?", line)
        if match and match.group(1) not in known:
            yield f"./dev has no command '{match.group(1)}'"


def complaint(files, block):
    source, tag, body = block["source"], block["tag"], block["body"]
    if block["language"] in ("cpp", "cmake") and not (source and tag):
        return "a block of C++ or CMake has to be a quote: put <!-- docs/examples/NAME.cpp tag --> before it"
    if block["language"] == "sh":
        return next(check_shell(files, block), None)
    if not source:
        return None
    if source not in files:
        return f"there is no {source} to quote"
    if not tag:
        sentence = files[source].splitlines()[0][3:]
        return None if sentence in " ".join(body.split()) else f"the message of {source} is not this: {sentence}"
    wanted = region(files[source], tag)
    if wanted is None:
        return f"{source} has no region '{tag}'"
    return None if body == wanted else f"this is not what region '{tag}' of {source} holds: run quotes.py --update"


def titles(text):
    """Yields the title of every case in a test's source, adjacent literals joined."""
    for match in re.finditer(r'TEST_CASE\(\s*((?:"(?:\\.|[^"\\\n])*"\s*)+)\)', text):
        yield "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', match.group(1)))


def check_tests(files):
    for path, text in files.items():
        if _page.fullmatch(path):
            for match in _test.finditer(text):
                target = os.path.normpath(os.path.join(os.path.dirname(path), match["target"]))
                if " ".join(match["title"].split()) not in [os.path.basename(target), *titles(files.get(target, ""))]:
                    yield f"{path}:{rule.line_of(text, match.start())}: {target} has no test '{match['title']}'"


def check(files):
    yield from check_tests(files)
    for path, line, block in blocks(files):
        what = complaint(files, block)
        if what:
            yield f"{path}:{line}: {what}"


def update(files):
    def fresh(block):
        wanted = block["source"] and block["tag"] and region(files.get(block["source"], ""), block["tag"])
        return block[0] if not wanted else block["marker"] + block["fence"] + wanted + "```"
    for path, text in files.items():
        if _page.fullmatch(path) and (new := _block.sub(fresh, text)) != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
            print("updated", path)


def check_driver(files, help_of):
    """`help_of(command)` returns the output of `weft command --help`, or None for an unknown command."""
    for path, line, block in blocks(files):
        for command in commands(block) if block["language"] == "sh" else ():
            words = re.match(r"(?:\w+=\S+\s+)*(?:\S+ \| )?(?:weft|\./dev(?=\s+react))\s+([a-z]+)(.*)", command)
            if not words:
                continue
            known = help_of(words[1])
            if known is None:
                yield f"{path}:{line}: weft has no command '{words[1]}'"
                continue
            for option in re.findall(r"(?<=\s)--[a-z-]+", re.sub(r"'[^']*'|\"[^\"]*\"", "", words[2])):
                if not re.search(re.escape(option) + r"(?![a-z-])", known):
                    yield f"{path}:{line}: weft {words[1]} has no option {option}"


def ask_driver(program):
    def help_of(command):
        done = subprocess.run([program, command, "--help"], text=True, capture_output=True, timeout=60, check=False)
        return None if done.returncode else done.stdout
    return help_of


def page(marker, body, language="cpp"):
    return {"docs/a.md": f"text\n\n{marker}\n```{language}\n{body}```\n", "dev": "  test)\n  react) react ;;\n",
            "docs/examples/a.cpp": "int a;\n    // [x]\n    int b;\n    // [y]\n      int c;\n    // [/y]\n"
                                   "    // [/x]\n// prints:\n// 42\n//\n// end\n",
            "tests/a_test.cpp": 'TEST_CASE("it works "\n          "well") {',
            "tests/compile_fail/f.cpp": "// it is wrong: mend it\n"}


def main():
    if sys.argv[1:2] == ["--update"]:
        update(rule.tree())
    elif sys.argv[1:2] == ["--driver"]:
        shown = page("", "weft react --model x\n./dev react --db y 'no --option'\nweft fly\n", "sh")
        found = [c.split(": ")[1] for c in check_driver(shown, {"react": "--model --dbs"}.get)]
        if found != ["weft react has no option --db", "weft has no command 'fly'"]:
            sys.exit(f"self-test: {shown} should be refused twice, got {found}")
        sys.exit("\n".join(check_driver(rule.tree(), ask_driver(sys.argv[2]))) or None)
    else:
        rule.main(check, bad=[
            (page("", "int b;\n"), "has to be a quote"),
            (page("<!-- docs/examples/a.cpp -->", "int b;\n"), "has to be a quote"),
            (page("", "project(a)\n", "cmake"), "has to be a quote"),
            (page("<!-- docs/examples/b.cpp x -->", "int b;\n"), "no docs/examples/b.cpp"),
            (page("<!-- docs/examples/a.cpp z -->", "int b;\n"), "no region 'z'"),
            (page("<!-- docs/examples/a.cpp x -->", "int b;\n"), "is not what"),
            (page("<!-- docs/examples/a.cpp prints -->", "42\n", "text"), "is not what"),
            (page("<!-- tests/compile_fail/f.cpp -->", "error: it is\n", "text"), "is not this"),
            (page("", "./dev tset\n", "sh"), "no command 'tset'"),
            (page("see [it is wrong](../tests/a_test.cpp)", "", "text"), "has no test 'it is wrong'"),
        ], good=[
            page("<!-- docs/examples/a.cpp x -->", "int b;\n  int c;\n"),
            page("<!-- docs/examples/a.cpp prints -->", "42\n\nend\n", "text"),
            page("<!-- tests/compile_fail/f.cpp -->", "error: it is\n   wrong: mend it\n", "text"),
            page("see [it\nworks well](../tests/a_test.cpp)", "", "text"),
            page("see [a_test.cpp](../tests/a_test.cpp)", "", "text"),
            page("", "A=1 ./dev test -R x   # some\n./dev react \\\n  --quiet\n", "sh"),
        ])


if __name__ == "__main__":
    main()
