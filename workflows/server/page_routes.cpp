// Pages for people: the built-in page, and LlamaIndex's debugger from its package. Fixed tables have the names of all
// files, so that no path of a request reaches a disk.
#include "workflows/server/page_files.hpp"
#include "workflows/server/service.hpp"
#include <algorithm>

namespace weft::server {
namespace {
constexpr std::string_view own_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
// The debugger's style sheet imports a font of another server and embeds a font; its scripts add style elements.
constexpr std::string_view debugger_policy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline' https://fonts.googleapis.com; "
    "font-src 'self' data: https://fonts.gstatic.com; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";
/// The addresses are relative, since a proxy may serve the page below another path.
constexpr std::string_view debugger_page =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Workflow debugger</title>\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<link rel=\"icon\" href=\"favicon.ico\">\n"
    "<link rel=\"stylesheet\" href=\"debugger/app.css\">\n"
    "<script type=\"module\" src=\"page/debugger_base.js\"></script>\n"
    "<script type=\"module\" crossorigin src=\"debugger/app.js\"></script>\n"
    "</head><body><div id=\"root\"></div></body></html>\n";

std::string_view type_of(std::string_view name) {
    if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
    if (name.ends_with(".css")) return "text/css; charset=utf-8";
    if (name.ends_with(".svg")) return "image/svg+xml";
    return "text/html; charset=utf-8";
}
awaitable<void> send_file(RouteCall& call, std::string_view name, std::string text, std::string_view policy) {
    net::HttpHeaders more{{"Content-Security-Policy", std::string(policy)}};
    return reply_text(call, 200, type_of(name), std::move(text), std::move(more));
}
/// Sends a long file in pieces, so that a slow client holds one piece and not the whole file.
awaitable<void> send_long(RouteCall& call, std::string_view name, std::string_view text, std::string_view policy) {
    constexpr std::size_t piece = 64 << 10;
    auto headers = call.headers(type_of(name));
    headers.push_back({"Content-Security-Policy", std::string(policy)});
    call.status = 200;
    auto beginning = call.exchange.begin(200, std::move(headers));
    co_await std::move(beginning);
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
        auto writing = call.exchange.write(std::string(text.substr(0, piece)));
        co_await std::move(writing);
    }
    auto ending = call.exchange.end();
    co_await std::move(ending);
}
awaitable<void> send_own(RouteCall& call, std::string_view name) {
    for (const auto& [known, text] : page_files())
        if (known == name) return send_file(call, name, std::string(text), own_policy);
    throw Problem(404, "Not Found");
}
awaitable<void> get_page(Service&, RouteCall& call) { return send_own(call, "index.html"); }
awaitable<void> get_page_file(Service&, RouteCall& call) { return send_own(call, call.part(0)); }
awaitable<void> get_icon(Service&, RouteCall& call) { return send_own(call, "favicon.svg"); }
awaitable<void> get_debugger(Service& service, RouteCall& call) {
    if (service.debugger.empty()) throw Problem(404, "Not Found");
    return send_file(call, "index.html", std::string(debugger_page), debugger_policy);
}
awaitable<void> get_debugger_file(Service& service, RouteCall& call) {
    const auto at = service.debugger.find(call.part(0));
    if (at == service.debugger.end()) throw Problem(404, "Not Found");
    return send_long(call, at->first, at->second, debugger_policy);
}
awaitable<void> get_login(Service& service, RouteCall& call) {
    if (call.request.method == "HEAD") throw Problem(405, "Method Not Allowed");  // a preview must not use up the link
    const auto session = service.guard.log_in(call.part(0));
    if (!session)
        throw Problem(403, "this login link is used, expired or unknown: POST /logins with a token returns another");
    if (service.options.note) service.options.note("a browser has logged in by the login link");
    net::HttpHeaders more{{"Location", "../"},  // a proxy may serve the page below another path
                          {"Set-Cookie", std::string(Guard::cookie) + "=" + *session +
                                             "; Path=/; HttpOnly; SameSite=Strict" +
                                             (call.request.tls ? "; Secure" : "")}};
    return reply_text(call, 303, "text/plain; charset=utf-8", "", std::move(more));
}
/// Makes a login link for a browser, for a client with a token.
awaitable<void> post_login(Service& service, RouteCall& call) {
    if (!service.guard.has_tokens()) throw Problem(404, "this server needs no token, so there is nothing to log in to");
    return reply(call, 200, nlohmann::json{{"url", service.login_url()}});
}
constexpr Route page_table[] = {
    {"POST", "/logins", Access::token, post_login},
    {"GET", "/", Access::open, get_page},
    {"GET", "/page/{}", Access::open, get_page_file},
    {"GET", "/favicon.ico", Access::open, get_icon},
    {"GET", "/login/{}", Access::open, get_login},
    {"GET", "/debugger", Access::token, get_debugger, any_parameter},
    {"GET", "/debugger/{}", Access::token, get_debugger_file, any_parameter},
};
}
std::span<const Route> page_routes() { return page_table; }
}
