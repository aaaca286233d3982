// Group and others are separate classes: each needs a right for the file and for each folder above it.
#include "engine/text/file_access.hpp"
#include <sys/stat.h>

namespace weft {
bool others_can_open(const std::filesystem::path& path) {
    std::error_code error;
    const auto file = std::filesystem::canonical(path, error);
    struct stat found {};
    if (error || ::stat(file.c_str(), &found) != 0 || (found.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0)
        return false;
    bool group = (found.st_mode & (S_IRGRP | S_IWGRP)) != 0, others = (found.st_mode & (S_IROTH | S_IWOTH)) != 0;
    for (auto folder = file.parent_path();; folder = folder.parent_path()) {
        if (::stat(folder.c_str(), &found) != 0) return false;
        group = group && (found.st_mode & S_IXGRP) != 0;
        others = others && (found.st_mode & S_IXOTH) != 0;
        if (folder == folder.root_path()) return group || others;
    }
}
}
