// A run's progress for a client that requests it: by the run's streamed events, else by its fan-outs.
#include "engine/asio.hpp"
#include "engine/timeout.hpp"
#include "tests/mcp/server/asking.hpp"
#include "workflows/mcp/run_offer.hpp"
#include <boost/asio/post.hpp>

using namespace weft;
using namespace weft::mcp_server;
using nlohmann::json;
using testing::Asking;

namespace {
struct LotEvent : StartEvent {
    int parts = 0;
    bool streams = false;
};
BOOST_DESCRIBE_STRUCT(LotEvent, (), (parts, streams))
struct PartEvent {
    int number = 0;
    bool streams = false;
};
struct PartNoteEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(PartNoteEvent, (), (number))
struct PartDoneEvent {};
struct LotDoneEvent : StopEvent {
    int parts = 0;
};
BOOST_DESCRIBE_STRUCT(LotDoneEvent, (), (parts))

std::vector<PartEvent> divide(Context&, LotEvent lot) {
    std::vector<PartEvent> parts;
    for (int i = 1; i <= lot.parts; ++i) parts.push_back({i, lot.streams});
    return parts;
}
awaitable<PartDoneEvent> do_part(Context& ctx, PartEvent part) {  // later parts take more turns of the loop
    const auto& executor = co_await this_executor();
    for (int i = 0; i < 2 * part.number; ++i) co_await asio::post(executor, asio::deferred);
    if (part.streams) ctx.stream(PartNoteEvent{part.number});
    co_return PartDoneEvent{};
}
LotDoneEvent collect(Context&, std::vector<PartDoneEvent> all) { return {.parts = int(all.size())}; }
constexpr auto in_branches = workflow("in_branches", step<divide>, step<do_part>.workers(100), step<collect>);

struct Offered {
    Offered() { core.add(offer_run(server::offer(engine, in_branches))); }
    ~Offered() { core.leave(); }
    /// Returns the notes that the client gets during a run of three parts.
    std::vector<json> told(bool streams, bool wants = true) {
        json call = {{"name", "in_branches"}, {"arguments", {{"parts", 3}, {"streams", streams}}}};
        call["_meta"] = testing::modern_meta();
        if (wants) call["_meta"]["progressToken"] = "t";
        CHECK(client.modern("tools/call", call)["structuredContent"]["parts"] == 3);
        std::vector<json> all;
        for (const auto& each : client.told) all.push_back(each.params);
        return all;
    }
    Engine engine;
    Core core{CoreOptions()};
    Asking client{core, engine};
};
void check_rises(const std::vector<json>& told) {
    for (std::size_t i = 1; i < told.size(); ++i) CHECK(told[i]["progress"] > told[i - 1]["progress"]);
}
}

TEST_CASE("a client gets the number of settled branches when the run streams no other event") {
    Offered world;

    const auto told = world.told(false);

    REQUIRE(told.size() > 1);
    CHECK(told[0] == json{{"progressToken", "t"}, {"progress", 0}, {"total", 3}, {"message", "0 of 3 branches"}});
    CHECK(told[1]["total"] == 3);
    check_rises(told);
}
TEST_CASE("a client gets the run's events, and no further number of branches, when the run streams events") {
    Offered world;

    const auto told = world.told(true);

    REQUIRE(told.size() == 4);
    CHECK(told[0]["message"] == "0 of 3 branches");
    CHECK(told[1]["message"] == "part note");
    CHECK(told[3] == json{{"progressToken", "t"}, {"progress", 3}, {"message", "part note"}});
    check_rises(told);
}
TEST_CASE("a client gets no progress when it has not requested it") {
    Offered world;

    CHECK(world.told(false, false).empty());
}
