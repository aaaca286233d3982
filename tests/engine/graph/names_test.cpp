// Internals have no names in the namespace weft: a program with `using namespace weft;` may use any names for its own
// types and steps.
#include "engine/engine.hpp"
#include "engine/event_json.hpp"
#include "engine/graph.hpp"
#include "engine/json_run.hpp"
#include "engine/named_step.hpp"
#include "engine/observer.hpp"
#include "engine/testing/recorder.hpp"
#include <doctest/doctest.h>
using namespace weft;

// At global scope, as in a program, so that a name of weft would conflict with each of them.
enum class State { open, closed };
enum class Role { buyer, seller };
enum class Phase { early, late };
struct Token {
    int id = 0;
};
struct Place {
    std::string town;
};
struct Group {
    std::vector<Token> tokens;
};
struct Plan : Growing<Place> {
    static constexpr bool memory_only = true;
};
struct Watch {
    static constexpr bool memory_only = true;
    int looks = 0;
};
template <class T> struct Buffer { std::vector<T> items; };
template <class T> using List = std::vector<T>;
using Handle = int;
class Scope {};
class Door {};
struct Timer {
    Scope scope;
    Door door;
    Handle handle = 7;
};
struct Cell {
    State state = State::open;
    Phase phase = Phase::late;
};
struct Cells : Growing<Cell> {
    static constexpr bool memory_only = true;
};
namespace detail {
constexpr int none = 3;
}
constexpr int none = 2;

struct Call : StartEvent {
    Place place;
    Role role = Role::buyer;
};
struct Command {
    Buffer<Token> tokens;
};
struct Tick {
    Group group;
};
struct Attempt : InputRequiredEvent {
    Timer timer;
};
struct Waiter : Answers<Attempt> {
    List<Handle> handles;
};
struct Emitted : StopEvent {
    State state = State::closed;
    int sum = 0;
};

Command check(Context& ctx, Call call) {
    ctx.edit<Plan>([&](auto& plan) { plan.push_back(call.place); });
    return {{{{1}, {2}}}};
}
Tick reduce(Context& ctx, Command command) {
    ctx.edit<Watch>([](auto& watch) { ++watch.looks; });
    return {{command.tokens.items}};
}
Attempt take(Context&, Tick) { return {}; }
Emitted emit(Context& ctx, Waiter waiter) {
    ctx.edit<Cells>([](auto& cells) { cells.push_back({}); });
    return {.sum = waiter.handles.at(0) + ctx.get<Watch>().looks + none + detail::none};
}
inline constexpr auto outline = workflow("outline", step<check>, step<reduce>.workers(2), step<take>, step<emit>);

TEST_CASE("a program using namespace weft may name its own types and steps as the engine's internals") {
    SlotValues left;

    const auto end = testing::run(
        outline, {.place = {"Ulm"}}, {.left = &left},
        testing::answer<Attempt>([](const Attempt& attempt) { return Waiter{.handles = {attempt.timer.handle}}; }));

    CHECK(end.sum == 7 + 1 + 2 + 3);
    CHECK(end.state == State::closed);
    CHECK(left.get<Plan>()[0].town == "Ulm");
    CHECK(left.get<Cells>()[0].phase == Phase::late);
    CHECK(mermaid(graph_of(outline)).find("check") != std::string::npos);
}
