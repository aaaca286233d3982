"""The version stands in project() of CMakeLists.txt alone: no recipe has another one, and no page names the package of
another one. The changelog has the form of Keep a Changelog: its newest version is this one.
"""
import datetime
import re

import rule

LOG = "docs/CHANGELOG.md"
SECTIONS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
_project = re.compile(r"^project\(weft VERSION (\d+\.\d+\.\d+)", re.M)
_recipe = re.compile(r"packaging/.*/(package\.json|vcpkg\.json|conanfile\.py)")
_own = re.compile(r'^(?: {2}"version(?:-semver|-string)?": "| {4}version = ")(\d[\w.~+-]*)"', re.M)
_package = re.compile(r"\b(?:lib)?weft(?:-dev)?[_-](\d+\.\d+\.\d+)")
_version = re.compile(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d\d-\d\d)")


def check_log(text, version):
    newest, sections, last = None, [], None
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{LOG}:{number}"
        if line.startswith("## "):
            if line == "## Unreleased" and newest is None and last is None and not sections:
                continue
            match = _version.fullmatch(line[3:])
            if not match:
                yield f"{place}: a version begins with its number and date, ## 1.2.3 - 2030-12-31: {line}"
                continue
            try:
                this = tuple(map(int, match.groups()[:3])), datetime.date.fromisoformat(match[4])
            except ValueError:
                yield f"{place}: {match[4]} is no date"
                continue
            if last and (this[0] >= last[0] or this[1] > last[1]):
                yield f"{place}: the newest version stands first"
            newest, last, sections = newest or ".".join(match.groups()[:3]), this, []
        elif line.startswith("### "):
            name = line[4:]
            if name not in SECTIONS:
                yield f"{place}: a section is one of {', '.join(SECTIONS)}: {name}"
            elif sections and SECTIONS.index(name) <= SECTIONS.index(sections[-1]):
                yield f"{place}: the order of sections is {', '.join(SECTIONS)}"
            else:
                sections.append(name)
        elif line.startswith("- ") and not sections:
            yield f"{place}: a change stands in a section, such as ### Added"
    if newest != version:
        yield f"{LOG}:1: the newest version is {newest}, and that of CMakeLists.txt is {version}"


def check(files):
    found = _project.search(files.get("CMakeLists.txt", ""))
    if not found:
        yield "CMakeLists.txt:1: the version stands here: project(weft VERSION 1.2.3 ...)"
        return
    version = found[1]
    yield from check_log(files.get(LOG, ""), version)
    for path, text in files.items():
        pattern = _own if _recipe.fullmatch(path) else _package if path.endswith(".md") and path != LOG else None
        for match in pattern.finditer(text) if pattern else ():
            if match[1] != version:
                yield f"{path}:{rule.line_of(text, match.start())}: the version is {version}, not {match[1]}"


_log = "# Changelog\n## 0.2.0 - 2030-01-02\n### Added\n- a\n### Fixed\n- b\n## 0.1.0 - 2030-01-01\n### Added\n- c\n"
_good = {"CMakeLists.txt": "project(weft VERSION 0.2.0 LANGUAGES CXX)", LOG: _log}
rule.main(check, bad=[
    ({LOG: _log}, "the version stands here"),
    ({**_good, "CMakeLists.txt": "project(weft VERSION 0.3.0)"}, "the newest version is 0.2.0"),
    ({**_good, LOG: _log.replace("0.2.0 - 2030-01-02", "[Unreleased]")}, "its number and date"),
    ({**_good, LOG: _log.replace("01-02", "02-30")}, "is no date"),
    ({**_good, LOG: _log.replace("0.1.0", "0.2.0")}, "newest version stands first"),
    ({**_good, LOG: _log.replace("Fixed", "Repaired")}, "a section is one of"),
    ({**_good, LOG: _log.replace("### Added\n- a", "### Security\n- a")}, "the order of sections"),
    ({**_good, LOG: _log.replace("### Added\n- c", "- c")}, "stands in a section"),
    ({**_good, "packaging/npm/weft/package.json": '{\n  "version": "0.1.0"\n}'}, "the version is 0.2.0, not 0.1.0"),
    ({**_good, "packaging/conan/conanfile.py": 'class Weft:\n    version = "0.1.0"\n'}, "not 0.1.0"),
    ({**_good, "docs/install.md": "apt install ./weft_0.1.0_amd64.deb"}, "not 0.1.0"),
], good=[_good, {**_good, "packaging/vcpkg/vcpkg.json": '{\n  "version-semver": "0.2.0",\n  "a": {"version": "9.0"}\n}',
                 "docs/install.md": "apt install ./weft_0.2.0_amd64.deb ./libweft-dev_0.2.0_amd64.deb"}])
