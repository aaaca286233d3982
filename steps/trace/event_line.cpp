// Events are erased, so those that can be written are listed here: a new event of an agent is added to a list.
#include "steps/trace/event_line.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/run.hpp"
#include "engine/terminal.hpp"
#include "engine/utf8.hpp"
#include "steps/react/outcome.hpp"
#include "steps/reflect/events.hpp"
#include "steps/warning.hpp"

namespace weft::steps {
namespace {
using nlohmann::json;

template <class E> bool describe(const AnyEvent& event, json& data) {
    const auto* known = event.get_if<E>();
    if (known) data = to_json(*known);
    return known;
}
template <class... E> bool describe_any(const AnyEvent& event, json& data) { return (describe<E>(event, data) || ...); }

}

std::string event_line(const AnyEvent& event) {
    json line = {{"event", event.name()}};
    json data;
    if (const auto* failed = event.get_if<RunFailedEvent>())
        line["data"] = {{"step", failed->step},
                        {"code", std::string(name(failed->code))},
                        {"error", repair_utf8(failed->error)},
                        {"attempts", failed->attempts}};
    else if (const auto* late = event.get_if<RunTimedOutEvent>())
        line["data"] = {{"timeout", late->timeout}, {"active_steps", late->active_steps}};
    else if (event.get_if<RunCancelledEvent>()) line["data"] = json::object();
    else if (describe_any<TurnEvent, ThoughtDeltaEvent, ActionDeltaEvent, ActionInputDeltaEvent, AnswerDeltaEvent,
                          ActionEvent, ObservationEvent, FaultEvent, WarningEvent, AnswerEvent>(event, data) ||
             describe_any<ReplyDeltaEvent, CallNoteEvent, ReflectionDeltaEvent, ReflectionEvent, RequestEvent,
                          ResultEvent, RetryEvent, DecompositionEvent, SubQuestionEvent, SubAnswerEvent, SummaryEvent,
                          PastSummaryEvent>(event, data))
        line["data"] = std::move(data);
    if (const auto outcome = outcome_of(event)) line["outcome"] = to_json(*outcome);
    return line.dump(-1, ' ', true, json::error_handler_t::replace);
}
}
