// Parses the values of options and answers: times, budgets, JSON. Throws Error{usage} for any other text.
#pragma once
#include "steps/agents/common/budget.hpp"
#include "tools/permission.hpp"
#include <charconv>
#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <type_traits>

namespace weft::driver {
/// Parses a number that fills the whole text. Refuses 010, which other programs read as 8.
template <class Number> std::optional<Number> read_number(const std::string& text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool plain = std::is_floating_point_v<Number> || std::to_string(value) == text;
    if (!plain || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}
/// "30", "1.5s", "500ms", "2m", "1h".
std::chrono::milliseconds parse_duration(const std::string& text, const std::string& option = "--timeout");
/// "30d", "12h", "90m", "45s". An error begins with the option's name and "takes ...".
std::chrono::seconds parse_days(const std::string& text, const std::string& what);
/// ISO 8601 with an offset from UTC.
std::chrono::sys_time<std::chrono::microseconds> parse_time(const std::string& text, const std::string& option);
/// "tokens=20000,cost=0.05,requests=10,tool_calls=8,time=2m", any of them.
agents::Budget parse_budget(const std::string&);
/// The mode of --permission.
tools::PermissionMode parse_permission(const std::string&);
/// Converts a human's word to a value of this JSON type; std::nullopt if it does not fit.
std::optional<nlohmann::json> read_word(const std::string& word, const std::string& type);
/// A member of an untrusted object; empty if it is missing or not a text.
std::string text_in(const nlohmann::json& object, const char* name);
/// Parses JSON from the command line or standard input. The message of an error begins with the text's description.
nlohmann::json read_json(const std::string& text, const std::string& what);
/// The value of --input: JSON, or @FILE with JSON.
nlohmann::json read_input(const std::string& input);

// Checks of values: an empty text for a valid one, else what the option takes.

template <class Number, int least, int most> std::string if_outside(const std::string& text) {
    const auto value = read_number<Number>(text);
    if (value && *value >= least && *value <= most) return {};
    return std::string("takes a ") + (std::is_floating_point_v<Number> ? "number" : "whole number") + " from " +
           std::to_string(least) + " to " + std::to_string(most) + ", not \"" + text + '"';
}

/// Refuses blank text, such as an unset variable of a shell.
std::string if_blank(const std::string&);
std::string if_no_text(const std::string&);  // text in UTF-8
std::string if_blank_or_no_text(const std::string&);
std::string if_no_permission(const std::string&);
std::string if_no_status(const std::string&);
std::string if_no_slot(const std::string&);  // SLOT=JSON
/// NAME=TEXT. The message does not repeat the value, which may be about a person.
std::string if_no_value(const std::string&);
std::string if_no_lease(const std::string&);
}
