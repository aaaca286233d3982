// Replaces three methods of SQLite's own VFS in a copy of its tables, and rename() of libc.
#include "tests/crash/kill.hpp"
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <sqlite3.h>
#include <sstream>
#include <unistd.h>

namespace crash {
namespace {
struct Place {
    long number = 0;
    std::string phase;
    Place() {
        if (const char* text = std::getenv("WEFT_KILL")) std::istringstream(text) >> number >> phase;
    }
};
const Place& place() {
    static const Place it;
    return it;
}
struct Done {
    std::mutex mutex;
    std::string kinds;
};
Done& done() {
    static Done it;
    return it;
}
bool is_turn(long number, const char* phase) { return number == place().number && place().phase == phase; }

// --- SQLite's files ---
std::string watched;
sqlite3_vfs* real_vfs = nullptr;
struct Methods {
    const sqlite3_io_methods* real = nullptr;
    sqlite3_io_methods mine{};
};
std::array<Methods, 4> methods;  // the VFS has one table for the database and one for its log
std::mutex methods_mutex;

const sqlite3_io_methods& real_of(sqlite3_file* file) {
    for (auto& one : methods)
        if (file->pMethods == &one.mine) return *one.real;
    std::abort();
}
int write(sqlite3_file* file, const void* bytes, int n, sqlite3_int64 at) {
    const Operation one('w');
    if (one.ends_within()) {
        real_of(file).xWrite(file, bytes, n / 2, at);
        die();
    }
    return real_of(file).xWrite(file, bytes, n, at);
}
int sync(sqlite3_file* file, int flags) {
    const Operation one('s');
    return real_of(file).xSync(file, flags);
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
    const Operation one('t');
    return real_of(file).xTruncate(file, size);
}
void replace_methods(sqlite3_file* file) {
    const std::lock_guard lock(methods_mutex);
    for (auto& one : methods) {
        if (one.real && one.real != file->pMethods) continue;
        if (!one.real) {
            one.mine = *file->pMethods;
            one.mine.xWrite = write;
            one.mine.xSync = sync;
            one.mine.xTruncate = truncate;
            one.real = file->pMethods;
        }
        file->pMethods = &one.mine;
        return;
    }
    std::abort();
}
int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
    const int code = real_vfs->xOpen(real_vfs, name, file, flags, out);
    if (code == SQLITE_OK && name && std::string_view(name).starts_with(watched)) replace_methods(file);
    return code;
}
}

Operation::Operation(char kind) {
    auto& all = done();
    {
        const std::lock_guard lock(all.mutex);
        all.kinds += kind;
        number_ = long(all.kinds.size());
    }
    if (is_turn(number_, "before")) die();
}
Operation::~Operation() {
    if (is_turn(number_, "after")) die();
}
bool Operation::ends_within() const { return is_turn(number_, "within"); }
void die() {
    ::kill(::getpid(), SIGKILL);
    for (;;) ::pause();
}
std::string operations() {
    const std::lock_guard lock(done().mutex);
    return done().kinds;
}
void watch_disk(const std::string& path) {
    static sqlite3_vfs vfs;
    watched = std::filesystem::weakly_canonical(path).string();  // the store's form of the path
    real_vfs = sqlite3_vfs_find(nullptr);
    vfs = *real_vfs;
    vfs.zName = "disk of a worker";
    vfs.xOpen = open;
    sqlite3_vfs_register(&vfs, 1);
}

namespace {
template <class T> auto counted(std::function<void(std::exception_ptr, T)> then) {
    return [then = std::move(then)](std::exception_ptr error, T value) {
        const Operation one('a');
        then(error, std::move(value));
    };
}
}
using namespace weft;
using namespace weft::storage;
void Answering::create(NewRun run, Then<CreateReply> then) { to_.create(std::move(run), counted(std::move(then))); }
void Answering::create_all(std::vector<NewRun> runs, Then<std::vector<CreateReply>> then) {
    to_.create_all(std::move(runs), counted(std::move(then)));
}
void Answering::append(Batch batch, Then<AppendReply> then) { to_.append(std::move(batch), counted(std::move(then))); }
void Answering::load(std::string run, Then<History> then, std::uint64_t from) {
    to_.load(std::move(run), counted(std::move(then)), from);
}
void Answering::write_log(LogEntries entries, Then<LogReply> then) {
    to_.write_log(std::move(entries), counted(std::move(then)));
}
void Answering::read_log(std::string run, std::uint64_t from, std::size_t most, Then<LogPart> then, std::size_t bytes) {
    to_.read_log(std::move(run), from, most, std::move(then), bytes);
}
void Answering::claim(ClaimRequest claim, Then<std::vector<RunRow>> then) {
    to_.claim(std::move(claim), counted(std::move(then)));
}
void Answering::plan(std::string hash, Then<StoredPlan> then) { to_.plan(std::move(hash), std::move(then)); }
void Answering::send(Mail mail, Then<SendReply> then) { to_.send(std::move(mail), std::move(then)); }
void Answering::heartbeat(Heartbeat worker, Then<HeartbeatReply> then) {
    to_.heartbeat(std::move(worker), std::move(then));
}
void Answering::list(Filter filter, Then<std::vector<RunRow>> then) { to_.list(std::move(filter), std::move(then)); }
void Answering::survey(Then<Survey> then) { to_.survey(std::move(then)); }
void Answering::prune(Filter filter, Then<std::uint64_t> then) { to_.prune(std::move(filter), std::move(then)); }
}

extern "C" int rename(const char* from, const char* to) noexcept {
    const crash::Operation one('r');
    return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}
