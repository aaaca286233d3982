// Asks a workflow's question on standard input: a human at a terminal is asked field by field, a program writes one
// JSON object in a line.
#pragma once
#include "engine/any_event.hpp"
#include "workflows/driver/terminal/lines.hpp"
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

namespace weft {
class JsonRun;
namespace storage {
struct History;
}
namespace core {
struct EventType;
}
}
namespace weft::driver {
/// The workflow's events that can answer it.
std::vector<const core::EventType*> answers_to(const JsonRun&, const AnyEvent& question);
/// Throws Error{usage} or Error{bad_json} for an answer that is none - on a terminal it asks again instead - and
/// Error{idle} if there is no input left; Error{cancelled} after a signal and if nobody wants the answer any more, and
/// Error{timed_out} after the deadline.
/// `before_sending` is called when there is an answer that can be sent; it may throw. Returns what was sent.
nlohmann::json answer(JsonRun&, const AnyEvent& question, Lines&, const Lines::Wait&,
                      const std::function<void()>& before_sending);

/// What lay in the inbox of a run when it was resumed. A question that it answers is not asked, unless the run says
/// that the answer was none.
class Inbox {
public:
    Inbox() = default;
    explicit Inbox(const storage::History&);
    /// Whether the question has its answer. Then it is taken, as it may have to be asked after all.
    bool takes(AnyEvent& question);
    /// The questions that are to be asked now, as an answer with this event was none.
    std::vector<AnyEvent> refused(const std::string& event);

private:
    std::map<std::uint64_t, std::string> events_;  // by question
    std::multiset<std::string> misfits_;           // answers that are known to be none
    std::vector<AnyEvent> held_;
};
}
