// Bounds: recycled memory, the number of steps, the choice of resources.
#include "engine/core/data/recycler.hpp"
#include "tests/support/world.hpp"
#include <boost/asio/executor_work_guard.hpp>
#include <doctest/doctest.h>
#include <thread>
using namespace weft;

namespace {
awaitable<void> nothing() { co_return; }
std::uint32_t kept_here() {
    std::uint32_t most = 0;
    for (auto& k : core::recycler.of_size) most = std::max(most, k.kept);
    return most;
}
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("coroutine frames made on one thread and freed on another do not accumulate there") {
    asio::io_context io;
    auto work = asio::make_work_guard(io);
    std::uint32_t kept = 0;
    std::thread other([&] {
        io.run();
        kept = kept_here();
    });
    for (std::uint32_t i = 0; i < 4 * core::Recycler::most; ++i) spawn(io.get_executor(), nothing(), asio::detached);
    work.reset();
    other.join();
    CHECK(kept <= core::Recycler::most);
}
namespace {
struct Late {  // made before the thread's recycler, so that it is destroyed after it
    void* block = nullptr;
    std::uint32_t* kept = nullptr;
    ~Late() {
        if (!block) return;
        core::recycler.give(block, 64);
        *kept = kept_here();
    }
};
}
TEST_CASE("memory freed at the end of a thread returns to the system") {
    std::uint32_t kept = 99;
    std::thread([&] {
        thread_local Late late;
        late.block = core::recycler.take(64);
        late.kept = &kept;
        core::recycler.give(core::recycler.take(64), 64);
        CHECK(kept_here() <= 1);
    }).join();
    CHECK(kept == 0);
}
TEST_SUITE_END();

namespace {
template <int N> struct LinkEvent { int passed = 0; };
struct GoEvent : StartEvent {};
struct EndEvent : StopEvent {
    int passed = 0;
};
LinkEvent<0> enter(Context&, GoEvent) { return {}; }
template <int N> LinkEvent<N + 1> pass(Context&, LinkEvent<N> e) { return {e.passed + 1}; }
EndEvent leave(Context&, LinkEvent<62> e) { return {{}, e.passed}; }
template <int... N> constexpr auto chain(std::integer_sequence<int, N...>) {
    return workflow("chain", step<enter>, step<pass<N>>..., step<leave>);
}
}
TEST_CASE("a chain of 64 steps compiles, and runs") {
    static constexpr auto longest = chain(std::make_integer_sequence<int, 62>());
    CHECK(run(longest, {}).passed == 62);
}

namespace {
struct Model {
    virtual ~Model() = default;
    virtual int answer() { return 1; }
};
struct Scripted : Model {
    int answer() override { return 2; }
};
EndEvent ask(Context&, GoEvent, Model& model) { return {{}, model.answer()}; }
EndEvent ask_script(Context&, LinkEvent<1>, Scripted& script) { return {{}, script.answer()}; }
std::variant<EndEvent, LinkEvent<1>> ask_both(Context&, GoEvent, Model& model) { return EndEvent{{}, model.answer()}; }
inline constexpr auto asking = workflow("asking", step<ask>);
awaitable<EndEvent> rest(Context&, GoEvent) { co_return EndEvent{}; }
EndEvent excuse(Context&, StepFailedEvent) { return {}; }
inline constexpr auto asking_both = workflow("asking_both", step<ask_both>, step<ask_script>);
}
TEST_CASE("a resource is taken by its exact type first; a derived one serves a base if it is the only one that fits") {
    Model model;
    Scripted script;
    CHECK(run(asking.with(model), {}).passed == 1);
    CHECK(run(asking.with(script), {}).passed == 2);
    CHECK(run(asking_both.with(script, model), {}).passed == 1);
    CHECK(run(asking_both.with(model, script), {}).passed == 1);
}

namespace {
int run_time(int n) { return n; }  // a value unknown at compile time
template <class Make> std::string refused(Make make) {
    try {
        (void)make();
        return "taken";
    } catch (const Error& error) {
        CHECK(error.code() == Code::usage);
        return error.what();
    }
}
}
TEST_CASE("a senseless policy computed at run time throws a sentence") {
    auto s = step<ask>;
    CHECK(refused([&] { return s.workers(run_time(0)); }) == "a step needs at least one worker");
    CHECK(refused([&] { return s.workers(run_time(-1)); }) == "a step needs at least one worker");
    CHECK(refused([&] { return s.workers(run_time(1'000'001)); }) == "a step has at most 1000000 workers");
    CHECK(refused([&] { return s.retry({.attempts = run_time(0)}); }) == "a step needs at least one attempt");
    CHECK(refused([&] { return s.retry({.attempts = run_time(-5)}); }) == "a step needs at least one attempt");
    CHECK(refused([&] { return s.retry({.attempts = run_time(256)}); }) == "a step makes at most 255 attempts");
    CHECK(refused([&] { return step<rest>.timeout(std::chrono::seconds(run_time(0))); }) ==
          "a timeout has to be longer than nothing");
    CHECK(refused([&] { return step<excuse>.recoveries(run_time(0)); }) ==
          "a step that recovers does so at least once");
    CHECK(refused([&] { return step<excuse>.recoveries(run_time(300)); }) == "a step recovers at most 255 times");
    CHECK(s.workers(run_time(1'000'000)).policy.workers == 1'000'000);
    CHECK(step<excuse>.recoveries(run_time(255)).policy.recoveries == 255);
}
