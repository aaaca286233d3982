// A time zone of the IANA database: what its clocks show at a time, and at which times they show something.
//
//     schedule::Zone berlin("Europe/Berlin");
//     auto shown = berlin.local(std::chrono::sys_seconds());     // 1970-01-01 01:00:00
//     auto found = berlin.instants(shown);                       // found.kind: once, twice or skipped
//
// The rules are those of the machine, in /usr/share/zoneinfo or the folder that TZDIR names. A process reads each zone
// once, so new files count from its next start on. Zones are cheap to copy, and threads may share them.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace weft::schedule {
enum class LocalKind {
    once,
    twice,    // clocks were set back
    skipped,  // clocks were set forward
};
/// The times at which the clocks of a zone show a local time.
struct LocalInstants {
    LocalKind kind = LocalKind::once;
    std::chrono::sys_seconds first;   // skipped: as much after the change of clocks as the local time is within the gap
    std::chrono::sys_seconds second;  // twice: the later time; else as `first`
    std::chrono::seconds changed = {};  // twice and skipped: by how much clocks were set back or forward
};

class Zone {
public:
    /// UTC needs no file. Throws Error: `usage` for an unknown zone, `configuration` if the machine has no zones.
    explicit Zone(std::string_view name = "UTC");
    const std::string& name() const { return name_; }
    std::chrono::local_seconds local(std::chrono::sys_seconds) const;
    LocalInstants instants(std::chrono::local_seconds) const;

    bool operator==(const Zone& other) const { return name_ == other.name_; }

private:
    struct Impl;
    std::string name_;
    std::shared_ptr<const Impl> impl_;
};
}
