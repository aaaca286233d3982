// Prints the lines of v1.jsonl: runs stored by this program, and left as if their process had died. A file of former
// runs is made once: a later format gets v2.jsonl, and v1.jsonl stays unchanged.
#include "engine/loop.hpp"
#include "engine/replay.hpp"
#include "engine/testing/manual_clock.hpp"
#include "tests/engine/former/runs.hpp"
#include "tests/engine/former/workflows.hpp"
#include <boost/asio/io_context.hpp>
#include <iostream>

using namespace former;
namespace {
struct World {
    testing::ManualClock clock;
    MemoryStore store;
    asio::io_context io{1};
    Loop loop{Runtime{io.get_executor(), &clock}, {.store = &store, .seed = 1}};
    void run() {
        io.restart();
        while (io.poll() > 0) {}
    }
};
void print(World& world, const std::string& name) {
    const auto history = history_of(world.store, name);
    const auto plan = storage::answer_of<storage::StoredPlan>(
        [&](auto then) { world.store.plan(history.run.hash, std::move(then)); });
    Line line;
    line.name = name;
    line.workflow = history.run.workflow;
    line.hash = history.run.hash;
    line.plan = plan.plan;
    line.outcome = history.run.outcome;
    line.waits_for = history.run.waits_for;
    line.status = history.run.status;
    line.stored_at = world.clock.wall().time_since_epoch().count();
    for (auto& tick : history.ticks) line.ticks.push_back(tick.body);
    for (auto& mail : history.mail) line.mail.push_back({mail.id, mail.body});
    if (history.snapshot) line.snapshot = Picture{history.snapshot->upto, history.snapshot->body};
    std::cout << to_json(line).dump() << '\n';
}
template <class W, class Act>
void make(const std::string& name, const W& workflow, GoEvent go, RunOptions options, Act act) {
    World world;
    options.id = name;
    auto run = world.loop.start(workflow, go, options);
    world.run();
    act(world, run);
    world.run();
    print(world, name);
}
const auto leave = [](World&, auto&) {};
const auto pass_time = [](World& world, auto&) { world.clock.advance(1h); };
void send(World& world, const std::string& run, const std::string& id, const std::string& body) {
    storage::answer_of<storage::SendReply>([&](auto then) { world.store.send({run, id, body}, std::move(then)); });
}
TellEvent told(std::string text) {
    TellEvent tell;
    tell.text = std::move(text);
    return tell;
}
}
int main() {
    Work work;
    const auto asked = durable<Names, Total>(asking);
    const auto spread_out = durable<Names>(spreading);
    const auto counted = durable<Total>(counting);
    const RunOptions plain, valued{.values = {R"({"user": "ada",  "n": 1})"}}, timed{.timeout = 10h};
    make("finished", asked, {.rounds = 2}, valued, [](World&, auto& run) { run.send(told("2")); });
    make("waiting", asked, {.rounds = 3}, timed, leave);
    make("answered", asked, {.rounds = 3}, plain, [](World& world, auto&) {
        send(world, "answered", "m1", R"({"data":{"text":"by mail"},"event":"TellEvent","question":0})");
    });
    make("unanswered", asked, {.rounds = 3}, plain,
         [](World& world, auto&) { send(world, "unanswered", "m1", R"({"data":{},"event":"NoSuchEvent"})"); });
    make("to_be_cancelled", asked, {.rounds = 3}, plain,
         [](World& world, auto&) { send(world, "to_be_cancelled", "weft:cancel", R"({"cancel":true})"); });
    make("cancelled", asked, {.rounds = 3}, plain, [](World&, auto& run) { run.cancel(); });
    make("timed_out", asked, {.rounds = 3}, timed, [](World& world, auto&) { world.clock.advance(11h); });
    make("child", durable<>(delegating), {.rounds = 4}, plain, leave);
    make("spread", spread_out, {.rounds = 3}, plain, pass_time);
    make("joining", spread_out, {.rounds = 2}, plain, pass_time);
    make("recording", durable<>(recording.with(work)), {}, plain, leave);
    make("retrying", durable<>(trying), {.rounds = 3}, plain, pass_time);
    make("failed", durable<>(trying), {.rounds = 9}, plain, [](World& world, auto& run) {
        for (int i = 0; i < 10 && !run.ended(); ++i) {
            world.clock.jump();
            world.run();
        }
    });
    make("snapshot", counted, {.rounds = 300}, plain, leave);
}
