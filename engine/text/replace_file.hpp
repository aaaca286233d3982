// Puts a text in place of a file, or makes it: whoever looks, or loses power, finds the old file or the whole new one.
//
//     const auto target = follow_links(path);                  // nothing if the links lead round
//     replace_file(*target, ".page.new", text, 0644);          // throws CannotReplace
//
// It blocks: off the loop. Whoever calls it says in his own words what is wrong.
#pragma once
#include <filesystem>
#include <optional>
#include <string_view>
#include <sys/types.h>

namespace weft {
struct CannotReplace {
    enum Step { make, write, sync, place } step;
    int error;  // as errno
};
/// Where the path leads through symbolic links, so that they stay.
std::optional<std::filesystem::path> follow_links(const std::filesystem::path&);
/// `fresh` is a name beside the target that nobody else uses: what a killed process has left under it is removed.
/// A lasting file keeps the mode of the old one, and is synced; `mode` is that of a file that is new or a passing one.
enum class FileLife { lasting, passing };
void replace_file(const std::filesystem::path& target, std::string_view fresh, std::string_view text, ::mode_t mode,
                  FileLife = FileLife::lasting);
}
