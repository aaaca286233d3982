// The ways in which a run ends without a stop event: one row for each, in engine/impl/terminal.cpp. All code that
// shows, logs or counts the ends of runs uses these rows, so a new way needs only a new row.
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
    Code code;                                       // code of the RunError; a failed run has its error's code
    const core::PublishedType* type;                 // type of the terminal event
    std::string (*shown)(const void* event);         // the text in traces
    core::Published* (*last)(const core::RunCore&);  // makes the terminal event
    RunError (*error)(const core::RunCore&);         // the error that result() throws
};
/// Null for a run that has not ended, or has ended by a stop event.
const Ending* ending_of(RunStatus) noexcept;
/// Null for all events but the terminal event of such a run.
const Ending* ending_of(const AnyEvent&) noexcept;
/// Null for all other codes.
const Ending* ending_of(Code) noexcept;
/// The sentence of the RunError. The event may also come from a store.
std::string sentence_of(const RunFailedEvent&);
std::string sentence_of(const RunTimedOutEvent&);
}
