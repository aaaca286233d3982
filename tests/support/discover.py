"""Writes a ctest for each test case of a doctest program. doctest's own discovery makes a list of CMake out of them,
where a title with a semicolon falls in two halves that match nothing, and pass.

usage: discover.py PROGRAM NAME OUTPUT [PROPERTY VALUE]...
"""
import subprocess
import sys

program, name, output, *properties = sys.argv[1:]
listed = subprocess.run([program, "--list-test-cases", "--no-intro"], text=True, capture_output=True, check=True)
titles = [line for line in listed.stdout.splitlines() if line and not line.startswith(("[doctest]", "===="))]
if len(set(titles)) != len(titles):
    sys.exit(f"{name}: two test cases have the same title: {[t for t in titles if titles.count(t) > 1][0]}")


def quoted(text):
    return f"[==[{text}]==]"


with open(output, "w", encoding="utf-8") as file:
    for title in titles:
        wanted = title.replace("\\", "\\\\").replace(",", "\\,")
        test = quoted(f"{name}: {title}")
        file.write(f"add_test({test} {quoted(program)} {quoted('--test-case=' + wanted)})\n")
        # One that ran nothing has not passed.
        file.write(f"set_tests_properties({test} PROPERTIES FAIL_REGULAR_EXPRESSION {quoted('test cases: +0 ')}"
                   f" {' '.join(map(quoted, properties))})\n")
