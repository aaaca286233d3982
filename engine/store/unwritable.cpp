// A file beside the database counts only if it is not empty: SQLite leaves empty ones behind.
#include "engine/store/unwritable.hpp"
#include "engine/text/percent_encoding.hpp"
#include <filesystem>

namespace weft::storage {
std::string needs_writing(const std::string& path) {
    const auto has = [&path](const char* ending) {
        std::error_code error;
        const auto size = std::filesystem::file_size(path + ending, error);
        return !error && size > 0;
    };
    constexpr auto cure = ": copy both to a folder that can be written, or let its owner close it";
    if (has("-wal"))
        return std::string("its -wal file has changes that are not in it yet, and here nothing can be written") + cure;
    if (has("-journal"))
        return std::string("its -journal file has a change to take back, and here nothing can be written") + cure;
    return {};
}
std::string unchanging_uri(const std::string& absolute_path) {
    return "file://" + percent_encoded(absolute_path, "/") + "?immutable=1";
}
}
