// Checks a request before its execution, in the order of the protocol, and finds its era. Pure: errors are thrown or
// returned.
//
//     Envelope envelope;
//     envelope.http = true;
//     envelope.headers = &request.headers;
//     const auto asker = check_envelope(message, envelope);       // throws RpcFailure
//     check_names(message.method, message.params, envelope);
//     check_params(arguments, schema, envelope);                  // of tools/call, once the tool is known
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
    const Asker* agreed = nullptr;              // what `initialize` has agreed on: of the session, or of this process
    std::string principal = {};
};
/// What a malformed message was meant as. Only the id of a request is a thing to answer with; that a response is wrong
/// concerns nobody but whoever waits for it, and a notification has no answer. One that is no JSON gets the id that
/// stands in what can be read of it; as a notification it counts by its name, or if it was read to its end.
enum class Meant { request, notification, response, other };
Meant meant_by(rpc::Malformed&, std::string_view text);
/// Whether a client of 2026-07-28 or later has sent it.
bool is_modern(const nlohmann::json& params, const Envelope&);
/// Who asks. Legacy: what was agreed on; nobody has agreed on anything before `initialize` and for `ping`.
Asker check_envelope(const rpc::Request&, const Envelope&);
/// The header that names what the request is about. HTTP, and modern.
void check_names(const std::string& method, const nlohmann::json& params, const Envelope&);
/// The headers that repeat arguments: the schema names them by `x-mcp-header`. HTTP, and modern.
void check_params(const nlohmann::json& arguments, const nlohmann::json& schema, const Envelope&);
/// The value of a header, from `=?base64?...?=` if it is written so. Nothing for what cannot be read.
std::optional<std::string> decode_header(std::string_view value);
/// What is wrong with the `x-mcp-header`s of a schema: a predicate; empty if nothing is.
std::string header_mistake(const nlohmann::json& schema);
}
