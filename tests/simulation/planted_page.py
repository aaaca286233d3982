"""The results of planted.py in the documentation: a page with each fault, and a table with each list.

The page has a line for each fault, and the table of docs/reliability.md has one for each list. A fault that is not
measured keeps its former figure.
"""
import re

import planted_faults

PAGE = "docs/planted_faults.md"
SUMMARY = "docs/reliability.md"
HEAD = ["| place of the faults | number | found | failing histories | list |", "|---|---|---|---|---|"]
INTRO = """# Planted faults

Each line of the tables is a fault that [planted.py](../tests/simulation/planted.py) plants in the code which the
[simulated histories](reliability.md#simulated-histories-and-planted-faults) execute. It plays the histories of a
fault from seed 1 on, in groups of five, until one fails. If the first 60 pass, it plays further ones until three fail,
at most 2000 (`./dev simulate planted --seeds 60 --enough 1 --more 2000`). So the figures tell how soon a fault
is found: 1 of 20 is one failing history of 20. A history fails if one of its oracles reports a broken promise, or if an
assertion of the engine ends the program.

{sentence}
"""
NOT_MEASURED = "not measured"
_row = re.compile(r"^\| ([^|]+?) \| `([^`|]+)` \| (?:(\d+) of (\d+)|not measured) \| (\d+|none) \|$", re.M)


def share(of):
    return of["failed"] / of["played"]


def name_of(of):
    return f"{of['failed']} of {of['played']}" if of else NOT_MEASURED


def of_parts(found):
    for name, part in planted_faults.PARTS.items():
        of_part = [(fault, of) for fault, of in found if fault.part == name]
        if of_part:
            yield name, part, of_part


def rows(of_part):
    yield "| fault | file | failing histories | first seed |"
    yield "|---|---|---|---|"
    for fault, of in of_part:
        yield f"| {fault.name} | `{fault.file}` | {name_of(of)} | {of and of['first'] or 'none'} |"


def summary(found):
    yield from HEAD
    for name, part, of_part in of_parts(found):
        measured = sorted((of for _, of in of_part if of), key=share)
        number = sum(bool(of["failed"]) for of in measured)
        if len(measured) < len(of_part):
            number = f"{number} of {len(measured)} measured"
        link = f"[{name}.py](../tests/simulation/faults/{name}.py)"
        shares = f"{name_of(measured[0])} to {name_of(measured[-1])}" if measured else NOT_MEASURED
        yield f"| {part.PLACE} | {len(of_part)} | {number} | {shares} | {link} |"


def page(found):
    measured = [of for _, of in found if of]
    number = sum(bool(of["failed"]) for of in measured)
    lines = [INTRO.format(sentence=f"The histories find {number} of {len(measured)} measured faults.")]
    for name, part, of_part in of_parts(found):
        lines += [f"## {part.PLACE[0].upper()}{part.PLACE[1:]}", ""]
        lines += [f"The list is [{name}.py](../tests/simulation/faults/{name}.py).", "", *rows(of_part), ""]
    return "\n".join(lines)


def figures(text):
    """Returns the figures of a page by the names of the faults."""
    return {name: {"failed": int(failed), "played": int(played), "first": None if first == "none" else int(first)}
            for name, _, failed, played, first in _row.findall(text) if played}


def with_summary(text, found):
    """Returns the text of SUMMARY with the present table."""
    begin = text.index(HEAD[0])
    end = text.index("\n\n", begin)
    return text[:begin] + "\n".join(summary(found)) + text[end:]


def write(root, found):
    """`found`: pairs of a fault and its figure, or of a fault and None."""
    path = root / PAGE
    former = figures(path.read_text()) if path.is_file() else {}
    all_of = [(fault, of or former.get(fault.name)) for fault, of in found]
    path.write_text(page(all_of))
    path = root / SUMMARY
    path.write_text(with_summary(path.read_text(), all_of))


def problems(faults, read):
    """Yields a sentence for each difference between the lists and the pages. `read` returns the text of a file."""
    listed = {(fault.name, fault.file) for fault in faults}
    shown = [(name, file) for name, file, *_ in _row.findall(read(PAGE))]
    for name, file in sorted(listed - set(shown)):
        yield f"{PAGE} has no line for the fault '{name}' of {file}: measure it, and write the page by --page"
    for name, file in sorted(set(shown) - listed):
        yield f"{PAGE} has a line for '{name}' of {file}, which is no fault of the lists"
    text = read(SUMMARY)
    for name in planted_faults.PARTS:
        number = sum(fault.part == name for fault in faults)
        if number and not re.search(rf"^\|[^|]*\| {number} \|.*\b{name}\.py\b", text, re.M):
            yield f"{SUMMARY} does not say that {name}.py has {number} faults"
