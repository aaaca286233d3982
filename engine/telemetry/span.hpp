// A span, and its JSON for OTLP over HTTP: ids as hexadecimal digits, 64-bit integers as texts, enumerations as
// numbers, names in lowerCamelCase.
//
//     Span span;
//     span.trace = "5b8efff798038103d269b633813fc60c";
//     span.id = "eee19b7ec3c1b174";
//     span.name = "chat small";
//     auto body = export_request(resource, {otlp_text(span)});
#pragma once
#include "engine/observer.hpp"
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace weft::telemetry {
struct SpanAttribute {
    std::string key;
    std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>> value;
};
/// Copies an observer's attribute.
SpanAttribute owned(const Observer::Attribute&);

struct Span {
    enum class Kind { internal = 1, server = 2, client = 3 };
    struct Event {
        std::uint64_t time = 0;
        std::string name;
        std::vector<SpanAttribute> attributes;
    };
    std::string trace, id, parent, state;  // parent and state may be empty
    std::string name;
    Kind kind = Kind::internal;
    std::uint64_t begin = 0, end = 0;  // nanoseconds since 1970
    std::vector<SpanAttribute> attributes;
    std::vector<Event> events;
    std::uint32_t dropped_events = 0;
    bool failed = false;
    std::string message;  // a failure's; may be empty
};
/// Returns JSON text; invalid UTF-8 is repaired.
std::string otlp_text(const Span&);
/// Returns the body of a request; each span is a text of otlp_text.
std::string export_request(const std::vector<std::pair<std::string, std::string>>& resource,
                           const std::vector<std::string>& spans);
}
