// Reads the answer to a workflow's question from standard input: a human at a terminal fills in each field, a program
// writes one JSON object in a line.
#pragma once
#include "engine/any_event.hpp"
#include "workflows/driver/terminal/input_lines.hpp"
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
/// The workflow's events that can answer this question.
std::vector<const core::EventType*> answers_to(const JsonRun&, const AnyEvent& question);
/// Throws Error{usage} or Error{bad_json} for an invalid answer (a terminal asks again instead), Error{idle} at the end
/// of the input, Error{cancelled} after a signal or once the answer is unwanted, Error{timed_out} after the deadline.
/// Calls `before_sending`, which may throw, before each answer that it sends. Returns the data of the answer.
nlohmann::json answer(JsonRun&, const AnyEvent& question, InputLines&, const InputLines::WaitOptions&,
                      const std::function<void()>& before_sending);

/// The answers in a run's mailbox at resume. The driver does not ask a question that has one, unless the run rejects
/// that answer.
class Inbox {
public:
    Inbox() = default;
    explicit Inbox(const storage::History&);
    /// Whether the mailbox has an answer to this question. If so, keeps the question: the run may reject the answer.
    bool takes(AnyEvent& question);
    /// Returns the kept questions that the driver must ask now, because the run rejected an answer with this event.
    std::vector<AnyEvent> refused(const std::string& event);

private:
    std::map<std::uint64_t, std::string> events_;  // events by question
    std::multiset<std::string> misfits_;           // events of answers known to be invalid
    std::vector<AnyEvent> held_;
};
}
