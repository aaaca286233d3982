// Parses the values of options and answers: times, budgets, JSON. Throws Error{usage} for any other text.
#pragma once
#include "steps/agents/common/budget.hpp"
#include "tools/permission.hpp"
#include "workflows/driver/options.hpp"
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
/// Throws Error{usage} for a queue's name with a comma, which separates names in lists. `taker`: "--queue takes".
void check_one_queue(const std::string& queue, const std::string& taker = "--queue takes");
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

/// For tables of options.
namespace kinds {
/// The member of the choices that an option fills.
template <class Part, class T> T& field(Choices& choices, T Part::*member) {
    if constexpr (std::is_base_of_v<Part, catalog::AgentOptions>) return choices.agent.*member;
    else if constexpr (std::is_same_v<Part, DisplayOptions>) return choices.show.*member;
    else if constexpr (std::is_same_v<Part, StoredChoices>) return choices.stored.*member;
    else if constexpr (std::is_same_v<Part, ServeChoices>) return choices.serve.*member;
    else if constexpr (std::is_same_v<Part, RemoteChoices>) return choices.remote.*member;
    else if constexpr (std::is_same_v<Part, WorkerChoices>) return choices.worker.*member;
    else if constexpr (std::is_same_v<Part, ScheduleChoices>) return choices.schedule.*member;
    else if constexpr (std::is_same_v<Part, ModelLimitChoices>) return choices.model_limit.*member;
    else if constexpr (std::is_same_v<Part, ProjectChoices>) return choices.project.*member;
    else return choices.*member;
}
// Kinds of values: the member that stores the value, and its check.
template <auto member> constexpr OptionValue text{[](Choices& c, const std::string& text) { field(c, member) = text; }};
template <auto member> constexpr OptionValue filled{text<member>.set, if_blank};
template <auto member>
constexpr OptionValue repeated{[](Choices& c, const std::string& text) { field(c, member).push_back(text); }, nullptr,
                               OptionValue::Times::repeated};
/// Several values are one text with line ends between them.
template <auto member> constexpr OptionValue joined{[](Choices& c, const std::string& text) {
                                                        auto& all = field(c, member);
                                                        all += (all.empty() ? "" : "\n") + text;
                                                    },
                                                    if_blank, OptionValue::Times::repeated};
template <auto member, bool on = true> constexpr OptionValue flag{
    [](Choices& c, const std::string&) { field(c, member) = on; }, nullptr, OptionValue::Times::flag};
template <auto member, class Number, int least, int most>
constexpr OptionValue number{[](Choices& c, const std::string& text) { field(c, member) = *read_number<Number>(text); },
                             if_outside<Number, least, most>};
template <auto member, auto parse>
constexpr OptionValue parsed{[](Choices& c, const std::string& text) { field(c, member) = parse(text); }};
// Text for a store, or for comparison with stored text.
template <auto member> constexpr OptionValue utf8{text<member>.set, if_no_text};
template <auto member> constexpr OptionValue filled_utf8{text<member>.set, if_blank_or_no_text};
template <auto member>
constexpr OptionValue each_utf8{repeated<member>.set, if_blank_or_no_text, OptionValue::Times::repeated};
}
}
