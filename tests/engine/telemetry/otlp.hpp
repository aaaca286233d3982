// Reads the requests to a collector, and checks them by the rules of opentelemetry-proto for JSON.
//
//     const auto spans = spans_sent_to(server);
//     CHECK(spans.at("chat m").parent == spans.at("invoke_workflow works").id);
//
// Ids are hexadecimal digits, integers of 64 bits are text, enumerations are numbers, and keys are those of the .proto
// files in lowerCamelCase: anything else fails the test.
#pragma once
#include "tests/support/rude_server.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace weft::telemetry {
using nlohmann::json;
struct SentSpan {
    std::string trace, id, parent, state, name, message;
    int kind = 0, status = 0;
    std::uint64_t begin = 0, end = 0;
    std::map<std::string, json> attributes;  // values without their type
    std::vector<std::string> events;
};
inline void demand_keys(const json& object, const std::set<std::string>& known) {
    REQUIRE(object.is_object());
    for (const auto& member : object.items()) {
        INFO(member.key());
        REQUIRE(known.contains(member.key()));
    }
}
inline std::uint64_t number_of(const json& value) {
    REQUIRE(value.is_string());
    const auto text = value.get<std::string>();
    REQUIRE(text.find_first_not_of("0123456789") == text.npos);
    return std::stoull(text);
}
inline std::string id_of(const json& value, std::size_t digits) {
    REQUIRE(value.is_string());
    auto text = value.get<std::string>();
    REQUIRE(text.size() == digits);
    REQUIRE(text.find_first_not_of("0123456789abcdef") == text.npos);
    REQUIRE(text.find_first_not_of('0') != text.npos);
    return text;
}
inline json value_of(const json& value) {
    demand_keys(value, {"stringValue", "boolValue", "intValue", "doubleValue", "arrayValue"});
    REQUIRE(value.size() == 1);
    const auto key = value.begin().key();
    const auto& plain = value.begin().value();
    if (key == "stringValue") REQUIRE(plain.is_string());
    if (key == "boolValue") REQUIRE(plain.is_boolean());
    if (key == "doubleValue")
        REQUIRE((plain.is_number() || plain == "NaN" || plain == "Infinity" || plain == "-Infinity"));
    if (key == "intValue") {
        REQUIRE(plain.is_string());
        return std::stoll(plain.get<std::string>());
    }
    if (key != "arrayValue") return plain;
    demand_keys(plain, {"values"});
    auto all = json::array();
    for (const auto& each : plain.at("values")) all.push_back(value_of(each));
    return all;
}
inline std::map<std::string, json> attributes_of(const json& list) {
    std::map<std::string, json> all;
    REQUIRE(list.is_array());
    for (const auto& attribute : list) {
        demand_keys(attribute, {"key", "value"});
        REQUIRE(all.emplace(attribute.at("key").get<std::string>(), value_of(attribute.at("value"))).second);
    }
    return all;
}
inline SentSpan read_span(const json& span) {
    demand_keys(span, {"traceId", "spanId", "traceState", "parentSpanId", "flags", "name", "kind", "startTimeUnixNano",
                       "endTimeUnixNano", "attributes", "droppedAttributesCount", "events", "droppedEventsCount",
                       "links", "droppedLinksCount", "status"});
    SentSpan sent;
    sent.trace = id_of(span.at("traceId"), 32);
    sent.id = id_of(span.at("spanId"), 16);
    if (span.contains("parentSpanId")) sent.parent = id_of(span["parentSpanId"], 16);
    sent.state = span.value("traceState", "");
    sent.name = span.at("name").get<std::string>();
    REQUIRE(span.at("kind").is_number_integer());
    sent.kind = span["kind"].get<int>();
    sent.begin = number_of(span.at("startTimeUnixNano"));
    sent.end = number_of(span.at("endTimeUnixNano"));
    REQUIRE(sent.begin <= sent.end);
    sent.attributes = attributes_of(span.at("attributes"));
    for (const auto& event : span.value("events", json::array())) {
        demand_keys(event, {"timeUnixNano", "name", "attributes", "droppedAttributesCount"});
        const auto at = number_of(event.at("timeUnixNano"));
        REQUIRE((at >= sent.begin && at <= sent.end));
        attributes_of(event.at("attributes"));
        sent.events.push_back(event.at("name").get<std::string>());
    }
    demand_keys(span.at("status"), {"code", "message"});
    if (span["status"].contains("code")) REQUIRE(span["status"]["code"].is_number_integer());
    sent.status = span["status"].value("code", 0);
    sent.message = span["status"].value("message", "");
    return sent;
}
/// Returns the spans of one request, and the attributes of its resource.
inline std::vector<SentSpan> read_request(const std::string& request, std::map<std::string, json>* resource = nullptr) {
    std::vector<SentSpan> spans;
    REQUIRE(request.starts_with("POST /v1/traces HTTP/1.1\r\n"));
    REQUIRE(request.find("\r\nContent-Type: application/json\r\n") != request.npos);
    const auto body = json::parse(request.substr(request.find("\r\n\r\n") + 4));
    demand_keys(body, {"resourceSpans"});
    for (const auto& of_resource : body.at("resourceSpans")) {
        demand_keys(of_resource, {"resource", "scopeSpans", "schemaUrl"});
        demand_keys(of_resource.at("resource"), {"attributes", "droppedAttributesCount"});
        const auto attributes = attributes_of(of_resource["resource"].at("attributes"));
        if (resource) *resource = attributes;
        for (const auto& of_scope : of_resource.at("scopeSpans")) {
            demand_keys(of_scope, {"scope", "spans", "schemaUrl"});
            for (const auto& span : of_scope.at("spans")) spans.push_back(read_span(span));
        }
    }
    return spans;
}
/// Returns the spans by name; each name must occur once.
inline std::map<std::string, SentSpan> spans_sent_to(const testing::RudeServer& server) {
    std::map<std::string, SentSpan> spans;
    std::set<std::string> ids;
    for (const auto& request : server.requests())
        for (auto& span : read_request(request)) {
            REQUIRE(ids.insert(span.id).second);
            REQUIRE(spans.emplace(span.name, span).second);
        }
    return spans;
}
}
