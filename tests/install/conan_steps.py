"""The steps of `conan create` for one recipe, without Conan: its classes, as far as packaging/conan uses them, call
CMake with the packages of the system.
"""
import collections
import fnmatch
import importlib.util
import os
import shutil
import subprocess
import sys
import types


class Options:
    def __init__(self, values):
        self.__dict__.update({name: value for name, value in values.items() if "/" not in name})


class Component:
    def __init__(self):
        self.properties = {}

    def set_property(self, name, value):
        self.properties[name] = value


class ConanFile:
    def __init__(self, folder, work, **options):
        self.recipe_folder, self.export_sources_folder = folder, os.path.join(work, "sources")
        self.source_folder, self.build_folder = self.export_sources_folder, os.path.join(work, "build")
        self.package_folder = os.path.join(work, "package")
        self.options = Options({**getattr(self, "default_options", {}), **options})
        self.settings = types.SimpleNamespace(os="Linux", arch="x86_64", compiler="gcc", build_type="Release")
        self.cpp_info, self.required, self.toolchain = Component(), {}, None
        self.cpp_info.components = collections.defaultdict(Component)

    def requires(self, reference, **traits):
        self.required[reference.split("/")[0]] = traits


class Invalid(Exception):
    pass


class Toolchain:
    def __init__(self, recipe):
        self.variables, self.recipe = {}, recipe

    def generate(self):
        self.recipe.toolchain = self.variables


class CMake:
    arguments = []

    def __init__(self, recipe):
        self.recipe = recipe

    def run(self, *arguments):
        subprocess.run(["cmake", *arguments], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def configure(self):
        recipe = self.recipe
        values = {"BUILD_SHARED_LIBS": recipe.options.shared, "CMAKE_BUILD_TYPE": recipe.settings.build_type,
                  "CMAKE_POSITION_INDEPENDENT_CODE": recipe.options.fPIC, **recipe.toolchain}
        self.run("-S", recipe.source_folder, "-B", recipe.build_folder, "-G", "Ninja",
                 f"-DCMAKE_INSTALL_PREFIX={recipe.package_folder}", *self.arguments,
                 *[f"-D{name}={value}" for name, value in values.items()])

    def build(self):
        self.run("--build", self.recipe.build_folder)

    def install(self):
        self.run("--install", self.recipe.build_folder)


def copy(_, pattern, src, dst):
    for at, folders, names in os.walk(src):
        folders[:] = [folder for folder in folders if folder not in ("build", ".git", "node_modules")]
        for name in names:
            path = os.path.relpath(os.path.join(at, name), src)
            if fnmatch.fnmatchcase(path, pattern):
                os.makedirs(os.path.dirname(os.path.join(dst, path)), exist_ok=True)
                shutil.copy(os.path.join(at, name), os.path.join(dst, path))


def load(_, path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(members)


def recipe_module(path):
    module("conan", ConanFile=ConanFile)
    module("conan.errors", ConanInvalidConfiguration=Invalid)
    module("conan.tools")
    module("conan.tools.build", check_min_cppstd=lambda *_: None, can_run=lambda *_: True)
    module("conan.tools.cmake", CMake=CMake, CMakeToolchain=Toolchain,
           CMakeDeps=lambda _: types.SimpleNamespace(generate=lambda: None), cmake_layout=lambda _: None)
    module("conan.tools.files", copy=copy, load=load, rmdir=lambda _, path: shutil.rmtree(path))
    found = importlib.util.spec_from_file_location("recipe", path)
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made
