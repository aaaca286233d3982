// Creates or replaces a file atomically: readers, and a power failure, get the old file or the whole new one.
//
//     const auto target = follow_links(path);                  // empty for a cycle of links
//     replace_file(*target, ".page.new", text, 0644);          // throws CannotReplace
//
// The call blocks: keep it off the loop. CannotReplace has no message: the caller names the culprit.
#pragma once
#include <filesystem>
#include <optional>
#include <string_view>
#include <sys/types.h>

namespace weft {
struct CannotReplace {
    enum FileStep { make, write, sync, place } step;
    int error;  // an errno value
};
/// Follows symbolic links to their target, so that a replacement keeps the links.
std::optional<std::filesystem::path> follow_links(const std::filesystem::path&);
/// `fresh` is a name beside the target, for this caller only: a leftover of a killed process under it is removed. A
/// lasting file is synced and keeps the old file's mode; `mode` is for new and for passing files.
enum class FileLife { lasting, passing };
void replace_file(const std::filesystem::path& target, std::string_view fresh, std::string_view text, ::mode_t mode,
                  FileLife = FileLife::lasting);
}
