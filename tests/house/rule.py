"""Functions of all house rules: the tree's files, its rooms, C++ without comments and strings, and a main that first
lets the rule fail on bad examples.

A rule is `check(files)`: a dictionary of path -> text in, complaints out, each "path:line: sentence".
"""
import os
import re
import sys

CODE = (".cpp", ".hpp")
SKIPPED = {"build", "node_modules", "__pycache__", "corpus"}


def tree(root="."):
    """Returns every text file of the project: path relative to the root -> text."""
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED and (not f.startswith(".") or f == ".ci"))
        for name in sorted(n for n in names if not n.startswith(".")):
            path = os.path.relpath(os.path.join(folder, name), root)
            try:
                with open(path, encoding="utf-8") as file:
                    found[path] = file.read()
            except (UnicodeDecodeError, FileNotFoundError):
                pass  # not a text, or removed meanwhile
    return found


PLAN = "docs/architecture.md"
_room = re.compile(r"^\| `([\w/]+)` \| `([\w:]+)` \| `(weft\w*(?:::\w+)?)` \| (.*?) \|", re.M)


def rooms(files):
    """Returns the rows of the page's table: folder -> namespace, CMake target, permitted includes besides itself."""
    return {folder: (namespace, target, tuple(re.findall(r"`([^`]+)`", below)))
            for folder, namespace, target, below in _room.findall(files.get(PLAN, ""))}


def may_include(below, folder):
    """Whether a folder is in a list such as `engine`, `tools/*`; a star includes subfolders."""
    return any(folder == name or name.endswith("/*") and (folder + "/").startswith(name[:-1]) for name in below)


_token = re.compile(
    r'(?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")|(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)'
    r'|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<char>(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\')', re.S)


def bare(text):
    """Returns C++ with comments and literals blanked; every position stays the same."""
    def blank(match):
        kept = "\0" if match.lastgroup in ("line", "block") else '"'
        inner = re.sub(r"[^\n]", " ", match.group())
        return inner if kept == "\0" else kept + inner[1:-1] + kept
    return _token.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def main(check, bad, good=()):
    """`bad`: pairs of files and a part of the complaint that they must cause; `good`: files without a complaint."""
    for files, part in bad:
        complaints = list(check(files))
        if not any(part in c for c in complaints):
            sys.exit(f"self-test: {files} should be refused with '{part}', got {complaints}")
    for files in good:
        complaints = list(check(files))
        if complaints:
            sys.exit(f"self-test: {files} should pass, got {complaints}")
    complaints = list(check(tree()))
    if complaints:
        sys.exit("\n".join(complaints))
