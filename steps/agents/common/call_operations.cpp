// A model's name is "provider:model"; the provider of any other name, such as a list of models, is "weft".
#include "steps/agents/common/call_operations.hpp"
#include "engine/operation.hpp"
#include "engine/text/utf8.hpp"
#include <boost/describe/enum_to_string.hpp>
#include <nlohmann/json.hpp>

namespace weft::agents {
namespace {
using nlohmann::json;
constexpr std::size_t longest_content = 4 << 10, most_messages = 32, longest_definitions = 16 << 10;

std::string content_of(std::string_view text) {
    std::string cut = repair_utf8(utf8_cut(text, longest_content));
    if (cut.size() < text.size()) cut += "...";
    return cut;
}
std::string as_text(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }
json text_part(const std::string& text) { return {{"type", "text"}, {"content", content_of(text)}}; }
json call_part(const models::ToolCall& call) {
    return {{"type", "tool_call"},
            {"id", content_of(call.id)},
            {"name", content_of(call.name)},
            {"arguments", content_of(call.arguments)}};
}
json parts_of(const std::string& text, const std::vector<models::ToolCall>& calls) {
    auto parts = json::array();
    if (!text.empty()) parts.push_back(text_part(text));
    for (const auto& call : calls)
        if (parts.size() < most_messages) parts.push_back(call_part(call));
    return parts;
}
json message_of(const models::Message& message) {
    if (message.role != models::Role::tool)
        return {{"role", boost::describe::enum_to_string(message.role, "user")},
                {"parts", parts_of(message.content, message.calls)}};
    json part{{"type", "tool_call_response"}, {"id", content_of(message.call)}};
    part["response"] = content_of(message.content);
    return {{"role", "tool"}, {"parts", json::array({part})}};
}
void add_prompt(OperationDetails& details, const models::ChatRequest& request) {
    auto instructions = json::array(), messages = json::array(), tools = json::array();
    const auto& all = request.messages;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].role == models::Role::system && instructions.size() < most_messages)
            instructions.push_back(text_part(all[i].content));
        else if (all[i].role != models::Role::system && i + most_messages >= all.size())
            messages.push_back(message_of(all[i]));
    if (!instructions.empty()) details.add("gen_ai.system_instructions", as_text(instructions));
    details.add("gen_ai.input.messages", as_text(messages));
    for (const auto& tool : request.tools)
        tools.push_back({{"type", "function"}, {"name", tool.name}, {"description", content_of(tool.description)}});
    auto definitions = as_text(tools);
    if (!tools.empty() && definitions.size() <= longest_definitions)
        details.add("gen_ai.tool.definitions", definitions);
}
void add_request(OperationDetails& details, const models::ChatModel& model, const models::ChatRequest& request) {
    const auto all = model.name();
    const auto name = all.substr(0, all.find(", else "));  // the first of several alternatives
    const auto colon = name.find(':');
    details.name = colon == name.npos ? name : name.substr(colon + 1);
    details.add("gen_ai.operation.name", "chat");
    details.add("gen_ai.provider.name", colon == name.npos ? "weft" : name.substr(0, colon));
    details.add("gen_ai.request.model", details.name);
    if (request.sampling.max_tokens) details.add("gen_ai.request.max_tokens", *request.sampling.max_tokens);
    if (request.sampling.temperature) details.add("gen_ai.request.temperature", *request.sampling.temperature);
    if (request.sampling.seed) details.add("gen_ai.request.seed", *request.sampling.seed);
    if (!request.stop.empty() && details.content) details.add("gen_ai.request.stop_sequences", request.stop);
    if (details.content) add_prompt(details, request);
}
std::string_view finish_reason(models::FinishReason finish) {
    if (finish == models::FinishReason::refused) return "content_filter";
    if (finish == models::FinishReason::tool_calls) return "tool_call";
    return boost::describe::enum_to_string(finish, "unknown");
}
void add_reply(OperationDetails& details, const models::ChatReply& reply) {
    if (!reply.model.empty()) details.add("gen_ai.response.model", reply.model);
    if (!reply.request_id.empty()) details.add("gen_ai.response.id", reply.request_id);
    const std::string_view reasons[] = {finish_reason(reply.finish)};
    details.add("gen_ai.response.finish_reasons", std::span(reasons));
    details.add("gen_ai.usage.input_tokens", reply.usage.prompt_tokens);
    details.add("gen_ai.usage.output_tokens", reply.usage.completion_tokens);
    if (reply.usage.cached_tokens) details.add("gen_ai.usage.cache_read.input_tokens", reply.usage.cached_tokens);
    if (reply.usage.cache_written_tokens)
        details.add("gen_ai.usage.cache_creation.input_tokens", reply.usage.cache_written_tokens);
    if (reply.usage.reasoning_tokens) details.add("gen_ai.usage.reasoning.output_tokens", reply.usage.reasoning_tokens);
    details.add("weft.request.attempts", reply.attempts);
    if (!reply.answered_by.empty()) details.add("weft.answered_by", reply.answered_by);
    if (reply.cached) details.add("weft.reply.cached", "true");
    if (!details.content) return;
    const json message{{"role", "assistant"},
                       {"parts", parts_of(reply.text, reply.calls)},
                       {"finish_reason", finish_reason(reply.finish)}};
    details.add("gen_ai.output.messages", as_text(json::array({message})));
}
void add_call(OperationDetails& details, const tools::Registry& tools, const ObservedCall& call) {
    details.name = call.tool;
    details.add("gen_ai.operation.name", "execute_tool");
    details.add("gen_ai.tool.name", call.tool);
    details.add("gen_ai.tool.type", "function");
    if (!call.id.empty()) details.add("gen_ai.tool.call.id", call.id);
    if (const auto* tool = tools.find(call.tool))
        details.add("gen_ai.tool.description", excerpt(tool->description(), 300));
    if (details.content) details.add("gen_ai.tool.call.arguments", content_of(call.arguments));
}
}

awaitable<models::ChatReply> chat_observed(Context& ctx, models::ChatModel& model, models::ChatRequest& request,
                                           const models::OnDelta& on_delta) {
    auto operation = ctx.operation("chat", [&](OperationDetails& details) { add_request(details, model, request); });
    if (const auto own = operation.traceparent(); !own.empty()) {
        request.traceparent = own;
        request.tracestate = operation.tracestate();
    }
    try {
        auto reply = co_await model.chat(request, on_delta);
        if (reply.model.empty()) reply.model = model.name();
        operation.end([&](OperationDetails& details) { add_reply(details, reply); });
        co_return reply;
    } catch (...) {
        operation.fail(std::current_exception());
        throw;
    }
}
awaitable<tools::Observation> call_observed(Context& ctx, const tools::Registry& tools, ObservedCall call,
                                            awaitable<tools::Observation> work) {
    auto operation = ctx.operation("execute_tool", [&](OperationDetails& details) { add_call(details, tools, call); });
    try {
        auto observation = co_await std::move(work);
        const auto add_result = [&](OperationDetails& details) {
            if (details.content) details.add("gen_ai.tool.call.result", content_of(observation.text));
        };
        if (observation.ok) operation.end(add_result);
        else if (!tools.find(call.tool)) operation.fail("unknown_tool", add_result);
        else operation.fail(observation.ran ? "tool_error" : "invalid_arguments", add_result);
        co_return observation;
    } catch (...) {
        operation.fail(std::current_exception());
        throw;
    }
}
}
