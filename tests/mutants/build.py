"""The build that mutants are linked with: its libraries, its test programs, and the commands that made them.

A mutant's source is compiled alone. Its object is first in the link: the linker takes the first definition of a name
and ignores that of the library. At -O0 no function of a library has a copy of another one, so a library may be built
from a few large sources.
"""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

PLAIN_MEMORY = os.path.join("tests", "mutants", "plain_memory.cpp")
# Words that stand in the paths of many sources and tests.
COMMON = {"engine", "core", "impl", "store", "tests", "test", "cpp", "hpp", "net", "telemetry", "process", "schedule"}


class Library:
    """A library below engine/. Its programs are in the order in which they try a mutant: those for it come first."""

    def __init__(self, name):
        self.name, self.command, self.sources, self.headers, self.programs = name, None, [], [], []


class Program:
    """A test program; `libraries` are those of engine/ that it links."""

    def __init__(self, folder, command):
        self.command = command
        self.path = command[command.index("-o") + 1]
        self.name = os.path.basename(self.path)
        self.libraries = {found.group(1) for word in command if (found := re.search(r"\blibweft_(\w+)\.a$", word))}
        self.tests = tests_of(os.path.dirname(self.path))
        self.size = os.path.getsize(os.path.join(folder, self.path))
        self.slowest = 0.0  # seconds of processor time of its slowest test

    def near(self, source):
        """Returns the tests whose names have a word of the source's path: they run before the others."""
        return [test for test in self.tests if words(source) & words(test)]


def words(path):
    return set(re.split(r"[/_.]", path)) - COMMON


def tests_of(folder):
    """Returns the tests in a folder and its folders, but not in those with a program of their own."""
    found = glob.glob(os.path.join(folder, "*_test.cpp"))
    for inner in glob.glob(os.path.join(folder, "*", "")):
        if not os.path.exists(os.path.join(inner, "CMakeLists.txt")):
            found += tests_of(inner.rstrip("/"))
    return sorted(found)


class Build:
    """The folder of a CMake build whose target weft_engine_tests is up to date."""

    def __init__(self, folder):
        self.folder = folder
        said = subprocess.run(["ninja", "-C", folder, "-t", "commands", "weft_engine_tests"], text=True, check=True,
                              capture_output=True).stdout
        programs = [Program(folder, shlex.split(part)) for line in said.splitlines() for part in line.split(" && ")
                    if " -o tests/" in part and re.search(r"libweft_engine\.a( |$)", part)]
        self.libraries = self.libraries_of({name for p in programs for name in p.libraries})
        if not self.libraries or not programs:
            sys.exit(f"{folder} has no commands to compile and link the tests with")
        for library in self.libraries:
            linked = [p for p in programs if library.name in p.libraries]
            library.programs = sorted(linked, key=lambda p: (len(p.libraries), p.size))
        self.programs = programs
        self.launcher = ["ccache"] if shutil.which("ccache") else []
        self.linker = ["-fuse-ld=lld"] if shutil.which("ld.lld") else []  # in a third of the time
        engine = next(library for library in self.libraries if library.name == "engine")
        self.plain_memory = self.compiled(engine.command, PLAIN_MEMORY, folder, "mutants")
        if not self.plain_memory:
            sys.exit(f"{PLAIN_MEMORY} does not compile")

    def libraries_of(self, names):
        libraries = {name: Library(name) for name in sorted(names)}
        with open(os.path.join(self.folder, "compile_commands.json"), encoding="utf-8") as file:
            for entry in json.load(file):
                made = re.search(r"/weft_(\w+)\.dir/", entry["command"])
                if not made or made.group(1) not in libraries:
                    continue
                library = libraries[made.group(1)]
                sources = sources_of(os.path.join(entry["directory"], entry["file"]))
                library.sources += [source for source in sources if source.startswith("engine/")]
                library.command = library.command or shlex.split(entry["command"])
        libraries = [library for library in libraries.values() if library.sources]
        for header in sorted(glob.glob("engine/**/*.hpp", recursive=True)):
            nearest = max(libraries, key=lambda library: max(likeness(header, s) for s in library.sources))
            nearest.headers.append(header)
        return libraries

    def files(self):
        """Returns the library of each file that mutants are made of."""
        return {path: library for library in self.libraries for path in sorted(library.sources + library.headers)}

    def object_of(self, library, path, folder):
        """Compiles the file in `folder` in place of the tree's file. A header is compiled alone, with all its
        functions, so that they are linked before those of its users."""
        options = ["-x", "c++", "-fkeep-inline-functions"] if path.endswith(".hpp") else []
        return self.compiled(library.command, os.path.join(folder, path), folder, path, options)

    def compiled(self, command, source, folder, name, options=()):
        made = os.path.join(folder, name + ".o")
        os.makedirs(os.path.dirname(made), exist_ok=True)
        command = list(command)
        command[command.index("-o") + 1] = made
        command[command.index("-c") + 1] = source
        command[1:1] = ["-w", "-I" + folder, "-MD", "-MF", made + ".d", *options]
        done = subprocess.run(self.launcher + command, capture_output=True, text=True,
                              env={**os.environ, "CCACHE_DEPEND": "1"})
        return made if done.returncode == 0 else None

    def link(self, program, objects, folder, options=()):
        """Returns the path of the program, or None if a header has functions that the program cannot link."""
        made = os.path.abspath(os.path.join(folder, program.name))
        command = list(program.command)
        command[command.index("-o") + 1] = made
        first = next(i for i, word in enumerate(command) if word.endswith(".o"))
        command[first:first] = [*self.linker, "-Wl,-z,muldefs", *(os.path.abspath(o) for o in objects)]
        done = subprocess.run(command + list(options), cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0 and not any(o.endswith(".hpp.o") for o in objects):
            sys.exit(f"{program.name} cannot be linked:\n" + done.stderr)
        return made if done.returncode == 0 else None


def sources_of(file):
    """Returns a source, or those that CMake has joined to it."""
    if "/Unity/" not in file:
        return [os.path.relpath(file)]
    with open(file, encoding="utf-8") as joined:
        return [os.path.relpath(path) for path in re.findall(r'^#include "(.*)"', joined.read(), re.M)]


def likeness(header, source):
    """Returns a number that is larger the more of the two paths is equal."""
    header, source = os.path.splitext(header)[0], os.path.splitext(source)[0]
    same = os.path.commonpath([os.path.dirname(header), os.path.dirname(source)])
    return (len(same), header == source, -source.count("/"))
