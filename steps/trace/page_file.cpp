#include "engine/error.hpp"
#include "steps/trace/html_page.hpp"
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::steps {
namespace {
namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& why, int error = 0) {
    throw Error(Code::configuration, "the page " + path + " cannot be written: " + why +
                                         (error ? ": " + std::string(std::strerror(error)) : std::string()) +
                                         "; give another name or folder");
}
constexpr std::string_view beginning = "<!DOCTYPE html>";

/// Where the page goes: through symbolic links, so that they stay.
fs::path target_of(const std::string& path) {
    if (path.empty()) refuse("with an empty name", "it has no name");
    std::error_code error;
    fs::path target = fs::absolute(path, error);
    for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
        if (links == 40) refuse(path, "its symbolic links go round in circles");
        target = target.parent_path() / fs::read_symlink(target, error);
    }
    const auto status = fs::status(target, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) refuse(path, "it is no plain file");
    if (fs::exists(status) && fs::file_size(target, error) > 0) {  // a slip of the hand costs nobody a file
        std::string begin(beginning.size(), '\0');
        std::ifstream(target, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
        if (begin != beginning) refuse(path, "there is a file that is no page");
    }
    return target;
}
class Fresh {
public:
    Fresh(const fs::path& target, const std::string& path) : path_(path) {
        static std::atomic<unsigned> made{0};
        name_ = target.parent_path() / (".weft." + std::to_string(::getpid()) + "." + std::to_string(++made));
        ::unlink(name_.c_str());  // what a killed process of this number has left
        file_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (file_ < 0) refuse(path_, "nothing can be made in its folder", errno);
    }
    ~Fresh() {
        if (file_ >= 0) ::close(file_);
        if (!placed_) ::unlink(name_.c_str());
    }
    Fresh(const Fresh&) = delete;
    void write(std::string_view text) {
        while (!text.empty()) {
            const auto n = ::write(file_, text.data(), text.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) refuse(path_, "its disk does not take it", errno);
            text.remove_prefix(static_cast<std::size_t>(n));
        }
        if (::fsync(file_) != 0) refuse(path_, "its disk does not take it", errno);
    }
    void keep_rights_of(const fs::path& target) {
        struct stat old {};
        if (::stat(target.c_str(), &old) == 0) ::fchmod(file_, old.st_mode & 0777);
    }
    void place(const fs::path& target) {
        if (::rename(name_.c_str(), target.c_str()) != 0) refuse(path_, "it cannot be put in its place", errno);
        placed_ = true;
    }

private:
    const std::string& path_;
    std::string name_;
    int file_ = -1;
    bool placed_ = false;
};
}

void save_page(const std::string& path, std::string_view page) {
    const auto target = target_of(path);
    {
        Fresh file(target, path);
        file.keep_rights_of(target);
        file.write(page);
        file.place(target);
    }
    // The page stands by now; a file system that cannot sync folders has its own ways.
    const int folder = ::open(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    ::fsync(folder);
    ::close(folder);
}
}
