"""Conan recipe of the C library. From the root of the checkout: conan create packaging/conan"""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system import package_manager

ROOT = os.path.join("..", "..")


class DetopsConan(ConanFile):
    name = "detops"
    description = "Operators for 3-D and rotated object detection on CPUs"
    license = "MIT"
    topics = ("object-detection", "sparse-convolution", "point-cloud", "simd")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"

    def set_version(self) -> None:
        text = load(self, os.path.join(self.recipe_folder, ROOT, "CMakeLists.txt"))
        self.version = re.search(r"project\(detops VERSION ([0-9.]+)", text)[1]

    def export_sources(self) -> None:
        root = os.path.join(self.recipe_folder, ROOT)
        for pattern in ("CMakeLists.txt", "LICENSE", "licenses/*", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def layout(self) -> None:
        cmake_layout(self)

    def configure(self) -> None:
        # The interface is C: one package for whatever C++ its users write. The library itself asks CMake for C++20.
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def system_requirements(self) -> None:
        # Highway is an affair of the inside: one shared library, whose headers nobody includes through ours. The
        # system's is what the library is tested with.
        package_manager.Apt(self).install(["libhwy-dev", "pkg-config"], check=True)
        package_manager.Dnf(self).install(["highway-devel", "pkgconf-pkg-config"], check=True)
        package_manager.PacMan(self).install(["highway", "pkgconf"], check=True)

    def generate(self) -> None:
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "BENCHMARKS", "EXAMPLES", "PROGRAM"):
            toolchain.cache_variables[f"DETOPS_BUILD_{part}"] = False
        toolchain.generate()

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self) -> None:
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        copy(self, "*", src=os.path.join(self.source_folder, "licenses"),
             dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self) -> None:
        # find_package finds the files that the library installs itself, as it does without Conan.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "detops")]
        self.cpp_info.set_property("pkg_config_name", "detops")
        self.cpp_info.includedirs = [os.path.join("include", "detops")]
        self.cpp_info.libs = ["detops"]
