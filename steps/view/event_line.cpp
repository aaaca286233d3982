// The event's own table gives name and data; an event without data has the reason instead.
#include "steps/view/event_line.hpp"
#include "engine/error.hpp"
#include "engine/event_json.hpp"
#include "engine/json.hpp"
#include "engine/run.hpp"
#include "steps/agents/common/outcome.hpp"

namespace weft::view {
std::string event_line(const AnyEvent& event) {
    using nlohmann::json;
    json line = {{"event", event.name()}};
    try {
        line["data"] = to_json(event);
    } catch (const Error& error) { line["no_data"] = error.what(); }
    if (!event.path().empty()) {
        line["run"] = event.run();
        line["path"] = event.path();
    }
    if (const auto outcome = agents::outcome_of(event)) line["outcome"] = to_json(*outcome);
    return line.dump(-1, ' ', true, json::error_handler_t::replace);
}
}
