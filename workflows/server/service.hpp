// What the routes of a server work on, and how they answer. Internal to workflows/server.
//
//     awaitable<void> get_health(Service&, Call& call) {
//         nlohmann::json body{{"status", "healthy"}};
//         return reply(call, 200, std::move(body));
//     }
//
// A route throws Problem for what it cannot answer; other errors are told as 500 with their sentence.
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
    /// Whether the caller may ask now: at most so many in a second, and as many at once after a rest.
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
    /// A refusal that needs no body.
    std::optional<net::HttpReply> look_at_head(const net::IncomingRequest&) const;
    /// One of a request that could not be read.
    net::HttpReply refuse(const net::IncomingRequest&, unsigned status, const std::string& detail) const;
    /// For each route, as its pattern has it, how often it was asked and answered with which status.
    std::string request_metrics() const;

    const ServerOptions options;
    const std::shared_ptr<ServedRuns> runs;
    Guard guard;
    Engine& engine;
    const std::vector<OpenaiModel> models;
    const std::int64_t created;  // seconds since 1970: when the server began
    std::uint16_t port = 0;
    std::map<std::string, std::string> debugger;  // its files by their names; empty: it is not served
    std::string url() const;
    std::string login_url();  // empty without tokens

private:
    RateLimit rate_;
    std::map<std::pair<std::string_view, unsigned>, std::uint64_t> answered_;
};
/// A request on its way through a route.
struct Call {
    net::HttpExchange& exchange;
    const net::IncomingRequest& request;
    const Target& target;
    std::vector<std::string> parts;  // of the path, that the route leaves open
    net::HttpHeaders cors;
    std::size_t caller = 0;
    unsigned status = 0;  // of the answer
    const std::string& part(std::size_t i) const { return parts[i]; }
    /// The value of a parameter; null if it is not there. Throws Problem if it has two.
    const std::string* parameter(std::string_view name) const;
    /// Throws Problem for what is neither true nor false.
    bool flag(std::string_view name, bool otherwise) const;
    /// {} for a body that is empty. Throws Problem.
    nlohmann::json body() const;
    /// With those that every answer has.
    net::HttpHeaders headers(std::string_view content_type) const;
};
awaitable<void> reply(Call&, unsigned status, nlohmann::json body);
awaitable<void> reply(Call&, unsigned status, const nlohmann::ordered_json& body);
awaitable<void> reply_text(Call&, unsigned status, std::string_view content_type, std::string text,
                           net::HttpHeaders more = {});

struct Route {
    std::string_view method, pattern;  // "/events/{}"
    Access access;
    awaitable<void> (*act)(Service&, Call&);
    /// Parameters of the query that the route reads: any other is refused, except on pages, by /health and
    /// under /v1, where none has an effect.
    std::span<const std::string_view> parameters = {};
};
inline constexpr std::string_view any_parameter[] = {"*"};
std::span<const Route> workflow_routes();
std::span<const Route> run_routes();
std::span<const Route> event_routes();
std::span<const Route> openai_routes();
std::span<const Route> page_routes();
/// All of them.
const std::vector<Route>& routes();

/// Throws Problem: HOLDER "NAME", which is not known: there are ...
[[noreturn]] void refuse_unknown(std::string_view holder, std::string_view name,
                                 std::span<const std::string_view> known);
/// In their order. The outline of a workflow has them in its edges only.
std::vector<std::string_view> step_names(const Definition&);

/// The answer to an error: {"detail": ...}, or the form of OpenAI's API for its clients.
awaitable<void> reply_problem(Call&, const Problem&);
awaitable<void> reply_openai_error(Call&, const OpenaiError&, net::HttpHeaders more = {});
/// Whether a client of OpenAI's API asks: by a path under /v1, or by one that such clients ask for when their base URL
/// has no /v1 at its end, is one of Azure's, or has a slash too many.
bool is_openai(const net::IncomingRequest&);
}
