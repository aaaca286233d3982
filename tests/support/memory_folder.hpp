// The place for folders of tests that need no disk: in memory if possible. ./dev mutants names another one, because it
// removes what a killed test leaves there.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace test {
inline std::string memory_folder() {
    if (const char* named = std::getenv("WEFT_TEST_MEMORY")) return named;
    if (::access("/dev/shm", W_OK) == 0) return "/dev/shm";
    return std::filesystem::temp_directory_path().string();
}
}
