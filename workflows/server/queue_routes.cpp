// Routes of the store's queues, and of the limits of queues and models.
#include "engine/json.hpp"
#include "engine/store/model_flow.hpp"
#include "engine/store_reply.hpp"
#include "steps/models/protocols/model_name.hpp"
#include "workflows/catalog/stored/queue_view.hpp"
#include "workflows/server/service.hpp"
#include <algorithm>

namespace weft::server {
namespace {
using nlohmann::json;
constexpr std::string_view limit_members[] = {"running", "per", "running_per_key", "starts", "seconds"};
constexpr std::string_view model_members[] = {"requests", "tokens", "per"};

void check_limit_members(const json& body, std::span<const std::string_view> known) {
    for (const auto& [name, value] : body.items())
        if (std::ranges::find(known, name) == known.end()) refuse_unknown("the body has a member", name, known);
}
storage::QueueLimits limits_in(json body, const std::string& queue) {
    check_limit_members(body, limit_members);
    auto limits = from_json<storage::QueueLimits>(body, "limits");
    limits.queue = queue;
    return limits;
}
storage::ModelLimit model_limit_in(json body, const std::string& model) {
    check_limit_members(body, model_members);
    body["model"] = models::limited_model(model);
    return from_json<storage::ModelLimit>(body, "limits");
}
awaitable<void> get_queues(Service& service, RouteCall& call) {
    auto& store = store_of(service, "queues");
    auto asking = store_reply<storage::Survey>([&](auto then) { store.survey(std::move(then)); });
    const auto survey = co_await std::move(asking);
    json body = {{"queues", to_json(catalog::view_queues(survey).queues)}};
    auto answering = reply(call, 200, std::move(body));
    co_await std::move(answering);
}
/// Replaces limits by those that `read` returns, and replies with them.
template <class Limits> awaitable<void> replace_limits(RouteCall& call, Store& store,
                                                       Limits (*read)(json, const std::string&),
                                                       void (Store::*set)(Limits, Store::Then<bool>)) {
    json body;
    try {
        auto limits = read(call.body(), call.part(0));
        body = to_json(limits);
        auto asking = store_reply<bool>([&](auto then) { (store.*set)(std::move(limits), std::move(then)); });
        co_await std::move(asking);
    } catch (const Error& error) {
        if (error.code() != Code::usage && error.code() != Code::bad_json) throw;
        throw Problem(400, error.what());
    }
    auto answering = reply(call, 200, std::move(body));
    co_await std::move(answering);
}
/// Replaces all limits of the queue: an empty object removes them.
awaitable<void> post_queue(Service& service, RouteCall& call) {
    return replace_limits(call, store_of(service, "queues"), limits_in, &Store::set_limits);
}
awaitable<void> get_model_limits(Service& service, RouteCall& call) {
    auto& store = store_of(service, "limits of models");
    auto asking = store_reply<std::vector<storage::ModelFlow>>([&](auto then) { store.model_limits(std::move(then)); });
    const auto models = co_await std::move(asking);
    json body = {{"model_limits", to_json(models)}};
    auto answering = reply(call, 200, std::move(body));
    co_await std::move(answering);
}
/// Replaces all limits of the model: an empty object removes them.
awaitable<void> post_model_limit(Service& service, RouteCall& call) {
    return replace_limits(call, store_of(service, "limits of models"), model_limit_in, &Store::set_model_limit);
}
constexpr Route queue_table[] = {
    {"GET", "/queues", Access::token, get_queues},
    {"POST", "/queues/{}", Access::token, post_queue},
    {"GET", "/model-limits", Access::token, get_model_limits},
    {"POST", "/model-limits/{}", Access::token, post_model_limit},
};
}
std::span<const Route> queue_routes() { return queue_table; }
}
