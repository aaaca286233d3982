// Reads the names of runs from a SQLite store in passing, for completions: no lock, no wait, no change, no new file.
//
//     for (const auto& run : storage::glance("weft.db", "4f", 100)) std::cout << run.id;
//
// SqliteStore checks what it reads and makes files beside the store; this function does neither.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace weft::storage {
struct GlancedRun {
    std::string id, workflow, status;
};
/// The newest runs whose ids begin with the text. Empty if the file is not a store, is being replaced, or would have to
/// be recovered.
std::vector<GlancedRun> glance(const std::string& file, const std::string& beginning, std::size_t most);
}
