// JSON of protocol buffers has texts for numbers that are not finite.
#include "engine/telemetry/span.hpp"
#include <cmath>
#include <nlohmann/json.hpp>

namespace weft::telemetry {
namespace {
using nlohmann::json;
template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

json text_value(const std::string& text) { return {{"stringValue", text}}; }
json number_value(double number) {
    if (std::isfinite(number)) return {{"doubleValue", number}};
    return {{"doubleValue", std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity"}};
}
json list_value(const std::vector<std::string>& texts) {
    auto values = json::array();
    for (const auto& text : texts) values.push_back(text_value(text));
    json array{{"values", std::move(values)}};
    return {{"arrayValue", std::move(array)}};
}
json attributes_of(const std::vector<SpanAttribute>& attributes) {
    auto all = json::array();
    for (const auto& attribute : attributes) {
        const auto value = std::visit(
            Overloaded{[](const std::string& text) { return text_value(text); },
                       [](std::int64_t number) {
                           return json{{"intValue", std::to_string(number)}};
                       },
                       [](double number) { return number_value(number); },
                       [](bool yes) {
                           return json{{"boolValue", yes}};
                       },
                       [](const std::vector<std::string>& texts) { return list_value(texts); }},
            attribute.value);
        all.push_back({{"key", attribute.key}, {"value", value}});
    }
    return all;
}
std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }
}

SpanAttribute owned(const Observer::Attribute& attribute) {
    SpanAttribute copy{std::string(attribute.key), {}};
    std::visit(Overloaded{[&](std::string_view text) { copy.value = std::string(text); },
                          [&](std::span<const std::string_view> texts) {
                              copy.value = std::vector<std::string>(texts.begin(), texts.end());
                          },
                          [&](auto value) { copy.value = value; }},
               attribute.value);
    return copy;
}
std::string otlp_text(const Span& span) {
    json j{{"traceId", span.trace},
           {"spanId", span.id},
           {"flags", 1},
           {"name", span.name},
           {"kind", static_cast<int>(span.kind)},
           {"startTimeUnixNano", std::to_string(span.begin)},
           {"endTimeUnixNano", std::to_string(span.end)},
           {"attributes", attributes_of(span.attributes)}};
    if (!span.parent.empty()) j["parentSpanId"] = span.parent;
    if (!span.state.empty()) j["traceState"] = span.state;
    auto events = json::array();
    for (const auto& event : span.events)
        events.push_back({{"timeUnixNano", std::to_string(event.time)},
                          {"name", event.name},
                          {"attributes", attributes_of(event.attributes)}});
    if (!events.empty()) j["events"] = std::move(events);
    if (span.dropped_events) j["droppedEventsCount"] = span.dropped_events;
    j["status"] = json::object();
    if (span.failed) j["status"]["code"] = 2;
    if (span.failed && !span.message.empty()) j["status"]["message"] = span.message;
    return dumped(j);
}
std::string export_request(const std::vector<std::pair<std::string, std::string>>& resource,
                           const std::vector<std::string>& spans) {
    std::vector<SpanAttribute> attributes{{"telemetry.sdk.name", std::string("weft")},
                                          {"telemetry.sdk.language", std::string("cpp")},
                                          {"telemetry.sdk.version", std::string(WEFT_VERSION)}};
    for (const auto& [key, value] : resource) {
        std::erase_if(attributes, [&k = key](const auto& one) { return one.key == k; });
        attributes.push_back({key, value});
    }
    std::string text = R"({"resourceSpans":[{"resource":{"attributes":)" + dumped(attributes_of(attributes)) +
                       R"(},"scopeSpans":[{"scope":{"name":"weft","version":")" WEFT_VERSION R"("},"spans":[)";
    for (std::size_t i = 0; i < spans.size(); ++i) (text += i == 0 ? "" : ",") += spans[i];
    return text += "]}]}]}";
}
}
