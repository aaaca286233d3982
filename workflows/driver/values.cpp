// from_chars reads numbers: without a locale and octal numbers, up to the end of a number.
#include "workflows/driver/values.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/iso_time.hpp"
#include "engine/text/read_file.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include <charconv>
#include <cmath>
#include <string_view>

namespace weft::driver {
namespace {
constexpr double longest_timeout = 7 * 24 * 3600;

/// Parses a number that fills the whole text, is positive and at most 1e12.
std::optional<double> positive(const std::string& text) {
    const auto value = read_number<double>(text);
    return value && *value > 0 && *value <= 1e12 ? value : std::nullopt;
}
}
agents::Budget parse_budget(const std::string& text) {
    const auto refuse = [](const std::string& part) {
        throw Error(Code::usage,
                    "--budget takes a list such as tokens=20000,cost=0.05,requests=10,tool_calls=8,time=2m, "
                    "not \"" +
                        part + '"');
    };
    agents::Budget budget;
    const auto parts = split_names(text);
    if (parts.empty()) refuse(text);
    for (const auto& part : parts) {
        const auto name = part.substr(0, part.find('='));
        const auto value = part.substr(std::min(name.size() + 1, part.size()));
        if (name == "time") {
            budget.time_ms = parse_duration(value, "--budget time").count();
            continue;
        }
        const auto number = positive(value);
        const bool whole = number && *number >= 1 && *number == std::floor(*number) && *number <= 1e9;
        if (!number || (name != "cost" && !whole)) refuse(part);
        if (name == "tokens") budget.tokens = static_cast<std::int64_t>(*number);
        else if (name == "cost") budget.cost = *number;
        else if (name == "requests") budget.requests = static_cast<int>(*number);
        else if (name == "tool_calls") budget.tool_calls = static_cast<int>(*number);
        else refuse(part);
    }
    return budget;
}
std::chrono::milliseconds parse_duration(const std::string& text, const std::string& option) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string unit(end, text.data() + text.size());
    const double scale = unit == "ms"                  ? 0.001
                         : unit.empty() || unit == "s" ? 1
                         : unit == "m"                 ? 60
                         : unit == "h"                 ? 3600
                                                       : 0;
    const double seconds = value * scale;
    if (error != std::errc() || scale == 0 || !(seconds >= 0.001) || seconds > longest_timeout)
        throw Error(Code::usage, option +
                                     " takes a time such as 30, 1.5s, 500ms, 2m or 1h, and at most a week, not \"" +
                                     text + "\"");
    return std::chrono::milliseconds(std::llround(seconds * 1000));
}
void check_one_queue(const std::string& queue, const std::string& taker) {
    if (queue.find(',') != std::string::npos)
        throw Error(Code::usage, taker + " the name of one queue, without a comma");
}
std::chrono::seconds parse_days(const std::string& text, const std::string& what) {
    const auto unit = text.empty() ? '\0' : text.back();
    const std::int64_t scale = unit == 'd' ? 86400 : unit == 'h' ? 3600 : unit == 'm' ? 60 : unit == 's' ? 1 : 0;
    const auto number = read_number<std::int64_t>(text.substr(0, text.empty() ? 0 : text.size() - 1));
    if (scale == 0 || !number || *number < 0 || *number > 100'000'000)
        throw Error(Code::usage, what + " such as 30d, 12h or 90m, not \"" + text + '"');
    return std::chrono::seconds(*number * scale);
}
std::chrono::sys_time<std::chrono::microseconds> parse_time(const std::string& text, const std::string& option) {
    const auto time = read_iso_time(text);
    if (!time.mistake.empty()) throw Error(Code::usage, option + ' ' + time.mistake);
    return time.at;
}
std::optional<nlohmann::json> read_word(const std::string& word, const std::string& type) {
    if (type == "string") return word;
    const auto small = lower(word);
    if (type == "boolean" && (small == "y" || small == "yes" || small == "true")) return true;
    if (type == "boolean" && (small == "n" || small == "no" || small == "false")) return false;
    auto value = nlohmann::json::parse(word, nullptr, false);
    const bool fits = type == "integer"  ? value.is_number_integer()
                      : type == "number" ? value.is_number()
                                         : type != "boolean" && !value.is_discarded();
    return fits ? std::optional(std::move(value)) : std::nullopt;
}
std::string text_in(const nlohmann::json& object, const char* name) {
    const auto at = object.find(name);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}
nlohmann::json read_json(const std::string& text, const std::string& what) {
    try {
        return parse_json(text);
    } catch (const Error& error) { throw Error(Code::usage, what + ": " + error.what()); }
}
nlohmann::json read_input(const std::string& input) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // some editors write it
    if (input == "-")
        throw Error(Code::usage, "--input takes JSON or @FILE, not -: --input @/dev/stdin reads standard input");
    if (!input.starts_with('@')) return read_json(input, "--input");
    const auto path = input.substr(1);
    auto text = read_file(path, JsonLimits().bytes + byte_order_mark.size());
    if (!text)
        throw Error(Code::usage,
                    "--input: the file '" + repair_utf8(path) + "' cannot be read: check its name and its permissions");
    if (text->starts_with(byte_order_mark)) text->erase(0, byte_order_mark.size());
    return read_json(*text, "--input: the file '" + repair_utf8(path) + "'");
}

namespace {
constexpr std::pair<std::string_view, tools::PermissionMode> permission_modes[] = {
    {"ask", tools::PermissionMode::ask},
    {"auto", tools::PermissionMode::automatic},
    {"never", tools::PermissionMode::never},
};
}
std::string if_no_permission(const std::string& text) {
    for (const auto& [word, mode] : permission_modes)
        if (word == text) return {};
    return "takes ask, auto or never, not \"" + excerpt(text, 60) + '"';
}
tools::PermissionMode parse_permission(const std::string& text) {
    for (const auto& [word, mode] : permission_modes)
        if (word == text) return mode;
    throw Error(Code::usage, "--permission " + if_no_permission(text));
}
std::string if_blank(const std::string& text) {
    if (!is_blank(text)) return {};
    return "takes a value that is not empty";
}
std::string if_no_text(const std::string& text) {
    return is_utf8(text) ? "" : "takes text in UTF-8, not \"" + excerpt(text, 60) + '"';
}
std::string if_blank_or_no_text(const std::string& text) {
    auto mistake = if_blank(text);
    return mistake.empty() ? if_no_text(text) : mistake;
}
std::string if_no_status(const std::string& text) {
    std::string words;
    for (auto& word : catalog::status_words()) {
        if (word == text) return {};
        (words += words.empty() ? "" : ", ") += word;
    }
    return "takes one of " + words + ", not \"" + text + '"';
}
std::string if_no_slot(const std::string& text) {
    if (!is_utf8(text)) return if_no_text(text);
    const auto equals = text.find('=');
    if (equals != text.npos && equals != 0) return {};
    return "takes SLOT=JSON, not \"" + text + '"';
}
std::string if_no_value(const std::string& text) {
    const auto equals = text.find('=');
    if (is_utf8(text) && equals != text.npos && equals != 0) return {};
    return "takes NAME=TEXT, in UTF-8";
}
std::string if_no_lease(const std::string& text) {
    try {
        const auto lease = parse_duration(text, "--lease");
        if (lease >= std::chrono::milliseconds(100) && lease <= std::chrono::hours(1)) return {};
    } catch (const Error&) {}
    return "takes a time from 100ms to 1h, such as 10s, not \"" + excerpt(text, 60) + '"';
}
}
