// The service checks a request, finds its route, and turns an error of the route into a reply if none has begun.
#include "workflows/server/service.hpp"
#include "engine/error.hpp"
#include "engine/json/line.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/server/openai/error.hpp"
#include "workflows/server/runs/envelope.hpp"
#include <algorithm>

namespace weft::server {
namespace {
using nlohmann::json;
constexpr std::size_t most_buckets = 10'000;
constexpr JsonLimits limits_of_bodies{.bytes = 16u << 20, .depth = 64};

bool match(std::string_view pattern, const std::vector<std::string>& path, std::vector<std::string>& parts) {
    parts.clear();
    pattern.remove_prefix(1);
    for (const auto& part : path) {
        if (pattern.empty()) return false;
        const auto expected = cut_at(pattern, '/');
        if (expected == "{}") {
            if (part.empty()) return false;
            parts.push_back(part);
        } else if (expected != part) return false;
    }
    return pattern.empty();
}
/// The route of the call. Without one returns null, and `allowed` has the methods of the path.
const Route* find_route(RouteCall& call, std::string& allowed) {
    const auto& method = call.request.method == "HEAD" ? std::string("GET") : call.request.method;
    for (const auto& route : routes()) {
        if (!match(route.pattern, call.target.path, call.parts)) continue;
        if (route.method == method) return &route;
        allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
        if (route.method == "GET") allowed += ", HEAD";
    }
    return nullptr;
}
/// Whether the parameter only avoids caches, or marks the origin of a link.
bool has_no_effect(std::string_view parameter) {
    for (const auto* name : {"_", "_t", "t", "ts", "cb"})
        if (parameter == name) return true;
    return parameter.starts_with("utm_");
}
/// Refuses unknown parameters: a misspelled filter would let everything through.
void check_parameters(const Route& route, const Target& target) {
    const auto known = route.parameters;
    if (route.access != Access::token || (known.size() == 1 && known[0] == any_parameter[0])) return;
    for (const auto& [name, value] : target.query)
        if (!has_no_effect(name) && std::ranges::find(known, name) == known.end())
            refuse_unknown("the query has a parameter", name, known);
}
OpenaiError as_openai(const Problem& problem) {
    OpenaiError error{.status = int(problem.status), .message = problem.what()};
    if (problem.status == 401) return openai_unauthorized();
    if (problem.status == 429) return openai_too_busy(1);
    if (problem.status >= 500) error.type = "server_error";
    return error;
}
}

bool RateLimit::take(std::size_t caller, Clock::Time now) {
    if (per_second_ == 0) return true;
    if (buckets_.size() > most_buckets) buckets_.clear();  // each login adds a caller
    auto& bucket = buckets_[caller];
    const auto most = double(per_second_);
    const std::chrono::duration<double> since = now - bucket.at;
    bucket.left = bucket.at == Clock::Time() ? most : std::min(most, bucket.left + since.count() * most);
    bucket.at = now;
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
}

json RouteCall::body() const {
    if (request.body.empty()) return json::object();
    json body;
    try {
        body = parse_json(request.body, limits_of_bodies);
    } catch (const Error& error) { throw Problem(400, std::string("the body cannot be read: ") + error.what()); }
    if (!body.is_object()) throw Problem(400, "the body has to be a JSON object");
    return body;
}
const std::string* RouteCall::parameter(std::string_view name) const {
    const auto* value = target.first(name);
    for (const auto& other : target.all(name))
        if (other != *value)
            throw Problem(400, std::string(name) + ": it has two values, \"" + excerpt(*value, 60) + "\" and \"" +
                                   excerpt(other, 60) + "\": send one of them");
    return value;
}
bool RouteCall::flag(std::string_view name, bool otherwise) const {
    const auto* value = parameter(name);
    if (!value) return otherwise;
    for (const auto* yes : {"true", "1", "yes", "on"})
        if (equal_ignoring_case(*value, yes)) return true;
    for (const auto* no : {"false", "0", "no", "off"})
        if (equal_ignoring_case(*value, no)) return false;
    throw Problem(400, std::string(name) + ": expected true or false, got \"" + excerpt(*value, 60) + '"');
}
net::HttpHeaders RouteCall::headers(std::string_view content_type) const {
    net::HttpHeaders headers;
    headers.reserve(6 + cors.size());
    headers.push_back({"Content-Type", std::string(content_type)});
    headers.push_back({"Cache-Control", "no-store"});
    headers.push_back({"X-Content-Type-Options", "nosniff"});
    headers.push_back({"Referrer-Policy", "no-referrer"});
    headers.insert(headers.end(), cors.begin(), cors.end());
    return headers;
}
awaitable<void> reply_text(RouteCall& call, unsigned status, std::string_view content_type, std::string text,
                           net::HttpHeaders more) {
    net::HttpReply answer{.status = status, .headers = call.headers(content_type), .body = std::move(text)};
    if (status == 204) std::erase_if(answer.headers, [](const auto& h) { return h.name == "Content-Type"; });
    std::ranges::move(more, std::back_inserter(answer.headers));
    call.status = status;
    return call.exchange.respond(std::move(answer));
}
awaitable<void> reply(RouteCall& call, unsigned status, json body) {
    return reply_text(call, status, "application/json", json_line(body));
}
awaitable<void> reply(RouteCall& call, unsigned status, const nlohmann::ordered_json& body) {
    return reply_text(call, status, "application/json", json_line(body));
}
bool is_openai(const net::IncomingRequest& request) {
    std::vector<std::string> parts;  // lower case, without empty parts
    for (auto rest = std::string_view(request.target).substr(0, request.target.find('?')); !rest.empty();)
        if (const auto part = cut_at(rest, '/'); !part.empty()) parts.push_back(lower(part));
    if (parts.empty()) return false;
    constexpr std::string_view first[] = {"v1",         "openai", "chat",   "completions", "responses", "models",
                                          "embeddings", "audio",  "images", "moderations", "files",     "batches"};
    if (std::ranges::find(first, parts[0]) != std::end(first)) return true;
    for (const auto& route : routes())  // a run's id may be v1, too
        if (route.pattern.substr(1, route.pattern.find('/', 1) - 1) == parts[0]) return false;
    return parts.size() > 1 && (std::ranges::find(parts, "v1") != parts.end() ||
                                (parts.back() == "completions" && parts[parts.size() - 2] == "chat"));
}
awaitable<void> reply_problem(RouteCall& call, const Problem& problem) {
    if (!is_openai(call.request)) {
        const json body = {{"detail", repair_utf8(problem.what())}};
        return reply_text(call, problem.status, "application/json", json_line(body), problem.headers);
    }
    return reply_openai_error(call, as_openai(problem), problem.headers);
}
awaitable<void> reply_openai_error(RouteCall& call, const OpenaiError& error, net::HttpHeaders headers) {
    for (auto& [name, value] : openai_headers(error))
        if (name != "Content-Type" && net::find_header(headers, name).empty()) headers.push_back({name, value});
    return reply_text(call, unsigned(error.status), "application/json", openai_body(error), std::move(headers));
}

Store& store_of(Service& service, std::string_view what) {
    if (!service.options.store) throw Problem(404, "this server has no store, and so no " + std::string(what));
    return *service.options.store;
}
void refuse_unknown(std::string_view holder, std::string_view name, std::span<const std::string_view> known) {
    throw Problem(400, std::string(holder) + " \"" + excerpt(name, 60) + "\", which is unknown: expected " +
                           (known.empty() ? "none" : with_commas(known)));
}
const std::vector<Route>& routes() {
    static const auto all = [] {
        std::vector<Route> table;
        for (const auto part : {workflow_routes(), run_routes(), event_routes(), queue_routes(), schedule_routes(),
                                openai_routes(), page_routes()})
            table.insert(table.end(), part.begin(), part.end());
        return table;
    }();
    return all;
}

Service::Service(Engine& e, std::vector<ServedWorkflow> workflows, ServerOptions o)
    : options(std::move(o)),
      runs(std::make_shared<ServedRuns>(
          e, std::move(workflows), RunsOptions{.store = options.store, .limits = options.runs, .note = options.note})),
      guard(options.guard),
      engine(e),
      models(openai_models(runs->workflows())),
      created(std::chrono::duration_cast<std::chrono::seconds>(real_clock().wall().time_since_epoch()).count()),
      rate_(options.requests_per_second) {}

awaitable<void> Service::handle(net::HttpExchange& exchange) {
    const auto self = shared_from_this();
    const auto& request = exchange.request();
    auto target = parse_target(request.target);
    const bool is_path = target.has_value();
    if (!target) target.emplace();
    RouteCall call{
        .exchange = exchange, .request = request, .target = *target, .parts = {}, .cors = guard.cors(request)};
    std::optional<Problem> problem;
    std::optional<OpenaiError> refused;
    std::string allowed;
    const auto* route = is_path ? find_route(call, allowed) : nullptr;
    const bool other_method = !allowed.empty();
    try {
        if (const auto refusal = guard.check(request, route ? route->access : Access::token, call.caller))
            throw Problem(refusal->status, refusal->detail, refusal->headers);
        if (!is_path && request.target != "*") throw Problem(400, "the path or the query of the request is malformed");
        if (request.method == "OPTIONS") {
            net::HttpHeaders allow{{"Allow", other_method ? allowed : "GET, HEAD, POST, OPTIONS"}};
            auto none = reply_text(call, 204, "", "", std::move(allow));
            co_return co_await std::move(none);
        }
        if (!route && is_openai(request))
            throw OpenaiRefusal(other_method ? openai_wrong_method(request.method, request.target)
                                             : openai_no_route(request.method, request.target));
        if (!route && other_method) throw Problem(405, "Method Not Allowed", {{"Allow", allowed}});
        if (!route) throw Problem(404, "Not Found");
        if (route->access == Access::token && !rate_.take(call.caller, real_clock().now()))
            throw Problem(429,
                          "too many requests: at most " + std::to_string(options.requests_per_second) + " a second",
                          {{"Retry-After", "1"}});
        check_parameters(*route, *target);
        auto acting = route->act(*this, call);
        co_await std::move(acting);
    } catch (const Problem& error) { problem = error; } catch (const OpenaiRefusal& error) {
        refused = error.error();
    } catch (const Error& error) { problem.emplace(error.code() == Code::journal ? 503 : 500, error.what()); }
    if ((problem || refused) && exchange.begun()) exchange.break_off();
    else if (problem || refused) {
        auto answering = refused ? reply_openai_error(call, *refused) : reply_problem(call, *problem);
        co_await std::move(answering);
    }
    ++answered_[{route ? route->pattern : std::string_view("other"), call.status}];
}
std::optional<net::HttpReply> Service::look_at_head(const net::IncomingRequest& request) const {
    const auto path = std::string_view(request.target).substr(0, request.target.find('?'));
    // No other open route takes a body.
    const auto access = path == "/health" ? Access::anybody : path == "/" ? Access::open : Access::token;
    std::size_t caller = 0;
    const auto refusal = guard.check_head(request, access, caller);
    if (!refusal) return {};
    auto reply = refuse(request, refusal->status, refusal->detail);
    std::ranges::copy(refusal->headers, std::back_inserter(reply.headers));
    return reply;
}
net::HttpReply Service::refuse(const net::IncomingRequest& request, unsigned status, const std::string& detail) const {
    const json body = {{"detail", detail}};
    net::HttpReply reply{.status = status, .headers = guard.cors(request), .body = json_line(body)};
    if (is_openai(request)) reply.body = openai_body(as_openai(Problem(status, detail)));
    reply.headers.push_back({"Content-Type", "application/json"});
    return reply;
}
std::string Service::request_metrics() const {
    std::string text = "# HELP weft_http_requests_total Requests by route and status.\n"
                       "# TYPE weft_http_requests_total counter\n";
    for (const auto& [key, count] : answered_)
        text += "weft_http_requests_total{route=\"" + std::string(key.first) + "\",status=\"" +
                std::to_string(key.second) + "\"} " + std::to_string(count) + "\n";
    return text;
}
}
