// finish() looks the run's observation up again, because a run that leaves memory loses it.
#include "engine/operation.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"

namespace weft {
namespace {
constexpr std::size_t most_attributes = 64, longest_text = 32 << 10, longest_name = 200;
}
struct Operation::State {
    State(core::RunCore& r, unsigned t, bool content) : run(r), token(t), details(content) {}
    core::RunCore& run;
    const unsigned token;
    OperationDetails details;
    Observer::OperationInfo told;
    bool begun = false;
};

void OperationDetails::put(Observer::Attribute attribute) {
    if (attributes_.size() < most_attributes) attributes_.push_back(attribute);
}
std::string_view OperationDetails::kept(std::string_view text) {
    return texts_.emplace_back(repair_utf8(utf8_cut(text, longest_text)));
}

void Operation::Delete::operator()(State* state) const noexcept { delete state; }
Operation::Operation(core::RunInterface* common, unsigned token) {
    auto* run = static_cast<core::RunCore*>(common);
    if (!run || !run->extras) return;
    if (core::LoopCore* loop = run->loop) loop->keeper().demand_lease(*run);
    for (const auto* r = run; r && r->extras && !of_run_; r = r->extras->parent) of_run_ = r->extras->trace.get();
    const auto& watch = run->extras->watch;
    if (watch) state_.reset(new State(*run, token, watch->wants_content()));
}
Operation::~Operation() {
    if (state_) finish({}, std::uncaught_exceptions() > 0 ? "cut_short" : name(Code::cancelled));
}
std::string_view Operation::traceparent() const {
    if (state_) return state_->told.traceparent;
    return of_run_ ? std::string_view(of_run_->traceparent) : std::string_view();
}
std::string_view Operation::tracestate() const {
    if (state_) return state_->told.tracestate;
    return of_run_ ? std::string_view(of_run_->tracestate) : std::string_view();
}
OperationDetails& Operation::details() { return state_->details; }
void Operation::begin(std::string_view kind) {
    auto& told = state_->told;
    auto& details = state_->details;
    details.name = repair_utf8(utf8_cut(details.name, longest_name));
    told.kind = kind;
    told.name = details.name;
    told.attributes = details.attributes();
    state_->run.extras->watch->begin(told, state_->token);
    state_->begun = true;
}
void Operation::finish(const std::exception_ptr& error, std::string_view error_type) noexcept {
    const auto state = std::move(state_);
    if (!state || !state->begun) return;
    auto& told = state->told;
    told.attributes = state->details.attributes();
    told.error = error;
    told.error_type = error ? error_type_of(error) : error_type;
    if (auto& watch = state->run.extras->watch) watch->end(told);
}

bool Context::observed() const {
    const auto* run = static_cast<const core::RunCore*>(run_);
    return run && run->extras && run->extras->watch;
}
std::string_view error_type_of(const std::exception_ptr& error) noexcept {
    if (!error) return {};
    if (core::is_aborted(error)) return name(Code::cancelled);
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) { return name(e.code()); } catch (...) {
        return "exception";
    }
}
}
