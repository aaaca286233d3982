"""The project speaks only of itself: of no machine that it was on, of nobody who made it, of nothing left to do."""
import re

import rule

ITSELF = "tests/house/words.py"  # has to spell what it forbids
FORBIDDEN = [
    (r"(?<![\w.])/(work|root|home)/", "a path of one machine"),
    (r"/tmp/(wt|brief)\b", "a path of one machine"),
    (r"\b(shared/(design|style|data|reference|bench|prototype)|KNOWN_DEFECTS)\b", "a path outside of the tree"),
    (r"\b(TODO|FIXME|XXX|HACK)\b", "something left to do: do it, or open an issue"),
    (r"(?i)\b(seed (documents?|systems?|projects?)|seed_systems|the seeds?' )", "where it came from"),
    (r"(?i)\b(written|generated|built|authored|implemented) by (an? )?(ai|agent|assistant|llm|language model)\b",
     "who made it"),
    (r"(?i)\b(ai|llm|machine)[- ](generated|written|assisted)\b|\bco-authored-by\b", "who made it"),
    (r"(?i)\b(the lead engineer|my brief|the brief says|worktrees?|this session of the project)\b", "how it was made"),
    (r"(?i)\bissues? #?\d+\b", "a task's number: say what it is about"),
]
# Where packages come from is the business of the machine, not of the project.
_resolved = re.compile(r'"resolved": "https?://(?!registry\.npmjs\.org/)')
_mirror = re.compile(r"(?i)\b(index-url|extra-index-url|npm_config_registry|pip\.conf|artifactory|nexus)\b")


def check(files):
    for path, text in files.items():
        if path == ITSELF or path == "LICENSE":
            continue
        patterns = FORBIDDEN + [(_mirror.pattern, "a package mirror"), (_resolved.pattern, "a package mirror")]
        if path.endswith("package-lock.json"):
            patterns = [(_resolved.pattern, "a package mirror")]
        for pattern, what in patterns:
            for match in re.finditer(pattern, text):
                yield f"{path}:{rule.line_of(text, match.start())}: '{match.group().strip()}' is {what}"


rule.main(check, bad=[
    ({"a.cpp": "// see /work/x"}, "a path"), ({"a.md": "in /root/.cache"}, "a path"),
    ({"a.hpp": "// TODO: later"}, "left"),
    ({"a.md": "Written by an AI."}, "who"), ({"a.md": "as issue 2 says"}, "number"), ({"dev": "/tmp/wt/x"}, "a path"),
    ({"a.md": "a row of seed_systems.md"}, "came from"),
    ({"tests/package-lock.json": '"resolved": "https://npm.mirror.example/x.tgz"'}, "mirror"),
], good=[{"a.md": "Open an issue. The model's turn. todo lists are fine; an agent was built.",
          "tests/package-lock.json": '"resolved": "https://registry.npmjs.org/x.tgz"'}])
