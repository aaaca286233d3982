// A run of any workflow, with everything in JSON: for drivers and servers, which know its Definition and none of its
// types.
//
//     auto run = start_json(engine, definition, {{"order", "A-17"}, {"amount", 120}}, {.timeout = 5min});
//     while (auto event = co_await run.next_event())
//         if (run.asks(*event)) run.answer(event->question(), "ApprovalEvent", decide(to_json(*event)));
//     auto decision = co_await run.result();                               // the stop event's JSON; throws RunError
//
// It is a handle as Run is (engine/run.hpp), and JsonRun(run) makes one of a run that was started with its types. What
// is no such event is Error{bad_json} where it is given, before the run hears of it. A question of a child run can be
// answered by events that this workflow has too; for others, the child's types have to be known (Run::send_to_child).
#pragma once
#include "engine/event_json.hpp"
#include "engine/run.hpp"

namespace weft {
class Engine;

class JsonRun {
public:
    template <class W> explicit JsonRun(const Run<W>& run) : core_(&core::Inside::run_of(run)) {}

    std::string id() const { return core_->id(); }
    const Definition& definition() const { return *core_->definition; }
    awaitable<std::optional<AnyEvent>> next_event() const { return core::next_event_of(core_); }
    /// The stop event, once nothing of the run is going on any more. Throws RunError; and Error{bad_json} if the stop
    /// event has no form in JSON, or holds what has none.
    awaitable<nlohmann::json> result() const;
    void cancel();
    /// Whether it is a question that this workflow asks, so that questions() tells what answers it. A child may ask it.
    bool asks(const AnyEvent&) const;
    /// Throws Error{usage} if the workflow takes no such answer.
    void answer(QuestionId, std::string_view event, const nlohmann::json& data);

private:
    friend struct core::Inside;
    explicit JsonRun(core::CoreRef core) : core_(std::move(core)) {}
    core::CoreRef core_;
};

/// Throws Error{bad_json} for an input that does not make the workflow's start event, and if its stop event has no form
/// in JSON.
JsonRun start_json(Engine&, std::shared_ptr<const Definition>, const nlohmann::json& input, const RunOptions& = {});
}
