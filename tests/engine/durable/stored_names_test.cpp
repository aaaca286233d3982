// Stored names are the same for every compiler, and names stored by a program of another compiler or an older program
// are read.
#include "engine/core/record.hpp"
#include "engine/core/stored_names.hpp"
#include "engine/durable.hpp"
#include "engine/json.hpp"
#include "engine/named_step.hpp"
#include "engine/replay.hpp"
#include "engine/testing/manual_clock.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/timed.hpp"
#include <map>
#include <nlohmann/json.hpp>
#include <random>
using namespace weft;
using namespace weft::storage;
using namespace dying;

namespace shop {
struct Hit {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(Hit, (), (n))
enum class Colour { red, green };
template <class T> struct Box {};
template <auto V> struct Page {};
template <std::size_t n> struct Text {
    char text[n]{};
    constexpr Text(const char (&s)[n]) { std::copy_n(s, n, text); }
};
template <Text T> struct Titled {};
template <class T> struct Outer {
    struct Inner {};
};
struct Pair {
    int a, b;
};
}
namespace {
struct Hidden {};
std::string canonical(std::string_view name) { return core::same_from_every_compiler(name); }
}
TEST_CASE("a type has one name when g++ and clang write it differently") {
    struct {
        std::string_view gcc, clang, name;
    } rows[] = {
        {"shop::Box<long int>", "shop::Box<long>", "Box<long>"},
        {"Box<long unsigned int>", "Box<unsigned long>", "Box<unsigned long>"},
        {"Box<short unsigned int>", "Box<unsigned short>", "Box<unsigned short>"},
        {"Box<long long unsigned int>", "Box<unsigned long long>", "Box<unsigned long long>"},
        {"Box<__int128 unsigned>", "Box<unsigned __int128>", "Box<unsigned __int128>"},
        {"Box<signed char>", "Box<signed char>", "Box<signed char>"},
        {"Box<long double>", "Box<long double>", "Box<long double>"},
        {"Page<3>", "Page<3UL>", "Page<3>"},
        {"Page<-3>", "Page<-3L>", "Page<-3>"},
        {"Page<3>", "Page<(short)3>", "Page<3>"},
        {"Page<97>", "Page<u8'a'>", "Page<97>"},
        {"Page<'a'>", "Page<'a'>", "Page<97>"},
        {"Page<'\\012'>", "Page<'\\n'>", "Page<10>"},
        {"Page<'\\37777777710'>", "Page<'\\xc8'>", "Page<200>"},
        {"Page<'>'>", "Page<'>'>", "Page<62>"},
        {"Box<shop::Hit*>", "Box<shop::Hit *>", "Box<Hit*>"},
        {"Box<const char* const*>", "Box<const char *const *>", "Box<const char*const*>"},
        {"Box<int [3]>", "Box<int[3]>", "Box<int[3]>"},
        {"Box<std::__cxx11::basic_string<char> >", "Box<std::basic_string<char>>", "Box<string>"},
        {"Box<std::__cxx11::basic_string<char> >", "Box<std::string>", "Box<string>"},  // libstdc++, libc++
        {"Box<std::basic_string_view<char> >", "Box<std::string_view>", "Box<string_view>"},
        {"Box<std::__cxx11::basic_string<wchar_t> >", "Box<std::wstring>", "Box<wstring>"},
        {"std::vector<std::__cxx11::basic_string<char> >", "std::vector<std::__1::string>", "vector<string>"},
        {"Box<{anonymous}::Hidden>", "Box<(anonymous namespace)::Hidden>", "Box<Hidden>"},
        {"main()::Local", "Local", "Local"},
        {"local<long int>()::Local", "Local", "Local"},
        {"Page<shop::Pair{1, 2}>", "Page<{1, 2}>", "Page<{1, 2}>"},
        {"Page<shop::Outer<int>::Pair{1, 2}>", "Page<{1, 2}>", "Page<{1, 2}>"},
        {"Titled<shop::Text<3>{\"hi\"}>", "Titled<{{104, 105, 0}}>", "Titled<{{104, 105, 0}}>"},
        {"Page<(& shop::lamp)>", "Page<&shop::lamp>", "Page<lamp>"},
        {"Page<(shop::Colour)7>", "Page<(shop::Colour)7>", "Page<7>"},
        {"shop::Outer<long int>::Inner", "shop::Outer<long>::Inner", "Outer<long>Inner"},
    };
    for (auto& row : rows) {
        CHECK(canonical(row.gcc) == row.name);
        CHECK(canonical(row.clang) == row.name);
        CHECK(canonical(row.name) == row.name);
    }
}
TEST_CASE("a type and a function have the same name when another compiler builds the program") {
    using namespace shop;
    CHECK(core::type_name<Box<unsigned long>> == "Box<unsigned long>");
    CHECK(core::type_name<Box<std::size_t>> == "Box<unsigned long>");
    CHECK(core::type_name<Box<const Hit*>> == "Box<const Hit*>");
    CHECK(core::type_name<Box<std::map<std::string, short>>> == "Box<map<string, short>>");
    CHECK(core::type_name<Box<Hidden>> == "Box<Hidden>");
    CHECK(core::type_name<Page<3UL>> == "Page<3>");
    CHECK(core::type_name<Page<'x'>> == "Page<120>");
    CHECK(core::type_name<Page<Colour::green>> == "Page<green>");
    CHECK(core::type_name<Page<Pair{1, 2}>> == "Page<{1, 2}>");
    CHECK(core::type_name<Titled<"hello">> == "Titled<{{104, 101, 108, 108, 111, 0}}>");
    CHECK(core::type_name<Outer<long>::Inner> == "Outer<long>Inner");
}
TEST_CASE("any text becomes a name within its bounds when it comes from outside") {
    std::mt19937 random(7);
    constexpr std::string_view marks = "<>(){}[]'\"\\:,&* uUL8xan0longint_;";
    for (int n = 0; n < 20'000; ++n) {
        std::string text(random() % 40, ' ');
        for (auto& c : text) c = marks[random() % marks.size()];
        const auto name = canonical(text);
        CHECK(name.size() <= core::NameWriter::room(text.size()));
    }
}

namespace {
struct StartsEvent : StartEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(StartsEvent, (), (n))
template <class T> struct AskOf : InputRequiredEvent { int asked = 0; };
BOOST_DESCRIBE_STRUCT(AskOf<long>, (), (asked))
BOOST_DESCRIBE_STRUCT(AskOf<int>, (), (asked))
template <class T> struct ReplyTo : Answers<AskOf<T>> { int n = 0; };
BOOST_DESCRIBE_STRUCT(ReplyTo<long>, (), (n))
BOOST_DESCRIBE_STRUCT(ReplyTo<int>, (), (n))
struct EndsEvent : StopEvent {
    int sum = 0;
};
BOOST_DESCRIBE_STRUCT(EndsEvent, (), (sum))
template <class T> struct Sum { T n = 0; };
BOOST_DESCRIBE_STRUCT(Sum<long>, (), (n))

AskOf<long> ask_one(Context& ctx, StartsEvent e) {
    ctx.edit<Sum<long>>([&](auto& sum) { sum.n = e.n; });
    return {};
}
template <class T> EndsEvent take(Context& ctx, ReplyTo<T> reply) {
    EndsEvent end;
    end.sum = reply.n + int(ctx.get<Sum<long>>().n);
    return end;
}
inline constexpr auto one_kind = workflow("asking", step<ask_one>, step<take<long>>);

std::vector<std::variant<AskOf<long>, AskOf<int>>> ask_both(Context&, StartsEvent) {
    return {AskOf<long>{}, AskOf<int>{}};
}
struct GotEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(GotEvent, (), (n))
template <class T> GotEvent note(Context&, ReplyTo<T> reply) { return {reply.n + int(sizeof(T)) * 100}; }
EndsEvent add(Context&, std::vector<GotEvent> all) {
    EndsEvent end;
    for (auto& got : all) end.sum += got.n;
    return end;
}
inline constexpr auto two_kinds = workflow("both", step<ask_both>, step<note<long>>, step<note<int>>, step<add>);

template <class W> std::vector<std::string> steps_of(const W& w) {
    std::vector<std::string> names;
    for (auto& step : Bound<W>(w).definition->steps) names.emplace_back(step.name);
    return names;
}
using Texts = std::vector<std::pair<std::string, std::string>>;
std::string replaced(std::string text, const Texts& texts) {
    for (auto& [from, to] : texts)
        for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
    return text;
}
/// Changes the store's run as if a compiler with other names had made the program.
void copy_with_names(MemoryStore& from, MemoryStore& to, const Texts& names) {
    History history;
    from.load(
        "r", [&](std::exception_ptr, History h) { history = std::move(h); }, 0);
    StoredPlan plan;
    from.plan(history.run.hash, [&](std::exception_ptr, StoredPlan p) { plan = std::move(p); });
    const auto hash = plan.hash;
    plan.plan = replaced(plan.plan, names);
    plan.hash = core::hex(chained_sum(0, 0, plan.plan));
    NewRun run{.id = "r", .plan = plan};
    std::uint64_t before = 0;
    for (auto& tick : history.ticks) {
        tick.body = replaced(replaced(tick.body, names), {{hash, plan.hash}});
        tick.sum = before = chained_sum(before, tick.seq, tick.body);
        run.ticks.push_back(tick);
    }
    to.create(run, [](std::exception_ptr error, CreateReply) { REQUIRE_FALSE(error); });
}
template <class W> void begin(MemoryStore& store, const W& workflow) {
    testing::ManualClock clock;
    Timed world(clock, store);
    world.loop.start(workflow, {.n = 4}, {.id = "r"});
    world.run();
}
}
TEST_CASE("a step is called by its function, with its accepted event when two steps have one name") {
    CHECK(steps_of(one_kind) == std::vector<std::string>{"ask_one", "take"});
    CHECK(steps_of(two_kinds) ==
          std::vector<std::string>{"ask_both", "note(ReplyTo<long>)", "note(ReplyTo<int>)", "add"});
}
TEST_CASE("a run continues when a program of g++, of clang or of an older weft has stored it") {
    const Texts dialects[] = {
        {},
        {{"AskOf<long>", "AskOf<long int>"},
         {"ReplyTo<long>", "ReplyTo<long int>"},
         {"sum<long>", "sum<long int>"},
         {"\"take\"", "\"take<long int>\""}},
        {{"AskOf<long>", "AskOf<long >"}},
    };
    for (auto& dialect : dialects) {
        MemoryStore written, store;
        begin(written, durable<Sum<long>>(one_kind));
        copy_with_names(written, store, dialect);
        testing::ManualClock clock;
        Timed world(clock, store);
        auto run = resume_on(world.loop, durable<Sum<long>>(one_kind), "r");
        world.run();
        REQUIRE_FALSE(run.ended());
        run.send(ReplyTo<long>{{}, 5});
        world.until([&] { return run.ended(); });
        CHECK(run.outcome().sum == 9);
    }
}
TEST_CASE("two instances of a template keep their identity when an older weft has stored them") {
    MemoryStore written, store;
    begin(written, durable<>(two_kinds));
    copy_with_names(written, store,
                    {{"note(ReplyTo<long>)", "note<long int>"},
                     {"note(ReplyTo<int>)", "note<int>"},
                     {"AskOf<long>", "AskOf<long int>"},
                     {"ReplyTo<long>", "ReplyTo<long int>"}});
    testing::ManualClock clock;
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(two_kinds), "r");
    world.run();
    run.send(ReplyTo<int>{{}, 2});
    run.send(ReplyTo<long>{{}, 1});
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().sum == 1 + 800 + 2 + 400);
}
TEST_CASE("a renamed step is not taken for a removed one when only words in brackets differ") {
    CHECK(core::may_be_one_step("rank<long int>", "rank"));
    CHECK(core::may_be_one_step("rank", "rank(Ask<long>)"));
    CHECK_FALSE(core::may_be_one_step("save (fast)", "save (slow)"));
    CHECK_FALSE(core::may_be_one_step("rank(Hit)", "rank(Miss)"));
    CHECK_FALSE(core::may_be_one_step("rank<long>", "ranks"));
    CHECK_FALSE(core::may_be_one_step("save", "save (slow)"));
    CHECK(core::may_be_one_step("Outer<long int>run", "Outer<long>run"));
}
TEST_CASE("an alternative of a variant is read when another compiler has written its name") {
    using Either = std::variant<std::monostate, std::vector<shop::Hit>, Sum<long>>;
    const auto value = from_json<Either>(nlohmann::json::parse(R"({"Sum<long int>": {"n": 3}})"));
    CHECK(std::get<Sum<long>>(value).n == 3);
}
