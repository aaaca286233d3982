// Replaces an existing file only if it is empty or a page, so a mistyped name costs no file.
#include "engine/error.hpp"
#include "engine/text/replace_file.hpp"
#include "steps/view/html_page.hpp"
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace weft::view {
namespace {
namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& why, int error = 0) {
    throw Error(Code::configuration, "the page " + path + " cannot be written: " + why +
                                         (error ? ": " + std::string(std::strerror(error)) : std::string()) +
                                         "; give another name or folder");
}
constexpr std::string_view beginning = "<!DOCTYPE html>";

fs::path target_of(const std::string& path) {
    if (path.empty()) refuse("with an empty name", "it has no name");
    const auto target = follow_links(path);
    if (!target) refuse(path, "its symbolic links lead round to themselves");
    std::error_code error;
    const auto status = fs::status(*target, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) refuse(path, "it is not a plain file");
    if (fs::exists(status) && fs::file_size(*target, error) > 0) {  // protects the file of a mistyped name
        std::string begin(beginning.size(), '\0');
        std::ifstream(*target, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
        if (begin != beginning) refuse(path, "there is a file that is not a page");
    }
    return *target;
}
/// Returns a name for a file beside the target, unique to this process.
std::string fresh_name() {
    static std::atomic<unsigned> made{0};
    return ".weft." + std::to_string(::getpid()) + "." + std::to_string(++made);
}
}

void try_page(const std::string& path) {
    const auto target = target_of(path);
    const auto fresh = (target.parent_path() / fresh_name()).string();
    const int made = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0) refuse(path, "nothing can be made in its folder", errno);
    ::close(made);
    ::unlink(fresh.c_str());
}

void save_page(const std::string& path, std::string_view page) {
    const auto target = target_of(path);
    try {
        replace_file(target, fresh_name(), page, 0600);
    } catch (const CannotReplace& failure) {
        using enum CannotReplace::FileStep;
        const auto* why = failure.step == make    ? "nothing can be made in its folder"
                          : failure.step == place ? "it cannot be put in its place"
                                                  : "its disk cannot store it";
        refuse(path, why, failure.error);
    }
}
}
