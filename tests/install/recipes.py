"""The recipes of packaging/ agree with the build: version, libraries, what each links, and the rules of vcpkg.json.

usage: recipes.py BUILD          compares with the configured build of all libraries
       recipes.py build WORK     also builds the engine by the steps of both recipes, and hello with it; takes minutes
"""
import json
import os
import re
import shutil
import subprocess
import sys

import conan_steps

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONAN = os.path.join(ROOT, "packaging/conan")
VCPKG = os.path.join(ROOT, "packaging/vcpkg")
# The packages' names in CMake, in Conan and in vcpkg.
NAMES = {"Boost::headers": ("boost::headers", None), "Threads::Threads": (None, None),
         "nlohmann_json::nlohmann_json": ("nlohmann_json::nlohmann_json", None),
         "OpenSSL::SSL": ("openssl::ssl", "openssl"), "OpenSSL::Crypto": ("openssl::crypto", "openssl"),
         "ZLIB::ZLIB": ("zlib::zlib", "zlib"), "SQLite::SQLite3": ("sqlite3::sqlite3", "sqlite3"),
         "muparser::muparser": ("muparser::muparser", "muparser"), "re2::re2": ("re2::re2", "re2"),
         "spdlog::spdlog": ("spdlog::spdlog", "spdlog"), "absl::time": ("abseil::absl_time", "abseil")}
_identifier = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_version = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_manifest = {"name", "version-semver", "description", "homepage", "license", "supports", "dependencies", "features"}
_dependency = {"name", "host", "features", "default-features", "platform", "version>="}


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def equal(name, is_, should):
    if is_ != should:
        sys.exit(f"{name} has {is_}, and the build has {should}")


def schema(manifest):
    """Yields what the schema of vcpkg.json (microsoft/vcpkg-tool, docs/vcpkg.schema.json) refuses."""
    def dependencies(place, found):
        for each in found:
            each = {"name": each} if isinstance(each, str) else each
            for name in [each.get("name", ""), *each.get("features", [])]:
                if not _identifier.fullmatch(name):
                    yield f"{place}: '{name}' is no identifier"
            if set(each) - _dependency:
                yield f"{place}: there is no {set(each) - _dependency}"
    if set(manifest) - _manifest:
        yield f"there is no {set(manifest) - _manifest}"
    if not _version.fullmatch(manifest.get("version-semver", "")):
        yield "version-semver: three numbers"
    yield from dependencies("dependencies", manifest["dependencies"])
    for name, feature in manifest["features"].items():
        if not _identifier.fullmatch(name):
            yield f"features: '{name}' is no identifier"
        if set(feature) - {"description", "dependencies", "supports", "license"} or not feature.get("description"):
            yield f"features: {name} has a description, and perhaps dependencies"
        yield from dependencies(name, feature.get("dependencies", []))


def compare(build):
    config = text_of(os.path.join(build, "packaging/weftConfig.cmake"))
    version = re.search(r"project\(weft VERSION ([\d.]+)", text_of(os.path.join(ROOT, "CMakeLists.txt"))).group(1)
    linked = {name: (parts.split(";") if parts else [], links.split(";") if links else []) for name, parts, links in
              re.findall(r"set\(weft_(\w+)_parts ([^)]*)\)\nset\(weft_\w+_links ([^)]*)\)", config)}
    recipe = conan_steps.recipe_module(os.path.join(CONAN, "conanfile.py"))
    manifest = json.loads(text_of(os.path.join(VCPKG, "vcpkg.json")))
    for wrong in ({**manifest, "version": "1"}, {**manifest, "dependencies": ["mcp_server"]},
                  {**manifest, "features": {"a": {}}}):
        if not list(schema(wrong)):
            sys.exit("self-test: the schema should refuse this manifest")
    equal("vcpkg.json", list(schema(manifest)), [])
    equal("vcpkg.json: version-semver", manifest["version-semver"], version)
    equal("conanfile.py: LIBRARIES", recipe.LIBRARIES, {
        name: (parts, [NAMES[link][0] for link in links if NAMES[link][0]]) for name, (parts, links) in linked.items()})
    own = {"tools": {"valijson"}}  # headers that only the sources include
    equal("vcpkg.json: features", {
        name: (feature.get("dependencies", [{}])[0].get("features", []) if isinstance(
            feature.get("dependencies", [{}])[0], dict) else [],
            {each for each in feature.get("dependencies", []) if isinstance(each, str)})
        for name, feature in manifest["features"].items()},
        {name.replace("_", "-"): ([part.replace("_", "-") for part in parts if part != "engine"],
                                  {NAMES[link][1] for link in links} | own.get(name, set()))
         for name, (parts, links) in linked.items() if name != "engine"})
    made = recipe.WeftRecipe(CONAN, "")
    made.set_version()
    equal("conanfile.py: version", made.version, version)


def run(*command):
    return subprocess.run(command, check=True, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout


def hello(source, work, prefix):
    run("cmake", "-S", source, "-B", work, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
        *conan_steps.CMake.arguments[1:])
    run("cmake", "--build", work)
    equal(f"hello of {source}", run(os.path.join(work, "hello")), "Hello, World\n")


def build(work):
    work = os.path.abspath(work)
    shutil.rmtree(work, ignore_errors=True)
    arguments = ["-DCMAKE_UNITY_BUILD=ON", f"-DCMAKE_CXX_COMPILER_LAUNCHER={shutil.which('ccache') or ''}"]
    conan_steps.CMake.arguments = arguments
    recipe = conan_steps.recipe_module(os.path.join(CONAN, "conanfile.py"))
    made = recipe.WeftRecipe(CONAN, os.path.join(work, "conan"), components="engine")
    for step in (made.set_version, made.export_sources, made.layout, made.validate, made.requirements, made.generate,
                 made.build, made.package, made.package_info):
        step()
    equal("conanfile.py: requirements", sorted(made.required), ["boost", "nlohmann_json", "xxhash"])
    # CMakeDeps makes such a file for users.
    engine = made.cpp_info.components["engine"]
    os.makedirs(os.path.join(made.package_folder, "lib/cmake/weft"))
    with open(os.path.join(made.package_folder, "lib/cmake/weft/weftConfig.cmake"), "w", encoding="utf-8") as file:
        file.write(f"""find_package(Boost 1.81 REQUIRED)
find_package(nlohmann_json REQUIRED)
add_library(weft::engine STATIC IMPORTED)
set_target_properties(weft::engine PROPERTIES
  IMPORTED_LOCATION {made.package_folder}/lib/lib{engine.libs[0]}.a
  INTERFACE_INCLUDE_DIRECTORIES {made.package_folder}/{engine.includedirs[0]}
  INTERFACE_LINK_LIBRARIES "Boost::headers;nlohmann_json::nlohmann_json;{';'.join(engine.system_libs)}")
""")
    hello(os.path.join(CONAN, "test_package"), os.path.join(work, "conan_hello"), made.package_folder)

    package = os.path.join(work, "vcpkg")
    run("cmake", f"-DPACKAGE={package}", "-DBUILD=ON", "-DFEATURES=process",
        f"-DARGUMENTS={';'.join(arguments)}", "-P", os.path.join(ROOT, "tests/install/run_portfile.cmake"))
    user = os.path.join(work, "user")
    shutil.copytree(os.path.join(ROOT, "tests/install/find_package"), user)
    shutil.copy(os.path.join(ROOT, "docs/examples/steps/hello.cpp"), user)
    hello(user, os.path.join(work, "vcpkg_hello"), package)


if sys.argv[1] == "build":
    build(sys.argv[2])
else:
    compare(sys.argv[1])
