// Writes a new file beside the old one, syncs it, renames it, and syncs the folder: this order survives a power
// failure.
#include "engine/text/replace_file.hpp"
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace weft {
namespace {
namespace fs = std::filesystem;
constexpr int most_links = 40;

class TemporaryFile {
public:
    TemporaryFile(std::string name, ::mode_t mode) : name_(std::move(name)) {
        ::unlink(name_.c_str());
        file_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (file_ < 0) throw CannotReplace{CannotReplace::make, errno};
    }
    ~TemporaryFile() {
        if (file_ >= 0) ::close(file_);
        if (!placed_) ::unlink(name_.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    void keep_mode_of(const fs::path& target) {
        struct stat old {};
        if (::stat(target.c_str(), &old) == 0) ::fchmod(file_, old.st_mode & 0777);
    }
    void write(std::string_view text) {
        while (!text.empty()) {
            const auto n = ::write(file_, text.data(), text.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) throw CannotReplace{CannotReplace::write, errno};
            text.remove_prefix(static_cast<std::size_t>(n));
        }
    }
    void sync() {
        if (::fsync(file_) != 0) throw CannotReplace{CannotReplace::sync, errno};
    }
    void place(const fs::path& target) {
        if (::close(std::exchange(file_, -1)) != 0) throw CannotReplace{CannotReplace::write, errno};
        if (::rename(name_.c_str(), target.c_str()) != 0) throw CannotReplace{CannotReplace::place, errno};
        placed_ = true;
    }

private:
    const std::string name_;
    int file_ = -1;
    bool placed_ = false;
};
}

std::optional<fs::path> follow_links(const fs::path& path) {
    std::error_code error;
    auto target = fs::absolute(path, error);
    for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
        if (links == most_links) return std::nullopt;
        target = target.parent_path() / fs::read_symlink(target, error);
    }
    return target;
}
void replace_file(const fs::path& target, std::string_view fresh, std::string_view text, ::mode_t mode, FileLife life) {
    {
        TemporaryFile file((target.parent_path() / fresh).string(), mode);
        if (life == FileLife::lasting) file.keep_mode_of(target);
        file.write(text);
        if (life == FileLife::lasting) file.sync();
        file.place(target);
    }
    if (life == FileLife::passing) return;
    // The new file is in place by now; a file system that cannot sync folders needs no error.
    const int folder = ::open(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    ::fsync(folder);
    ::close(folder);
}
}
