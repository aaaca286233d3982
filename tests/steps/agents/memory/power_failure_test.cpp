// A memory file and a page are whole after a power failure. This program replaces fsync() and rename() of the system,
// and keeps a model of the disk: a text is on it once its file is synced, and a new name once its folder is.
#include "engine/error.hpp"
#include "steps/agents/memory/trace_file.hpp"
#include "steps/view/html_page.hpp"
#include "tests/support/folder.hpp"
#include <cerrno>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <map>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {
using test::Folder;
namespace fs = std::filesystem;

std::string text_of(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(name, std::ios::binary).rdbuf();
    return text.str();
}
std::optional<ino_t> number_of(const std::string& name) {
    struct stat found {};
    if (::stat(name.c_str(), &found) != 0) return std::nullopt;
    return found.st_ino;
}
/// The disk during one change of a file.
struct ModelOfDisk {
    explicit ModelOfDisk(std::string file) : target(std::move(file)), old(text_of(target)) { current = this; }
    ~ModelOfDisk() { current = nullptr; }
    ModelOfDisk(const ModelOfDisk&) = delete;
    bool fails() { return ++operations == failing; }
    void sync(int file) {
        struct stat found {};
        if (::fstat(file, &found) != 0) return;
        if (S_ISREG(found.st_mode)) synced[found.st_ino] = text_of("/proc/self/fd/" + std::to_string(file));
        else if (found.st_ino == number_of(fs::path(target).parent_path())) is_named = renamed.has_value();
        lose_power();
    }
    /// Adds the texts that the file may have after a power failure at this moment.
    void lose_power() {
        last.clear();
        if (!is_named) last.insert(old);
        if (renamed) last.insert(synced.contains(*renamed) ? synced[*renamed] : "lost");
        seen.insert(last.begin(), last.end());
    }
    static inline ModelOfDisk* current = nullptr;
    const std::string target, old;
    int operations = 0, failing = 0;
    std::map<ino_t, std::string> synced;
    std::optional<ino_t> renamed;
    bool is_named = false;
    std::set<std::string> seen, last;
};
struct ChangingFile {
    std::string name;
    std::function<void(int)> change;  // its text has the number
};
std::vector<ChangingFile> changing_files(const Folder& folder) {
    const auto memory = folder.path("memory.json"), page = folder.path("page.html");
    return {{memory,
             [memory](int n) {
                 weft::agents::TraceFile(memory).change({}, std::chrono::seconds(5), [n](auto& all) {
                     all.exchanges.push_back({"question " + std::to_string(n), "answer"});
                 });
             }},
            {page, [page](int n) { weft::view::save_page(page, "<!DOCTYPE html>" + std::to_string(n)); }}};
}
}
extern "C" int fsync(int file) {
    auto* disk = ModelOfDisk::current;
    if (disk && disk->fails()) {
        errno = EIO;
        return -1;
    }
    const auto done = int(::syscall(SYS_fsync, file));
    if (disk) disk->sync(file);
    return done;
}
extern "C" int rename(const char* from, const char* to) noexcept {
    auto* disk = ModelOfDisk::current;
    if (disk && disk->fails()) {
        errno = EIO;
        return -1;
    }
    if (disk && disk->target == to) disk->renamed = number_of(from);
    const auto done = ::renameat(AT_FDCWD, from, AT_FDCWD, to);
    if (disk) disk->lose_power();
    return done;
}

TEST_CASE("a memory file and a page have the old text or the new one after a power failure at any moment of a change") {
    const Folder folder;
    for (const auto& file : changing_files(folder)) {
        file.change(1);
        ModelOfDisk disk(file.name);

        file.change(2);

        const auto fresh = text_of(file.name);
        CHECK(fresh != disk.old);
        CHECK(disk.seen == std::set<std::string>{disk.old, fresh});
        CHECK(disk.last == std::set<std::string>{fresh});
    }
}
TEST_CASE("a memory file and a page keep the old text, and nothing else is left, when a sync or a rename fails") {
    const Folder folder;
    for (const auto& file : changing_files(folder)) {
        file.change(1);
        const auto old = text_of(file.name);
        const auto names = folder.names();
        for (const int failing : {1, 2}) {
            ModelOfDisk disk(file.name);
            disk.failing = failing;

            CHECK_THROWS_WITH_AS(file.change(2), doctest::Contains("Input/output error"), weft::Error);

            CHECK(text_of(file.name) == old);
            CHECK(folder.names() == names);
        }
    }
}
