// The source of the event is not trusted: before any call runs, the check makes sure that each result goes to a later
// call.
#include "steps/agents/common/inner_calls.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/utf8.hpp"

namespace weft::agents {
namespace {
using nlohmann::json;
constexpr JsonLimits limits{.bytes = 1u << 20, .depth = 64, .exact = true};

/// True if the schema allows only a string at this place.
bool wants_text(const json& schema, json::json_pointer place) {
    std::vector<std::string> steps;
    for (; !place.empty(); place.pop_back()) steps.push_back(place.back());
    const auto* at = &schema;
    const auto enter = [&at](const std::string& key) {
        const auto found = at->is_object() ? at->find(key) : at->end();
        if (!at->is_object() || found == at->end()) return false;
        at = &*found;
        return true;
    };
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        if (!(enter("properties") ? enter(*step) : enter("items"))) return false;
    return enter("type") && *at == "string";
}
json value_of(const std::string& result) {
    try {
        auto value = parse_json(result, limits);
        if (!value.is_string()) return value;
    } catch (const Error&) {}  // no JSON: stays a text
    return result;
}
}

InnerCalls::InnerCalls(const ToolCallEvent& call, const tools::Registry& tools) : call_(call), tools_(tools) {
    try {
        for (const auto& inner : call.inner) arguments_.push_back(parse_json(inner.arguments.text, limits));
        arguments_.push_back(parse_json(call.arguments.text, limits));
        check();
    } catch (const std::exception& error) { mistake_ = error.what(); }
}
void InnerCalls::check() {
    const auto n = call_.inner.size();
    if (n >= static_cast<std::size_t>(max_calls)) {
        mistake_ = "there are more than " + std::to_string(max_calls) + " calls in one action";
        return;
    }
    std::vector<int> depth(n + 1, 1);
    for (auto i = n; i-- > 0;) {
        const auto& inner = call_.inner[i];
        const auto into = static_cast<std::size_t>(inner.into);
        if (inner.into < 0 || into <= i || into > n || inner.place.empty() ||
            !arguments_[into].contains(json::json_pointer(inner.place)))
            mistake_ = "nothing takes the result of " + inner.tool;
        else if ((depth[i] = depth[into] + 1) > max_call_depth)
            mistake_ = "there are more than " + std::to_string(max_call_depth) + " calls in each other";
    }
}
void InnerCalls::take(std::size_t call, const std::string& result) {
    const auto& inner = call_.inner[call];
    const auto into = static_cast<std::size_t>(inner.into);
    const json::json_pointer place(inner.place);
    const auto* taker = tools_.find(into < call_.inner.size() ? call_.inner[into].tool : call_.tool);
    const auto text = repair_utf8(result);
    const bool as_text = taker && wants_text(taker->schema(), place);
    arguments_[into][place] = as_text ? json(text) : value_of(text);
}
}
