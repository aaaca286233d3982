// Checks a request before its execution, in the order of the protocol, and finds its era. Pure: errors are thrown or
// returned.
//
//     Envelope envelope;
//     envelope.http = true;
//     envelope.headers = &request.headers;
//     const auto asker = check_envelope(message, envelope);       // throws RpcFailure
//     check_names(message.method, message.params, envelope);
//     check_params(arguments, schema, envelope);                  // for tools/call, once the tool is known
//
// Host, Origin and the token come before that (workflows/server/guard/guard.hpp), the method itself and its params
// after it.
#pragma once
#include "engine/net/http_client.hpp"
#include "workflows/mcp/call.hpp"

namespace weft::mcp_server {
/// The transport of a request.
struct Envelope {
    bool http = false;
    const net::HttpHeaders* headers = nullptr;  // over HTTP
    const CallClient* agreed = nullptr;         // the client of `initialize`: the session's or the process's
    std::string principal = {};
};
/// The intended kind of a malformed message. Only a request gets an answer with its id: a wrong response fails its own
/// question, and a notification has no answer. In invalid JSON the id comes from the readable part; such a message
/// counts as a notification by its method's name, or if it was readable to its end.
enum class MessageKind { request, notification, response, other };
MessageKind classify(rpc::Malformed&, std::string_view text);
/// Whether a client of 2026-07-28 or later has sent the request.
bool is_modern(const nlohmann::json& params, const Envelope&);
/// The client of the request. A legacy client is the agreed one; `initialize` and `ping` need no agreement.
CallClient check_envelope(const rpc::Request&, const Envelope&);
/// Checks the headers that repeat the method and the name in the params. For modern requests over HTTP only.
void check_names(const std::string& method, const nlohmann::json& params, const Envelope&);
/// Checks the headers that repeat arguments, by the schema's `x-mcp-header`. For modern requests over HTTP only.
void check_params(const nlohmann::json& arguments, const nlohmann::json& schema, const Envelope&);
/// The value of a header, decoded from `=?base64?...?=` if needed; std::nullopt for invalid base64.
std::optional<std::string> decode_header(std::string_view value);
/// The mistake in a schema's `x-mcp-header`s, as a sentence without its subject; empty without a mistake.
std::string header_mistake(const nlohmann::json& schema);
}
