// A call and its rounds: the request, and the check of the server's result.
#include "tools/mcp/client/client_core.hpp"

namespace weft::tools::mcp {
using nlohmann::json;
namespace {
constexpr std::size_t most_questions = 16, longest_state = 1u << 20;
}

awaitable<std::variant<CallResult, InputRequest>> ClientCore::round(const CallToolParams& call,
                                                                    const CallOptions& options) {
    bool lost = false, relisted = false;
    for (;;) {
        bool again = false;
        co_await connect();
        json params = json::object();
        params["name"] = call.tool;
        params["arguments"] = call.arguments;
        if (!call.answers.is_null()) params["inputResponses"] = call.answers;
        if (call.state) params["requestState"] = *call.state;
        auto request = make(method::call_tool, std::move(params), bool(options.elicit));
        auto& meta = request.params[std::string(meta::key)];
        if (options.progress) meta[std::string(meta::progress_token)] = std::get<std::int64_t>(request.id);
        if (!options.traceparent.empty()) meta[std::string(meta::trace)] = options.traceparent;
        if (meta.is_null()) request.params.erase(std::string(meta::key));
        SendOptions sending;
        if (const auto* tool = list_ ? list_->find(call.tool) : nullptr)
            sending.headers = header_params(tool->headers, call.arguments);
        const auto connection = connections_;
        try {
            auto response = co_await converse(std::move(request), std::move(sending), call.tool, options);
            const auto* error = response.error();
            // Only over modern HTTP this code says that the server did not process the call.
            const bool unread = error && error->code == code::header_mismatch && era_ == ServerEra::modern &&
                                transport_->kind() == Transport::Kind::http;
            if (!unread || relisted) {
                auto result = result_of(std::move(response), "the tool \"" + quoted(call.tool, 80) + "\"");
                co_return read_call(std::move(result), call.tool);
            }
        } catch (const TransportError& error) {
            if (error.trouble() != TransportFailure::session_lost) throw;
            if (lost) lost_again(error);
            lost = again = true;
            lose(connection);
        }
        if (again) continue;
        relisted = true;  // the server wants other headers than before
        ++changes_;
        co_await tools();
    }
}
awaitable<std::variant<CallResult, InputRequest>> ClientCore::call_once(CallToolParams call, CallOptions options) {
    co_return co_await round(call, options);
}
awaitable<CallResult> ClientCore::call(CallToolParams call, CallOptions options) {
    for (int rounds = 0; rounds < options_.limits.rounds; ++rounds) {
        auto step = co_await round(call, options);
        if (auto* result = std::get_if<CallResult>(&step)) co_return std::move(*result);
        auto& required = std::get<InputRequest>(step);
        if (!required.questions.empty() && !options.elicit)
            throw Error(Code::step_failed, who() + " asks for input, and no person is here to give it: " +
                                               quoted(required.questions.front().second.message, 300));
        call.answers = required.questions.empty() ? json() : json::object();
        for (auto& [key, question] : required.questions) {
            auto answer = co_await ask_form(options.elicit, std::move(question));
            call.answers[key] = std::move(answer);
        }
        call.state = std::move(required.state);
    }
    throw Error(Code::step_failed, who() + " asked for input " + std::to_string(options_.limits.rounds) +
                                       " times in one call, and is not asked again");
}
std::variant<CallResult, InputRequest> ClientCore::read_call(json result, const std::string& tool) {
    const auto type = result.value("resultType", json("complete"));
    if (type == "input_required" && era_ == ServerEra::modern) return read_required(result, tool);
    if (type != "complete" && era_ == ServerEra::modern)
        invalid_answer("a call with a kind of result that is not known: " + quoted(type.dump(), 60));
    CallResult read;
    const auto content = result.find("content");
    if (content != result.end() && content->is_object() && content->empty()) *content = json::array();  // Lua's form
    const bool has_list = content != result.end() && content->is_array();
    const bool has_block = content != result.end() && (content->is_string() || content->is_object());
    if (has_list) read.content = std::move(*content);
    if (has_block) read.content.push_back(std::move(*content));  // a block without a list around it
    if (const auto structured = result.find("structuredContent"); structured != result.end() && !structured->is_null())
        read.structured = std::move(*structured);
    if (const auto old = result.find("toolResult");
        !has_list && !has_block && !read.structured && old != result.end() && !old->is_null())
        read.content.push_back({{"type", "json"}, {"json", std::move(*old)}});  // the revision 2024-10-07
    if (read.content.empty() && !has_list && !read.structured)
        invalid_answer("a call with neither content nor structuredContent");
    read.is_error = result.value("isError", json()) == true;
    const auto* info = list_ && !read.is_error ? list_->find(tool) : nullptr;
    if (info && read.structured && is_empty_array(*read.structured) && info->output.is_object() &&
        info->output.value("type", json()) == "object")
        read.structured = json::object();  // an empty object from PHP
    if (const auto* validator = info ? output_validator(*info) : nullptr)
        read.mismatch = read.structured ? validator->mistake(*read.structured)
                                        : "structuredContent: missing, although the tool has a schema for it";
    return read;
}
InputRequest ClientCore::read_required(const json& result, const std::string& tool) const {
    InputRequest required;
    if (const auto state = result.find("requestState"); state != result.end() && state->is_string()) {
        required.state = state->get<std::string>();
        if (required.state->size() > longest_state) invalid_answer("with a requestState of more than 1 MiB");
    }
    const auto asked = result.value("inputRequests", json::object());
    if (!asked.is_object() || asked.size() > most_questions)
        invalid_answer("with requests for input that cannot be read");
    for (const auto& [key, request] : asked.items()) {
        if (!request.is_object() || request.value("method", json()) != method::elicit ||
            !request.value("params", json()).is_object())
            invalid_answer("with a request for input that was not offered");
        try {
            required.questions.emplace_back(key, read_elicit(transport_->server(), request["params"]));
            required.questions.back().second.tool = tool;
        } catch (const BadForm& bad) { invalid_answer("with a request for input that " + std::string(bad.what())); }
    }
    return required;
}
}
