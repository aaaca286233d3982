// The table of the ways in which runs end, and the sentence of any exception.
#include "engine/terminal.hpp"
#include "engine/any_event.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/ending.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <boost/mp11/list.hpp>
#include <boost/system/system_error.hpp>
#include <cstdio>
#include <iterator>

namespace weft {
namespace {
using core::Published;
using core::RunCore;

std::string culprit(const RunCore& run) {  // empty: no step is to blame
    const auto step = run.state.culprit;
    return step == core::no_step ? std::string() : std::string(run.definition->steps[step].name);
}
RunFailedEvent failed(const RunCore& run) {
    return {.step = culprit(run),
            .error = sentence_of(run.extras->error),
            .code = code_of(run.extras->error),
            .attempts = run.extras->attempts,
            .cause = run.extras->error};
}
std::string show_failed(const RunFailedEvent& event) { return event.step + ": " + event.error; }
RunError failure(const RunCore& run) {
    const auto event = failed(run);
    return {event.code, sentence_of(event), event.cause};
}

RunTimedOutEvent timed_out(const RunCore& run) {
    return {.timeout = std::chrono::duration<double>(run.extras->timeout).count(),
            .active_steps = run.extras->active_steps};
}
std::string show_timed_out(const RunTimedOutEvent& event) {
    std::string steps;
    for (const auto& step : event.active_steps) (steps += steps.empty() ? " in " : ", ") += step;
    return "the run has passed its deadline" + steps;
}
RunError lateness(const RunCore& run) { return {Code::timed_out, sentence_of(timed_out(run))}; }

RunCancelledEvent cancelled(const RunCore&) { return {}; }
std::string show_cancelled(const RunCancelledEvent&) { return "the run was cancelled"; }
RunError cancellation(const RunCore&) { return {Code::cancelled, "the run was cancelled"}; }

/// A row from three functions: the run's terminal event, its text in traces, the error of result().
template <auto last, auto shown, auto error> constexpr Ending row(RunStatus status, Code code) {
    using E = decltype(last(std::declval<const RunCore&>()));
    return {.status = status,
            .code = code,
            .type = &Published::Of<E>::of_type,
            .shown = [](const void* event) { return shown(*static_cast<const E*>(event)); },
            .last = [](const RunCore& run) -> Published* { return new Published::Of<E>(last(run)); },
            .error = error};
}
constexpr Ending endings[] = {
    row<failed, show_failed, failure>(RunStatus::failed, Code::step_failed),
    row<timed_out, show_timed_out, lateness>(RunStatus::timed_out, Code::timed_out),
    row<cancelled, show_cancelled, cancellation>(RunStatus::cancelled, Code::cancelled),
};
static_assert(std::size(endings) + int(RunStatus::failed) ==
                  boost::mp11::mp_size<boost::describe::describe_enumerators<RunStatus>>::value,
              "a status has no row here: add one, so that its runs have a last event");
template <class Fits> const Ending* find(Fits fits) noexcept {
    const auto* found = std::find_if(std::begin(endings), std::end(endings), fits);
    return found == std::end(endings) ? nullptr : found;
}
}

const Ending* ending_of(RunStatus status) noexcept {
    return find([status](const Ending& e) { return e.status == status; });
}
const Ending* ending_of(const AnyEvent& event) noexcept {
    return find([&event](const Ending& e) { return e.type == &event.type(); });
}
const Ending* ending_of(Code code) noexcept {
    return find([code](const Ending& e) { return e.code == code; });
}
std::string sentence_of(const RunFailedEvent& event) {
    return (event.step.empty() ? "the run" : "step " + event.step) + " failed: " + event.error;
}
std::string sentence_of(const RunTimedOutEvent& event) {
    char seconds[32];  // the format of in_seconds(); a stored value may be too long for a Duration
    std::snprintf(seconds, sizeof seconds, "%g s", event.timeout);
    return std::string("the run has not ended within ") + seconds;
}

Code code_of(const std::exception_ptr& error) noexcept {
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) { return e.code(); } catch (...) {
        return Code::step_failed;
    }
}
std::string sentence_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const boost::system::system_error& e) {  // its what() may contain the path of a header
        const std::string text = e.what();
        return repair_utf8(text.substr(0, text.rfind(std::string(" [") + e.code().category().name())));
    } catch (const std::exception& e) { return repair_utf8(e.what()); } catch (...) {  // may be ill-formed
        return "an exception that is not derived from std::exception";
    }
}
}
