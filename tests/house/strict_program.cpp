// A user's program with all warnings on: it includes the public headers and instantiates their templates. warnings.py
// compiles it with each warning as an error.
#include "engine/all.hpp"
#include "engine/asio.hpp"
#include "engine/context.hpp"
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/event_json.hpp"
#include "engine/fork.hpp"
#include "engine/graph.hpp"
#include "engine/json.hpp"
#include "engine/json_run.hpp"
#include "engine/loop.hpp"
#include "engine/named_step.hpp"
#include "engine/net/http_client.hpp"
#include "engine/net/http_server.hpp"
#include "engine/observer.hpp"
#include "engine/once.hpp"
#include "engine/pool.hpp"
#include "engine/process/process.hpp"
#include "engine/replay.hpp"
#include "engine/run.hpp"
#include "engine/spawn.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/store/postgres_store.hpp"
#include "engine/store/sqlite_store.hpp"
#include "engine/telemetry/metrics.hpp"
#include "engine/telemetry/tracer.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/testing/replays.hpp"
#include "engine/timeout.hpp"
#include "engine/workflow.hpp"
#include "steps/agents/common/answer_form.hpp"
#include "steps/agents/common/approvals.hpp"
#include "steps/agents/common/outcome.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/models/fallback.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/make_tool.hpp"
#include "workflows/react.hpp"
#include "workflows/reflect.hpp"
#include "workflows/tool_agent.hpp"
#include <deque>
#include <map>
#include <set>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct Item {
    std::string name;
    int count = 0;
    auto operator<=>(const Item&) const = default;
};
BOOST_DESCRIBE_STRUCT(Item, (), (name, count))
struct OrderEvent : StartEvent {
    std::vector<Item> items;
    std::chrono::milliseconds patience{0};
    std::chrono::system_clock::time_point placed;
    std::set<Item> gifts;
    std::deque<std::pair<int, bool>> marks;
    std::array<int, 3> code{};
    std::map<std::string, std::variant<int, std::string>> notes;
    std::optional<std::tuple<int, double>> rebate;
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (items, patience, placed, gifts, marks, code, notes, rebate))
struct PackEvent {
    Item item;
};
BOOST_DESCRIBE_STRUCT(PackEvent, (), (item))
struct BoxEvent {
    Item item;
};
BOOST_DESCRIBE_STRUCT(BoxEvent, (), (item))
struct LabelEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(LabelEvent, (), (text))
struct AskEvent : InputRequiredEvent {
    std::string question;
};
BOOST_DESCRIBE_STRUCT(AskEvent, (), (question))
struct ReplyEvent : Answers<AskEvent> {
    bool yes = false;
};
BOOST_DESCRIBE_STRUCT(ReplyEvent, (), (yes))
struct SentEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(SentEvent, (), (text))
struct Packed : Growing<Item> {};
struct Total {
    int count = 0;
    static Total merge(const Total& from, const Total& theirs, const Total& mine) {
        return {theirs.count + mine.count - from.count};
    }
};
BOOST_DESCRIBE_STRUCT(Total, (), (count))
struct Shelf {
    std::string place;
};

awaitable<int> weigh(int count) { co_return count * 2; }

std::variant<std::vector<std::variant<PackEvent, LabelEvent>>, AskEvent> plan(Context& ctx, OrderEvent order) {
    ctx.edit<Total>([&](Total& total) { total.count += int(order.items.size()); });
    if (order.items.empty()) return AskEvent{{}, "nothing to send?"};
    std::vector<std::variant<PackEvent, LabelEvent>> all{LabelEvent{"to Rome"}};
    for (const auto& item : order.items) all.push_back(PackEvent{item});
    return all;
}
awaitable<BoxEvent> pack(Context& ctx, PackEvent event, const Shelf& shelf) {
    auto weighing = weigh(event.item.count);
    event.item.count = co_await ctx.once("weigh", std::move(weighing));
    auto telling = weigh(1);
    const auto told = co_await ctx.at_most_once("tell", std::move(telling));
    co_await sleep_for(1ms);
    ctx.edit<Packed>([&](Packed& packed) { packed.push_back(event.item); });
    event.item.name += shelf.place + std::to_string(told.value_or(0));
    co_return BoxEvent{.item = event.item};
}
SentEvent send(Context& ctx, std::vector<std::variant<BoxEvent, LabelEvent>> boxes) {
    return {.text = std::to_string(boxes.size() + ctx.get<Packed>().size())};
}
SentEvent give_up(Context&, ReplyEvent reply) { return {.text = reply.yes ? "nothing" : "later"}; }
std::optional<BoxEvent> repair(Context&, FailedEvent<PackEvent> failed) { return BoxEvent{.item = failed.event.item}; }
inline constexpr auto shop = workflow("shop", step<plan>, step<pack>.workers(3).retry({.attempts = 2}).timeout(1h),
                                      step<send>, step<give_up>, step<repair>);

struct GoEvent : StartEvent {
    int n = 0;
};
struct LeftEvent {
    int n = 0;
};
struct RightEvent {
    int n = 0;
};
struct DoneEvent : StopEvent {
    int n = 0;
};
std::vector<std::variant<LeftEvent, RightEvent>> split(Context&, GoEvent go) {
    return {LeftEvent{go.n}, RightEvent{go.n}};
}
inline constexpr auto meet = workflow("meet", step<split>,
                                      named_step<"join">([](Context&, LeftEvent left, RightEvent right) -> DoneEvent {
                                          return {.n = left.n + right.n};
                                      }));

struct Wish {
    std::string city;
    std::optional<int> nights;
};
BOOST_DESCRIBE_STRUCT(Wish, (), (city, nights))
std::string price(Wish wish) { return wish.city + std::to_string(wish.nights.value_or(1)); }
template <class R> awaitable<std::string> watch(R run) {
    while (auto event = co_await run.next_event())
        if (event->template get_if<AskEvent>()) run.send(ReplyEvent{.yes = true}, event->question());
    auto sent = co_await run.result();
    co_return sent.text;
}
}

int main() {
    Shelf shelf;
    MemoryStore store;
    Engine engine({.store = &store});
    const auto stored = durable<Packed, Total>(shop.with(shelf));
    const auto text = engine.wait(watch(engine.start(stored, OrderEvent(), {.key = "A"})));
    const auto again = from_json<OrderEvent>(to_json(OrderEvent()));
    auto form = schema<OrderEvent>();
    testing::Recorder recorder;
    testing::ManualClock clock;
    const auto met = testing::run(meet, {.n = 1}, {.recorder = &recorder, .clock = &clock});

    tools::Registry tools;
    tools.add(tools::make_tool("price", "What nights cost.", price));
    models::ScriptedModel model{"Answer: 42"};
    agents::ConversationMemory memory;
    const agents::ReactOptions options;
    const auto agent = workflows::react.with(model, agents::text_dialect, memory, tools, options);
    return int(text.size() + again.items.size() + form.size()) + met.n + int(agent.definition->events.size()) +
           run(meet, {.n = 2}).n;
}
