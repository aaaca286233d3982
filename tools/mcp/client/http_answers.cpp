// Heads of requests, and the meaning of responses by their status.
#include "engine/net/net_error.hpp"
#include "engine/text/text.hpp"
#include "tools/mcp/client/http_core.hpp"
#include "tools/mcp/protocol/header_params.hpp"
#include <algorithm>

namespace weft::tools::mcp {
namespace {
constexpr std::size_t longest_session = 1024, most_of_error_page = 16u << 10, longest_denial = 1024;
constexpr std::string_view denials[] = {"not found", "expired", "unknown", "invalid", "terminated", "does not exist"};
constexpr Duration no_limit = Duration::max();

bool is_visible(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}
bool is_this_machine(const std::string& host) {
    return host == "localhost" || host == "::1" ||  // DNS resolves names below localhost
           (host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos);
}
std::vector<std::string> secrets_of(const HttpTransportOptions& options) {
    auto secrets = options.secrets;
    std::erase_if(secrets, [&](const std::string& s) { return lower(options.url.host).find(lower(s)) != s.npos; });
    if (!options.token.empty()) secrets.push_back(options.token);
    for (const auto& header : options.headers)
        if (holds_secret(header.name)) secrets.push_back(header.value);
    return secrets;
}
/// Whether a request contains a secret that the network could read.
bool sends_secret(const HttpTransportOptions& options, const ServerRedactor& redactor) {
    return !options.token.empty() || redactor.finds_any(options.url.target) ||
           std::ranges::any_of(options.headers, [&](const net::HttpHeader& header) {
               return holds_secret(header.name) || redactor.finds_any(header.value);
           });
}
/// The value of this parameter in a challenge: for scope="a b" it is a b.
std::string challenge_value(std::string_view challenge, std::string_view name) {
    const auto at = lower(challenge).find(std::string(name) + "=\"");
    if (at == std::string::npos) return {};
    auto rest = challenge.substr(at + name.size() + 2);
    return std::string(rest.substr(0, rest.find('"')));
}
}

std::string media_type(const net::HttpHeaders& headers) {
    const auto type = net::find_header(headers, "Content-Type");
    return lower(trimmed(type.substr(0, type.find_first_of(";,"))));
}

HttpCore::HttpCore(HttpTransportOptions given)
    : options(std::move(given)),
      client_(options.client ? options.client : std::make_shared<net::HttpClient>()),
      redactor_(secrets_of(options)) {
    if (sends_secret(options, redactor_) && !options.url.tls && !is_this_machine(options.url.host))
        throw Error(Code::configuration, who() + " has a token, or another secret in its headers or its address, and " +
                                             options.url.origin() +
                                             " is neither https nor this machine: write https://");
    if (!options.token.empty() && !net::find_header(options.headers, "Authorization").empty())
        throw Error(Code::configuration, who() + " has both a token and a header Authorization: leave one of them out");
    if (!is_visible(options.token))
        throw Error(Code::configuration, "the token of " + who() + " has characters that no token has");
}

net::HttpRequest HttpCore::head(std::string_view method, std::string_view version, bool with_session) const {
    net::HttpRequest request{.method = std::string(method), .url = options.url};
    request.headers = options.headers;
    if (!options.token.empty()) request.headers.push_back({"Authorization", "Bearer " + options.token});
    if (!version.empty()) request.headers.push_back({"MCP-Protocol-Version", std::string(version)});
    if (with_session && !session_.empty()) request.headers.push_back({"Mcp-Session-Id", session_});
    // The caller limits the time: a tool may work for minutes without a byte.
    request.timeouts.first_byte = request.timeouts.idle = request.timeouts.total = no_limit;
    request.timeouts.least_bytes = 0;
    request.limits.body = options.limits.bytes;
    request.limits.stream = options.stream_bytes;
    return request;
}
net::HttpRequest HttpCore::head_of(const Request& request, const SendOptions& sending) const {
    const auto* version = find_meta(request.params, meta::version);
    const bool modern = version && version->is_string();
    auto http = head("POST",
                     modern                                 ? version->get_ref<const std::string&>()
                     : request.method == method::initialize ? std::string()
                                                            : agreed,
                     !modern && request.method != method::initialize);
    http.headers.push_back({"Content-Type", "application/json"});
    http.headers.push_back({"Accept", "application/json, text/event-stream"});
    http.once = request.method == method::call_tool;
    if (sending.stays) http.limits.stream = std::size_t(1) << 40;
    http.body = write(request);
    if (!modern) return http;
    http.headers.push_back({"Mcp-Method", request.method});
    const auto* key = key_of_name(request.method);
    if (const auto at = key ? request.params.find(key) : request.params.end();
        at != request.params.end() && at->is_string())
        http.headers.push_back({"Mcp-Name", header_value(at->get_ref<const std::string&>())});
    for (const auto& [name, value] : sending.headers) http.headers.push_back({name, header_value(value)});
    return http;
}

void HttpCore::unusable(const std::string& why) const {
    throw TransportError(TransportFailure::unusable, who() + " " + why);
}
void HttpCore::broken(const Error& error) const {
    auto trouble = TransportFailure::ended;
    const char* what = " broke off the connection: ";
    if (const auto* net = dynamic_cast<const net::NetError*>(&error)) switch (net->failure()) {
        case net::Failure::name_lookup:
        case net::Failure::name_service:
        case net::Failure::connect:
        case net::Failure::proxy_refused:
        case net::Failure::tls_refused:
        case net::Failure::tls_failed: trouble = TransportFailure::unreachable; break;
        case net::Failure::timed_out:
            if (net->phase() == net::TimeoutPhase::connect) trouble = TransportFailure::unreachable;
            break;
        case net::Failure::protocol:
        case net::Failure::too_large: trouble = TransportFailure::unusable; break;
        case net::Failure::reset:
        case net::Failure::truncated: break;
        }
    if (trouble == TransportFailure::unreachable) what = " cannot be reached: ";
    if (trouble == TransportFailure::unusable) what = " sent an answer that cannot be used: ";
    throw TransportError(trouble, who() + what + error.what());
}
awaitable<std::string> HttpCore::body_of(net::HttpStream& stream) {
    auto reading = stream.read_up_to(stream.status() < 300 ? options.limits.bytes + 1 : most_of_error_page);
    co_return co_await std::move(reading);
}
/// A response with an error and no id can only belong to this request.
bool HttpCore::answers(const Response& response, const Id& id) {
    return response.id ? *response.id == id || as_number(*response.id) == id : response.error() != nullptr;
}
void HttpCore::other_id(const Response& response, const Id& wanted) const {
    unusable("answered the request " + text_of(wanted) + " with the id " +
             (response.id ? quoted(text_of(*response.id), 80) : "null") + ": an answer has the id of its request");
}
std::optional<Response> HttpCore::answer_in(const std::string& body, const Id& id, unsigned status) {
    auto read = read_message(body, options.limits);
    auto* message = std::get_if<RpcMessage>(&read);
    if (message) redactor_.clean(*message);
    auto* response = message ? std::get_if<Response>(message) : nullptr;
    if (!response) return {};
    if (!answers(*response, id)) {
        if (status < 300) other_id(*response, id);
        return {};
    }
    response->id = id;
    return std::move(*response);
}
std::string HttpCore::shown(std::string text) const {
    redactor_.clean(text);
    return quoted(text, 200);
}
/// Whether a server does not know the request's session, but does not answer 404 or 410.
bool HttpCore::denies_session(unsigned status, std::string_view body) const {
    const bool is_success = status >= 200 && status < 300;
    if (status != 400 && (!is_success || body.size() > longest_denial)) return false;
    const auto read = read_message(std::string(body), options.limits);
    const auto* message = std::get_if<RpcMessage>(&read);
    const auto* response = message ? std::get_if<Response>(message) : nullptr;
    if (response && response->id && std::holds_alternative<std::int64_t>(*response->id))
        return false;  // the server has processed and refused the request; some put a word into the error's id
    const auto words = lower(body);
    const bool names_session = words.find("session") != words.npos;
    if (status == 400) return (response && response->error()) || names_session;
    // After a success status the request may have been executed. Only these words deny that.
    const bool is_denial = std::ranges::any_of(denials, [&](auto denial) { return words.find(denial) != words.npos; });
    return names_session && is_denial && (!message || (response && response->error()));
}
void HttpCore::lose_session(const std::string& session, const std::string& how) {
    if (session_ == session) {  // otherwise there is a new session already
        session_.clear();
        if (listener) listener->ended(who() + how);
    }
    throw TransportError(TransportFailure::session_lost, who() + how);
}
void HttpCore::refuse(unsigned status, const net::HttpHeaders& headers, const std::string& body,
                      const std::string& session) {
    const auto answered = who() + " answered with the HTTP status " + std::to_string(status);
    const auto said = shown(body);
    const auto words = said.empty() ? std::string() : ": " + said;
    const bool has_token = !options.token.empty() || holds_secret(options.headers);
    if (status == 401)
        throw TransportError(TransportFailure::needs_token,
                             who() + (has_token ? " does not accept this token: " : " wants a token: ") +
                                 (options.token_hint.empty() ? std::string("set one") : options.token_hint) +
                                 "; signing in by browser is not supported");
    if (status == 403) {
        const auto scope = shown(challenge_value(net::find_header(headers, "WWW-Authenticate"), "scope"));
        throw TransportError(TransportFailure::forbidden,
                             who() + " does not allow this" +
                                 (scope.empty() ? words : ": the token has to have the scope " + scope));
    }
    if (is_gone(status) && !session.empty()) lose_session(session, " has forgotten the session");
    if (status >= 300 && status < 400)
        throw TransportError(TransportFailure::failed, answered + ", a redirect to " +
                                                           shown(std::string(net::find_header(headers, "Location"))) +
                                                           ", which is not followed: use the address itself");
    throw TransportError(status >= 500 ? TransportFailure::failed : TransportFailure::refused, answered + words);
}
void HttpCore::take_session(const net::HttpHeaders& headers) {
    const auto id = net::find_header(headers, "Mcp-Session-Id");
    if (!is_visible(id) || id.size() > longest_session) unusable("gave an id of a session that cannot be used");
    session_ = id;
}
}
