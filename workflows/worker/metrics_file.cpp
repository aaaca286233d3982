// Writes a second file and renames it to the first, which is atomic. Does not sync: the file is rewritten every 5 s.
#include "workflows/worker/metrics_file.hpp"
#include "engine/error.hpp"
#include "engine/text/replace_file.hpp"
#include <cstring>
#include <filesystem>
#include <sys/stat.h>

namespace weft::worker {
MetricsFile::MetricsFile(std::string name, std::chrono::milliseconds every) : name_(std::move(name)), every_(every) {
    struct stat found {};
    const auto folder = std::filesystem::absolute(name_).parent_path();
    if (!std::filesystem::is_directory(folder))
        throw Error(Code::usage,
                    "the metrics cannot be written to " + name_ + ": there is no folder " + folder.string());
    if (::lstat(name_.c_str(), &found) == 0 && !S_ISREG(found.st_mode))
        throw Error(Code::usage, "the metrics cannot be written to " + name_ + ": it exists and is not a regular file");
}
void MetricsFile::write(std::string_view text) {
    next_ = std::chrono::steady_clock::now() + every_;
    try {  // 0644: the collector is another user, and metrics contain no data of runs
        replace_file(name_, std::filesystem::path(name_).filename().string() + ".tmp", text, 0644, FileLife::passing);
    } catch (const CannotReplace& failure) {
        throw Error(Code::configuration,
                    "the metrics cannot be written to " + name_ + ": " + std::strerror(failure.error));
    }
}
}
