// MCP messages: requests, notifications and responses of JSON-RPC 2.0, for both eras and all transports.
//
//     mcp::ParsedMessage read = mcp::read_message(line);
//     if (const auto* bad = std::get_if<mcp::Malformed>(&read)) send(mcp::write(mcp::error_for(*bad)));
//     if (auto* message = std::get_if<mcp::RpcMessage>(&read))
//         if (auto* request = std::get_if<mcp::Request>(message)) send(mcp::write(mcp::success(request->id, result)));
//
// Reading limits bytes and depth, and checks the version, the type of the id, that params is an object, and that there
// is either a result or an error. Unknown members are ignored; null params are dropped, [] becomes an object where MCP
// wants one, and an error in an odd form keeps its sentence. Batches, which one old revision knew, are malformed. Error
// sentences quote duplicate keys, and nothing else of the message. Messages are values, so threads share nothing.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace weft::tools::mcp {
/// An integer or a text; 7 differs from "7", but some servers answer one with the other (as_number).
using Id = std::variant<std::int64_t, std::string>;

struct Request {
    Id id;
    std::string method;
    nlohmann::json params = nlohmann::json::object();
};
struct Notification {
    std::string method;
    nlohmann::json params = nlohmann::json::object();
};
struct RpcError {
    int code = 0;
    std::string message;
    nlohmann::json data;  // null: none
};
struct Response {
    std::optional<Id> id;                            // empty: the other side could not find the request
    std::variant<nlohmann::json, RpcError> outcome;  // the result is an object
    const nlohmann::json* result() const { return std::get_if<nlohmann::json>(&outcome); }
    const RpcError* error() const { return std::get_if<RpcError>(&outcome); }
};
using RpcMessage = std::variant<Request, Notification, Response>;

/// A malformed message: code and sentence for the response, and the id if it could be read.
struct Malformed {
    int code = 0;
    std::string why;
    std::optional<Id> id;
};
using ParsedMessage = std::variant<RpcMessage, Malformed>;
struct MessageLimits {
    std::size_t bytes = 16u << 20;
    std::size_t depth = 64;
    std::size_t text = 1024;  // maximum bytes of an id or a method
    bool shortens = false;    // replace deeper values by a mark, and read the message (engine/json/parse.hpp)
};
/// The limits of a client: a value that is too deep spoils only its tool or its result.
inline constexpr MessageLimits answers_of_servers{.depth = 128, .shortens = true};
ParsedMessage read_message(std::string_view text, const MessageLimits& = {});

/// Returns one line of UTF-8 without a line end; omits empty params.
std::string write(const RpcMessage&);
/// A null result is written as {}.
Response success(Id, nlohmann::json result);
Response failure(std::optional<Id>, int code, std::string message, nlohmann::json data = nullptr);
Response error_for(const Malformed&);
/// "7" as 7: gateways and servers return ids as texts, and official clients accept that.
Id as_number(Id);
/// Text for people: 7, or "7".
std::string text_of(const Id&);
/// Text for people: words of the other side on one line, without hidden characters.
std::string quoted(std::string_view text, std::size_t most);

namespace code {
inline constexpr int not_json = -32700, no_request = -32600, no_method = -32601, bad_params = -32602, ours = -32603;
inline constexpr int header_mismatch = -32020, missing_capability = -32021, unsupported_version = -32022;
}
/// All names of notifications begin with this.
inline constexpr std::string_view notifications = "notifications/";
namespace method {
inline constexpr std::string_view initialize = "initialize", initialized = "notifications/initialized",
                                  discover = "server/discover", ping = "ping", list_tools = "tools/list",
                                  call_tool = "tools/call", cancelled = "notifications/cancelled",
                                  progress = "notifications/progress", log = "notifications/message",
                                  tools_changed = "notifications/tools/list_changed", elicit = "elicitation/create",
                                  listen = "subscriptions/listen", set_level = "logging/setLevel";
}
/// Keys of params._meta and of result._meta.
namespace meta {
inline constexpr std::string_view key = "_meta", progress_token = "progressToken", trace = "traceparent",
                                  version = "io.modelcontextprotocol/protocolVersion",
                                  client = "io.modelcontextprotocol/clientInfo",
                                  capabilities = "io.modelcontextprotocol/clientCapabilities",
                                  server = "io.modelcontextprotocol/serverInfo",
                                  log_level = "io.modelcontextprotocol/logLevel";
}
/// True for [], which PHP and Lua write for an object without members.
bool is_empty_array(const nlohmann::json&);
/// The value of the key in `_meta` of params or of a result; null: none.
const nlohmann::json* find_meta(const nlohmann::json& params, std::string_view key);

/// Protocol revisions: the modern one needs no handshake, `initialize` agrees on one of the others.
namespace revision {
inline constexpr std::string_view modern = "2026-07-28", latest_legacy = "2025-11-25";
inline constexpr std::string_view legacy[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
bool is_legacy(std::string_view);
}
}
