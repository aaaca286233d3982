// Blocks of kinds that are not known are named by their kind.
#include "tools/mcp/result_text.hpp"
#include "engine/hidden.hpp"
#include "engine/json/line.hpp"
#include "engine/utf8.hpp"
#include <algorithm>

namespace weft::tools::mcp {
namespace {
using nlohmann::json;
constexpr std::size_t most_result_text = 1u << 20, most_of_name = 300, longest_tool_name = 64;

std::string plain_name(std::string_view text) {
    std::string name(text);
    for (char& c : name)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-')) c = '_';
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
    if (letters > 0) note += ", " + std::to_string(letters / 4 * 3) + " bytes";  // of base 64
    return note + "]";
}
bool is_text(const json& block) { return block.is_string() || (block.is_object() && member(block, "type") == "text"); }
std::string block_text(const json& block) {
    if (block.is_string()) return block.get<std::string>();
    const auto kind = block.is_object() ? member(block, "type") : std::string();
    if (kind == "text") return member(block, "text");
    if (kind == "image" || kind == "audio") return in_brackets(kind, block, member(block, "data").size());
    if (kind == "resource_link") return in_brackets("link", block, 0);
    if (kind == "resource" && block.contains("resource") && block["resource"].is_object()) {
        const auto& resource = block["resource"];
        const auto blob = member(resource, "blob"), text = member(resource, "text");
        return in_brackets("resource", resource, blob.size()) + (text.empty() ? "" : "\n" + text);
    }
    return "[" + (kind.empty() ? std::string("something without a kind") : quoted(kind, 60)) + "]";
}
}

std::string result_text(const CallResult& result) {
    std::string text;
    bool has_text = false;
    for (const auto& block : result.content) {
        if (!text.empty()) text += '\n';
        text += block_text(block);
        has_text = has_text || is_text(block);
        if (text.size() > most_result_text) break;
    }
    if (!has_text && result.structured) {
        if (!text.empty()) text += '\n';
        text += json_line(*result.structured);
    }
    if (!result.mismatch.empty())
        text += "\n[the server's result does not fit the schema that it gave: " + result.mismatch + "]";
    // Separators of lines would be gone as hidden, and the words before and behind them grow together.
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
