// Runs any workflow with events in JSON: for drivers and servers, which have its Definition but not its types.
//
//     auto run = start_json(engine, definition, {{"order", "A-17"}, {"amount", 120}}, {.timeout = 5min});
//     while (auto event = co_await run.next_event())
//         if (run.asks(*event)) run.answer(event->question(), "ApprovalEvent", decide(to_json(*event)));
//     auto decision = co_await run.result();                               // the stop event's JSON; throws RunError
// JsonRun is a handle like Run (engine/run.hpp), and JsonRun(run) makes one from a typed Run. JSON that does not fit
// the event throws Error{bad_json} and does not reach the run. The answer to a child run's question must be an event of
// this workflow or of a known child (with_child() of engine/event_json.hpp); other answers need the child's types
// (Run::send_to_child).
#pragma once
#include "engine/event_json.hpp"
#include "engine/run.hpp"

namespace weft {
class Engine;
class Loop;

class JsonRun {
public:
    template <class W> explicit JsonRun(const Run<W>& run) : core_(&core::PrivateAccess::run_of(run)) {}

    std::string id() const { return core_->id(); }  // see Run::id
    bool idle() const { return core_->idle(); }     // see Run::idle
    const Definition& definition() const { return *core_->definition; }
    awaitable<std::optional<AnyEvent>> next_event() const { return core::next_event_of(core_); }
    awaitable<void> until_stored() const { return core::until_stored(core_); }  // see Run::until_stored
    /// Returns the stop event after the end of all code of the run. Throws RunError, and Error{bad_json} if a part of
    /// the stop event has no JSON form.
    awaitable<nlohmann::json> result() const;
    void cancel();  // see Run::cancel
    void leave();   // for a durable run: see Run::leave
    /// True if questions() lists the event with its answers: as an event of this workflow or of a known child.
    bool asks(const AnyEvent&) const;
    /// Throws Error{usage} if the workflow has no such answer.
    void answer(QuestionId, std::string_view event, const nlohmann::json& data);

private:
    friend struct core::PrivateAccess;
    explicit JsonRun(core::CoreRef core) : core_(std::move(core)) {}
    core::CoreRef core_;
};

/// Throws Error{bad_json} if the input does not fit the workflow's start event, or its stop event has no JSON form.
JsonRun start_json(Engine&, std::shared_ptr<const Definition>, const nlohmann::json& input, const RunOptions& = {});
JsonRun start_json(Loop&, std::shared_ptr<const Definition>, const nlohmann::json& input, const RunOptions& = {});
/// Resumes a durable run from the engine's store (Engine::resume).
JsonRun resume_json(Engine&, std::shared_ptr<const Definition>, const std::string& id, const RunOptions& = {});
}
