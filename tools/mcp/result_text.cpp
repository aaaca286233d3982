// A block of an unknown kind becomes the name of its kind.
#include "tools/mcp/result_text.hpp"
#include "engine/error.hpp"
#include "engine/json/line.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/hidden.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>

namespace weft::tools::mcp {
namespace {
using nlohmann::json;
constexpr std::size_t most_result_text = 1u << 20, most_of_name = 300, longest_tool_name = 64;

std::string plain_name(std::string_view text) {
    std::string name(text);
    for (char& c : name)
        if (!is_letter_or_digit(c) && c != '-') c = '_';
    return name;
}
std::string member(const json& block, const char* key) {
    const auto at = block.find(key);
    const auto* text = at == block.end() ? nullptr : at->get_ptr<const json::string_t*>();
    return text ? *text : std::string();
}
std::string in_brackets(const std::string& kind, const json& block, std::size_t letters) {
    std::string note = "[" + kind;
    for (const char* key : {"name", "title", "uri", "mimeType"})
        if (const auto said = quoted(member(block, key), most_of_name); !said.empty()) note += ", " + said;
    if (letters > 0) note += ", " + std::to_string(letters / 4 * 3) + " bytes";  // decoded from base64
    return note + "]";
}
/// A text as it is; another value as JSON.
std::string as_text(const json& block, const char* key) {
    const auto at = block.find(key);
    if (at == block.end() || at->is_null()) return {};
    return at->is_string() ? at->get<std::string>() : json_line(*at);
}
/// "Text" counts as "text", and so does a block without a kind that has a text.
std::string kind_of(const json& block) {
    if (block.is_string()) return "text";
    if (!block.is_object()) return {};
    const auto kind = lower(member(block, "type"));
    return kind.empty() && block.contains("text") ? "text" : kind;
}
std::string block_text(const json& block) {
    if (block.is_string()) return block.get<std::string>();
    const auto kind = kind_of(block);
    if (kind == "text") return as_text(block, "text");
    if (kind == "json" && block.contains("json")) return as_text(block, "json");
    if (kind == "image" || kind == "audio") return in_brackets(kind, block, member(block, "data").size());
    if (kind == "resource_link") return in_brackets("link", block, 0);
    if (kind == "resource" && block.contains("resource") && block["resource"].is_object()) {
        const auto& resource = block["resource"];
        const auto blob = member(resource, "blob"), text = as_text(resource, "text");
        return in_brackets("resource", resource, blob.size()) + (text.empty() ? "" : "\n" + text);
    }
    const auto note = "[" + (kind.empty() ? std::string("something without a kind") : quoted(kind, 60)) + "]";
    const auto text = kind.empty() ? std::string() : as_text(block, "text");
    return text.empty() ? note : note + "\n" + text;
}
/// Whether the text contains the value as JSON; words and fences around it are ignored.
bool is_json_of(std::string_view text, const json& value) {
    const auto read = [&](std::string_view part) {
        try {
            return parse_json(part, {.bytes = most_result_text, .depth = answers_of_servers.depth}) == value;
        } catch (const Error&) { return false; }
    };
    if (read(text)) return true;
    const auto begin = text.find_first_of("{["), end = text.find_last_of("}]");
    return begin < end && end != text.npos && read(text.substr(begin, end - begin + 1));
}
bool block_tells(const json& block, const json& value) {
    const auto kind = kind_of(block);
    if (kind != "text" && kind != "json") return false;
    const auto text = block_text(block);
    return (value.is_string() && text == value.get_ref<const json::string_t&>()) || is_json_of(text, value);
}
/// Whether one block has the value, or the blocks have its elements.
bool content_tells(const json& content, const json& value) {
    if (std::ranges::any_of(content, [&](const json& block) { return block_tells(block, value); })) return true;
    return value.is_array() && !value.empty() && std::ranges::equal(content, value, block_tells);
}
/// Servers wrap a value that is not an object as {"result": ...}, with the text of the value itself.
bool tells_structured(const json& content, const json& structured) {
    if (content_tells(content, structured)) return true;
    const bool wraps = structured.is_object() && structured.size() == 1 && structured.contains("result");
    return wraps && content_tells(content, structured["result"]);
}
}

std::string result_text(const CallResult& result) {
    std::string text;
    for (const auto& block : result.content) {
        if (!text.empty()) text += '\n';
        text += block_text(block);
        if (text.size() > most_result_text) break;
    }
    if (result.structured && !tells_structured(result.content, *result.structured)) {
        if (!text.empty()) text += '\n';
        text += json_line(*result.structured);
    }
    if (!result.mismatch.empty())
        text += "\n[the server's result does not fit the schema that it gave: " + result.mismatch + "]";
    // Hidden line separators become line breaks, since without them two words would become one.
    text = without_hidden(with_line_breaks(std::string(utf8_cut(text, most_result_text))));
    return text.empty() ? "The tool gave no text." : text;
}
std::string tool_prefix(std::string_view server) {
    constexpr std::size_t longest_prefix = 40;
    auto name = plain_name(server);
    const auto both = [](char a, char b) { return a == '_' && b == '_'; };
    name.erase(std::unique(name.begin(), name.end(), both), name.end());
    name.resize(std::min(name.size(), longest_prefix));
    name.erase(name.find_last_not_of('_') + 1);
    return name.empty() ? "mcp" : name;
}
std::string tool_name(std::string_view server, std::string_view tool, const std::vector<std::string>& taken) {
    const auto whole = tool_prefix(server) + "__" + plain_name(tool);
    auto name = whole.substr(0, longest_tool_name);
    for (int number = 2; std::ranges::find(taken, name) != taken.end(); ++number) {
        const auto suffix = "_" + std::to_string(number);
        name = whole.substr(0, longest_tool_name - suffix.size()) + suffix;
    }
    return name;
}
}
