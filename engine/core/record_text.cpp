// Keys are ours, and most values are names: what needs no escape is copied.
#include "engine/core/record_text.hpp"
#include "engine/error.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::core {
namespace {
bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }
std::string dumped(const nlohmann::json& value) {
    try {
        return value.dump();
    } catch (const nlohmann::json::type_error&) {
        throw Error(Code::bad_json, "a text that is to be stored is not UTF-8");
    }
}
/// In quotes, and escaped.
std::string quoted(std::string_view text) {
    if (!std::all_of(text.begin(), text.end(), is_plain)) return dumped(text);
    std::string quoted;
    quoted.reserve(text.size() + 2);
    quoted += '"';
    quoted += text;
    quoted += '"';
    return quoted;
}
}
void RecordText::begin(std::string_view key) {
    if (text_.size() > 1) text_ += ',';
    text_ += '"';
    text_ += key;
    text_ += "\":";
}
void RecordText::add_json(std::string_view key, std::string_view json) {
    begin(key);
    text_ += json;
}
void RecordText::add(std::string_view key, std::string_view value) { add_json(key, quoted(value)); }
void RecordText::add(std::string_view key, std::int64_t value) { add_json(key, std::to_string(value)); }
void RecordText::add(std::string_view key, std::uint64_t value) { add_json(key, std::to_string(value)); }
void RecordText::add_value(std::string_view key, const nlohmann::json& value) { add_json(key, dumped(value)); }
std::string RecordText::finish() {
    text_ += '}';
    return std::move(text_);
}
}
