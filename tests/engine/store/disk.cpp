// A VFS around SQLite's own. A failed sync leaves the written data unsynced, like the system.
#include "tests/engine/store/disk.hpp"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sqlite3.h>

namespace stores {
namespace {
Disk* disk = nullptr;
sqlite3_vfs* real_vfs = nullptr;
sqlite3_vfs vfs;

struct File {
    sqlite3_file base;
    bool is_kept;
    char path[512];
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
sqlite3_file* real(sqlite3_file* file) { return of(file).real(); }

void apply(std::string& bytes, const Disk::Write& write, std::size_t from, std::size_t upto) {
    if (write.is_truncation) return bytes.resize(std::size_t(write.at));
    const auto end = std::size_t(write.at) + upto;
    if (bytes.size() < end) bytes.resize(end);
    std::memcpy(bytes.data() + write.at + from, write.bytes.data() + from, upto - from);
}

int x_close(sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); }
int x_read(sqlite3_file* f, void* to, int n, sqlite3_int64 at) { return real(f)->pMethods->xRead(real(f), to, n, at); }
int x_write(sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
    if (!of(f).is_kept) return real(f)->pMethods->xWrite(real(f), from, n, at);
    if (int code = disk->next(false)) return code;
    disk->written(of(f).path, {at, std::string(static_cast<const char*>(from), std::size_t(n))});
    return real(f)->pMethods->xWrite(real(f), from, n, at);
}
int x_truncate(sqlite3_file* f, sqlite3_int64 size) {
    if (of(f).is_kept) disk->written(of(f).path, {size, {}, true});
    return real(f)->pMethods->xTruncate(real(f), size);
}
int x_sync(sqlite3_file* f, int flags) {
    if (!of(f).is_kept) return real(f)->pMethods->xSync(real(f), flags);
    if (int code = disk->next(false)) return code;
    disk->synced(of(f).path);
    return SQLITE_OK;  // the real disk is not tested
}
int x_size(sqlite3_file* f, sqlite3_int64* size) { return real(f)->pMethods->xFileSize(real(f), size); }
int x_lock(sqlite3_file* f, int how) {
    if (int code = disk->next(true)) return code;
    return real(f)->pMethods->xLock(real(f), how);
}
int x_unlock(sqlite3_file* f, int how) { return real(f)->pMethods->xUnlock(real(f), how); }
int x_reserved(sqlite3_file* f, int* out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); }
int x_control(sqlite3_file* f, int op, void* arg) { return real(f)->pMethods->xFileControl(real(f), op, arg); }
int x_sector(sqlite3_file*) { return 512; }
int x_traits(sqlite3_file*) { return 0; }
int x_shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
    return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
}
int x_shm_lock(sqlite3_file* f, int at, int n, int flags) {
    if (flags & SQLITE_SHM_LOCK)
        if (int code = disk->next(true)) return code;
    return real(f)->pMethods->xShmLock(real(f), at, n, flags);
}
void x_shm_barrier(sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); }
int x_shm_unmap(sqlite3_file* f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); }
const sqlite3_io_methods methods{2,          x_close,       x_read,      x_write,   x_truncate, x_sync,   x_size,
                                 x_lock,     x_unlock,      x_reserved,  x_control, x_sector,   x_traits, x_shm_map,
                                 x_shm_lock, x_shm_barrier, x_shm_unmap, nullptr,   nullptr};

int x_open(sqlite3_vfs*, const char* name, sqlite3_file* f, int flags, int* out) {
    File& file = of(f);
    std::memset(f, 0, sizeof(File));
    const int code = real_vfs->xOpen(real_vfs, name, file.real(), flags, out);
    if (code != SQLITE_OK || !file.real()->pMethods) return code;
    file.base.pMethods = &methods;
    file.is_kept = name && flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL);
    if (!file.is_kept) return code;
    std::snprintf(file.path, sizeof file.path, "%s", name);
    std::ifstream in(name, std::ios::binary);
    disk->opened(name, {std::istreambuf_iterator<char>(in), {}});
    return code;
}
int x_delete(sqlite3_vfs*, const char* name, int sync) {
    disk->deleted(name);
    return real_vfs->xDelete(real_vfs, name, sync);
}
}
Disk::Disk() {
    disk = this;
    real_vfs = sqlite3_vfs_find("unix");
    vfs = *real_vfs;
    vfs.zName = "disk of a test";
    vfs.szOsFile = int(sizeof(File)) + real_vfs->szOsFile;
    vfs.xOpen = x_open;
    vfs.xDelete = x_delete;
    sqlite3_vfs_register(&vfs, 1);
}
Disk::~Disk() {
    sqlite3_vfs_unregister(&vfs);
    sqlite3_vfs_register(real_vfs, 1);
}
void Disk::fail(int n, int code) {
    std::lock_guard lock(mutex_);
    fails_in_ = n;
    code_ = code;
    has_failed_ = fails_on_ = false;
}
void Disk::fail_from(int n, int code) {
    fail(n, code);
    fails_on_ = true;
}
bool Disk::has_failed() {
    std::lock_guard lock(mutex_);
    return has_failed_;
}
int Disk::next(bool is_lock) {
    std::lock_guard lock(mutex_);
    if (fails_on_ && has_failed_ && !is_lock) return code_;
    if (fails_in_ < 0 || is_lock != (code_ == SQLITE_BUSY) || fails_in_-- > 0) return SQLITE_OK;
    has_failed_ = true;
    return code_;
}
void Disk::opened(const std::string& path, const std::string& bytes) {
    std::lock_guard lock(mutex_);
    images_.try_emplace(path, Image{bytes, {}});
}
void Disk::written(const std::string& path, Write write) {
    std::lock_guard lock(mutex_);
    images_[path].since.push_back(std::move(write));
}
void Disk::synced(const std::string& path) {
    std::lock_guard lock(mutex_);
    Image& image = images_[path];
    for (auto& write : image.since) apply(image.synced, write, 0, write.bytes.size());
    image.since.clear();
}
void Disk::deleted(const std::string& path) {
    std::lock_guard lock(mutex_);
    images_.erase(path);
}
void Disk::cut(const std::string& folder, const std::string& other, std::uint32_t seed) {
    namespace fs = std::filesystem;
    std::minstd_rand random(seed);
    std::lock_guard lock(mutex_);
    for (auto& [path, image] : images_) {
        if (path.rfind(folder, 0) != 0) continue;
        auto bytes = image.synced;
        for (auto& write : image.since) {
            if (write.is_truncation && random() % 2) apply(bytes, write, 0, 0);
            for (std::size_t from = 0; from < write.bytes.size(); from += 512)
                if (random() % 2) apply(bytes, write, from, std::min(from + 512, write.bytes.size()));
        }
        std::ofstream(other + path.substr(folder.size()), std::ios::binary) << bytes;
    }
    for (auto& entry : fs::directory_iterator(folder))
        if (entry.path().string().ends_with("-lock"))
            fs::copy_file(entry.path(), other + "/" + entry.path().filename().string());
}
}
