// Tables of types that are hard or impossible to read: the tables must exist, because a program may never read them.
// Compiled with the compiler's own types (-std=gnu++20), like many programs.
#include "engine/event_json.hpp"
#include "engine/json.hpp"
#include "engine/run.hpp"
#include "tests/support/sentence.hpp"
#include <chrono>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <thread>
using namespace weft;
using json_detail::Form;
using json_detail::form;
using nlohmann::json;

namespace {
struct Marked {
    const std::string kind = "marked";
    int n = 0;
    friend bool operator==(const Marked&, const Marked&) = default;
};
BOOST_DESCRIBE_STRUCT(Marked, (), (kind, n))
struct Strict {
    explicit Strict() = default;
    int n = 3;
};
BOOST_DESCRIBE_STRUCT(Strict, (), (n))
struct StrictEvent {
    Strict strict;
    int limit = 7;
    static constexpr std::string_view optional_fields[] = {"limit"};
};
BOOST_DESCRIBE_STRUCT(StrictEvent, (), (strict, limit))
struct PooledEvent {
    int n = 4;
    static void* operator new(std::size_t size) { return ::operator new(size); }
    static void operator delete(void* p) { ::operator delete(p); }
};
BOOST_DESCRIBE_STRUCT(PooledEvent, (), (n))
struct Still {
    Still() = default;
    Still(const Still&) = delete;
    int n = 5;
};
BOOST_DESCRIBE_STRUCT(Still, (), (n))
struct Bare {
    explicit Bare(int number) : n(number) {}
    int n;
};
BOOST_DESCRIBE_STRUCT(Bare, (), (n))
struct StillEvent {
    std::map<std::string, Still> places;
};
BOOST_DESCRIBE_STRUCT(StillEvent, (), (places))
struct FixedEvent {
    std::optional<const int> maybe;
    std::map<std::string, const int> counts;
    std::variant<const int, const std::string> either;
};
BOOST_DESCRIBE_STRUCT(FixedEvent, (), (maybe, counts, either))
struct FixedListEvent : Growing<int> {
    FixedListEvent() = default;
    FixedListEvent(const FixedListEvent&) = default;
    FixedListEvent& operator=(const FixedListEvent&) = delete;
};
struct OwnersEvent : Growing<std::unique_ptr<int>> {};
struct ListEvent : Growing<int> {};
struct MapEvent : std::map<std::string, int> {};
struct VagueEvent {
    std::optional<std::variant<std::monostate, int>> either;
    std::optional<std::optional<int>> twice;
};
BOOST_DESCRIBE_STRUCT(VagueEvent, (), (either, twice))
enum class Size { small, large };
struct MixedEvent {
    Size size = Size::small;
    char letter = 'a';
    int* pointer = nullptr;
    std::chrono::steady_clock::time_point began;  // its clock has no meaning in another process
    std::multimap<std::string, int> notes;
    Marked marked;
};
BOOST_DESCRIBE_STRUCT(MixedEvent, (), (size, letter, pointer, began, notes, marked))
struct TeaEvent {
    std::string name;
};
BOOST_DESCRIBE_STRUCT(TeaEvent, (), (name))
using Joined = std::tuple<TeaEvent, int>;

template <class T> std::shared_ptr<void> read(const json& data) { return read_event(core::describe_event<T>(), data); }
template <class T> json again(const json& data) { return to_json(core::describe_event<T>(), read<T>(data).get()); }
std::string sentence(auto&& act) { return testing::sentence(Code::bad_json, act); }
template <class T> std::string refusal(const char* text) {
    return sentence([&] { read<T>(json::parse(text)); });
}

__extension__ using Huge = __int128;
static_assert(form<Huge> == Form::none && form<unsigned long long> == Form::integer);
#ifdef __SIZEOF_FLOAT128__
__extension__ using Precise = __float128;
static_assert(form<Precise> == Form::none);
#endif
static_assert(form<float> == Form::number && form<long double> == Form::number);
}

TEST_CASE("a const field is written, and reading leaves it as it is") {
    for (const char* text : {R"({"kind": "marked", "n": 2})", R"({"kind": 7, "n": 2})", R"({"n": 2})"}) {
        CHECK(again<Marked>(json::parse(text)) == json{{"kind", "marked"}, {"n", 2}});
        CHECK(from_json<Marked>(json::parse(text)) == Marked{.n = 2});
    }
    CHECK(refusal<Marked>("{}") == "Marked.n: missing, expected an integer");
    CHECK(schema<Marked>()["required"] == json::array({"n"}));
}
TEST_CASE("list and map events are read by their tables") {
    CHECK(again<ListEvent>({1, 2}) == json::array({1, 2}));
    CHECK(again<MapEvent>({{"a", 1}}) == json{{"a", 1}});
    CHECK(again<std::vector<int>>({3}) == json::array({3}));
    CHECK(refusal<ListEvent>("[1, true]") == "ListEvent[1]: expected an integer, got a boolean");
}
TEST_CASE("an event with explicit constructors of members, or with operator new, is read and has a schema") {
    CHECK(again<StrictEvent>({{"strict", {{"n", 1}}}}) == json{{"strict", {{"n", 1}}}, {"limit", 7}});
    CHECK(schema<StrictEvent>()["properties"]["limit"]["default"] == 7);
    CHECK(again<PooledEvent>({{"n", 6}}) == json{{"n", 6}});
}
TEST_CASE("a type that cannot be read is still written, and its error says why") {
    const FixedEvent fixed{.maybe = 1, .counts = {{"a", 2}}, .either = 3};
    CHECK(to_json(fixed) == json::parse(R"({"maybe": 1, "counts": {"a": 2}, "either": {"integer": 3}})"));
    const auto why = [](const char* field, const char* value) {
        json data = {{"maybe", nullptr}, {"counts", json::object()}, {"either", {{"integer", 1}}}};
        data[field] = json::parse(value);
        return sentence([&] { read<FixedEvent>(data); });
    };
    CHECK(why("maybe", "1") == "FixedEvent.maybe: optional<const int> cannot be read: a part of it is const");
    CHECK(why("counts", R"({"a": 1})").ends_with("> cannot be read: a part of it is const"));
    CHECK(why("either", R"({"integer": 1})").ends_with("> cannot be read: a part of it is const"));

    const auto still = json::parse(R"({"places": {"a": {"n": 1}}})");
    CHECK(again<StillEvent>(still) == still);
    CHECK(refusal<std::vector<Still>>("[]").ends_with("cannot be read: a part of it cannot be moved"));
    CHECK(refusal<std::vector<Bare>>("[]").ends_with("cannot be read: a part of it has no default constructor"));
    CHECK(refusal<FixedListEvent>("[]").ends_with("FixedListEvent cannot be read: it cannot be assigned to"));
    CHECK(refusal<OwnersEvent>("[]").ends_with("OwnersEvent cannot be read: a part of it cannot be copied"));
}
TEST_CASE("reading an ambiguous null is an error") {
    for (const char* text : {R"({"either": null})", R"({"either": {"integer": 1}})"})
        CHECK(refusal<VagueEvent>(text) ==
              "VagueEvent.either: optional<variant<monostate, int>> cannot be read: null would be ambiguous");
    for (const char* text : {R"({"twice": null})", R"({"twice": 1})"})
        CHECK(refusal<VagueEvent>(text) ==
              "VagueEvent.twice: optional<optional<int>> cannot be read: null would be ambiguous");
}
TEST_CASE("a type without a JSON form is refused with the cure") {
    const auto& fields = json_detail::shape_of<MixedEvent>.fields;
    const auto flaw = [&](std::size_t field) { return std::string(fields[field].shape().flaw); };
    CHECK(flaw(0) == "has no JSON form: describe it with BOOST_DESCRIBE_ENUM, as engine/describe.hpp shows");
    for (std::size_t field = 1; field < 5; ++field)
        CHECK(flaw(field) == "has no JSON form: use a type that engine/json.hpp lists in its place");
    CHECK(flaw(5).empty());
}
TEST_CASE("a tuple is a JSON array of the same length") {
    const Joined before{{"tea"}, 2};
    CHECK(to_json(before).dump() == R"([{"name":"tea"},2])");
    CHECK(std::get<0>(from_json<Joined>(to_json(before))).name == "tea");
    CHECK(sentence([] { from_json<Joined>(json::parse("[1]")); }) == "expected an array of 2, got an array of 1");
    CHECK(sentence([] { from_json<Joined>(json::parse(R"([{"name": "tea"}, "x"])")); }) ==
          "[1]: expected an integer, got a string");
    CHECK(schema<std::tuple<int, bool>>() == json::parse(R"({"type": "array", "minItems": 2, "maxItems": 2,
          "prefixItems": [{"type": "integer"}, {"type": "boolean"}]})"));

    FailedEvent<Joined> failed;
    failed.event = before;
    CHECK(to_json(failed)["event"] == json::parse(R"([{"name": "tea"}, 2])"));
}
