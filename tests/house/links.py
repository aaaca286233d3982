"""Every relative link of a page leads to a file of the tree."""
import os
import re

import rule

_link = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]\n]+\]:\s*(\S+)", re.M)
_fence = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)


def check(files):
    folders = {os.path.dirname(p) for p in files}
    folders |= {f[:i] for f in folders for i, c in enumerate(f) if c == "/"}
    for path, text in files.items():
        if not path.endswith(".md"):
            continue
        text = _fence.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        for match in _link.finditer(text):
            target = (match.group(1) or match.group(2)).split("#")[0]
            if not target or re.match(r"[a-z]+:", target):
                continue
            to = os.path.normpath(os.path.join(os.path.dirname(path), target))
            if to not in files and to not in folders and not os.path.exists(to):
                yield f"{path}:{rule.line_of(text, match.start())}: the link to {target} leads nowhere"


rule.main(check, bad=[
    ({"docs/a.md": "see [b](b.md)"}, "nowhere"), ({"docs/a.md": "see [b](../x/b.md#part)"}, "nowhere"),
    ({"a.md": "[b]: b.md"}, "nowhere"),
], good=[{
    "docs/a.md": "[b](b.md#x) [c](https://example.org) [d](#d) [e](../engine)\n```\n[x](y)\n```\n",
    "docs/b.md": "", "engine/run.hpp": "",
}])
