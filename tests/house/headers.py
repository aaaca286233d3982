"""Each header compiles alone, and none gives a warning to a program with all warnings on, which includes it by plain
-I. The examples of the pages are compiled so, too, by the long form.

usage: headers.py COMPILER          each header of engine/ alone, and a source that includes every header
       headers.py --all COMPILER... every header alone with the first; with each, as C++20 and as C++23, the source that
                                    includes every header, the program of warnings.py, and the examples

Lists such as {.store = &store} leave the rest to its defaults on purpose: programs are compiled without that warning.
"""
import concurrent.futures
import glob
import os
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Werror"]
INPUT = ["-fsyntax-only", "-I.", "-x", "c++", "-"]
PROGRAM_FLAGS = ["-Wno-missing-field-initializers", "-DBOOST_ASIO_SEPARATE_COMPILATION", '-DWEFT_RECORDINGS="."']
PRIVATE = {"engine/store/postgres/libpq.hpp"}  # for sources of one folder only: it includes libpq's header


def headers(*folders):
    found = (name for folder in folders for name in glob.glob(f"{folder}/**/*.hpp", recursive=True))
    return sorted(set(found) - PRIVATE)


def complaints_about(work):
    """Returns what the compiler says about a source that includes these files."""
    compiler, standard, files = work
    source = "".join(f'#include "{file}"\n' for file in files)
    more = PROGRAM_FLAGS if files[-1].endswith(".cpp") else []
    done = subprocess.run([compiler, f"-std={standard}", *WARNINGS, *more, *INPUT], input=source, text=True,
                          capture_output=True, check=False)
    return f"{compiler} -std={standard}, {files[-1]}:\n{done.stderr}" if done.returncode else ""


def work_of(arguments):
    every = headers("engine", "tools", "steps", "workflows")
    if arguments[0] != "--all":
        alone = sorted(glob.glob("engine/*.hpp"))
        return [(arguments[0], "c++2b", every)] + [(arguments[0], "c++20", [header]) for header in alone]
    programs = [[name] for name in ["tests/house/strict_program.cpp", *sorted(glob.glob("docs/examples/**/*.cpp",
                                                                                      recursive=True))]]
    return [(compiler, standard, files) for compiler in arguments[1:] for standard in ("c++20", "c++2b")
            for files in [every] + programs] + [(arguments[1], "c++20", [header]) for header in every]


for bad in (["engine/core/graph/step_names.hpp", "tests/house/nothing.hpp"],):
    if not complaints_about((sys.argv[-1], "c++20", bad)):
        sys.exit(f"self-test: this should not compile: {bad}")
# In the quick form one after another, because ctest runs other tests beside it.
with concurrent.futures.ThreadPoolExecutor(os.cpu_count() if sys.argv[1] == "--all" else 1) as pool:
    sys.exit("\n".join(filter(None, pool.map(complaints_about, work_of(sys.argv[1:])))) or 0)
