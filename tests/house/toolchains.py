"""An unsuitable compiler or library is refused in one sentence; engine/net compiles with the parser of Boost 1.90,
whose Beast has one more pure virtual function; identities are shared with libraries that hide their symbols.

usage: toolchains.py COMPILER
"""
import os
import re
import subprocess
import sys
import tempfile

REFUSED = [  # flags, lines before the header, a part of the sentence
    (["-std=c++20"], "#define BOOST_VERSION_HPP\n#define BOOST_VERSION 108000\n", "weft needs Boost 1.81 or later"),
    (["-std=c++17"], "", "weft needs C++20"),
    (["-std=c++20"], "#include <version>\n#undef __cpp_lib_jthread\n", "weft needs std::stop_token"),
]
SHARED = """#include "engine/run.hpp"
bool failed(const weft::AnyEvent& e) { return e.get_if<weft::RunFailedEvent>(); }
const void* id() { return weft::core::type_id<weft::RunFailedEvent>; }
void* memory() { return weft::core::recycler.take(64); }
"""
SOURCES = ["engine/net/request_parser.cpp", "engine/net/response_parser.cpp"]
NEWER = "virtual void on_trailer_field_impl(field, string_view, string_view, error_code&) = 0;\n"


def errors(compiler, flags, source):
    done = subprocess.run([compiler, *flags, "-fsyntax-only", "-I.", "-x", "c++", "-"], input=source, text=True,
                          capture_output=True, check=False)
    return done.stderr if done.returncode else ""


def header(compiler, name):
    """Returns the text of a header that the compiler finds."""
    found = subprocess.run([compiler, "-M", "-x", "c++", "-"], input=f"#include <{name}>\n", text=True,
                           capture_output=True, check=True).stdout.split()
    with open(next(path for path in found if path.endswith(name)), encoding="utf-8") as file:
        return file.read()


def write_newer_beast(compiler, folder):
    parser = header(compiler, "boost/beast/http/basic_parser.hpp")
    if "on_trailer_field_impl" not in parser:
        parser, count = re.subn(r"(?=virtual\s+void\s+on_header_impl)", NEWER, parser)
        if count != 1:
            sys.exit("self-test: Beast's parser is not as this test knows it")
    version = header(compiler, "boost/beast/version.hpp")
    version = re.sub(r"(#define BOOST_BEAST_VERSION) \d+", lambda m: m[1] + " 359", version)
    for name, text in (("http/basic_parser.hpp", parser), ("version.hpp", version)):
        path = os.path.join(folder, "boost/beast", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


compiler = sys.argv[1]
complaints = []
for flags, before, sentence in REFUSED:
    said = errors(compiler, flags, before + '#include "engine/run.hpp"\n')
    if sentence not in said:
        complaints.append(f"engine/run.hpp with {flags} and {before!r} should be refused: {sentence}\n{said[:400]}")
made = subprocess.run([compiler, "-std=c++20", "-fPIC", "-fvisibility=hidden", "-I.", "-S", "-o-", "-x", "c++", "-"],
                      input=SHARED, text=True, capture_output=True, check=True).stdout
hidden = set(re.findall(r"\.hidden\s+(\S+)", made))
for name in ("type_name", "of_type", "recycler"):
    if not re.search(rf"^_Z\w*{name}\w*:", made, re.M):
        sys.exit(f"self-test: {name} should be defined here")
    complaints += [f"{found} is hidden: two libraries of a program would have two" for found in hidden if name in found]
with tempfile.TemporaryDirectory() as folder:
    write_newer_beast(compiler, folder)
    flags = ["-std=c++20", f"-I{folder}"]
    plain = "#include <boost/beast/http/basic_parser.hpp>\nstatic_assert(BOOST_BEAST_VERSION == 359);\n"
    complaints.append(errors(compiler, flags, "#include <boost/beast/version.hpp>\n" + plain))
    complaints += [errors(compiler, flags, f'#include "{source}"\n') for source in SOURCES]
sys.exit("\n".join(filter(None, complaints)) or 0)
