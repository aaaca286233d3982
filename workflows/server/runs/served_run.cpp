// A run owns itself while its code may execute. Its observer is in served_run_events.cpp.
#include "workflows/server/runs/served_run.hpp"
#include "engine/any_event.hpp"
#include "engine/ending.hpp"
#include "engine/json/line.hpp"
#include "engine/text/iso_time.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/catalog/stored/run_outcome.hpp"
#include "workflows/server/runs/envelope.hpp"
#include <algorithm>
#include <charconv>

namespace weft::server {
namespace {
using nlohmann::json;
using storage::RunRow;

WallTime wall_time(std::int64_t microseconds) { return WallTime(std::chrono::microseconds(microseconds)); }
}

ServedRun::ServedRun(Identity who, LogLimits limits, WallTime now)
    : identity(std::move(who)), log_(std::make_shared<EventLog>(std::move(limits))), started_(now), updated_(now) {}
std::shared_ptr<ServedRun> ServedRun::make(Identity who, LogLimits limits, WallTime now) {
    return std::shared_ptr<ServedRun>(new ServedRun(std::move(who), std::move(limits), now));
}
std::shared_ptr<ServedRun> ServedRun::restored(Identity who, LogLimits limits, const RunRow& row) {
    auto run = make(std::move(who), std::move(limits), wall_time(row.created_at));
    run->status_ = row.status;
    run->updated_ = wall_time(row.updated_at);
    run->completed_ = run->updated_;
    run->done_ = true;
    const auto [type, data] = catalog::read_outcome(row);
    if (const auto* ending = ending_of(row.status)) run->end_with(AnyEvent(ending->read(data, "")));
    else run->complete_with(type, json_line(data));
    return run;
}
void ServedRun::begin(const ServedWorkflow& workflow, const RunRequest& request, RunOptions options, OnEnd ended) {
    options.observer = this;
    options.tell_progress = true;
    if (options.key.empty()) options.id = identity.id;  // else the key makes it
    ended_ = std::move(ended);
    keep_ = shared_from_this();
    const auto self = keep_;
    try {
        hold(workflow.start(request, options));
    } catch (...) {
        keep_.reset();
        throw;
    }
}
void ServedRun::resume(const ServedWorkflow& workflow, const RunRequest& request, RunOptions options, OnEnd ended,
                       std::set<std::string> told) {
    options.observer = this;
    options.tell_progress = true;
    ended_ = std::move(ended);
    keep_ = shared_from_this();
    told_ = std::move(told);
    resuming_ = true;
    const auto self = keep_;
    try {
        hold(workflow.resume(identity.id, request, options));
    } catch (const std::exception& error) {
        refuse(Code::journal, error.what());
        throw;
    }
}
/// Keeps the run and its resources, unless the run has ended already.
void ServedRun::hold(StartedRun started) {
    std::lock_guard lock(mutex_);
    if (done_) return;
    run_ = std::move(started.run);
    needs_ = std::move(started.needs);
}
std::optional<JsonRun> ServedRun::current() const {
    std::lock_guard lock(mutex_);
    return run_;
}
void ServedRun::refuse(Code code, const std::string& why) {
    std::shared_ptr<ServedRun> keep;
    std::shared_ptr<void> needs;
    {
        std::lock_guard lock(mutex_);
        status_ = RunStatus::failed;
        outcome_.error = why;
        outcome_.code = code;
        done_ = true;
        keep = std::move(keep_);
        needs = std::move(needs_);
        run_.reset();
        for (const auto& signal : waiting_) signal.ring();
    }
    log_->break_off();
}
RunStatus ServedRun::status() const {
    std::lock_guard lock(mutex_);
    return status_;
}
void ServedRun::will_begin(WallTime at) {
    std::lock_guard lock(mutex_);
    not_before_ = at;
}
WallTime ServedRun::started_at() const { return started_; }
ServedRun::ServedOutcome ServedRun::outcome() const {
    std::lock_guard lock(mutex_);
    return outcome_;
}
std::string ServedRun::last_envelope() const {
    std::lock_guard lock(mutex_);
    return envelope_;
}
std::size_t ServedRun::bytes() const {
    std::lock_guard lock(mutex_);
    return log_->bytes() + envelope_.size();
}
bool ServedRun::has_ended() const {
    std::lock_guard lock(mutex_);
    return done_;
}
/// Joins texts, since the envelope of the result is text already and may be long.
std::string ServedRun::handler_text(bool with_result) const {
    std::lock_guard lock(mutex_);
    const bool completed = status_ == RunStatus::done && with_result;
    std::string text;
    text.reserve(512 + (completed ? envelope_.size() : 0));
    const auto add_time = [&text](std::string_view key, const WallTime& time) {
        (((text += key) += '"') += iso_time(time)) += '"';
    };
    (text += R"({"handler_id":)") += json_string(identity.handler);
    (text += R"(,"workflow_name":)") += json_string(identity.workflow);
    (text += R"(,"run_id":)") += json_string(identity.id);
    (text += R"(,"error":)") += has_failed(status_) ? json_string(outcome_.error) : "null";
    (text += R"(,"result":)") += completed ? std::string_view(envelope_) : "null";
    ((text += R"(,"status":")") += row_of(status_).http_word) += '"';
    add_time(R"(,"started_at":)", started_);
    add_time(R"(,"updated_at":)", updated_);
    if (completed_) add_time(R"(,"completed_at":)", *completed_);
    else text += R"(,"completed_at":null)";
    const auto now = real_clock().wall();
    if (status_ == RunStatus::running && not_before_ > now) add_time(R"(,"not_before":)", *not_before_);
    if (const auto until = sleeps_until(now)) add_time(R"(,"sleeps_until":)", *until);
    // A run that returns from its store publishes its open questions soon: until then this server does not know them.
    const bool is_away = (resuming_ || done_) && questions_.empty();
    if (status_ == RunStatus::running && !is_away) {
        text += ",\"questions\":[";
        for (const auto& open : questions_) text += (&open == questions_.data() ? "\"" : ",\"") + open.id + '"';
        text += questions_.empty() ? "],\"waiting\":false" : "],\"waiting\":true";
    }
    return text += '}';
}
/// The first time at which a sleeping step continues, or the run begins.
std::optional<WallTime> ServedRun::sleeps_until(WallTime now) const {
    if (status_ != RunStatus::running) return {};
    if (not_before_ > now) return not_before_;
    std::optional<WallTime> first;
    for (const auto& [step, until] : sleeps_)
        if (until > now) first = std::min(first.value_or(until), until);
    return first;
}
awaitable<void> ServedRun::until_ended(Signal signal) {
    const auto self = shared_from_this();
    {
        std::lock_guard lock(mutex_);
        if (done_) co_return;
        waiting_.push_back(signal);
    }
    struct Leave {  // runs even if the wait is cancelled
        ServedRun& run;
        const Signal& signal;
        ~Leave() {
            std::lock_guard lock(run.mutex_);
            std::erase(run.waiting_, signal);
        }
    } leave{*this, signal};
    co_await signal.wait();
}
awaitable<std::optional<std::string>> ServedRun::until_refused() {
    const auto self = shared_from_this();
    const auto run = current();
    if (!run) co_return std::nullopt;
    std::string why;
    auto code = Code::journal;
    try {
        co_await run->result();
    } catch (const Error& error) {
        why = error.what();
        code = error.code();
    }
    {
        std::lock_guard lock(mutex_);
        if (why.empty() || done_ || let_go_) co_return std::nullopt;
    }
    refuse(code, why);
    co_return why;
}
void ServedRun::cancel() {
    std::unique_lock lock(mutex_);
    if (!run_) return;
    auto run = *run_;
    ending_ = true;  // the run takes no more answers
    questions_.clear();
    lock.unlock();
    run.cancel();
}
std::vector<ServedRun::ServedQuestion> ServedRun::open_questions() const {
    std::lock_guard lock(mutex_);
    return questions_;
}
bool ServedRun::is_resuming() const {
    std::lock_guard lock(mutex_);
    return resuming_;
}
void ServedRun::answer(const std::string& type, const json& value, const std::string& question) {
    std::unique_lock lock(mutex_);
    if (done_ && status_ == RunStatus::running)
        throw Error(Code::cancelled, "the run has left this server, and returns when its store answers: try again");
    if (!run_ || done_ || ending_) throw Error(Code::cancelled, "the run has ended");
    auto run = *run_;
    const auto open = questions_;
    const bool resuming = resuming_;
    lock.unlock();
    auto id = QuestionId::none;
    if (!question.empty()) {
        const auto at = std::ranges::find(open, question, &ServedQuestion::id);
        std::uint64_t number = 0;
        const auto end = question.data() + question.size();
        const bool is_number = std::from_chars(question.data(), end, number) == std::from_chars_result{end, {}};
        if (at == open.end() && !(resuming && is_number))
            throw Error(Code::cancelled, "question " + question + " is not open");
        id = static_cast<QuestionId>(number);
    }
    run.answer(id, type, value);
}
awaitable<void> ServedRun::until_stored() const {
    const auto run = current();
    if (run) {
        auto storing = run->until_stored();
        co_return co_await std::move(storing);
    }
    const auto ended = outcome();
    if (ended.code == Code::journal && !ended.error.empty()) throw Error(Code::journal, ended.error);
}
void ServedRun::begin_to_leave() {
    std::optional<JsonRun> run;
    {
        std::lock_guard lock(mutex_);
        let_go_ = true;
        run = run_;
    }
    log_->break_off();
    if (run) run->leave();
}
awaitable<void> ServedRun::until_left() {
    const auto self = shared_from_this();
    const auto run = current();
    try {
        if (run) co_await run->result();
    } catch (const Error&) {}  // the run has left
    std::shared_ptr<void> needs;
    {
        std::lock_guard lock(mutex_);
        keep_.reset();
        run_.reset();
        needs = std::move(needs_);
    }
}
}
