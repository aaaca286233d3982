// The fuzz targets, each under its own name: CMake makes the source that lists them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

using Fuzzer = int(const std::uint8_t* data, std::size_t size);
struct NamedFuzzer {
    std::string_view name;  // NAME of fuzz_NAME.cpp
    Fuzzer* fuzzer;
};
std::span<const NamedFuzzer> all_fuzzers();
