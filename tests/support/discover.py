"""Writes a ctest for each test case of a doctest program, and one for each group of cases. doctest's own discovery
makes a CMake list, which divides a title at a semicolon into halves that match no case, and pass.

usage: discover.py [--by EMULATOR] PROGRAM NAME OUTPUT [PROPERTY VALUE]...
"""
import subprocess
import sys

emulator = [sys.argv[2]] if sys.argv[1] == "--by" else []
program, name, output, *properties = sys.argv[1 + 2 * len(emulator):]
listed = subprocess.run([*emulator, program, "--list-test-cases", "--no-intro"], text=True, capture_output=True,
                        check=True)
titles = [line for line in listed.stdout.splitlines() if line and not line.startswith(("[doctest]", "===="))]
if len(set(titles)) != len(titles):
    sys.exit(f"{name}: two test cases have the same title: {[t for t in titles if titles.count(t) > 1][0]}")


def quoted(text):
    return f"[==[{text}]==]"


def add(file, test, *arguments):
    file.write(f"  add_test({test} {' '.join(map(quoted, [*emulator, program, *arguments]))})\n")
    # A ctest without a case fails.
    file.write(f"  set_tests_properties({test} PROPERTIES FAIL_REGULAR_EXPRESSION {quoted('test cases: +0 ')}"
               f" {' '.join(map(quoted, properties))})\n")


# With ctest -C grouped, a program with many cases runs them in groups: the start of two thousand processes under a
# sanitizer takes minutes.
GROUP = 25
with open(output, "w", encoding="utf-8") as file:
    if grouped := len(titles) > 2 * GROUP:
        file.write('if(CTEST_CONFIGURATION_TYPE STREQUAL "grouped")\n')
        for first in range(1, len(titles) + 1, GROUP):
            last = min(first + GROUP - 1, len(titles))
            add(file, quoted(f"{name}: cases {first} to {last}"), f"--first={first}", f"--last={last}")
        file.write("else()\n")
    for title in titles:
        wanted = title.replace("\\", "\\\\").replace(",", "\\,")
        add(file, quoted(f"{name}: {title}"), f"--test-case={wanted}")
    if grouped:
        file.write("endif()\n")
