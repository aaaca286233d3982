"""Every relative link of a page leads to a file of the tree, and its anchor to a heading of that page."""
import os
import re

import rule

_link = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]\n]+\]:\s*(\S+)", re.M)
_heading = re.compile(r"^#{1,6} +(.+?) *#*$", re.M)
_fence = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)


def anchors(text):
    """The anchors that a code host and the site give to the headings of a page."""
    found = {}
    for title in _heading.findall(_fence.sub("", text)):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        mark = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found[mark] = found.get(mark, -1) + 1
    return {mark if i == 0 else f"{mark}-{i}" for mark, count in found.items() for i in range(count + 1)}


def check(files):
    folders = {os.path.dirname(p) for p in files}
    folders |= {f[:i] for f in folders for i, c in enumerate(f) if c == "/"}
    for path, text in files.items():
        if not path.endswith(".md"):
            continue
        text = _fence.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        for match in _link.finditer(text):
            target, _, mark = (match.group(1) or match.group(2)).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            page = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            if mark and page.endswith(".md") and page in files and mark not in anchors(files[page]):
                yield f"{path}:{rule.line_of(text, match.start())}: {page} has no heading for #{mark}"
            if not target:
                continue
            to = os.path.normpath(os.path.join(os.path.dirname(path), target))
            if to not in files and to not in folders and not os.path.exists(to):
                yield f"{path}:{rule.line_of(text, match.start())}: the link to {target} leads nowhere"


rule.main(check, bad=[
    ({"docs/a.md": "see [b](b.md)"}, "nowhere"), ({"docs/a.md": "see [b](../x/b.md#part)"}, "nowhere"),
    ({"a.md": "[b]: b.md"}, "nowhere"),
    ({"a.md": "[b](b.md#two)", "b.md": "# One\n```\n# two\n```\n"}, "no heading"),
    ({"a.md": "[b](#two)"}, "no heading"),
], good=[{
    "docs/a.md": "# d\n[b](b.md#x-of-g) [c](https://example.org) [d](#d) [e](../engine)\n```\n[x](y)\n```\n",
    "docs/b.md": "## `x` of g++", "engine/run.hpp": "",
}])
