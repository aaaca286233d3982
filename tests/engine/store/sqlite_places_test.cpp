// Places of a file that do harm to a store: a second name, a mount, a limit of sizes, and a reader that never ends.
#include "engine/store/sqlite_store.hpp"
#include "tests/engine/store/stores.hpp"
#include <csignal>
#include <doctest/doctest.h>
#include <fstream>
#include <functional>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace stores;
namespace fs = std::filesystem;

namespace {
std::string refused_place(const std::string& path, SqliteAccess access = SqliteAccess::engine) {
    return refusal([&] { SqliteStore store(path, {.access = access}); }).sentence;
}
bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// Calls a function in a child process, and returns its text.
std::string said_by_child(const std::function<std::string()>& work) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const auto child = ::fork();
    if (child == 0) {
        std::string text = "an exception";  // none may leave the child, which has this test's files
        try {
            text = work();
        } catch (const std::exception& error) { text += std::string(": ") + error.what(); } catch (...) {
        }
        [[maybe_unused]] const auto n = ::write(ends[1], text.data(), text.size());
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string said;
    char bytes[4096];
    for (auto n = ::read(ends[0], bytes, sizeof bytes); n > 0; n = ::read(ends[0], bytes, sizeof bytes))
        said.append(bytes, std::size_t(n));
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return said;
}
constexpr auto cannot_mount = "not tested: this system permits no mounts";
bool mounts(const char* source, const std::string& place, const char* type, unsigned long flags, const char* options) {
    return ::unshare(::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
           ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount(source, place.c_str(), type, flags, options) == 0;
}
}
TEST_CASE("a file with several names is refused, and is used when one name is left") {
    Folder folder;
    {
        SqliteStore store(folder.file());
        create(store, run_of("r1"));
    }
    fs::create_hard_link(folder.file(), folder.file("second.db"));

    for (const auto access : {SqliteAccess::engine, SqliteAccess::visitor})
        for (const auto& name : {folder.file(), folder.file("second.db")})
            CHECK(contains(refused_place(name, access), "': it has several names (hard links)"));

    CHECK_FALSE(fs::exists(folder.file("second.db-lock")));
    fs::remove(folder.file("second.db"));
    SqliteStore store(folder.file());
    CHECK(list(store).size() == 1);
}
TEST_CASE("a file that is mounted without its folder is refused") {
    Folder folder;
    { const SqliteStore store(folder.file()); }
    fs::create_directory(folder.file("container"));
    const auto inside = folder.file("container/weft.db");
    std::ofstream(inside).close();

    const auto said = said_by_child([&]() -> std::string {
        if (!mounts(folder.file().c_str(), inside, nullptr, MS_BIND, nullptr)) return cannot_mount;
        return refused_place(inside) + refused_place(inside, SqliteAccess::visitor);
    });

    if (said == cannot_mount) MESSAGE(said);
    else CHECK(said.find("mount the folder") != said.rfind("mount the folder"));
    CHECK_FALSE(fs::exists(inside + "-lock"));
}
TEST_CASE("a call fails as on a full disk when the file would exceed a limit, and succeeds without the limit") {
    Folder folder;
    const auto said = said_by_child([&] {
        SqliteStore store(folder.file());
        create(store, run_of("r1"));
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit least{64 << 10, RLIM_INFINITY}, most{RLIM_INFINITY, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &least);
        const auto refused = refusal([&] { append(store, batch_of(store, "r1", {std::string(200'000, 'x')})); });
        ::setrlimit(RLIMIT_FSIZE, &most);
        append(store, batch_of(store, "r1", {"later"}));
        return refused.sentence;
    });

    CHECK(said == "the store '" + folder.file() + "' has no space left on its disk: nothing was stored");
    SqliteStore store(folder.file());
    CHECK(bodies(load(store, "r1")) == std::vector<std::string>{"start of r1", "later"});
}
TEST_CASE("a log shrinks to 64 MB when a reader that held it back for long has ended") {
    Folder folder;
    SqliteStore store(folder.file(), {.may_lose_the_last_moments_on_power_failure = true});
    create(store, run_of("r1"));
    sqlite3* reader = nullptr;
    REQUIRE(sqlite3_open(folder.file().c_str(), &reader) == SQLITE_OK);
    REQUIRE(sqlite3_exec(reader, "begin; select count(*) from ticks", nullptr, nullptr, nullptr) == SQLITE_OK);
    const auto size = [&] { return fs::file_size(folder.file() + "-wal"); };
    auto batch = batch_of(store, "r1", {"first"});
    const auto grow = [&](int megabytes) {
        for (int i = 0; i < megabytes; ++i) {
            REQUIRE(append(store, batch) == AppendReply::stored);
            batch.ticks = ticks(++batch.seq, {std::string(1 << 20, 'x')}, batch.ticks[0].sum);
        }
    };

    grow(71);
    CHECK(size() > 70u << 20);
    sqlite3_close(reader);
    for (int megabytes = 0; megabytes < 40 && size() > 64u << 20; ++megabytes) grow(1);

    CHECK(size() <= 64u << 20);
    CHECK(load(store, "r1").ticks.size() == batch.seq);
}
