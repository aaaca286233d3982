#include "engine/error.hpp"
#include "tests/engine/schedule/times.hpp"
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
using namespace weft;
using namespace weft::schedule;
using weft::schedule::testing::shown;
using weft::schedule::testing::time_of;

namespace {
std::string refusal(std::string_view name, Code code) {
    try {
        const Zone zone(name);
    } catch (const Error& e) {
        CHECK(e.code() == code);
        return e.what();
    }
    return "read";
}
/// While it lives, zones are looked for in this folder.
struct FolderOfZones {
    explicit FolderOfZones(const std::string& folder) { ::setenv("TZDIR", folder.c_str(), 1); }
    ~FolderOfZones() { ::unsetenv("TZDIR"); }
};
}

TEST_CASE("a zone is found only when its name is one of the IANA database") {
    for (const char* name : {"Europe/Berlin", "America/Argentina/Buenos_Aires", "America/Port-au-Prince", "Etc/GMT+5",
                             "EST5EDT", "UTC", "GMT"})
        CHECK_MESSAGE(refusal(name, Code::usage) == "read", name);
    for (const char* name : {"", "Mars/Phobos", "europe/berlin", "Europe", "Europe/", "/Europe/Berlin", "CEST",
                             "+02:00", "../zoneinfo/UTC", "Europe/../UTC", "right/UTC", "posix/UTC", "localtime",
                             "tzdata.zi", "Europe/Berlin ", "UTC+2", "Europe\\Berlin", ":UTC", "\x1b[31mUTC"}) {
        const auto said = refusal(name, Code::usage);
        CHECK_MESSAGE(said.find("write a name of the IANA database such as Europe/Berlin, or UTC") != said.npos, name);
        CHECK(said.find('\x1b') == said.npos);
    }
    CHECK(refusal(std::string(100'000, 'A'), Code::usage).size() < 300);
}
TEST_CASE("a machine without zones still has UTC, and says what to install for the others") {
    const FolderOfZones none("no_such_folder");

    CHECK(shown(time_of("2024-07-01T12:00:00Z"), Zone()) == "2024-07-01 12:00 +00:00");
    CHECK(
        refusal("Europe/Berlin", Code::configuration) ==
        "this machine has no time zones in no_such_folder: install the package tzdata, or name their folder in TZDIR");
}
TEST_CASE("a zone is unknown when its file is no zone") {
    const auto folder = std::filesystem::temp_directory_path() / "weft_zones";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "Broken") << "TZif2 and no more";
    const FolderOfZones zones(folder.string());

    CHECK(refusal("Broken", Code::usage).find("there is no time zone \"Broken\"") == 0);
    std::filesystem::remove_all(folder);
}
TEST_CASE("a local time has one, two or no instants when clocks change") {
    const Zone berlin("Europe/Berlin");
    const auto local = [](std::string_view text) {
        return std::chrono::local_seconds(time_of(text).time_since_epoch());
    };

    const auto once = berlin.instants(local("2024-03-31T01:59:59Z"));
    const auto skipped = berlin.instants(local("2024-03-31T02:30:00Z"));
    const auto twice = berlin.instants(local("2024-10-27T02:30:00Z"));

    CHECK((once.kind == LocalKind::once && once.first == time_of("2024-03-31T01:59:59+01:00")));
    CHECK((skipped.kind == LocalKind::skipped && skipped.first == time_of("2024-03-31T03:30:00+02:00")));
    CHECK(skipped.changed == std::chrono::hours(1));
    CHECK((twice.kind == LocalKind::twice && twice.first == time_of("2024-10-27T02:30:00+02:00")));
    CHECK((twice.second == time_of("2024-10-27T02:30:00+01:00") && twice.changed == std::chrono::hours(1)));
}
