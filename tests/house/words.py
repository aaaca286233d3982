"""The project's text is only about the project: no paths of one machine, no authors, no open tasks.

The title of a test, X does Y when Z, begins with its subject.
"""
import re

import quotes
import rule

ITSELF = "tests/house/words.py"  # contains the forbidden words
FORBIDDEN = [
    (r"(?<![\w.})-])/(work|root|home|tmp|mnt|srv|opt|media|Users)\b", "a path of one machine"),
    (r"(?<![\w/])shared/\w+", "a path outside of the tree"),
    (r"\b(TODO|FIXME|XXX|HACK)\b|(?i:\bknown[ _]defects?\b)", "something left to do: do it, or open an issue"),
    (r"(?i)\b(seed|ancestor|predecessor|source|reference)[ _](documents?|systems?|projects?)\b|\bthe seeds?' ",
     "where it came from"),
    (r"(?i)\b(written|generated|built|authored|implemented) by (an? )?(ai|agent|assistant|llm|language model)\b",
     "who made it"),
    (r"(?i)\b(ai|llm|machine)[- ](generated|written|assisted)\b|\bco-authored-by\b", "who made it"),
    (r"(?i)\b((the|my|our) (lead|boss|brief|assignment)\b|lead (engineer|developer)|work ?trees?\b"
     r"|(this|my|our) session\b)", "how it was made"),
    (r"(?i)\bissues? #?\d+\b", "a task's number: say what it is about"),
]
# Words that only insiders understood, and their replacements.
OLD = [
    (r"\bSurroundings\b", "RunResources"), (r"\bSpoken\b", "AgentForModel"), (r"\bSession::heard\b", "log_calls_of"),
    (r'"circles"', "repeated_calls"), (r"\bdearest\w*", "the most expensive"),
    (r"\bundressed\b", "strip_markup"), (r"\bin (any|whatever) dress\b", "with any Markdown around it"),
    (r"\bscope_?->tell\(|\bScope::tell\b", "mark_cancellation_delivered"),
    (r"\bquick_?look\b|\bQuickLook\b", "text_chunk_scanner, TextChunkScanner"),
    (r"\bobject_finder\.[ch]pp\b", "steps/agents/text/json_in_text.hpp"),
    (r"\bAccount::(hold|rest|pause)\b", "delay_for_limit, delay_while_down, block_for"),
    (r"\bHttpCall::next\b", "wait_before_retry_or_throw"), (r"\basks_by_instructions\b", "has_only_instructions"),
    (r"\bwhose matter it is\b", "what failed"), (r"\bsentence is a predicate\b", "the sentence has no subject"),
    (r"\bfind_by_guards\b", "find_by_conditions"), (r"(?i)\btold to the outside\b", "streamed"),
    (r"\bwhat the surroundings say\b", "what the environment says"),
    (r"(?i)\bwhile compiling\b", "at compile time"), (r"(?i)\bstraight there\b", "a direct connection"),
    (r"(?i)\bby whatever handler\b", "by any handler"),
    (r"(?i)\bbeyond all measure\b", "far too much"), (r"(?i)\bwithout farewell\b", "without a shutdown"),
    (r"(?i)\bnobody (is there )?to tell\b", "nothing is waiting"),
]
# First words that hide the subject of a title.
_no_subject = re.compile(r"(?i)(what|who|whom|whose|whoever|whatever|wherever|whichever|whenever|nobody|nothing|none"
                         r"|of|that|how|when|where|while|without)\b")
_page = re.compile(r"[\w./-]*\b\w+\.md\b")
# The origin of packages belongs to the machine, not to the project.
_resolved = re.compile(r'"resolved": "https?://(?!registry\.npmjs\.org/)')
_mirror = re.compile(r"(?i)\b(index-url|extra-index-url|npm_config_registry|pip\.conf|artifactory|nexus)\b")


def check(files):
    pages = {path.rsplit("/", 1)[-1] for path in files}
    for path, text in files.items():
        if path == ITSELF or path == "LICENSE":
            continue
        patterns = FORBIDDEN + [(_mirror.pattern, "a package mirror"), (_resolved.pattern, "a package mirror")]
        patterns += [(old, f"an old word: say '{new}'") for old, new in OLD]
        if path.endswith("package-lock.json"):
            patterns = [(_resolved.pattern, "a package mirror")]
        for match in () if path.startswith("tests/house/") else _page.finditer(text):  # they invent names
            if match.group().rsplit("/", 1)[-1] not in pages:
                yield f"{path}:{rule.line_of(text, match.start())}: '{match.group()}' is a page outside of the tree"
        for pattern, what in patterns:
            for match in re.finditer(pattern, text):
                yield f"{path}:{rule.line_of(text, match.start())}: '{match.group().strip()}' is {what}"
        for title in quotes.titles(text) if path.startswith("tests/") and path.endswith(".cpp") else ():
            if _no_subject.match(title):
                yield f"{path}:1: a title begins with its subject, X does Y when Z: {title}"


_folders = ("work", "root", "home", "tmp", "mnt", "srv", "opt", "media", "Users")
_places = [("a.cpp", "// see /{}/x"), ("a.md", "in /{}/.cache"), ("dev", "=/{}"), ("a.py", 'open("/{}/x/y")')]
rule.main(check, bad=[({name: text.format(folder)}, "a path") for folder in _folders for name, text in _places] + [
    ({"a.cpp": "// see shared/x"}, "a path"),
    ({"a.hpp": "// TODO: later"}, "left"), ({"a.hpp": "// see KNOWN_DEFECTS"}, "left"),
    ({"a.md": "Written by an AI."}, "who"), ({"a.md": "as issue 2 says"}, "number"),
    ({"a.md": "in my worktree"}, "how"), ({"a.md": "as the brief says"}, "how"),
    ({"a.md": "in this session of it"}, "how"), ({"a.md": "the lead engineer"}, "how"),
    ({"a.md": "a row of other_systems.md"}, "a page"), ({"a.md": "as in seed_systems"}, "came from"),
    ({"tests/a.cpp": 'TEST_CASE("what was sent arrives") {}'}, "its subject"),
    ({"tests/a.cpp": 'TEST_CASE("Of two events " "the first wins") {}'}, "its subject"),
    ({"tests/package-lock.json": '"resolved": "https://npm.mirror.example/x.tgz"'}, "mirror"),
], good=[{"a.md": "Open an issue. The model's turn. todo lists are fine; an agent was built; see docs/b.md and a.md.",
          "tests/a.cpp": 'TEST_CASE("an offer says whatever it says") {}',
          "docs/b.md": "https://example.org/tmp/x, ${folder}/tmp and build/tmp are not paths of a machine.",
          "tests/package-lock.json": '"resolved": "https://registry.npmjs.org/x.tgz"'}])
