// A connection of SQLite would make files beside a database, so these checks read the file's header by themselves: its
// format is stable (https://www.sqlite.org/fileformat.html).
#include "engine/error.hpp"
#include "engine/store/postgres_store.hpp"
#include "engine/store/sqlite/schema.hpp"
#include "workflows/catalog/open_store.hpp"
#include "workflows/driver/doctor/finding.hpp"
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace weft::driver {
namespace {
namespace fs = std::filesystem;
using enum FindingMark;
constexpr std::uint64_t least_room = 64u << 20;

struct SqliteHeader {
    std::array<unsigned char, 100> bytes{};

    std::uint32_t number(std::size_t at) const {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < 4; ++i) value = value << 8 | bytes[at + i];
        return value;
    }
    bool is_sqlite() const { return std::memcmp(bytes.data(), "SQLite format 3", 16) == 0; }
    std::uint32_t user_version() const { return number(60); }
    std::uint32_t application() const { return number(68); }
    /// The size that the number of its pages tells; 0 if an old writer has left that number wrong.
    std::uint64_t told_size() const {
        const std::uint64_t page = bytes[16] == 0 && bytes[17] == 1 ? 65536 : unsigned(bytes[16] << 8 | bytes[17]);
        return number(24) == number(92) ? page * number(28) : 0;
    }
};
[[noreturn]] void refuse(const std::string& why) { throw Error(Code::configuration, why); }
/// The process that has these bytes of a file locked against readers; 0: none.
long locker(const std::string& path, off_t at, off_t size) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return 0;
    struct flock lock {};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = at;
    lock.l_len = size;
    const bool is_locked = ::fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    ::close(file);
    return is_locked ? long(lock.l_pid) : 0;
}
/// The process that writes, or that lets no other one in: SQLite's locks on the file, and those of its -shm.
long writer(const std::string& path) {
    constexpr off_t pending = 0x40000000, first_of_log = 120;
    if (const auto process = locker(path, pending, 512)) return process;
    return locker(path + "-shm", first_of_log, 3);
}
bool has_bytes(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 && found.st_size > 0;
}
/// Whether the end of a file is missing. A writer lengthens it after its header, so the size counts when no writer has
/// a lock. The journal or log of a killed writer repairs the file.
bool is_cut(const std::string& path, const SqliteHeader& header) {
    if (writer(path) != 0 || has_bytes(path + "-journal") || has_bytes(path + "-wal")) return false;
    std::error_code error;
    return fs::file_size(path, error) < header.told_size();
}
SqliteHeader read_header(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) refuse(path + ": " + std::strerror(errno));
    if (!S_ISREG(found.st_mode)) refuse(path + " is not a file: name a file");
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) refuse(path + " cannot be read: " + std::strerror(errno));
    SqliteHeader header;
    const auto got = ::pread(file, header.bytes.data(), header.bytes.size(), 0);
    ::close(file);
    if (got < 0) refuse(path + " cannot be read: " + std::strerror(errno));
    if (found.st_size == 0) refuse(path + " is empty, so it is not a SQLite database: remove it, or name another file");
    if (!header.is_sqlite()) refuse(path + " is not a SQLite database: name another file");
    if (is_cut(path, header)) refuse(path + " is damaged: its end is missing; take a copy from before");
    return header;
}
std::string room(std::uint64_t bytes) {
    const bool large = bytes >= 10ull << 30;
    return std::to_string(large ? bytes >> 30 : bytes >> 20) + (large ? " GB" : " MB") + " free";
}
/// The free bytes of a folder's disk for this user.
std::uint64_t free_in(const fs::path& folder) {
    struct statvfs disk {};
    if (::statvfs(folder.c_str(), &disk) != 0) return 0;
    return std::uint64_t(disk.f_bavail) * disk.f_frsize;
}
Finding store_file(const std::string& name) {
    std::error_code error;
    const auto path = fs::weakly_canonical(fs::absolute(name, error), error).string();
    const auto folder = fs::path(path).parent_path();
    Finding finding{.about = "store", .text = path};
    if (!fs::is_directory(folder, error))
        return finding.block(": there is no folder " + folder.string(), "make the folder");
    const auto space = free_in(folder);
    const bool is_there = fs::exists(fs::symlink_status(path, error));
    if (::access(folder.c_str(), W_OK) != 0)
        return finding.block(": the folder cannot be written to",
                             "give its rights to this user, or name a file elsewhere");
    if (space < least_room) return finding.block(": its disk has only " + room(space), "make room on the disk");
    if (!is_there) {
        finding.text += ": the first run makes it; " + room(space);
        return finding;
    }
    const auto header = read_header(path);
    const auto newest = std::uint32_t(storage::sqlite_migrations().size());
    const auto version = header.user_version();
    if (header.application() != std::uint32_t(storage::sqlite_application_id))
        return has_bytes(path + "-wal") && header.application() == 0
                   ? finding.block(" has changes in its -wal file that only an engine can read",
                                   "weft runs --store " + name)
                   : finding.block(" is a SQLite database of another program", "name another file");
    if (version > newest)
        return finding.block(" has tables of version " + std::to_string(version) + ", and this weft knows them up to " +
                                 std::to_string(newest),
                             "use a newer weft");
    if (::access(path.c_str(), W_OK) != 0)
        return finding.block(" cannot be written to", "give its rights to this user");
    if (catalog::engine_holds(path)) {
        finding.text += " is in use by an engine: ";
    } else if (const auto process = writer(path)) {
        return finding.block(" is locked by process " + std::to_string(process), "wait until it ends");
    } else {
        finding.text += ": ";
    }
    finding.text += "tables of version " + std::to_string(version) +
                    (version < newest - 1 ? ", which the next run updates; " : "; ") + room(space);
    return finding;
}
}
Findings check_store(const std::string& name, std::chrono::milliseconds longest) {
    if (name.empty())
        return {{.about = "store",
                 .mark = missing,
                 .text = "none is named, so runs end with their process",
                 .cure = "give --store FILE, or set WEFT_STORE, to keep them"}};
    if (catalog::is_store_file(name)) return {store_file(name)};
    Findings findings;
    for (const auto& address : catalog::addresses_of_store(name)) {
        const auto version = postgres_version(address, longest);
        findings.push_back({.about = "store",
                            .text = catalog::shown_store(address) + " answers; " +
                                    (version == 0 ? "the first run makes the tables"
                                                  : "tables of version " + std::to_string(version))});
    }
    return findings;
}
Findings check_database(const std::string& file) {
    if (file.empty()) return {{.about = "database", .text = "the built-in sample; --db FILE takes your own"}};
    std::error_code error;
    const auto path = fs::absolute(file, error).lexically_normal().string();
    read_header(path);
    Finding finding{.about = "database",
                    .text = path + ", " + std::to_string(fs::file_size(path, error) / 1024) + " KB"};
    if (const auto process = writer(path))
        finding.refuse(", is locked by process " + std::to_string(process), "wait until it ends");
    return {finding};
}
}
