// The last event of a run changes its state before it joins the log, so that a client who has read it and asks finds
// the run ended. Events of child runs are told as the root's, but for their last ones.
#include "workflows/server/served_run.hpp"
#include "engine/any_event.hpp"
#include "engine/ending.hpp"
#include "engine/json.hpp"
#include "engine/utf8.hpp"
#include "workflows/catalog/run_outcome.hpp"
#include "workflows/server/envelope.hpp"
#include <algorithm>
#include <charconv>

namespace weft::server {
namespace {
using nlohmann::json;
using storage::RunRow;

std::string id_text(QuestionId id) { return std::to_string(static_cast<std::uint64_t>(id)); }
std::string internal(std::string_view type, const json& value) {
    return envelope(type, "InternalDispatchEvent", json_text(value));
}
std::string value_of(const AnyEvent& event) {
    try {
        return json_text(to_json(event));
    } catch (const std::exception& error) { return json_text({{"left_out", repair_utf8(error.what())}}); }
}
WallTime wall_time(std::int64_t microseconds) { return WallTime(std::chrono::microseconds(microseconds)); }
RunState state_of(RunStatus status) {
    switch (status) {
    case RunStatus::done: return RunState::completed;
    case RunStatus::failed:
    case RunStatus::timed_out: return RunState::failed;
    case RunStatus::cancelled: return RunState::cancelled;
    default: return RunState::running;
    }
}
std::string failure_sentence(const RunFailedEvent& event) {
    return (event.step.empty() ? "the run" : "step " + event.step) + " failed: " + event.error;
}
std::string timeout_sentence(const RunTimedOutEvent& event) {
    const std::chrono::duration<double> timeout(event.timeout);
    return "the run has not ended within " + in_seconds(std::chrono::round<Duration>(timeout));
}
}

std::string_view name(RunState state) noexcept {
    switch (state) {
    case RunState::running: return "running";
    case RunState::completed: return "completed";
    case RunState::failed: return "failed";
    case RunState::cancelled: break;
    }
    return "cancelled";
}
std::string iso_time(WallTime time) {
    using namespace std::chrono;
    const auto day = floor<days>(time);
    const year_month_day date(day);
    const hh_mm_ss clock(time - day);
    char text[48];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%06d+00:00", int(date.year()),
                  unsigned(date.month()), unsigned(date.day()), int(clock.hours().count()),
                  int(clock.minutes().count()), int(clock.seconds().count()), int(clock.subseconds().count()));
    return text;
}

ServedRun::ServedRun(Identity who, LogLimits limits, WallTime now)
    : identity(std::move(who)), log_(EventLog::make(limits)), started_(now), updated_(now) {}
std::shared_ptr<ServedRun> ServedRun::make(Identity who, LogLimits limits, WallTime now) {
    return std::shared_ptr<ServedRun>(new ServedRun(std::move(who), limits, now));
}
std::shared_ptr<ServedRun> ServedRun::restored(Identity who, const RunRow& row) {
    auto run = make(std::move(who), {}, wall_time(row.created_at));
    run->state_ = state_of(row.status);
    run->updated_ = wall_time(row.updated_at);
    run->completed_ = run->updated_;
    run->done_ = true;
    auto [type, data] = catalog::read_outcome(row);
    if (row.status == RunStatus::done) {
        run->outcome_.value = json_text(data);
        run->envelope_ = envelope(type, "StopEvent", run->outcome_.value);
        run->outcome_.type = type;
    } else {
        try {
            catalog::result_of_stored(row);
        } catch (const Error& error) {
            run->outcome_.error = error.what();
            run->outcome_.code = error.code();
        }
        if (row.status == RunStatus::cancelled) run->envelope_ = envelope_of_cancel();
        else if (row.status == RunStatus::timed_out)
            run->envelope_ = envelope_of_timeout(from_json<RunTimedOutEvent>(data));
        else run->envelope_ = envelope_of_failure(from_json<RunFailedEvent>(data), run->updated_ - run->started_);
    }
    return run;
}
void ServedRun::begin(const ServedWorkflow& workflow, const RunRequest& request, RunOptions options, Ended ended) {
    options.observer = this;
    options.id = identity.id;
    ended_ = std::move(ended);
    keep_ = shared_from_this();
    const auto self = keep_;
    try {
        auto started = workflow.start(request, options);
        std::lock_guard lock(mutex_);
        if (done_) return;
        run_ = std::move(started.run);
        needs_ = std::move(started.needs);
    } catch (...) {
        keep_.reset();
        throw;
    }
}
void ServedRun::resume(const ServedWorkflow& workflow, const RunRequest& request, RunOptions options, Ended ended,
                       std::set<std::string> told) {
    options.observer = this;
    ended_ = std::move(ended);
    keep_ = shared_from_this();
    told_ = std::move(told);
    resuming_ = true;
    const auto self = keep_;
    auto started = workflow.resume(identity.id, request, options);
    std::lock_guard lock(mutex_);
    if (done_) return;
    run_ = std::move(started.run);
    needs_ = std::move(started.needs);
}
RunState ServedRun::state() const {
    std::lock_guard lock(mutex_);
    return state_;
}
WallTime ServedRun::started_at() const { return started_; }
ServedRun::Outcome ServedRun::outcome() const {
    std::lock_guard lock(mutex_);
    return outcome_;
}
std::string ServedRun::last_envelope() const {
    std::lock_guard lock(mutex_);
    return envelope_;
}
json ServedRun::handler_json() const {
    std::lock_guard lock(mutex_);
    json handler = {{"handler_id", identity.handler},
                    {"workflow_name", identity.workflow},
                    {"run_id", identity.id},
                    {"error", nullptr},
                    {"result", nullptr},
                    {"status", name(state_)},
                    {"started_at", iso_time(started_)},
                    {"updated_at", iso_time(updated_)},
                    {"completed_at", nullptr}};
    if (completed_) handler["completed_at"] = iso_time(*completed_);
    if (state_ == RunState::completed) handler["result"] = json::parse(envelope_, nullptr, false);
    if (state_ == RunState::failed) handler["error"] = outcome_.error;
    if (state_ == RunState::running) {
        handler["questions"] = json::array();
        for (const auto& open : questions_) handler["questions"].push_back(open.id);
    }
    return handler;
}
awaitable<void> ServedRun::until_ended(Bell bell) {
    const auto self = shared_from_this();
    {
        std::lock_guard lock(mutex_);
        if (done_) co_return;
        waiting_.push_back(bell);
    }
    auto rung = bell.wait();
    co_await std::move(rung);
}
awaitable<std::optional<std::string>> ServedRun::until_refused() {
    const auto self = shared_from_this();
    std::optional<JsonRun> run;
    {
        std::lock_guard lock(mutex_);
        run = run_;
    }
    if (!run) co_return std::nullopt;
    std::string why;
    auto code = Code::journal;
    try {
        co_await run->result();
    } catch (const Error& error) {
        why = error.what();
        code = error.code();
    }
    std::lock_guard lock(mutex_);
    if (why.empty() || done_ || let_go_) co_return std::nullopt;
    state_ = RunState::failed;
    outcome_.error = why;
    outcome_.code = code;
    done_ = true;
    keep_.reset();
    run_.reset();
    for (const auto& bell : waiting_) bell.ring();
    log_->break_off();
    co_return why;
}
void ServedRun::cancel() {
    std::unique_lock lock(mutex_);
    if (!run_) return;
    auto run = *run_;
    lock.unlock();
    run.cancel();
}
std::vector<ServedRun::OpenQuestion> ServedRun::open_questions() const {
    std::lock_guard lock(mutex_);
    return questions_;
}
bool ServedRun::is_resuming() const {
    std::lock_guard lock(mutex_);
    return resuming_;
}
void ServedRun::answer(const std::string& type, const json& value, const std::string& question) {
    std::unique_lock lock(mutex_);
    if (!run_ || done_) throw Error(Code::cancelled, "the run has ended");
    auto run = *run_;
    const auto open = questions_;
    const bool resuming = resuming_;
    lock.unlock();
    auto id = QuestionId::none;
    if (!question.empty()) {
        const auto at = std::ranges::find(open, question, &OpenQuestion::id);
        std::uint64_t number = 0;
        const auto end = question.data() + question.size();
        const bool is_number = std::from_chars(question.data(), end, number) == std::from_chars_result{end, {}};
        if (at == open.end() && !(resuming && is_number))
            throw Error(Code::cancelled, "question " + question + " is not open");
        id = static_cast<QuestionId>(number);
    }
    run.answer(id, type, value);
}
awaitable<void> ServedRun::leave() {
    const auto self = shared_from_this();
    std::optional<JsonRun> run;
    {
        std::lock_guard lock(mutex_);
        let_go_ = true;
        run = run_;
    }
    log_->break_off();
    if (run) run->leave();
    try {
        if (run) co_await run->result();
    } catch (const std::exception&) {}  // that it was left
    std::shared_ptr<void> needs;
    {
        std::lock_guard lock(mutex_);
        keep_.reset();
        run_.reset();
        needs = std::move(needs_);
    }
}

// ----- what the run tells

void ServedRun::event_streamed(const Run& run, const AnyEvent& event) noexcept {
    try {
        {
            std::lock_guard lock(mutex_);
            if (let_go_) return;
            updated_ = clock_->wall();
        }
        if (run.epoch) log_->set_epoch(run.epoch);
        const bool is_last = event.type().is_stop || ending_of(event);
        if (!is_last) tell(event);
        else if (run.parent.empty()) finish(event);
    } catch (...) {}  // no memory
}
void ServedRun::tell(const AnyEvent& event) {
    if (const auto* unhandled = event.get_if<UnhandledEvent>())
        return log_->add_internal(internal("UnhandledEvent", {{"event_type", unhandled->event},
                                                              {"qualified_name", unhandled->event},
                                                              {"step_name", nullptr},
                                                              {"idle", false}}));
    if (event.get_if<RunIdleEvent>() || event.get_if<RunResumedEvent>())
        return log_->add_internal(internal(event.name(), to_json(event)));
    const bool asks = event.question() != QuestionId::none;
    if (asks) {
        std::lock_guard lock(mutex_);
        asked_.id = id_text(event.question());
        questions_.push_back(asked_);
        if (told_.erase(asked_.id)) return;  // before the server was started again
    }
    log_->add(envelope(event.name(), asks ? "InputRequiredEvent" : nullptr, value_of(event), event.question()));
}
void ServedRun::finish(const AnyEvent& event) {
    std::unique_lock lock(mutex_);
    const auto now = clock_->wall();
    completed_ = updated_ = now;
    if (const auto* failed = event.get_if<RunFailedEvent>()) {
        state_ = RunState::failed;
        outcome_.error = failure_sentence(*failed);
        outcome_.code = failed->code;
        envelope_ = envelope_of_failure(*failed, now - started_);
    } else if (const auto* late = event.get_if<RunTimedOutEvent>()) {
        state_ = RunState::failed;
        outcome_.error = timeout_sentence(*late);
        outcome_.code = Code::timed_out;
        envelope_ = envelope_of_timeout(*late);
    } else if (const auto* ending = ending_of(event)) {
        state_ = ending->counts_as == Cause::cancelled ? RunState::cancelled : RunState::failed;
        outcome_.error = ending->shown(event.data());
        outcome_.code = ending->code;
        envelope_ = envelope_of_cancel();
    } else {
        state_ = RunState::completed;
        outcome_.type = event.name();
        outcome_.value = value_of(event);
        envelope_ = envelope(event.name(), "StopEvent", outcome_.value);
    }
    auto last = envelope_;
    lock.unlock();
    log_->add(std::move(last), true);
}
void ServedRun::run_ended(const Run& run, Cause) noexcept {
    if (!run.parent.empty()) return;
    std::shared_ptr<ServedRun> keep;
    std::shared_ptr<void> needs;
    std::vector<Bell> waiting;
    {
        std::lock_guard lock(mutex_);
        if (let_go_) return;
        done_ = true;
        keep = std::move(keep_);
        needs = std::move(needs_);
        waiting = std::move(waiting_);
        questions_.clear();
        run_.reset();
    }
    for (const auto& bell : waiting) bell.ring();
    if (ended_) ended_(*this);
}
// Questions that were open are asked again before the first step goes on.
void ServedRun::resumed() {
    std::lock_guard lock(mutex_);
    resuming_ = false;
}
void ServedRun::step_started(const Step& step) noexcept {
    try {
        if (step.run.epoch) log_->set_epoch(step.run.epoch);  // the last event comes when the run has none any more
        resumed();
        log_->add_internal({step.name, step.event, {}, step.worker, true});
    } catch (...) {}
}
void ServedRun::step_ended(const Step& step, bool) noexcept {
    try {
        const auto output = step.emitted.empty() ? std::string_view() : step.emitted.front();
        log_->add_internal({step.name, step.event, output, step.worker, false});
    } catch (...) {}
}
void ServedRun::run_idle(const Run& run, std::string_view) noexcept {
    if (!run.parent.empty()) return;
    try {
        resumed();
        log_->add_internal(internal("WorkflowIdleEvent", json::object()));
    } catch (...) {}
}
void ServedRun::question_asked(const Run& run, std::string_view question, QuestionId id) noexcept {
    asked_ = {{}, std::string(question), std::string(run.id), id};
}
void ServedRun::question_answered(const Run& run, std::string_view, QuestionId id) noexcept {
    std::lock_guard lock(mutex_);
    std::erase_if(questions_, [&](const auto& open) { return open.run == run.id && open.there == id; });
}
}
