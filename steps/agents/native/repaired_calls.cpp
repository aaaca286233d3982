// The registry checks each guess against the tool's schema, so a wrong guess changes nothing.
#include "steps/agents/native/repaired_calls.hpp"
#include "engine/text/text.hpp"
#include "steps/agents/react/dialects/action_line.hpp"
#include "steps/agents/react/dialects/call_arguments.hpp"
#include "steps/agents/react/dialects/calls_reader.hpp"
#include "steps/agents/text/lenient_json.hpp"
#include "steps/models/chat_model.hpp"
#include "steps/models/thought_filter.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::agents::inline native_steps {
namespace {
/// A name's form for comparison: lower case, with _ in place of -.
std::string folded(std::string_view name) {
    auto out = lower(name);
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}
/// The name of the only tool whose folded name is the same; else the name itself.
std::string name_of_tool(const std::string& written, const tools::Registry& tools) {
    auto name = tool_name(written, tools);
    if (tools.find(name)) return name;
    const tools::Tool* only = nullptr;
    for (const auto& tool : tools.all())
        if (folded(tool->name()) == folded(name)) {
            if (only) return written;
            only = tool.get();
        }
    return only ? only->name() : written;
}
/// Adds the missing brackets at the end. Empty if the text ends in a string or a number, which may be cut, too.
std::string closed(std::string_view text) {
    std::string missing;
    bool in_text = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') in_text = !in_text;
        else if (in_text) i += c == '\\';
        else if (c == '{' || c == '[') missing += c == '{' ? '}' : ']';
        else if (!missing.empty() && c == missing.back()) missing.pop_back();
    }
    text = trimmed_end(text);
    if (in_text || missing.empty() || std::string_view("\"}]").find(text.back()) == std::string_view::npos) return {};
    std::reverse(missing.begin(), missing.end());
    return std::string(text) + missing;
}
/// The arguments without a block of reasoning before them, and without a fence around them.
std::string plain(const std::string& arguments) {
    models::ChatReply reply;
    reply.text = arguments;
    if (trimmed_front(arguments).starts_with('<')) models::part_thoughts(reply);
    return std::string(without_fence(reply.text));
}
bool mend_arguments(models::ToolCall& call, const tools::Registry& tools) {
    const auto* tool = tools.find(call.name);
    if (!tool || tools.mistake(call.name, call.arguments).empty()) return false;
    const auto text = plain(call.arguments);
    if (!text.starts_with('{')) return false;
    auto read = lenient_prefix(text);
    const bool has_more = read.ok() && (why_not_ignored(text, read.end) || text.find('{', read.end) != text.npos);
    if (has_more) return false;
    if (!read.ok())
        if (const auto whole = closed(text); !whole.empty()) read = lenient_object(whole);
    if (!read.ok()) return false;
    auto mended = unwrapped_arguments(read.json, *tool);
    if (!tools.mistake(call.name, mended).empty()) return false;
    call.arguments = std::move(mended);
    return true;
}
/// Mends a name such as `add({"a": 1})`, or one in another spelling.
bool mend_name(models::ToolCall& call, const tools::Registry& tools) {
    if (tools.find(call.name)) return false;
    const bool has_none = is_blank(call.arguments) || trimmed(call.arguments) == "{}";
    if (const auto end = call.name.find('('); has_none && end != call.name.npos) {
        auto read = read_calls(call.name, tools);
        if (read.is_whole && read.calls.size() == 1 && tools.find(read.calls.front().name)) {
            call.name = std::move(read.calls.front().name);
            call.arguments = std::move(read.calls.front().arguments);
            return true;
        }
    }
    auto name = name_of_tool(call.name, tools);
    if (name == call.name) return false;
    call.name = std::move(name);
    return true;
}
/// The calls in a call of multi_tool_use.parallel; empty if they cannot be read.
std::vector<models::ToolCall> calls_in(const models::ToolCall& call, const tools::Registry& tools) {
    if (tools.find(call.name) || !call.name.starts_with("multi_tool_use")) return {};
    auto read = read_calls(call.arguments, tools);
    const bool known = std::all_of(read.calls.begin(), read.calls.end(),
                                   [&](const auto& one) { return tools.find(one.name) != nullptr; });
    return read.is_whole && known ? std::move(read.calls) : std::vector<models::ToolCall>();
}
}

bool mend_calls(std::vector<models::ToolCall>& calls, const tools::Registry& tools) {
    std::vector<models::ToolCall> all;
    bool any = false;
    for (auto& call : calls) {
        auto inner = calls_in(call, tools);
        any = any || !inner.empty();
        if (inner.empty()) inner.push_back(std::move(call));
        for (auto& one : inner) {
            const bool named = mend_name(one, tools), given = mend_arguments(one, tools);
            any = any || named || given;
            all.push_back(std::move(one));
        }
    }
    calls = std::move(all);
    return any;
}
}
