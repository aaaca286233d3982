// The ways in which a run ends without a stop event: one row for each, in engine/impl/terminal.cpp. Code that shows,
// logs or counts the ends of runs uses these rows, so a new row is all that a new way needs.
//
//     if (const Ending* ending = ending_of(event)) std::cout << ending->shown(event.data()) << '\n';
#pragma once
#include "engine/terminal.hpp"
#include <string>
#include <string_view>

namespace weft {
class AnyEvent;
namespace core {
class RunCore;
struct Published;
struct PublishedType;
}

struct Ending {
    RunStatus status;
    Code code;                                       // of what result() throws; a failed run has that of its error
    const core::PublishedType* type;                 // of the last event
    std::string (*shown)(const void* event);         // what a trace says of that event
    core::Published* (*last)(const core::RunCore&);  // makes it
    RunError (*error)(const core::RunCore&);         // what result() throws
};
/// Null for a run that goes on or has stopped.
const Ending* ending_of(RunStatus) noexcept;
/// Null for an event that is not the last one of such a run.
const Ending* ending_of(const AnyEvent&) noexcept;
/// Null for a code that belongs to no such way.
const Ending* ending_of(Code) noexcept;
/// What result() says of a run that ends so. The event may also come from a store.
std::string sentence_of(const RunFailedEvent&);
std::string sentence_of(const RunTimedOutEvent&);
}
