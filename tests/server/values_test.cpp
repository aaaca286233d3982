// "values" of a request: a server accepts them only if it is configured so, and its operator's values have precedence.
#include "tests/support/served_workflows.hpp"
using namespace weft;
using nlohmann::json;
using testing::ServedWorkflows;

namespace {
struct WhoEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(WhoEvent, (), ())
struct WhomEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(WhomEvent, (), (text))
WhomEvent tell(Context& ctx, WhoEvent) {
    return {.text = ctx.values().value("tenant", "none") + "/" + ctx.values().value("user", "none")};
}
inline constexpr auto who = workflow("who", step<tell>);
void offer_who(Engine& engine, std::vector<server::ServedWorkflow>& all) { all.push_back(server::offer(engine, who)); }

testing::Answer ask_who(const server::ServerOptions& options, const json& values) {
    ServedWorkflows world(options, offer_who);
    return world.post("/workflows/who/run", json{{"start_event", json::object()}, {"values", values}}.dump());
}
std::string told(const testing::Answer& answer) { return answer.json().at("result").at("value").at("text"); }
}

TEST_CASE("values of a client are refused, and never ignored, unless the server is configured to accept them") {
    const auto refused = ask_who({}, {{"tenant", "other"}});
    CHECK(refused.status() == 403);
    CHECK(refused.has("your own front end"));
    CHECK_FALSE(refused.has("other"));
    CHECK(told(ask_who({}, nullptr)) == "none/none");
    server::ServerOptions options;
    options.accept_values = true;
    CHECK(told(ask_who(options, {{"tenant", "acme"}})) == "acme/none");
    for (const json& wrong : {json("text"), json::array(), json{{"long", std::string(20 << 10, 'x')}}})
        CHECK(ask_who(options, wrong).status() == 400);
}
TEST_CASE("values of the operator are in every run, and no client changes them") {
    server::ServerOptions options;
    options.values.text = R"({"tenant": "acme"})";
    CHECK(told(ask_who(options, nullptr)) == "acme/none");
    options.accept_values = true;
    CHECK(told(ask_who(options, {{"tenant", "other"}, {"user", "17"}})) == "acme/17");
}
