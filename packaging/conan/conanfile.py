"""weft for Conan 2, from the sources around this folder: conan create packaging/conan"""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.1"

# Each library: those of weft that it links, and the components of packages that its users link.
LIBRARIES = {
    "engine": ([], ["boost::headers", "nlohmann_json::nlohmann_json"]),
    "net": (["engine"], ["openssl::ssl", "openssl::crypto", "zlib::zlib"]),
    "process": (["engine"], []),
    "schedule": (["engine"], ["abseil::absl_time"]),
    "store": (["engine"], ["sqlite3::sqlite3"]),
    "telemetry": (["net"], []),
    "tools": (["engine", "net", "process"],
              ["openssl::crypto", "sqlite3::sqlite3", "muparser::muparser", "re2::re2"]),
    "models": (["engine", "net"], ["openssl::crypto"]),
    "agents": (["models", "tools"], []),
    "view": (["agents"], ["openssl::crypto", "spdlog::spdlog"]),
    "workflows": (["agents"], []),
    "catalog": (["workflows", "view", "store", "schedule"], []),
    "server": (["catalog", "net"], []),
    "mcp_server": (["server"], ["openssl::crypto"]),
    "worker": (["catalog", "telemetry"], []),
}
PACKAGES = {"boost": "boost/[>=1.81 <2]", "nlohmann_json": "nlohmann_json/[>=3.11 <4]", "openssl": "openssl/[>=3 <4]",
            "zlib": "zlib/[>=1.2.11 <2]", "sqlite3": "sqlite3/[>=3.40 <4]", "muparser": "muparser/[>=2.3 <3]",
            "re2": "re2/[>=20220601]", "spdlog": "spdlog/[>=1.10 <2]", "abseil": "abseil/[>=20220623]"}


def with_parts(names):
    """Returns the libraries of these names and those that they link, each behind those that it links."""
    needed = set(names)
    for name in reversed(LIBRARIES):
        if name in needed:
            needed.update(LIBRARIES[name][0])
    return [name for name in LIBRARIES if name in needed]


class WeftRecipe(ConanFile):
    name = "weft"
    description = "An event-driven workflow engine in C++20, for programs and for agents"
    license = "MIT"
    topics = ("workflow", "coroutines", "agents", "durable-execution")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    # components: "all", or names with commas between them; those that they link come with them.
    options = {"shared": [True, False], "fPIC": [True, False], "components": ["ANY"]}
    default_options = {"shared": False, "fPIC": True, "components": "all", "boost/*:header_only": True}
    implements = ["auto_shared_fpic"]

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    @property
    def _chosen(self):
        names = str(self.options.components)
        return list(LIBRARIES) if names == "all" else with_parts(names.split(","))

    def set_version(self):
        text = load(self, os.path.join(self._root, "CMakeLists.txt"))
        self.version = re.search(r"project\(weft VERSION ([\d.]+)", text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "packaging/cmake/*", "engine/*", "tools/*", "steps/*",
                        "workflows/*"):
            copy(self, pattern, src=self._root, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("weft needs Linux")
        unknown = set(str(self.options.components).split(",")) - {"all", *LIBRARIES}
        if unknown:
            raise ConanInvalidConfiguration(
                f"weft has no library {', '.join(sorted(unknown))}: it has {', '.join(LIBRARIES)}")

    def requirements(self):
        used = {link.split("::")[0] for name in self._chosen for link in LIBRARIES[name][1]}
        for package, reference in PACKAGES.items():
            if package in used:
                seen = package in ("boost", "nlohmann_json")  # weft's headers include these
                self.requires(reference, transitive_headers=seen, transitive_libs=seen)
        self.requires("xxhash/[>=0.8 <1]", visible=False)
        if "tools" in self._chosen:
            self.requires("valijson/[>=1.0 <2]", visible=False)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.variables["WEFT_COMPONENTS"] = ",".join(self._chosen)
        toolchain.variables["WEFT_DRIVER"] = toolchain.variables["WEFT_TESTS"] = False
        if "store" in self._chosen:
            toolchain.variables["WEFT_POSTGRES"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        for folder in ("cmake", "pkgconfig"):  # Conan makes these files for its users
            rmdir(self, os.path.join(self.package_folder, "lib", folder))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "weft")
        for name in self._chosen:
            parts, links = LIBRARIES[name]
            library = self.cpp_info.components[name]
            library.libs = [f"weft_{name}"]
            library.includedirs = ["include/weft"]
            library.requires = [*parts, *links]
            library.set_property("cmake_target_name", f"weft::{name}")
            library.set_property("pkg_config_name", f"weft-{name}")
            if name == "engine":
                library.system_libs = ["pthread"]
