// The data and the replies of a server's routes. Internal to workflows/server.
//
//     awaitable<void> get_health(Service&, RouteCall& call) {
//         return reply(call, 200, nlohmann::json{{"status", "healthy"}});
//     }
//
// A route refuses a request by throwing Problem. Any other error becomes 500 (503 from the store) with its sentence.
#pragma once
#include "workflows/server/openai/error.hpp"
#include "workflows/server/openai/models.hpp"
#include "workflows/server/runs/problem.hpp"
#include "workflows/server/server.hpp"
#include "workflows/server/target.hpp"
#include <span>

namespace weft::server {
class RateLimit {
public:
    explicit RateLimit(std::size_t per_second) : per_second_(per_second) {}
    /// Counts a request. False if the caller has used up the requests of this second.
    bool take(std::size_t caller, Clock::Time now);

private:
    struct Bucket {
        double left = 0;
        Clock::Time at{};
    };
    const std::size_t per_second_;
    std::unordered_map<std::size_t, Bucket> buckets_;
};
class Service : public std::enable_shared_from_this<Service> {
public:
    Service(Engine&, std::vector<ServedWorkflow>, ServerOptions);
    awaitable<void> handle(net::HttpExchange&);
    /// The refusal of a request by its head alone; std::nullopt to read the body.
    std::optional<net::HttpReply> look_at_head(const net::IncomingRequest&) const;
    /// The refusal of a request that could not be read.
    net::HttpReply refuse(const net::IncomingRequest&, unsigned status, const std::string& detail) const;
    /// Counts of requests by the pattern of their route and the status, in Prometheus' format.
    std::string request_metrics() const;

    const ServerOptions options;
    const std::shared_ptr<ServedRuns> runs;
    Guard guard;
    Engine& engine;
    const std::vector<OpenaiModel> models;
    const std::int64_t created;  // start of the server, in seconds since 1970
    std::uint16_t port = 0;
    std::map<std::string, std::string> debugger;  // the debugger's files by name; empty: not served
    std::string url() const;
    std::string login_url();  // empty without tokens

private:
    RateLimit rate_;
    std::map<std::pair<std::string_view, unsigned>, std::uint64_t> answered_;
};
/// One request to a route.
struct RouteCall {
    net::HttpExchange& exchange;
    const net::IncomingRequest& request;
    const Target& target;
    std::vector<std::string> parts;  // parts of the path in the places of {}
    net::HttpHeaders cors;
    std::size_t caller = 0;
    unsigned status = 0;  // the reply's
    const std::string& part(std::size_t i) const { return parts[i]; }
    /// The value of a parameter; null if it is missing. Throws Problem if it has two values.
    const std::string* parameter(std::string_view name) const;
    /// A boolean parameter, `otherwise` if it is missing. Throws Problem for any other value.
    bool flag(std::string_view name, bool otherwise) const;
    /// The JSON object of the body; {} for an empty body. Throws Problem.
    nlohmann::json body() const;
    /// The content type and the headers of every reply.
    net::HttpHeaders headers(std::string_view content_type) const;
};
awaitable<void> reply(RouteCall&, unsigned status, nlohmann::json body);
awaitable<void> reply(RouteCall&, unsigned status, const nlohmann::ordered_json& body);
awaitable<void> reply_text(RouteCall&, unsigned status, std::string_view content_type, std::string text,
                           net::HttpHeaders more = {});

struct Route {
    std::string_view method, pattern;  // "/events/{}"
    Access access;
    awaitable<void> (*act)(Service&, RouteCall&);
    /// The query parameters of the route. It refuses others, unless it is a page, /health or under /v1.
    std::span<const std::string_view> parameters = {};
};
inline constexpr std::string_view any_parameter[] = {"*"};
std::span<const Route> workflow_routes();
std::span<const Route> run_routes();
std::span<const Route> event_routes();
std::span<const Route> queue_routes();
std::span<const Route> schedule_routes();
std::span<const Route> openai_routes();
std::span<const Route> page_routes();
/// The store of a route for `what`. Throws Problem 404 if the server has none.
Store& store_of(Service&, std::string_view what);
/// The routes of all tables.
const std::vector<Route>& routes();

/// Throws Problem: HOLDER "NAME", which is unknown: expected ...
[[noreturn]] void refuse_unknown(std::string_view holder, std::string_view name,
                                 std::span<const std::string_view> known);
/// The steps in their order, from the edges, since the outline of a workflow has no other list of them.
std::vector<std::string_view> step_names(const Definition&);

/// The answer to an error: {"detail": ...}, or the form of OpenAI's API for its clients.
awaitable<void> reply_problem(RouteCall&, const Problem&);
awaitable<void> reply_openai_error(RouteCall&, const OpenaiError&, net::HttpHeaders more = {});
/// Whether the request is from a client of OpenAI's API: its path is under /v1, or is a path of such a client whose
/// base URL lacks the final /v1, is Azure's, or has an extra slash.
bool is_openai(const net::IncomingRequest&);
}
