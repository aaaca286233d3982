// The main of a fuzz target without a fuzzer: feeds it every file of the given folders, in the order of their names.
// usage: replay_NAME FOLDER...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {
void feed(const std::string& bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}
}

int main(int count, char** arguments) {
    namespace fs = std::filesystem;
    std::vector<fs::path> files;
    for (int i = 1; i < count; ++i)
        for (auto& entry : fs::recursive_directory_iterator(arguments[i]))  // throws if there is no such folder
            if (entry.is_regular_file()) files.push_back(entry.path());
    if (files.empty()) {
        std::fprintf(stderr, "there is no file to feed: name the folder of a corpus\n");
        return 1;
    }
    std::sort(files.begin(), files.end());

    feed("");
    for (auto& path : files) {
        std::ifstream file(path, std::ios::binary);
        std::string bytes(std::istreambuf_iterator<char>(file), {});
        std::fprintf(stderr, "%s: %zu bytes\n", path.c_str(), bytes.size());  // the last line names the culprit
        feed(bytes);
    }
}
