// Shows costs that grow faster than the work: each figure is the processor time per unit at one size and at a hundred
// times this size. usage: weft_bench_growth [figure [size]]; one JSON line per figure and size.
#include "engine/loop.hpp"
#include "engine/spawn.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/bench/measure.hpp"
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <ctime>
#include <iterator>
#include <malloc.h>
#include <memory>
using namespace weft;
using namespace std::chrono_literals;

struct GoEvent : StartEvent {
    long n = 0;
};
struct EndEvent : StopEvent {
    long n = 0;
};

// ---- a fan-out, by its width ----------------------------------------------------------------------------------------
struct PartEvent {
    long i;
};
struct DoneEvent {
    long i;
};
std::vector<PartEvent> split(Context&, GoEvent e) {
    std::vector<PartEvent> all;
    for (long i = 0; i < e.n; ++i) all.push_back({i});
    return all;
}
DoneEvent part(Context&, PartEvent e) { return {e.i}; }
EndEvent join(Context&, std::vector<DoneEvent> all) { return {{}, long(all.size())}; }
inline constexpr auto spreading = workflow("spreading", step<split>, step<part>, step<join>);

// ---- a run, by its length: each step adds to a history and streams an event that nobody reads yet
// --------------------
struct Entries : Growing<std::string> {};
struct TurnEvent {
    long left;
};
struct NoteEvent {
    long left;
};
std::variant<TurnEvent, EndEvent> turn_again(Context& ctx, long left) {
    ctx.edit<Entries>([&](auto& h) { h.push_back("an entry of the history"); });
    ctx.stream(NoteEvent{left});
    if (left) return TurnEvent{left - 1};
    return EndEvent{{}, long(ctx.get<Entries>().size())};
}
std::variant<TurnEvent, EndEvent> begin(Context& ctx, GoEvent e) { return turn_again(ctx, e.n - 1); }
std::variant<TurnEvent, EndEvent> turn(Context& ctx, TurnEvent e) { return turn_again(ctx, e.left); }
inline constexpr auto conversing = workflow("conversing", step<begin>, step<turn>);

// ---- the open questions of one run, answered newest first
// ------------------------------------------------------------
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {};
AskEvent ask(Context&, PartEvent) { return {}; }
DoneEvent note(Context&, ReplyEvent) { return {}; }
inline constexpr auto asking = workflow("asking", step<split>, step<ask>, step<note>, step<join>);

// ---- children, one after another ------------------------------------------------------------------------------------
EndEvent at_once(Context&, GoEvent e) { return {{}, e.n}; }
inline constexpr auto quick = workflow("quick", step<at_once>);
awaitable<EndEvent> call_children(Context& ctx, GoEvent e) {
    for (long i = 0; i < e.n; ++i) {
        GoEvent go{.n = 1};
        (void)co_await ctx.run(quick, std::move(go));
    }
    co_return EndEvent{{}, e.n};
}
inline constexpr auto parenting = workflow("parenting", step<call_children>);

// ---- steps of a workflow --------------------------------------------------------------------------------------------
template <int N> struct LinkEvent { long left; };
template <int N, int Last> std::variant<LinkEvent<(N + 1) % Last>, EndEvent> pass(Context&, LinkEvent<N> e) {
    if (e.left == 0) return EndEvent{};
    return LinkEvent<(N + 1) % Last>{e.left - 1};
}
LinkEvent<0> enter(Context&, GoEvent e) { return {e.n}; }
template <int Last, int... N> constexpr auto ring(const char* name, std::integer_sequence<int, N...>) {
    return workflow(name, step<enter>, step<pass<N, Last>>...);
}
inline constexpr auto ring_of_2 = ring<2>("ring_of_2", std::make_integer_sequence<int, 2>());
inline constexpr auto ring_of_60 = ring<60>("ring_of_60", std::make_integer_sequence<int, 60>());

// ---- children that ask at the same time -----------------------------------------------------------------------------
AskEvent ask_once(Context&, GoEvent) { return {}; }
EndEvent told(Context&, ReplyEvent) { return {}; }
inline constexpr auto asking_once = workflow("asking_once", step<ask_once>, step<told>);
awaitable<DoneEvent> call_one(Context& ctx, PartEvent e) {
    GoEvent go;
    (void)co_await ctx.run(asking_once, std::move(go));
    co_return DoneEvent{e.i};
}
inline constexpr auto nursery = workflow("nursery", step<split>, step<call_one>.workers(1'000'000), step<join>);

// ---- open questions of two types, answered without their ids --------------------------------------------------------
struct AskOtherEvent : InputRequiredEvent {};
struct OtherReplyEvent : Answers<AskOtherEvent> {};
std::variant<AskEvent, AskOtherEvent> ask_either(Context&, PartEvent e) {
    if (e.i % 2) return AskEvent{};
    return AskOtherEvent{};
}
DoneEvent note_other(Context&, OtherReplyEvent) { return {}; }
inline constexpr auto asking_both = workflow("asking_both", step<split>, step<ask_either>, step<note>, step<note_other>,
                                             step<join>);

// ---- a fan-out with a quorum of one ---------------------------------------------------------------------------------
awaitable<DoneEvent> wait_long(Context&, PartEvent e) {
    if (e.i) co_await sleep_for(1h);
    co_return DoneEvent{e.i};
}
inline constexpr auto racing = workflow("racing", step<split>, step<wait_long>.workers(1'000'000), step<join>.first(1));

double spent() {  // ns of the processor: other programs do not change it
    timespec t;
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}
template <auto& workflow> double whole_run(long n) {
    const double begun = spent();
    require(run(workflow, {.n = n}).n == n, "a whole run");
    return spent() - begun;
}
double questions(long n) {
    asio::io_context io(1);
    Loop loop(io.get_executor());
    auto run = loop.start(asking, {.n = n});
    io.run();
    std::vector<QuestionId> ids;
    const auto& state = core::PrivateAccess::run_of(run).state;
    for (core::Handle h :
         core::open_questions(core::PrivateAccess::run_of(run).definition->plan, state, std::size_t(n)))
        ids.push_back(core::question_id(h, state.tokens[h].items));
    const double begun = spent();
    for (; !ids.empty(); ids.pop_back()) run.send(ReplyEvent{}, ids.back());
    io.restart();
    io.run();
    const double cost = spent() - begun;
    require(run.outcome().n == n, "questions");
    return cost;
}
template <class R> awaitable<void> read_questions(R run, std::vector<QuestionId>& open) {
    while (auto event = co_await run.next_event())
        if (event->template get_if<AskEvent>()) open.push_back(event->question());
}
double waiting_runs(long n) {  // each with its own deadline
    testing::ManualClock clock;
    asio::io_context io(1);
    Loop loop(Runtime{io.get_executor(), &clock});
    using R = decltype(loop.start(asking, {}));
    std::vector<R> runs;
    const double begun = spent();
    for (long i = 0; i < n; ++i) runs.push_back(loop.start(asking, {.n = 1}, {.timeout = 1h + (i * 7919 % n) * 1ms}));
    io.run();
    for (auto& r : runs) r.send(ReplyEvent{});
    io.restart();
    io.run();
    for (auto& r : runs) require(r.ended(), "waiting runs");
    return spent() - begun;
}
double asking_children(long n) {
    asio::io_context io(1);
    Loop loop(io.get_executor());
    std::vector<QuestionId> open;
    const double begun = spent();
    auto run = loop.start(nursery, {.n = n});
    spawn(io.get_executor(), read_questions(run, open), asio::detached);
    io.run();
    require(long(open.size()) == n, "children that ask");
    for (; !open.empty(); open.pop_back()) run.send_to_child(ReplyEvent{}, open.back());
    io.restart();
    io.run();
    const double cost = spent() - begun;
    require(run.outcome().n == n, "children that ask");
    return cost;
}
double two_types(long n) {
    asio::io_context io(1);
    Loop loop(io.get_executor());
    auto run = loop.start(asking_both, {.n = n});
    io.run();
    const double begun = spent();
    for (long i = 0; i < n / 2; ++i) run.send(ReplyEvent{});
    for (long i = 0; i < n / 2; ++i) run.send(OtherReplyEvent{});
    io.restart();
    io.run();
    const double cost = spent() - begun;
    require(run.outcome().n == n, "two types");
    return cost;
}
double first_of(long n) {
    const double begun = spent();
    require(run(racing, {.n = n}).n == 1, "the first one");
    return spent() - begun;
}
/// The floor of runs that wait: no engine, only memory in blocks of the same sizes. A run is written once, and each of
/// its lines is changed in three later turns.
double waiting_memory(long n) {
    constexpr std::size_t blocks[] = {384, 448, 80, 80, 64, 64, 64, 56};
    std::vector<char*> all;
    const double begun = spent();
    for (long i = 0; i < n; ++i)
        for (const auto size : blocks) {
            all.push_back(static_cast<char*>(std::malloc(size)));
            std::memset(all.back(), 1, size);
        }
    for (int turn = 0; turn < 3; ++turn)
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t at = 0; at < blocks[i % std::size(blocks)]; at += 64) ++all[i][at];
    const double cost = spent() - begun;
    for (auto* block : all) std::free(block);
    return cost;
}

struct Figure {
    const char* name;
    double (*cost)(long n);
};
constexpr Figure figures[] = {
    {"fan-out by width", whole_run<spreading>},
    {"run by length", whole_run<conversing>},
    {"children", whole_run<parenting>},
    {"answer by its question's id", questions},
    {"runs that wait with a deadline", waiting_runs},
    {"memory of waiting runs without an engine", waiting_memory},
    {"children that ask", asking_children},
    {"answers without an id to questions of two types", two_types},
    {"branches of which the first one is enough", first_of},
};
constexpr long least = 1'000, most = 100'000;
void show(const char* what, long n, double cost) {
    out("weft", "growth", (std::string(what) + ", N=" + std::to_string(n)).c_str(), cost, "ns");
}
void measure(const Figure& figure, long n) {  // the same number of units at each size
    double cost = 0;
    for (const bool counts : {false, true})  // in the first round the system provides memory page by page
        for (long i = 0; i < most / n; ++i) cost += counts ? figure.cost(n) : 0 * figure.cost(n);
    show(figure.name, n, cost / double(most));
}
template <auto& ring> void measure_steps(long steps) {
    constexpr long events = 1'000'000;
    const double begun = spent();
    (void)run(ring, {.n = events});
    show("event by steps of the workflow", steps, (spent() - begun) / events);
}
int main(int n, char** v) {
    ::mallopt(M_TRIM_THRESHOLD, 2'000'000'000);  // what the program has freed stays with it
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
    for (const auto& figure : figures)
        for (const long size : {least, most})
            if ((n < 2 || figure.name == std::string_view(v[1])) && (n < 3 || size == std::atol(v[2])))
                measure(figure, size);
    if (n > 1) return 0;
    measure_steps<ring_of_2>(2);
    measure_steps<ring_of_60>(60);
}
