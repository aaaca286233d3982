// The ways in which a run ends without a stop event: one row for each, in engine/impl/terminal.cpp. All code that
// shows, logs, serves or counts the ends of runs uses these rows, so a new way needs only a new row.
//
//     if (const Ending* ending = ending_of(event)) std::cout << ending->shown(event.data()) << '\n';
#pragma once
#include "engine/terminal.hpp"
#include <nlohmann/json_fwd.hpp>
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
    RunStatus status;                                // status of the runs that end in this way
    Code code;                                       // code of the RunError; a failed run has its error's code
    std::string_view sentence;                       // for readers without the event's data
    const core::PublishedType* type;                 // type of the terminal event
    std::string (*shown)(const void* event);         // the text in traces
    RunError (*error)(const void* event);            // the error that result() throws
    core::Published* (*last)(const core::RunCore&);  // makes the terminal event
    /// Makes the terminal event again from the data of a stored run's outcome. Throws Error{bad_json}.
    core::Published* (*read)(const nlohmann::json&, std::string_view root);
};
/// Each returns null if no ending has that status, terminal event, code or name of the terminal event.
const Ending* ending_of(RunStatus) noexcept;
const Ending* ending_of(const AnyEvent&) noexcept;
const Ending* ending_of(Code) noexcept;
const Ending* ending_named(std::string_view event) noexcept;  // by the name of the terminal event, else null
/// The sentence of the RunError. The event may also come from a store.
std::string sentence_of(const RunFailedEvent&);
std::string sentence_of(const RunTimedOutEvent&);
}
