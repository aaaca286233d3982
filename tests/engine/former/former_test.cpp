// Runs stored by a former program continue, are replayed, and are forked.
#include "engine/fork.hpp"
#include "engine/replay.hpp"
#include "engine/spawn.hpp"
#include "tests/engine/former/runs.hpp"
#include "tests/engine/former/workflows.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/timed.hpp"
#include <fstream>

using namespace former;
using namespace dying;
namespace {
const std::vector<Line>& lines() {
    static const auto all = [] {
        std::vector<Line> read;
        std::ifstream in(FORMER_RUNS);
        for (std::string text; std::getline(in, text);) read.push_back(from_json<Line>(parse_json(text), "line"));
        return read;
    }();
    return all;
}
const Line& line_of(const std::string& name) {
    const auto found = std::ranges::find(lines(), name, &Line::name);
    REQUIRE_MESSAGE(found != lines().end(), FORMER_RUNS << " has no run " << name);
    return *found;
}
struct Former {
    testing::ManualClock clock;
    MemoryStore store;
    explicit Former(const Line& line) {
        put(store, line);
        clock.jump_wall(std::chrono::microseconds(line.stored_at) - clock.wall().time_since_epoch());
    }
};
TellEvent told(std::string text) {
    TellEvent tell;
    tell.text = std::move(text);
    return tell;
}
const auto say_nothing = [](auto&) {};
const auto tell_it = [](auto& run) { run.send(told("told")); };

/// Continues the run in this program, and returns the text of its end, or the sentence of its failure.
template <class W, class Act> std::string end_of(Former& former, const W& workflow, const std::string& id, Act act) {
    Timed world(former.clock, former.store);
    auto run = resume_on(world.loop, workflow, id);
    world.run();
    if (!run.ended()) act(run);
    world.until([&] { return run.ended(); });
    try {
        return run.outcome().text;
    } catch (const RunError& error) { return error.what(); }
}
template <class W, class Act>
void goes_on(const std::string& name, const W& workflow, Act act, const std::string& end) {
    CAPTURE(name);
    Former former(line_of(name));
    CHECK(end_of(former, workflow, name, act) == end);
}
template <class W> void replays_alike(const std::string& name, const W& workflow, const std::string& counts) {
    CAPTURE(name);
    Former former(line_of(name));
    const auto replayed = replay(workflow, history_of(former.store, name));
    CHECK_MESSAGE(!replayed.difference, replayed.difference->sentence());
    CHECK(replayed.counts() == counts);
}
template <class W, class Act>
void forks(const std::string& name, const W& workflow, std::uint64_t at, Act act, const std::string& end) {
    CAPTURE(name);
    Former former(line_of(name));
    const auto id = fork(former.store, workflow, name, at, {.id = "fork"});
    CHECK(end_of(former, workflow, id, act) == end);
}
const auto asked = durable<Names, Total>(asking);
const auto spread_out = durable<Names>(spreading);
const auto counted = durable<Total>(counting);
const auto tried = durable<>(trying);
const auto delegated = durable<>(delegating);
const std::string met_of_two = "west of found 0; found 1; east of found 0; found 1; 2",
                  met_of_three = "west of found 0; found 1; found 2; east of found 0; found 1; found 2; 3",
                  recorded = "first!whole of part!effect!the source is \"away\"";
}

TEST_CASE("an ended former run reports its outcome again") {
    goes_on("finished", asked, say_nothing, "2, 2 names");
    goes_on("cancelled", asked, say_nothing, "the run was cancelled");
    goes_on("timed_out", asked, say_nothing, "the run has not ended within 36000 s");
    goes_on("failed", tried, say_nothing, "step attempt failed: not yet");
}
TEST_CASE("a waiting former run takes its answer, from its caller or from its mailbox") {
    goes_on("waiting", asked, tell_it, "told, 2 names");
    goes_on("answered", asked, say_nothing, "by mail, 2 names");
    goes_on("unanswered", asked, tell_it, "told, 2 names");
    goes_on("to_be_cancelled", asked, say_nothing, "the run was cancelled");
}
TEST_CASE("a former run continues within a fan-out, a join, and a wait between attempts") {
    goes_on("spread", spread_out, say_nothing, met_of_three);
    goes_on("joining", spread_out, say_nothing, met_of_two);
    goes_on("retrying", tried, say_nothing, "attempt 3");
}
TEST_CASE("recorded work of a former run is not done again") {
    Work work;
    goes_on("recording", durable<>(recording.with(work)), say_nothing, recorded);
    CHECK(work.calls == 0);
}
TEST_CASE("a child of a former run takes its answer") {
    Former former(line_of("child"));
    Timed world(former.clock, former.store);
    auto run = resume_on(world.loop, delegated, "child");
    auto question = QuestionId::none;
    auto read = [&]() -> awaitable<void> {
        while (auto event = co_await run.next_event())
            if (event->get_if<AskEvent>()) question = event->question();
    };
    spawn(world.loop.runtime(), read(), [](std::exception_ptr) {});
    world.run();
    REQUIRE(question != QuestionId::none);
    run.send_to_child(told("told"), question);
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().text == "the child says: told, 2 names");
}
TEST_CASE("a former run continues from its snapshot") {
    REQUIRE(line_of("snapshot").snapshot);
    CHECK(line_of("snapshot").ticks.size() > 256);
    goes_on("snapshot", counted, tell_it, "told after 300");
}
TEST_CASE("a former run is replayed without a difference") {
    Work work;
    replays_alike("finished", asked, "2 steps made again, 0 skipped");
    replays_alike("waiting", asked, "1 step made again, 0 skipped");
    replays_alike("cancelled", asked, "1 step made again, 0 skipped");
    replays_alike("timed_out", asked, "1 step made again, 0 skipped");
    replays_alike("spread", spread_out, "1 step made again, 2 skipped");
    replays_alike("joining", spread_out, "3 steps made again, 2 skipped");
    replays_alike("child", delegated, "0 steps made again, 0 skipped");
    replays_alike("recording", durable<>(recording.with(work)), "0 steps made again, 0 skipped");
    replays_alike("retrying", tried, "0 steps made again, 0 skipped");
    replays_alike("failed", tried, "0 steps made again, 0 skipped");
    replays_alike("snapshot", counted, "301 steps made again, 0 skipped");
    CHECK(work.calls == 0);
}
TEST_CASE("a former run is forked, and the fork continues by itself") {
    forks("finished", asked, 1, tell_it, "told, 2 names");
    forks("waiting", asked, 1, tell_it, "told, 2 names");
    forks("cancelled", asked, 1, tell_it, "told, 2 names");
    forks("timed_out", asked, 1, tell_it, "told, 2 names");
    forks("spread", spread_out, 1, say_nothing, met_of_three);
    forks("joining", spread_out, 2, say_nothing, met_of_two);
    forks("retrying", tried, 1, say_nothing, "attempt 3");
    forks("failed", tried, 1, say_nothing, "step attempt failed: not yet");
    forks("snapshot", counted, 300, tell_it, "told after 300");
}
TEST_CASE("a fork of a former run has the slot that was given to it") {
    Former former(line_of("snapshot"));
    const ForkOptions options{.id = "fork", .slots = {{"total", R"({"sum":7,"share":1})"}}};
    const auto id = fork(former.store, counted, "snapshot", 301, options);
    CHECK(end_of(former, counted, id, tell_it) == "told after 7");
}
