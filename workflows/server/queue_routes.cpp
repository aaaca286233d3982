// Routes of the store's queues and their limits.
#include "engine/json.hpp"
#include "engine/store_reply.hpp"
#include "workflows/catalog/stored/queue_view.hpp"
#include "workflows/server/service.hpp"
#include <algorithm>

namespace weft::server {
namespace {
using nlohmann::json;
constexpr std::string_view limit_members[] = {"running", "per", "running_per_key", "starts", "seconds"};

storage::QueueLimits limits_in(const json& body, const std::string& queue) {
    for (const auto& [name, value] : body.items())
        if (std::ranges::find(limit_members, name) == std::end(limit_members))
            refuse_unknown("the body has a member", name, limit_members);
    auto limits = from_json<storage::QueueLimits>(body, "limits");
    limits.queue = queue;
    return limits;
}
awaitable<void> get_queues(Service& service, RouteCall& call) {
    auto& store = store_of(service, "queues");
    auto asking = store_reply<storage::Survey>([&](auto then) { store.survey(std::move(then)); });
    const auto survey = co_await std::move(asking);
    json body = {{"queues", to_json(catalog::view_queues(survey).queues)}};
    auto answering = reply(call, 200, std::move(body));
    co_await std::move(answering);
}
/// Replaces all limits of the queue: an empty object removes them.
awaitable<void> post_queue(Service& service, RouteCall& call) {
    auto& store = store_of(service, "queues");
    json body;
    try {
        auto limits = limits_in(call.body(), call.part(0));
        body = to_json(limits);
        auto asking = store_reply<bool>([&](auto then) { store.set_limits(std::move(limits), std::move(then)); });
        co_await std::move(asking);
    } catch (const Error& error) {
        if (error.code() != Code::usage && error.code() != Code::bad_json) throw;
        throw Problem(400, error.what());
    }
    auto answering = reply(call, 200, std::move(body));
    co_await std::move(answering);
}
constexpr Route queue_table[] = {
    {"GET", "/queues", Access::token, get_queues},
    {"POST", "/queues/{}", Access::token, post_queue},
};
}
std::span<const Route> queue_routes() { return queue_table; }
}
