// A call sends at most 10,000 progress messages and as many log messages. MCP demands that progress rises, so a call
// drops progress that does not.
#include "workflows/mcp/call.hpp"
#include "engine/text/hidden.hpp"
#include "engine/text/utf8.hpp"
#include "steps/view/neutralise.hpp"
#include <algorithm>
#include <array>
#include <cmath>

namespace weft::mcp_server {
namespace {
using nlohmann::json;
constexpr std::size_t most_tellings = 10'000, most_message = 500, most_answers = 100;
constexpr std::array<std::string_view, 8> levels{"debug", "info",     "notice", "warning",
                                                 "error", "critical", "alert",  "emergency"};

std::string_view capability_of(const std::string& method) {
    if (method == rpc::method::elicit) return "elicitation";
    if (method.starts_with("sampling/")) return "sampling";
    if (method.starts_with("roots/")) return "roots";
    return {};
}
/// Whole numbers become integers, as far as doubles hold them exactly.
json as_number(double value) {
    const bool is_whole = std::abs(value) <= 1e15 && value == std::trunc(value);
    return is_whole ? json(std::int64_t(value)) : json(value);
}
const json& object_in(const json& params, const char* key) {
    static const json none = json::object();
    const auto found = params.find(key);
    return found == params.end() || !found->is_object() ? none : *found;
}
}

RpcFailure::RpcFailure(int c, const std::string& sentence, json d, unsigned s)
    : std::runtime_error(without_hidden(sentence)), code(c), data(std::move(d)), status(s) {}
Call::Call(rpc::Request request, CallClient asker, Channel& channel)
    : request_(std::move(request)), asker_(std::move(asker)), channel_(channel) {
    if (modern()) answers_ = object_in(request_.params, "inputResponses");
    const auto* token = rpc::find_meta(request_.params, rpc::meta::progress_token);
    if (token && (token->is_string() || token->is_number_integer())) token_ = *token;
    const auto* level = rpc::find_meta(request_.params, rpc::meta::log_level);
    if (modern() && level && level->is_string() && is_log_level(level->get<std::string>())) log_level_ = *level;
}
const json& Call::arguments() const { return object_in(request_.params, "arguments"); }
void Call::pass_over_extras(const json& schema) {
    const auto given = request_.params.find("arguments");
    if (given == request_.params.end() || !given->is_object()) return;
    if (schema.value("additionalProperties", json()) != json(false)) return;
    for (const char* other : {"patternProperties", "allOf", "anyOf", "oneOf", "$ref"})
        if (schema.contains(other)) return;  // such a schema may name further fields
    const auto& fields = object_in(schema, "properties");
    for (const char* extra : {"action", "chatInput", "sessionId", "tool", "toolCallId"})
        if (!fields.contains(extra)) given->erase(extra);
}
bool Call::can(std::string_view capability) const {
    if (!asker_.takes_streams) return false;
    const auto found = asker_.capabilities.find(capability);
    if (found == asker_.capabilities.end() || !found->is_object()) return false;
    return capability != "elicitation" || found->empty() || found->contains("form");  // a form, not only a URL
}

awaitable<json> Call::ask(json requests, std::string state) {
    for (const auto& [key, request] : requests.items()) {
        const auto capability = capability_of(request.value("method", ""));
        if (capability.empty() || can(capability)) continue;
        const std::string sentence =
            asker_.takes_streams
                ? "this call has a question, and the client has not declared that it can answer one: it needs the "
                  "capability \"" +
                      std::string(capability) + '"'
                : "this call has a question that cannot reach the client, since the header Accept of the request "
                  "lacks text/event-stream: it has to name application/json and text/event-stream";
        throw RpcFailure(rpc::code::missing_capability, sentence,
                         {{"requiredCapabilities", {{std::string(capability), json::object()}}}}, 400);
    }
    if (modern()) {
        const bool is_theirs = state_.value_or("") == state;
        const bool all = std::ranges::all_of(requests.items(), [&](const auto& one) {
            return answers_.contains(one.key()) && answers_.at(one.key()).is_object();
        });
        if (is_theirs && all) co_return answers_;
        InputRequiredResult required{std::move(requests), std::move(state)};
        throw required;
    }
    json results = json::object();
    for (const auto& [key, request] : requests.items()) {
        auto asking = channel_.request(request.value("method", ""), request.value("params", json::object()));
        const auto response = co_await std::move(asking);
        if (const auto* error = response.error())
            throw std::runtime_error("the client could not answer a question: " + excerpt(error->message, 300));
        results[key] = *response.result();
    }
    co_return results;
}

void Call::progress(double done, std::optional<double> total, std::string_view message) {
    if (!token_ || done <= told_ || progressed_ == most_tellings) return;
    told_ = done;
    ++progressed_;
    json params = {{"progressToken", *token_}, {"progress", as_number(done)}};
    if (total) params["total"] = as_number(*total);
    if (!message.empty()) params["message"] = view::neutralise(excerpt(message, most_message));
    notify({std::string(rpc::method::progress), std::move(params)});
}
void Call::log(std::string_view level, json data) {
    const auto wanted = std::ranges::find(levels, log_level_), given = std::ranges::find(levels, level);
    if (wanted == levels.end() || given < wanted || logged_ == most_tellings) return;
    ++logged_;
    notify({std::string(rpc::method::log), {{"level", std::string(level)}, {"data", std::move(data)}}});
}
void Call::notify(rpc::Notification notification) { channel_.notify(std::move(notification)); }

void check_answers(const json& params) {
    const auto answers = params.find("inputResponses");
    if (answers == params.end() || answers->is_null()) return;
    if (!answers->is_object() || answers->size() > most_answers)
        throw RpcFailure(rpc::code::bad_params, "inputResponses has to be an object: an answer for each question");
    for (const auto& [key, answer] : answers->items())
        if (!answer.is_object())
            throw RpcFailure(rpc::code::bad_params,
                             "inputResponses." + excerpt(key, 60) + " has to be an object: the result of the question");
}
bool is_log_level(std::string_view text) { return std::ranges::find(levels, text) != levels.end(); }

json text_result(std::string_view text, bool is_error) {
    json result = {{"content", json::array({{{"type", "text"}, {"text", without_hidden(text)}}})}};
    if (is_error) result["isError"] = true;
    return result;
}
json elicitation(std::string_view message, json form) {
    json params = {{"message", view::neutralise(message)}, {"requestedSchema", std::move(form)}};
    return {{"method", std::string(rpc::method::elicit)}, {"params", std::move(params)}};
}
}
