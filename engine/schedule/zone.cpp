// Abseil reads the zones: docs/decisions/0052. It keeps each name, also unknown ones, and takes names of other files:
// only names of zones that have a file reach it.
#include "engine/schedule/zone.hpp"
#include "engine/error.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <absl/time/time.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace weft::schedule {
namespace {
namespace fs = std::filesystem;
constexpr std::size_t longest_name = 64;

/// Each part of a zone's name begins with a capital letter. Other files beside the zones do not, such as right/UTC,
/// which counts leap seconds.
bool is_zone_name(std::string_view name) {
    if (name.empty() || name.size() > longest_name || name.ends_with('/')) return false;
    for (auto rest = name; !rest.empty();) {
        const auto part = cut_at(rest, '/');
        const auto fits = [](char c) { return is_word_part(c) || c == '-' || c == '+'; };
        if (part.empty() || !is_upper(part.front()) || !std::all_of(part.begin(), part.end(), fits)) return false;
    }
    return true;
}
fs::path folder_of_zones() {
    const char* named = std::getenv("TZDIR");
    return named && *named ? named : "/usr/share/zoneinfo";
}
absl::TimeZone load(const std::string& name) {
    if (name == "UTC") return absl::UTCTimeZone();
    std::error_code failed;
    const auto folder = folder_of_zones();
    absl::TimeZone zone;
    if (is_zone_name(name) && fs::is_regular_file(folder / name, failed) && absl::LoadTimeZone(name, &zone))
        return zone;
    if (!fs::is_directory(folder, failed) || fs::is_empty(folder, failed))
        throw Error(Code::configuration, "this machine has no time zones in " + folder.string() +
                                             ": install the package tzdata, or name their folder in TZDIR");
    throw Error(Code::usage, "there is no time zone \"" + excerpt(name, longest_name) +
                                 "\": write a name of the IANA database such as Europe/Berlin, or UTC");
}
absl::CivilSecond civil(std::chrono::local_seconds time) {
    return absl::CivilSecond(1970, 1, 1) + time.time_since_epoch().count();
}
std::chrono::sys_seconds instant(absl::Time time) {
    return std::chrono::sys_seconds(std::chrono::seconds(absl::ToUnixSeconds(time)));
}
}

struct Zone::Impl {
    absl::TimeZone zone;
};

Zone::Zone(std::string_view name) : name_(name), impl_(std::make_shared<const Impl>(Impl{load(name_)})) {}

std::chrono::local_seconds Zone::local(std::chrono::sys_seconds time) const {
    const auto since = time.time_since_epoch();
    return std::chrono::local_seconds(
        since + std::chrono::seconds(impl_->zone.At(absl::FromUnixSeconds(since.count())).offset));
}
LocalInstants Zone::instants(std::chrono::local_seconds time) const {
    const auto found = impl_->zone.At(civil(time));
    const auto before = instant(found.pre), after = instant(found.post);  // by the offsets before and after the change
    switch (found.kind) {
    case absl::TimeZone::TimeInfo::REPEATED: return {LocalKind::twice, before, after, after - before};
    case absl::TimeZone::TimeInfo::SKIPPED: return {LocalKind::skipped, before, before, before - after};
    default: return {LocalKind::once, before, before};
    }
}
}
