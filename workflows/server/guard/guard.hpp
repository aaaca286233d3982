// Access to a server, by its hosts, origins and tokens.
//
//     Guard guard({.hosts = {"localhost"}, .tokens = {"..."}});
//     std::size_t caller = 0;
//     if (const auto refusal = guard.check(request, Access::token, caller)) ...     // a status and a sentence
//
// The Host header has to name an allowed host, so that a foreign page whose name resolves to this server gets nothing
// (DNS rebinding). The health check is open to all, because monitors use the server's address. An Origin, which
// browsers send, has to be the server's own or an allowed one, and POST has to be JSON, so that a foreign page cannot
// post (CSRF). The guard compares tokens in constant time. Pages cannot send a token: login_code() makes a link that
// works once and sets a cookie.
#pragma once
#include "engine/clock.hpp"
#include "engine/net/http_server.hpp"
#include <deque>
#include <map>
#include <optional>
#include <set>

namespace weft::server {
/// The hosts, origins and tokens that a server accepts.
struct GuardOptions {
    std::vector<std::string> hosts = {};    // allowed besides localhost, 127.0.0.1 and [::1]; without a port
    std::vector<std::string> origins = {};  // allowed besides the server's own: https://app.example
    std::vector<std::string> tokens = {};   // empty: no request needs a token
};
/// The demands of a route on its requests.
enum class Access {
    anybody,  // none: any Host and Origin, and no token
    open,     // an allowed Host and Origin
    token     // also a token, if the server has any
};
/// The response to a request that the guard refuses.
struct Refusal {
    unsigned status;
    std::string detail;        // a sentence for the client
    net::HttpHeaders headers;  // further ones, such as WWW-Authenticate
};
class Guard {
public:
    /// Throws Error{configuration} for hosts and origins that can never match.
    explicit Guard(GuardOptions);
    /// Sets `caller` to the number of the request's token or cookie, which distinguishes callers; 0 without a token, or
    /// if the server needs none.
    std::optional<Refusal> check(const net::IncomingRequest&, Access, std::size_t& caller) const;
    /// The checks that need no body.
    std::optional<Refusal> check_head(const net::IncomingRequest&, Access, std::size_t& caller) const;
    /// Whether Access::token demands a token.
    bool has_tokens() const { return !options_.tokens.empty(); }
    /// Headers that let pages of allowed origins read the response, and that answer their preflight requests.
    net::HttpHeaders cors(const net::IncomingRequest&) const;

    /// The code after /login/ in a link. It works once, for ten minutes; empty without tokens.
    std::string login_code();
    /// The value of the cookie for a valid code. It is valid for thirty days, or until the server ends.
    std::optional<std::string> log_in(const std::string& code);
    static constexpr std::string_view cookie = "weft_session";

private:
    std::optional<std::size_t> find_caller(const net::IncomingRequest&) const;
    bool is_own_host(std::string_view host) const;
    bool is_allowed_origin(std::string_view origin) const;
    struct TemporaryToken {
        std::string text;
        Clock::Time until;
        std::size_t caller;
    };
    void lend(std::deque<TemporaryToken>&, std::size_t most, Duration);
    std::size_t lent_ = 1'000'000;  // callers with a cookie have numbers above those of the tokens
    const GuardOptions options_;
    std::deque<TemporaryToken> codes_, sessions_;  // the newest last
};
/// Compares both texts in a time that depends only on the length of the given one.
bool equal_in_constant_time(std::string_view secret, std::string_view given);
/// This number of random letters and digits, which cannot be guessed.
std::string random_text(std::size_t characters);
}
