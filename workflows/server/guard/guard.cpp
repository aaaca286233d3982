// Compares all secrets of a list even after a match, so that the time does not reveal the match.
#include "workflows/server/guard/guard.hpp"
#include "engine/error.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/server/guard/origin.hpp"
#include <algorithm>
#include <sys/random.h>

namespace weft::server {
namespace {
constexpr std::size_t most_sessions = 100, most_codes = 10, longest_token = 4096;
using net::find_header;

constexpr std::string_view asks_method = "Access-Control-Request-Method",
                           asks_headers = "Access-Control-Request-Headers",
                           asks_network = "Access-Control-Request-Private-Network";
/// Response headers that pages of other origins may read.
constexpr std::string_view exposed = "Location, MCP-Session-Id, Retry-After, WWW-Authenticate, x-should-retry";

GuardOptions normal(GuardOptions options) {
    for (auto& host : options.hosts) host = normal_host(host);
    for (auto& origin : options.origins) origin = normal_origin(origin);
    return options;
}
bool is_name(std::string_view text) {  // a method's or a header's
    constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return !text.empty() &&
           std::ranges::all_of(text, [&](char c) { return is_letter_or_digit(c) || others.find(c) != others.npos; });
}
/// The list, with the valid names of the request added.
std::string with_asked(std::string list, std::string_view asked) {
    while (!asked.empty()) {
        const auto one = trimmed(cut_at(asked, ','));
        const bool is_known = (", " + lower(list) + ',').find(", " + lower(one) + ',') != std::string::npos;
        if (is_name(one) && !is_known) (list += ", ") += one;
    }
    return list;
}
std::string_view cookie_of(const net::IncomingRequest& request, std::string_view name) {
    std::string_view all = find_header(request.headers, "Cookie");
    while (!all.empty()) {
        const auto one = trimmed_front(cut_at(all, ';'), " ");
        if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) return one.substr(name.size() + 1);
    }
    return {};
}
bool is_json(std::string_view type) {
    const auto media = lower(type.substr(0, type.find(';')));
    return media == "application/json" || media == "application/json ";
}
}

bool equal_in_constant_time(std::string_view secret, std::string_view given) {
    unsigned difference = secret.size() == given.size() ? 0 : 1;
    for (std::size_t i = 0; i < given.size(); ++i)
        difference |= static_cast<unsigned char>(given[i]) ^
                      static_cast<unsigned char>(secret.empty() ? 0 : secret[i % secret.size()]);
    return difference == 0;
}
std::string random_text(std::size_t characters) {
    static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    thread_local unsigned char bytes[256];  // one system call costs as much as a run of hello
    thread_local std::size_t used = sizeof bytes;
    std::string text;
    while (text.size() < characters) {
        if (used == sizeof bytes) {
            if (::getrandom(bytes, sizeof bytes, 0) != ssize_t(sizeof bytes))
                throw Error(Code::configuration,
                            "the system returned no random numbers, so the server cannot make a secret");
            used = 0;
        }
        const auto byte = std::exchange(bytes[used++], 0);
        if (byte < 248) text += letters[byte % letters.size()];  // 248 = 4 * 62: each letter is equally likely
    }
    return text;
}

Guard::Guard(GuardOptions options) : options_(normal(std::move(options))) {}
bool Guard::is_own_host(std::string_view host) const {
    const auto name = host_name_in(host);
    if (!name) return false;
    for (const auto* own : {"localhost", "127.0.0.1", "[::1]"})
        if (*name == own) return true;
    return std::ranges::find(options_.hosts, *name) != options_.hosts.end();
}
bool Guard::is_allowed_origin(std::string_view origin) const {
    return std::ranges::find(options_.origins, lower(origin)) != options_.origins.end();
}
std::optional<std::size_t> Guard::find_caller(const net::IncomingRequest& request) const {
    if (!has_tokens()) return 0;
    constexpr std::string_view bearer = "bearer ";
    const auto header = find_header(request.headers, "Authorization");
    const auto given = equal_ignoring_case(header.substr(0, bearer.size()), bearer) ? header.substr(bearer.size()) : "";
    const auto session = cookie_of(request, cookie);
    std::optional<std::size_t> found;
    if (given.size() > longest_token || session.size() > longest_token) return found;
    for (std::size_t i = 0; i < options_.tokens.size(); ++i)
        if (equal_in_constant_time(options_.tokens[i], given) && !given.empty()) found = i + 1;
    const auto now = real_clock().now();
    for (const auto& known : sessions_)
        if (equal_in_constant_time(known.text, session) && known.until > now) found = known.caller;
    return found;
}

std::optional<Refusal> Guard::check(const net::IncomingRequest& request, Access access, std::size_t& caller) const {
    if (auto refusal = check_head(request, access, caller)) return refusal;
    const auto encoding = lower(trimmed(find_header(request.headers, "Content-Encoding")));
    if (!request.body.empty() && !encoding.empty() && encoding != "identity")
        return Refusal{415,
                       "the body has the Content-Encoding " + excerpt(encoding, 60) +
                           ", which this server does not decode: send the body without it",
                       {{"Accept-Encoding", "identity"}}};
    if (request.method == "POST" && !is_json(find_header(request.headers, "Content-Type")) &&
        !(request.body.empty() && find_header(request.headers, "Content-Type").empty()))
        return Refusal{415, "the body has to be JSON, with Content-Type: application/json", {}};
    return {};
}
std::optional<Refusal> Guard::check_head(const net::IncomingRequest& request, Access access,
                                         std::size_t& caller) const {
    const auto host = find_header(request.headers, "Host"), origin = find_header(request.headers, "Origin");
    if (access == Access::anybody || (request.method == "OPTIONS" && origin.empty())) return {};
    if (host.empty())  // a proxy may have removed the Host header
        return Refusal{
            400, "the request has no Host: send the header Host with the name or address of this server", {}};
    if (!is_own_host(host))
        return Refusal{403, "the Host header names no host of this server: add the name to the allowed hosts", {}};
    if (!origin.empty() && !is_allowed_origin(origin) && !is_origin_of(origin, host))
        return Refusal{403, "pages of this origin may not call this server: add it to the allowed origins", {}};
    const auto found = find_caller(request);
    caller = found.value_or(0);
    if (access == Access::token && request.method != "OPTIONS" && !found)
        return Refusal{401, "a token is needed: Authorization: Bearer TOKEN", {{"WWW-Authenticate", "Bearer"}}};
    return {};
}
net::HttpHeaders Guard::cors(const net::IncomingRequest& request) const {
    if (options_.origins.empty()) return {};
    net::HttpHeaders headers{{"Vary", "Origin"}};
    const auto origin = find_header(request.headers, "Origin");
    if (!is_allowed_origin(origin)) return headers;
    headers.push_back({"Access-Control-Allow-Origin", std::string(origin)});
    headers.push_back({"Access-Control-Allow-Credentials", "true"});
    headers.push_back({"Access-Control-Expose-Headers", std::string(exposed)});
    if (request.method != "OPTIONS") return headers;
    const auto methods = with_asked("GET, HEAD, POST, DELETE", find_header(request.headers, asks_method));
    const auto names = with_asked("Authorization, Content-Type, Last-Event-ID, traceparent, tracestate",
                                  find_header(request.headers, asks_headers));
    headers.push_back({"Access-Control-Allow-Methods", methods});
    headers.push_back({"Access-Control-Allow-Headers", names});
    if (!find_header(request.headers, asks_network).empty())
        headers.push_back({"Access-Control-Allow-Private-Network", "true"});
    headers.push_back({"Access-Control-Max-Age", "600"});
    return headers;
}
void Guard::lend(std::deque<TemporaryToken>& all, std::size_t most, Duration time) {
    all.push_back({random_text(40), real_clock().after(time), ++lent_});
    if (all.size() > most) all.pop_front();
}
std::string Guard::login_code() {
    if (!has_tokens()) return {};
    lend(codes_, most_codes, std::chrono::minutes(10));
    return codes_.back().text;
}
std::optional<std::string> Guard::log_in(const std::string& code) {
    auto used = codes_.end();
    for (auto at = codes_.begin(); at != codes_.end(); ++at)
        if (equal_in_constant_time(at->text, code) && at->until > real_clock().now()) used = at;
    if (used == codes_.end()) return {};
    codes_.erase(used);
    lend(sessions_, most_sessions, std::chrono::hours(24 * 30));
    return sessions_.back().text;
}
}
