"""The mistakes that planted.py plants, and the places in the code where it does.

Each has a name, a text that its file contains exactly once, and the text that replaces it. PLANTED in the new text is
true while this fault is played, and false otherwise. A fault is a mistake that could happen, and breaks a promise
that an oracle of the simulation knows. The reducer has none: the world without faults, whose results are those to
compare with, has the same reducer.
"""
import typing

import faults.builds
import faults.file
import faults.leases
import faults.logs
import faults.runs
import faults.schedules
import faults.shards
import faults.store

SWITCH = "PLANTED"


class PlantedFault(typing.NamedTuple):
    number: int  # the value of WEFT_PLANTED that chooses it
    name: str
    file: str
    old: str
    new: str
    part: str = ""  # the file of faults/ that lists it


PARTS = {part.__name__.removeprefix("faults."): part for part in (
    faults.store, faults.file, faults.leases, faults.runs, faults.schedules, faults.logs, faults.builds, faults.shards)}


def listed():
    found = [(name, file, each)
             for name, part in PARTS.items() for file, of_file in part.FAULTS.items() for each in of_file]
    return [PlantedFault(number, name, file, old, new, part)
            for number, (part, file, (name, old, new)) in enumerate(found, 1)]


def planted(text, faults):
    """Returns the text of a file with all its faults. problems() must have found nothing wrong with them."""
    places = sorted(((text.index(fault.old), fault) for fault in faults), reverse=True)
    for at, fault in places:
        new = fault.new.replace(SWITCH, f"weft_planted({fault.number})")
        text = text[:at] + new + text[at + len(fault.old):]
    return text


def problems(faults, read):
    """Yields a sentence for each fault that does not fit the code. `read` returns the text of a file."""
    names, ends = set(), {}
    for fault in faults:
        if fault.name in names:
            yield f"two planted faults are called '{fault.name}'"
        names.add(fault.name)
        if SWITCH in fault.old or SWITCH not in fault.new:
            yield f"'{fault.name}' has no {SWITCH} in its new text, or one in its old text"
    for file in sorted({fault.file for fault in faults}):
        text = read(file)
        for fault in (each for each in faults if each.file == file):
            count = text.count(fault.old)
            if count != 1:
                yield (f"{file} contains the text of '{fault.name}' {count} times, not once: the code has changed, so "
                       f"change the fault: {fault.old!r}")
                continue
            begin = text.index(fault.old)
            for other, (first, last) in ends.get(file, {}).items():
                if begin < last and first < begin + len(fault.old):
                    yield f"'{fault.name}' and '{other}' replace the same text of {file}"
            ends.setdefault(file, {})[fault.name] = (begin, begin + len(fault.old))
