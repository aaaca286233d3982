// The inverse of read_call: its text reads back as the same arguments, in their order.
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/characters.hpp"
#include "steps/agents/react/dialects/call_expression.hpp"
#include "steps/agents/text/literals.hpp"

namespace weft::agents::inline react_steps {
namespace {
using nlohmann::ordered_json;

/// True if the name can stand before an = without quotes.
bool is_bare(std::string_view name) {
    return !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, is_word_part);
}
void write(std::string& out, const ordered_json& value) {
    if (value.is_string()) return append_quoted(out, value.get_ref<const std::string&>());
    if (value.is_boolean()) return void(out += value.get<bool>() ? "True" : "False");
    if (value.is_null()) return void(out += "None");
    if (!value.is_structured()) return void(out += value.dump());
    const char* between = "";
    out += value.is_array() ? '[' : '{';
    for (const auto& [name, inner] : value.items()) {
        out += std::exchange(between, ", ");
        if (value.is_object()) {
            append_quoted(out, name);
            out += ": ";
        }
        write(out, inner);
    }
    out += value.is_array() ? ']' : '}';
}
}

std::string write_call(std::string_view tool, std::string_view arguments) {
    constexpr std::size_t max_size = 64 << 10;  // keeping the order takes quadratic time in the number of keys
    if (!parse_json(arguments, {.bytes = max_size, .depth = 30}).is_object())
        throw Error(Code::bad_json, "the arguments of a call are a JSON object, such as {\"a\": 1}");
    std::string out(tool);
    const char* between = "";
    out += '(';
    const auto values = ordered_json::parse(arguments);
    for (const auto& [name, value] : values.items()) {
        out += std::exchange(between, ", ");
        if (is_bare(name)) out += name;
        else append_quoted(out, name);
        out += '=';
        write(out, value);
    }
    return out + ')';
}
}
