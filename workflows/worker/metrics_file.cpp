// Written beside the file and renamed over it, which the system does in one step. Not synced: it is new in 5 s.
#include "workflows/worker/metrics_file.hpp"
#include "engine/error.hpp"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::worker {
namespace {
bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const auto n = ::write(file, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        text.remove_prefix(std::size_t(n));
    }
    return true;
}
}
MetricsFile::MetricsFile(std::string name, std::chrono::milliseconds every) : name_(std::move(name)), every_(every) {
    struct stat found {};
    const auto folder = std::filesystem::absolute(name_).parent_path();
    if (!std::filesystem::is_directory(folder))
        throw Error(Code::usage,
                    "the metrics cannot be written to " + name_ + ": there is no folder " + folder.string());
    if (::lstat(name_.c_str(), &found) == 0 && !S_ISREG(found.st_mode))
        throw Error(Code::usage, "the metrics cannot be written to " + name_ + ": it is there, and no regular file");
}
void MetricsFile::write(std::string_view text) {
    next_ = std::chrono::steady_clock::now() + every_;
    const auto beside = name_ + ".tmp";
    // 0644: whoever collects the numbers is another user, and there is nothing of a run in them.
    const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    const bool is_written = file >= 0 && write_all(file, text);
    const bool is_closed = file >= 0 && ::close(file) == 0;
    if (is_written && is_closed && std::rename(beside.c_str(), name_.c_str()) == 0) return;
    const std::string why = std::strerror(errno);
    ::unlink(beside.c_str());
    throw Error(Code::configuration, "the metrics cannot be written to " + name_ + ": " + why);
}
}
