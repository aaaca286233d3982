// All fuzz targets without a fuzzer: feeds one of them every file of the given folders, in the order of their names.
// usage: replay_corpus NAME FOLDER...
#include "tests/fuzz/fuzzers.hpp"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {
void feed(Fuzzer* fuzzer, const std::string& bytes) {
    fuzzer(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}
}

int main(int count, char** arguments) {
    namespace fs = std::filesystem;
    const std::string_view name = count > 1 ? arguments[1] : "";
    const auto fuzzers = all_fuzzers();
    const auto found = std::ranges::find(fuzzers, name, &NamedFuzzer::name);
    if (found == fuzzers.end()) {
        std::fprintf(stderr, "there is no fuzz_%s.cpp: name one that is there\n", std::string(name).c_str());
        return 1;
    }
    std::vector<fs::path> files;
    for (int i = 2; i < count; ++i)
        for (auto& entry : fs::recursive_directory_iterator(arguments[i]))  // throws if there is no such folder
            if (entry.is_regular_file()) files.push_back(entry.path());
    if (files.empty()) {
        std::fprintf(stderr, "there is no file to feed: name the folder of a corpus\n");
        return 1;
    }
    std::sort(files.begin(), files.end());

    feed(found->fuzzer, "");
    for (auto& path : files) {
        std::ifstream file(path, std::ios::binary);
        std::string bytes(std::istreambuf_iterator<char>(file), {});
        std::fprintf(stderr, "%s: %zu bytes\n", path.c_str(), bytes.size());  // the last line names the culprit
        feed(found->fuzzer, bytes);
    }
}
