// A test's disk for SQLite: it fails at the n-th write or sync, and knows the files after a power failure.
//
//     Disk disk;                          // SQLite's default until it is destroyed
//     disk.fail(3, SQLITE_IOERR_FSYNC);   // the fourth write or sync from now; SQLITE_BUSY: the fourth lock
//     disk.cut(folder, other, seed);      // the files after a power failure: all synced data, and any part of the
//                                         // rest, in sectors
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace stores {
class Disk {
public:
    Disk();
    ~Disk();
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;
    void fail(int n, int code);
    void fail_from(int n, int code);  // also all later ones
    bool has_failed();
    void heal() { fail(-1, 0); }
    void cut(const std::string& folder, const std::string& other, std::uint32_t seed);

    // of the files
    struct Write {
        std::int64_t at;
        std::string bytes;
        bool is_truncation = false;
    };
    struct Image {
        std::string synced;
        std::vector<Write> since;
    };
    int next(bool is_lock);  // returns the operation's result code
    void opened(const std::string& path, const std::string& bytes);
    void written(const std::string& path, Write);
    void synced(const std::string& path);
    void deleted(const std::string& path);

private:
    std::mutex mutex_;
    std::map<std::string, Image> images_;
    int fails_in_ = -1, code_ = 0;
    bool has_failed_ = false, fails_on_ = false;
};
}
