"""Builds the README's hello world outside of this tree, by each way that docs/building.md shows, and runs it.

usage: ways.py installed BUILD     installs a finished build, and uses it by find_package and pkg-config
       ways.py source              configures projects that contain weft's sources: nothing of them may change
       ways.py elsewhere           finds the headers of others in a prefix, for every source
       ways.py prefix PREFIX       uses a weft that is installed already, such as that of a package
       ways.py matrix              builds all ways with g++ and clang, in C++20 and C++23; takes minutes
options: --work FOLDER --compiler C++ --launcher PROGRAM --flags "FLAGS"
"""
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "tests/install")
# What the engine does without.
OTHERS = ["OpenSSL", "ZLIB", "SQLite3", "PostgreSQL", "CLI11", "spdlog", "muparser", "re2", "valijson", "absl"]
WITHOUT = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in OTHERS]


def do(*command, fails=None, **more):
    """Returns the output. `fails`: the command has to fail with this text in its output."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          stdin=subprocess.DEVNULL, **more)
    said = " ".join(done.stdout.split())
    if (done.returncode != 0) != (fails is not None) or (fails or "") not in said:
        expected = f"should fail with: {fails}" if fails else "should succeed"
        sys.exit(f"{shlex.join(command)}\n{done.stdout}\nThis command {expected}")
    return done.stdout


def greets(program, **more):
    if do(program, **more) != "Hello, World\n":
        sys.exit(f"{program} should greet the world")


class Ways:
    def __init__(self, options):
        self.work, self.compiler = os.path.abspath(options.work), options.compiler
        self.flags, self.launcher = options.flags, options.launcher
        shutil.rmtree(self.work, ignore_errors=True)
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            self.hello = re.search(r"\n```cpp\n([^`]*int main\(\)[^`]*)```", file.read()).group(1)
        self.number = 0

    def folder(self, name):
        self.number += 1
        return os.path.join(self.work, f"{name}{self.number}")

    def project(self, name, *arguments, fails=None, parent=None, **more):
        """Configures a project of this folder; returns its build folder."""
        source, build = parent or os.path.join(self.work, name), self.folder(f"build_{name}_")
        if not os.path.isdir(source):
            shutil.copytree(os.path.join(HERE, name), source)
            shutil.copy(os.path.join(HERE, "unchanged.cmake"), self.work)
            with open(os.path.join(source, "hello.cpp"), "w", encoding="utf-8") as file:
                file.write(self.hello)
            if name == "subdirectory":
                os.symlink(ROOT, os.path.join(source, "weft"))
        do("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={self.compiler}",
           f"-DCMAKE_CXX_FLAGS={self.flags}", f"-DCMAKE_CXX_COMPILER_LAUNCHER={self.launcher}",
           "-DCMAKE_UNITY_BUILD=ON", *arguments, fails=fails, **more)
        return build

    def build(self, build):
        do("cmake", "--build", build, "-j", str(os.cpu_count()))
        greets(os.path.join(build, "hello"))

    def find_package(self, prefix, *arguments):
        self.build(self.project("find_package", f"-DCMAKE_PREFIX_PATH={prefix}", *arguments))

    def first_project(self, prefix, name, *options):
        """A project of `weft init` finds the weft that is installed beside the program."""
        os.makedirs(self.work, exist_ok=True)
        do(os.path.join(prefix, "bin", "weft"), "init", name, *options, cwd=self.work)
        self.project(name, f"-DCMAKE_PREFIX_PATH={prefix}")

    def pkg_config(self, prefix, *modules, standard=20):
        os.makedirs(self.work, exist_ok=True)
        source, program = os.path.join(self.work, "hello.cpp"), self.folder("hello")
        with open(source, "w", encoding="utf-8") as file:
            file.write(self.hello)
        found = [os.path.join(at, "pkgconfig") for at, folders, _ in os.walk(prefix) if "pkgconfig" in folders]
        environment = {**os.environ, "PKG_CONFIG_PATH": ":".join(found)}
        flags = do("pkg-config", "--cflags", "--libs", *modules, env=environment).split()
        name = {"23": "2b"}.get(str(standard), standard)  # clang 14 knows C++23 by its former name only
        compiler = [*self.launcher.split(), self.compiler, f"-std=c++{name}", *self.flags.split()]
        do(*compiler, source, *flags, f"-Wl,-rpath,{os.path.dirname(found[0])}", "-o", program)
        greets(program)

    def use(self, prefix, components):
        """All that a user does with an installed weft."""
        self.find_package(prefix, *WITHOUT)
        self.find_package(prefix, f"-DEXTRA={';'.join(components)}")
        self.pkg_config(prefix, "weft-engine")
        self.pkg_config(prefix, *[f"weft-{name}" for name in components])
        known = f"weft has no component 'loom' here: installed are {', '.join(components)}"
        self.project("find_package", f"-DCMAKE_PREFIX_PATH={prefix}", "-DEXTRA=loom", fails=known)
        self.project("find_package", f"-DCMAKE_PREFIX_PATH={prefix}", "-DEXTRA=net", *WITHOUT,
                     fails="weft::net needs OpenSSL, which CMake does not find: install it")


def files(prefix):
    return {os.path.relpath(os.path.join(at, name), prefix) for at, _, names in os.walk(prefix) for name in names}


def components_of(prefix):
    config = next(name for name in files(prefix) if name.endswith("weftConfig.cmake"))
    with open(os.path.join(prefix, config), encoding="utf-8") as file:
        return re.search(r"foreach\(weft_name ([\w;]+)\)", file.read()).group(1).split(";")


def installed(ways, build):
    # Each file belongs to one component.
    whole, parts = os.path.join(ways.work, "whole"), os.path.join(ways.work, "parts")
    do("cmake", "--install", build, "--prefix", whole)
    components, apart = components_of(whole), []
    for name in [*components, "driver"]:
        alone = os.path.join(ways.work, "alone", name)
        do("cmake", "--install", build, "--prefix", alone, "--component", name)
        apart += files(alone)
        shutil.copytree(alone, parts, dirs_exist_ok=True)
    pages = {f"share/{name}" for name in (
        "man/man1/weft.1", "man/man1/weft-react.1", "bash-completion/completions/weft", "zsh/site-functions/_weft",
        "fish/vendor_completions.d/weft.fish")}
    if "bin/weft" in apart and not pages <= set(apart):
        sys.exit(f"not installed: {sorted(pages - set(apart))}")
    if sorted(apart) != sorted(files(whole)):
        sys.exit(f"in no component, or in several: {sorted(set(apart) ^ files(whole)) or sorted(apart)}")
    shutil.rmtree(whole)
    for name in files(parts):  # nothing names the folder of the build, nor the prefix
        if name.endswith((".cmake", ".pc")):
            with open(os.path.join(parts, name), encoding="utf-8") as file:
                if re.search(re.escape(ROOT) + r"(?![\w.-])", file.read()):
                    sys.exit(f"{name} names {ROOT}")
    engine = os.path.join(ways.work, "alone", "engine")
    ways.project("find_package", f"-DCMAKE_PREFIX_PATH={engine}", *WITHOUT)
    ways.project("find_package", f"-DCMAKE_PREFIX_PATH={engine}", "-DEXTRA=net",
                 fails="weft has no component 'net' here: installed are engine")
    ways.use(parts, components)
    do(os.path.join(parts, "bin", "weft"), "--version")
    ways.first_project(parts, "first")
    ways.first_project(parts, "first_agent", "--agent")
    for compiler in filter(shutil.which, ("g++", "clang++-14")):  # by CMake, weft's headers are system headers
        do(compiler, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{parts}/include/weft",
           "-fsyntax-only", os.path.join(ways.work, "hello.cpp"))


def source(ways):
    here = f"-DFETCHCONTENT_SOURCE_DIR_WEFT={ROOT}"
    ways.project("subdirectory", *WITHOUT)
    ways.project("fetch_content", here, "-DCMAKE_CXX_STANDARD=23", *WITHOUT)
    ways.project("weft", "-DWEFT_COMPONENTS=net", *WITHOUT, parent=ROOT,
                 fails="weft::net needs OpenSSL, which CMake does not find: install it")
    ways.project("weft", "-DWEFT_COMPONENTS=tools", "-DCMAKE_DISABLE_FIND_PACKAGE_muparser=ON", parent=ROOT,
                 fails="weft::tools needs muparser, which CMake does not find: install it")
    ways.project("weft", "-DWEFT_COMPONENTS=engine,loom", parent=ROOT,
                 fails="WEFT_COMPONENTS: weft has no library 'loom'; it has worker, mcp_server")
    ways.project("weft", "-DWEFT_ENGINE_ONLY=ON", "-DWEFT_DRIVER=ON", parent=ROOT, fails="link all libraries")


def elsewhere(ways):
    """Every source finds headers of others that are in a prefix, with none of them in /usr/include."""
    prefix, hidden = os.path.join(ways.work, "elsewhere"), os.path.join(ways.work, "hidden")
    for name in ("nlohmann/json.hpp", "nlohmann/json_fwd.hpp", "valijson/schema.hpp", "CLI/CLI.hpp", "xxhash.h",
                 "histedit.h"):
        os.makedirs(os.path.dirname(os.path.join(hidden, name)), exist_ok=True)
        with open(os.path.join(hidden, name), "w", encoding="utf-8") as file:
            file.write(f"#error {name} should come from the prefix\n")
        if "/" not in name:
            os.makedirs(os.path.join(prefix, "include"), exist_ok=True)
            shutil.copy(os.path.join("/usr/include", name), os.path.join(prefix, "include"))
    for name in ("nlohmann", "valijson", "CLI"):
        shutil.copytree(os.path.join("/usr/include", name), os.path.join(prefix, "include", name))
    for name in ("nlohmann_json", "valijson", "CLI11"):
        shutil.copytree(os.path.join("/usr/share/cmake", name), os.path.join(prefix, "share/cmake", name))
    build = ways.project("weft", "-DWEFT_TESTS=OFF", f"-DCMAKE_PREFIX_PATH={prefix}", parent=ROOT)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = [each["command"] for each in json.load(file)]
    # Paths of this variable come behind those that CMake names, and before the compiler's own.
    environment = {**os.environ, "CPLUS_INCLUDE_PATH": hidden}
    for command in commands:
        only_includes, found = re.subn(r" -o \S+ -c ", " -E -o /dev/null ", command)
        assert found == 1, command
        do(*shlex.split(only_includes), cwd=build, env=environment)


def matrix(ways):
    for compiler in ("g++", "clang++-14"):
        ways.compiler = compiler
        for standard in ("20", "23"):
            language = f"-DCMAKE_CXX_STANDARD={standard}"
            print(compiler, standard, flush=True)
            ways.build(ways.project("subdirectory", language, *WITHOUT, "-DCMAKE_POSITION_INDEPENDENT_CODE=ON"))
            ways.build(ways.project("fetch_content", language, f"-DFETCHCONTENT_SOURCE_DIR_WEFT={ROOT}"))
            for shared in ("OFF", "ON"):
                prefix = ways.folder("prefix")
                build = ways.project("weft", language, "-DWEFT_ENGINE_ONLY=ON", f"-DBUILD_SHARED_LIBS={shared}",
                                     *WITHOUT, parent=ROOT)
                do("cmake", "--build", build, "-j", str(os.cpu_count()))
                do("cmake", "--install", build, "--prefix", prefix)
                shutil.move(prefix, prefix + "_moved")
                ways.find_package(prefix + "_moved", language, *WITHOUT)
                ways.pkg_config(prefix + "_moved", "weft-engine", standard=standard)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=["installed", "source", "elsewhere", "prefix", "matrix"])
    parser.add_argument("place", nargs="?")
    parser.add_argument("--work", default="build/ways")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--launcher", default="")
    parser.add_argument("--flags", default="")
    options = parser.parse_args()
    ways = Ways(options)
    if options.way == "installed":
        installed(ways, options.place)
    elif options.way == "prefix":
        ways.use(options.place, components_of(options.place))
    elif options.way == "source":
        source(ways)
    elif options.way == "elsewhere":
        elsewhere(ways)
    else:
        matrix(ways)


main()
