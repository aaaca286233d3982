// Reading checks only the envelope; the handler of a method checks its params and results.
#include "tools/mcp/protocol/message.hpp"
#include "engine/error.hpp"
#include "engine/json/line.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/hidden.hpp"
#include "engine/text/utf8.hpp"
#include "tools/mcp/protocol/form_order.hpp"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace weft::tools::mcp {
namespace {
using nlohmann::json;

/// An id to answer or to compare; std::nullopt for null, fractions, and ids that are too long.
std::optional<Id> read_id(const json& value, const MessageLimits& limits) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(INT64_MAX)) return {};
    if (value.is_number_integer()) return Id(value.get<std::int64_t>());
    if (const auto* real = value.get_ptr<const json::number_float_t*>())  // 1.0, from servers without integers
        return std::abs(*real) < 1e15 && *real == std::floor(*real) ? std::optional(Id(std::int64_t(*real)))
                                                                    : std::nullopt;
    if (const auto* text = value.get_ptr<const json::string_t*>(); text && text->size() <= limits.text)
        return Id(*text);
    return {};
}
json write_id(const Id& id) {
    if (const auto* number = std::get_if<std::int64_t>(&id)) return *number;
    return std::get<std::string>(id);
}

void as_object(json& value) {
    if (is_empty_array(value)) value = json::object();
}
void members_as_objects(json& value) {
    as_object(value);
    if (value.is_object())
        for (auto& [name, member] : value.get_ref<json::object_t&>()) as_object(member);
}
/// PHP and Lua write an object without members as []: it becomes an object where MCP wants one in params or a result.
void put_objects(json& body) {
    as_object(body);
    if (!body.is_object()) return;
    for (const char* key : {"_meta", "arguments", "clientInfo", "serverInfo", "inputResponses", "inputRequests"})
        if (const auto at = body.find(key); at != body.end()) as_object(*at);
    if (const auto at = body.find("capabilities"); at != body.end()) members_as_objects(*at);
    if (const auto at = body.find(meta::key); at != body.end() && at->is_object())
        if (const auto theirs = at->find(meta::capabilities); theirs != at->end()) members_as_objects(*theirs);
}
std::string text_in(const json& value) {
    const auto* text = value.get_ptr<const json::string_t*>();
    return text ? *text : json_line(value);
}
/// The code: -32000, -32000.0 and "-32000" are equal; -32603 if the code is missing.
int code_in(const json& error) {
    const auto at = error.find("code");
    if (at == error.end()) return code::ours;
    if (at->is_number_unsigned() && at->get<std::uint64_t>() > INT32_MAX) return INT32_MAX;
    auto id = read_id(*at, {});
    if (id) id = as_number(std::move(*id));
    const auto* number = id ? std::get_if<std::int64_t>(&*id) : nullptr;
    return number ? int(std::clamp<std::int64_t>(*number, INT32_MIN, INT32_MAX)) : code::ours;
}
/// Finds the sentence for the person and the model: servers write errors in many forms.
RpcError read_error(json error) {
    RpcError read;
    if (!error.is_object()) {
        read.code = code::ours;
        read.message = text_in(error);
        return read;
    }
    read.code = code_in(error);
    if (auto at = error.find("data"); at != error.end()) read.data = std::move(*at);
    if (const auto at = error.find("message"); at != error.end() && !at->is_null()) read.message = text_in(*at);
    if (!read.message.empty() || !read.data.is_null()) return read;
    for (const char* known : {"code", "message", "data"}) error.erase(known);
    if (error.size() == 1) read.message = text_in(*error.begin());
    else if (!error.empty()) read.message = json_line(error);
    return read;
}

class MessageReader {
public:
    MessageReader(json& value, const MessageLimits& limits) : value_(value), limits_(limits) {}
    ParsedMessage read() {
        if (value_.is_array()) return wrong("batches of messages are not supported: send one message at a time");
        if (!value_.is_object()) return wrong("a message has to be a JSON object");
        if (const auto at = value_.find("id"); at != value_.end()) {
            has_id_ = true;
            null_id_ = at->is_null();
            if (null_id_ && is_told()) has_id_ = null_id_ = false;  // servers that write all fields of a type
            id_ = read_id(*at, limits_);
        }
        const auto version = value_.find("jsonrpc");
        if (version == value_.end() || *version != "2.0") return wrong("a message has to have \"jsonrpc\": \"2.0\"");
        if (value_.contains("method")) return call();
        if (value_.contains("result") || value_.contains("error")) return response();
        return wrong("a message has to have a method, a result or an error");
    }

private:
    bool is_told() const {
        const auto name = value_.find("method");
        const auto* text = name == value_.end() ? nullptr : name->get_ptr<const json::string_t*>();
        return text && text->starts_with(notifications);
    }
    Malformed wrong(std::string why, int code = code::no_request) const { return {code, std::move(why), id_}; }
    ParsedMessage call() {
        if (value_.contains("result") || value_.contains("error"))
            return wrong("a message has a method, or a result, or an error: not two of them");
        auto* name = value_["method"].get_ptr<json::string_t*>();
        if (!name || name->empty()) return wrong("the method has to be a text that is not empty");
        if (name->size() > limits_.text) return wrong("the name of the method is too long");
        if (has_id_ && !id_) return wrong("the id has to be an integer or a text that is not too long");
        auto params = json::object();
        if (const auto at = value_.find("params"); at != value_.end()) {
            put_objects(*at);
            if (!at->is_object() && !at->is_null()) return wrong("params has to be an object");
            if (at->is_object()) params = std::move(*at);
        }
        if (!has_id_) return RpcMessage(Notification{std::move(*name), std::move(params)});
        return RpcMessage(Request{std::move(*id_), std::move(*name), std::move(params)});
    }
    ParsedMessage response() {
        if (!has_id_ || (!id_ && !null_id_)) return wrong("a response has to have the id of its request");
        for (const auto& [absent, other] : {std::pair("error", "result"), std::pair("result", "error")})
            if (const auto at = value_.find(absent); at != value_.end() && at->is_null() && value_.contains(other))
                value_.erase(at);  // servers that write all fields of a type, as in JSON-RPC 1.0
        const auto result = value_.find("result"), error = value_.find("error");
        if (result != value_.end() && error != value_.end())
            return wrong("a response has a result or an error, not both");
        if (result != value_.end()) {
            if (!id_) return wrong("a result has to have the id of its request");
            put_objects(*result);
            if (!result->is_object()) return wrong("a result has to be an object");
            return RpcMessage(Response{std::move(id_), std::move(*result)});
        }
        if (error->is_null()) return wrong("an error has to say something: it is null");
        return RpcMessage(Response{std::move(id_), read_error(std::move(*error))});
    }
    json& value_;
    const MessageLimits& limits_;
    bool has_id_ = false, null_id_ = false;
    std::optional<Id> id_;
};

// Writes the members sorted by name, as a json value would. A json value would need a copy of the whole content.
void put_call(std::string& out, const std::string& method, const json& params) {
    out += R"("jsonrpc":"2.0","method":)" + json_line(json(method));
    const bool asks = method == mcp::method::elicit && params.is_object();
    if (!params.is_null() && !params.empty())
        out.append(R"(,"params":)").append(asks ? json_line(ordered_question(params)) : json_line(params));
    out += '}';
}
std::string written(const Request& request) {
    std::string out = R"({"id":)" + json_line(write_id(request.id)) + ',';
    put_call(out, request.method, request.params);
    return out;
}
std::string written(const Notification& notification) {
    std::string out = "{";
    put_call(out, notification.method, notification.params);
    return out;
}
std::string written(const Response& response) {
    const auto id = response.id ? json_line(write_id(*response.id)) : "null";
    if (const auto* result = response.result()) {
        const bool asks = result->is_object() && result->contains("inputRequests");
        const auto text = result->is_null() ? "{}" : asks ? json_line(ordered_questions(*result)) : json_line(*result);
        return R"({"id":)" + id + R"(,"jsonrpc":"2.0","result":)" + text + '}';
    }
    const auto& error = *response.error();
    json told = {{"code", error.code}, {"message", error.message}};
    if (!error.data.is_null()) told["data"] = error.data;
    return R"({"error":)" + json_line(told) + R"(,"id":)" + id + R"(,"jsonrpc":"2.0"})";
}
}
bool is_empty_array(const json& value) { return value.is_array() && value.empty(); }

ParsedMessage read_message(std::string_view text, const MessageLimits& limits) {
    try {
        auto value = parse_json(text, {.bytes = limits.bytes, .depth = limits.depth, .shortens = limits.shortens});
        keep_field_order(text, value);
        return MessageReader(value, limits).read();
    } catch (const Error& error) { return Malformed{code::not_json, error.what(), {}}; }
}

std::string write(const RpcMessage& message) {
    return std::visit([](const auto& it) { return written(it); }, message);
}
Response success(Id id, json result) {
    if (result.is_null()) result = json::object();
    return {std::move(id), std::move(result)};
}
Response failure(std::optional<Id> id, int code, std::string message, json data) {
    return {std::move(id), RpcError{code, std::move(message), std::move(data)}};
}
Response error_for(const Malformed& malformed) { return failure(malformed.id, malformed.code, malformed.why); }
Id as_number(Id id) {
    const auto* text = std::get_if<std::string>(&id);
    std::int64_t number = 0;
    if (!text || text->empty()) return id;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error == std::errc() && end == text->data() + text->size()) return number;
    return id;
}
std::string text_of(const Id& id) { return json_line(write_id(id)); }

std::string quoted(std::string_view text, std::size_t most) { return without_hidden(excerpt(text, most)); }

const json* find_meta(const json& params, std::string_view key) {
    if (!params.is_object()) return nullptr;
    const auto meta = params.find(meta::key);
    if (meta == params.end() || !meta->is_object()) return nullptr;
    const auto at = meta->find(key);
    return at == meta->end() ? nullptr : &*at;
}
bool revision::is_legacy(std::string_view text) { return std::ranges::find(legacy, text) != std::end(legacy); }
}
