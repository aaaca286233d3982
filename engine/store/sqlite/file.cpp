// The file is created before SQLite opens it, accessible to its owner only; -wal and -shm get the same permissions.
#include "engine/store/sqlite/file.hpp"
#include "engine/error.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

namespace weft::storage {
namespace {
struct LockOwner {
    long process = 0;
    long long last = 0;
};
LockOwner read_lock(int file) {
    std::array<char, 65> bytes{};
    LockOwner says;
    if (::pread(file, bytes.data(), bytes.size() - 1, 0) > 0)
        std::sscanf(bytes.data(), "process %ld last tick %lld", &says.process, &says.last);
    return says;
}
[[noreturn]] void refuse_place(const std::string& name, const std::string& why) {
    throw Error(Code::configuration, "cannot use the store '" + name + "': " + why);
}
/// Whether the path still names the opened file.
bool is_file(int opened, const std::string& name) {
    struct stat ours {
    }, found{};
    return ::fstat(opened, &ours) == 0 && ::stat(name.c_str(), &found) == 0 && ours.st_ino == found.st_ino &&
           ours.st_dev == found.st_dev;
}
bool is_of_network(const std::string& folder) {
    struct statfs found {};
    if (::statfs(folder.c_str(), &found) != 0) return false;
    constexpr std::array<std::uint32_t, 9> networks{0x6969,     0x517B,     0xFF534D42, 0xFE534D42, 0x01021997,
                                                    0x00C36400, 0x5346414F, 0x73757245, 0x0BD00BD0};
    // NFS, SMB three times, 9p, Ceph, AFS, Coda, Lustre
    return std::ranges::find(networks, std::uint32_t(found.f_type)) != networks.end();
}
/// Containers can mount a single file.
bool is_mounted_alone(const std::string& path) {
    struct statx found {};
    return ::statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE, &found) == 0 &&
           (found.stx_attributes & found.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
}
}
SqliteFile::SqliteFile(const std::string& path, bool is_owner) : name_(repair_utf8(path)) {
    namespace fs = std::filesystem;
    if (path.empty() || path.find('\0') != path.npos) refuse_place(name_, "this is not the path of a file");
    std::error_code error;
    path_ = fs::weakly_canonical(fs::absolute(path, error), error).string();
    if (error) refuse_place(name_, error.message());
    refuse_folder();
    struct stat found {};
    const bool is_there = ::stat(path_.c_str(), &found) == 0;
    if (is_there && !S_ISREG(found.st_mode)) refuse_place(name_, "it is not a file");
    if (is_there && found.st_nlink > 1)
        refuse_place(name_, "it has several names (hard links), and each name has another -wal and lock file: remove "
                            "the other names");
    if (is_there && is_mounted_alone(path_))
        refuse_place(name_, "it is mounted without its folder, so its -wal and lock files are elsewhere: mount the "
                            "folder");
    const bool has_log = ::stat((path_ + "-wal").c_str(), &found) == 0 && found.st_size > 0;
    if (!is_there && has_log)
        refuse_place(name_, "the file is gone, and its -wal file is still there: one needs the other");
    if (!is_there && !is_owner) refuse_place(name_, "there is no such file");
    if (!is_owner) return;
    lock();
    if (is_there) return;
    mark(0);
    const int made = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (made < 0) {
        const std::string why = std::strerror(errno);
        leave_nothing();
        ::close(lock_);
        refuse_place(name_, why);
    }
    made_file_ = true;
    ::close(made);
}
void SqliteFile::leave_nothing() {
    if (made_file_)
        for (const auto* ending : {"-wal", "-shm", ""}) ::unlink((path_ + ending).c_str());
    if (made_lock_) ::unlink((path_ + "-lock").c_str());  // must precede the release of the lock
    made_file_ = made_lock_ = false;
}
SqliteFile::~SqliteFile() {
    if (lock_ >= 0) ::close(lock_);
}
void SqliteFile::refuse_folder() const {
    const auto folder = std::filesystem::path(path_).parent_path().string();
    struct stat found {};
    if (::stat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode))
        refuse_place(name_, "there is no folder '" + repair_utf8(folder) + "'");
    if (is_of_network(folder))
        refuse_place(name_, "it is on a network file system, where files cannot be locked safely: use a local disk");
}
void SqliteFile::lock() {
    const auto name = path_ + "-lock";
    constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC;
    for (;;) {
        lock_ = ::open(name.c_str(), flags | O_EXCL, 0600);
        made_lock_ = lock_ >= 0;
        if (!made_lock_ && errno == EEXIST) lock_ = ::open(name.c_str(), flags, 0600);
        if (lock_ < 0) refuse_place(name_, "its lock file cannot be opened: " + std::string(std::strerror(errno)));
        if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) break;
        if (is_file(lock_, name)) return mark(read_lock(lock_).last);
        ::close(lock_);  // its owner has removed it, because the store was refused
    }
    made_lock_ = false;
    const auto other = read_lock(lock_).process;
    ::close(std::exchange(lock_, -1));
    throw Error(Code::usage, "the store '" + name_ + "' is in use by process " + std::to_string(other) +
                                 (other == ::getpid() ? ", which is this one" : "") +
                                 ": wait until it ends, or use another file");
}
void SqliteFile::mark(std::int64_t last_number) {
    std::array<char, 64> text;  // fixed width, so that one write replaces the text
    std::snprintf(text.data(), text.size(), "process %-20ld last tick %-20lld", long(::getpid()),
                  static_cast<long long>(last_number));
    text.back() = '\n';
    // A failed write loses no data; only check_mark() sees an older number after a crash.
    [[maybe_unused]] auto written = ::pwrite(lock_, text.data(), text.size(), 0);
}
void SqliteFile::check_mark(std::int64_t last_number) const {
    if (read_lock(lock_).last <= last_number) return;
    throw Error(Code::journal, "the store '" + name_ +
                                   "' lacks its latest records: its -wal file was removed or cut, or "
                                   "the file is an older copy; remove '" +
                                   name_ + "-lock' to continue without them");
}
SqliteConnection SqliteFile::connect(int busy_ms) const { return {path_, busy_ms}; }
void SqliteFile::keep_log(SqliteConnection& connection, bool is_fast) const {
    if (connection.is_unchanging()) return;
    {
        auto mode = connection.query("pragma journal_mode = wal");
        if (!mode.step() || mode.text(0) != "wal")
            refuse_place(name_, "SQLite cannot keep a write-ahead log beside it");
    }
    connection.execute(std::string("pragma synchronous = ") + (is_fast ? "normal" : "full") +
                       "; pragma journal_size_limit = 67108864;");
}
std::string sqlite_sentence(const std::string& file, const SqliteError& e, const std::string& run) {
    const auto store = "the store '" + file + "'";
    const auto of_run = run.empty() ? std::string() : ", met at run " + repair_utf8(run);
    if (e.is_busy()) return store + " was locked by another process for too long";
    if (e.is_full()) return store + " has no space left on its disk: nothing was stored";
    if (e.is_damage()) return store + " is damaged (" + e.what() + ")" + of_run;
    if (e.is_read_only()) return store + " may only be read here: nothing was stored";
    if (e.is_of_the_disk()) return store + " cannot be read or written (" + e.what() + ")" + of_run;
    return store + " refused (" + e.what() + ")" + of_run;
}
void refuse_store(const std::string& file, const SqliteError& e) {
    if (e.is_damage() && std::string_view(e.what()).find("not a database") != std::string_view::npos)
        refuse_place(file, "it is not a SQLite database");
    if (e.is_damage()) throw Error(Code::journal, sqlite_sentence(file, e, {}));
    refuse_place(file, e.what());
}
}
