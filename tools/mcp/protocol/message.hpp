// The messages of MCP: requests, notifications and responses of JSON-RPC 2.0, as both eras and all transports have
// them.
//
//     mcp::Read read = mcp::read_message(line);
//     if (const auto* bad = std::get_if<mcp::Malformed>(&read)) send(mcp::write(mcp::error_for(*bad)));
//     if (auto* message = std::get_if<mcp::Message>(&read))
//         if (auto* request = std::get_if<mcp::Request>(message)) send(mcp::write(mcp::success(request->id, result)));
//
// What is read is bounded in bytes and depth, and checked: the version, the kind of id, that params is an object, that
// there is a result or an error and not both. Unknown members are ignored; params that are null are left out, [] is an
// object where MCP wants one, and an error of an odd form keeps its sentence. Batches, which one old revision knew, are
// malformed. What is said to be wrong quotes a key that stands there twice, and nothing else. Values, so any thread may
// use its own.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace weft::tools::mcp {
/// An integer or a text; the integer 7 is not the text "7", though some answer one with the other (as_number).
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
    nlohmann::json data;  // null: there is none
};
struct Response {
    std::optional<Id> id;                            // none: the other side could not tell which request it is about
    std::variant<nlohmann::json, RpcError> outcome;  // a result is an object
    const nlohmann::json* result() const { return std::get_if<nlohmann::json>(&outcome); }
    const RpcError* error() const { return std::get_if<RpcError>(&outcome); }
};
using Message = std::variant<Request, Notification, Response>;

/// What is no message: the code and the sentence of its answer, and the id if that could be read.
struct Malformed {
    int code = 0;
    std::string why;
    std::optional<Id> id;
};
using Read = std::variant<Message, Malformed>;
struct MessageLimits {
    std::size_t bytes = 16u << 20;
    std::size_t depth = 64;
    std::size_t text = 1024;  // of an id, of a method
    bool shortens = false;    // what is deeper is a mark, and the message is read (engine/json/parse.hpp)
};
/// The limits of a client: a value that is too deep costs the tool or the result that it belongs to, and nothing else.
inline constexpr MessageLimits answers_of_servers{.depth = 128, .shortens = true};
Read read_message(std::string_view text, const MessageLimits& = {});
/// Of a value that was already parsed.
Read read_value(nlohmann::json value, const MessageLimits& = {});

/// One line of UTF-8 without its end; params that are empty are left out.
std::string write(const Message&);
/// An empty result is {}.
Response success(Id, nlohmann::json result);
Response failure(std::optional<Id>, int code, std::string message, nlohmann::json data = nullptr);
Response error_for(const Malformed&);
/// "7" as 7: gateways and servers give ids back as texts, and official clients take that.
Id as_number(Id);
/// For sentences: 7, or "7".
std::string text_of(const Id&);
/// For sentences: what the other side says, on one line, without hidden characters.
std::string quoted(std::string_view text, std::size_t most);

namespace code {
inline constexpr int not_json = -32700, no_request = -32600, no_method = -32601, bad_params = -32602, ours = -32603;
inline constexpr int header_mismatch = -32020, missing_capability = -32021, unsupported_version = -32022;
}
/// The names of all notifications begin with this.
inline constexpr std::string_view notifications = "notifications/";
namespace method {
inline constexpr std::string_view initialize = "initialize", initialized = "notifications/initialized",
                                  discover = "server/discover", ping = "ping", list_tools = "tools/list",
                                  call_tool = "tools/call", cancelled = "notifications/cancelled",
                                  progress = "notifications/progress", log = "notifications/message",
                                  tools_changed = "notifications/tools/list_changed", elicit = "elicitation/create",
                                  listen = "subscriptions/listen",
                                  acknowledged = "notifications/subscriptions/acknowledged",
                                  set_level = "logging/setLevel";
}
/// Keys of params._meta and of result._meta.
namespace meta {
inline constexpr std::string_view key = "_meta", progress_token = "progressToken", trace = "traceparent",
                                  version = "io.modelcontextprotocol/protocolVersion",
                                  client = "io.modelcontextprotocol/clientInfo",
                                  capabilities = "io.modelcontextprotocol/clientCapabilities",
                                  server = "io.modelcontextprotocol/serverInfo",
                                  log_level = "io.modelcontextprotocol/logLevel",
                                  subscription = "io.modelcontextprotocol/subscriptionId";
}
/// [], as PHP and Lua write an object without members.
bool is_empty_array(const nlohmann::json&);
/// The value of that key in the `_meta` of params or of a result; null if there is none.
const nlohmann::json* find_meta(const nlohmann::json& params, std::string_view key);

/// Revisions of the protocol: the modern one needs no handshake, the others are agreed by `initialize`.
namespace revision {
inline constexpr std::string_view modern = "2026-07-28", latest_legacy = "2025-11-25";
inline constexpr std::string_view legacy[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
bool is_legacy(std::string_view);
}
}
