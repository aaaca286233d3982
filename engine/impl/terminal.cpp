// The tables of the statuses and of the ways in which runs end, and the sentence of any exception.
#include "engine/terminal.hpp"
#include "engine/any_event.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/ending.hpp"
#include "engine/json.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <boost/describe/enum_to_string.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/list.hpp>
#include <boost/system/system_error.hpp>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <type_traits>

namespace weft {
namespace {
constexpr RunStatusRow rows[] = {
    {RunStatus::ready, "ready", "none", "running", 0},
    {RunStatus::running, "running", "none", "running", 0},
    {RunStatus::waiting, "waiting", "none", "running", 10},
    {RunStatus::done, "done", "stopped", "completed", 0},
    {RunStatus::failed, "failed", "failed", "failed", 5},
    {RunStatus::timed_out, "timed_out", "timed_out", "failed", 7},
    {RunStatus::cancelled, "cancelled", "cancelled", "cancelled", 8},
};
constexpr std::size_t statuses = boost::mp11::mp_size<boost::describe::describe_enumerators<RunStatus>>::value;
static_assert(std::size(rows) == statuses, "a status has no row here: add one");

using core::Published;
using core::RunCore;

std::string culprit(const RunCore& run) {  // empty: no step is to blame
    const auto step = run.state.culprit;
    return step == core::no_step ? std::string() : std::string(run.definition->steps[step].name);
}
/// The addition to the reason of the end; empty without an error.
std::string undo_failure(const std::string& error) { return error.empty() ? "" : "; and undoing failed: " + error; }
RunFailedEvent failed(const RunCore& run) {
    return {.step = culprit(run),
            .error = sentence_of(run.extras->error) + undo_failure(run.extras->undo_error),
            .code = code_of(run.extras->error),
            .attempts = run.extras->attempts,
            .cause = run.extras->error};
}
std::string show_failed(const RunFailedEvent& event) { return event.step + ": " + event.error; }
RunError failure(const RunFailedEvent& event) {
    const auto cause = event.cause ? event.cause : std::make_exception_ptr(Error(event.code, event.error));
    return {event.code, sentence_of(event), cause};
}

RunTimedOutEvent timed_out(const RunCore& run) {
    return {.timeout = std::chrono::duration<double>(run.extras->timeout).count(),
            .active_steps = run.extras->active_steps,
            .undo_error = run.extras->undo_error};
}
std::string show_timed_out(const RunTimedOutEvent& event) {
    std::string steps;
    for (const auto& step : event.active_steps) (steps += steps.empty() ? " in " : ", ") += step;
    return "the run has passed its deadline" + steps + undo_failure(event.undo_error);
}
RunError lateness(const RunTimedOutEvent& event) { return {Code::timed_out, sentence_of(event)}; }

RunCancelledEvent cancelled(const RunCore& run) {
    return {.undo_error = run.extras ? run.extras->undo_error : std::string()};
}
std::string show_cancelled(const RunCancelledEvent& event) {
    return "the run was cancelled" + undo_failure(event.undo_error);
}
RunError cancellation(const RunCancelledEvent& event) { return {Code::cancelled, show_cancelled(event)}; }

/// A row from three functions: the run's terminal event, its text in traces, the error of result().
template <auto last, auto shown, auto error>
constexpr Ending row(RunStatus status, Code code, std::string_view sentence) {
    using E = decltype(last(std::declval<const RunCore&>()));
    return {.status = status,
            .code = code,
            .sentence = sentence,
            .type = &Published::Of<E>::of_type,
            .shown = [](const void* event) { return shown(*static_cast<const E*>(event)); },
            .error = [](const void* event) { return error(*static_cast<const E*>(event)); },
            .last = [](const RunCore& run) -> Published* { return new Published::Of<E>(last(run)); },
            .read = [](const nlohmann::json& data, std::string_view root) -> Published* {
                return new Published::Of<E>(from_json<E>(data, root));
            }};
}
constexpr Ending endings[] = {
    row<failed, show_failed, failure>(RunStatus::failed, Code::step_failed, "the run has failed"),
    row<timed_out, show_timed_out, lateness>(RunStatus::timed_out, Code::timed_out,
                                             "the run has exceeded its time limit"),
    row<cancelled, show_cancelled, cancellation>(RunStatus::cancelled, Code::cancelled, "the run was cancelled"),
};
static_assert(std::size(endings) + int(RunStatus::failed) == statuses,
              "a status has no row here: add one, so that its runs have a last event");
template <class Fits> const Ending* find(Fits fits) noexcept {
    const auto* found = std::find_if(std::begin(endings), std::end(endings), fits);
    return found == std::end(endings) ? nullptr : found;
}
}

std::string_view name(Code code) noexcept { return boost::describe::enum_to_string(code, "unknown"); }
const RunStatusRow& row_of(RunStatus status) noexcept { return rows[static_cast<std::size_t>(status)]; }
std::optional<RunStatus> status_named(std::string_view name) noexcept {
    for (const auto& row : rows)
        if (row.name == name) return row.status;
    return std::nullopt;
}
std::vector<RunStatus> ended_statuses() {
    std::vector<RunStatus> ended;
    for (const auto& row : rows)
        if (has_ended(row.status)) ended.push_back(row.status);
    return ended;
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
const Ending* ending_named(std::string_view event) noexcept {
    return find([event](const Ending& e) { return e.type->name == event; });
}
std::string sentence_of(const RunFailedEvent& event) {
    return (event.step.empty() ? "the run" : "step " + event.step) + " failed: " + event.error;
}
std::string sentence_of(const RunTimedOutEvent& event) {
    char seconds[32];  // the format of in_seconds(); a stored value may be too long for a Duration
    std::snprintf(seconds, sizeof seconds, "%g s", event.timeout);
    return std::string("the run has not ended within ") + seconds + undo_failure(event.undo_error);
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
