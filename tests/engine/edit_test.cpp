// A throwing edit leaves the slot unchanged, or fails the attempt.
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
#include <map>
using namespace weft;

namespace {
struct Lines : Growing<int> {};
struct Account {
    static constexpr bool memory_only = true;
    int paid = 0, owed = 10;
};
struct Ledger {
    static constexpr bool memory_only = true;
    std::map<std::string, int> paid;
};
struct GoEvent : StartEvent {
    int edits_before = 0;
    int kind = 0;
};
struct NextEvent {};
struct EndEvent : StopEvent {
    int paid = 0, owed = 0, lines = 0, ledger = 0;
};
struct Refused : std::runtime_error {
    Refused() : std::runtime_error("the bank has refused") {}
};
template <class S> void edit_half_way(Context& ctx, auto change) {
    try {
        ctx.edit<S>([&](auto& slot) {
            change(slot);
            throw Refused();
        });
        FAIL("it throws");
    } catch (const Refused&) {}
}
NextEvent pay(Context& ctx, GoEvent go) {
    for (int i = 0; i < go.edits_before; ++i) {
        ctx.edit<Account>([](auto& a) { --a.owed, ++a.paid; });
        ctx.edit<Lines>([](auto& l) { l.push_back(1); });
        ctx.edit<Ledger>([](auto& l) { l.paid["me"] = 1; });
    }
    edit_half_way<Account>(ctx, [](auto& a) { a.paid = 10; });
    edit_half_way<Lines>(ctx, [](auto& l) { l.push_back(2), l.push_back(3); });
    CHECK(ctx.get<Account>().paid == go.edits_before);
    CHECK(ctx.get<Lines>().size() == std::size_t(go.edits_before));
    if (go.kind == 1) edit_half_way<Ledger>(ctx, [](auto& l) { l.paid["you"] = 1; });
    if (go.kind == 2) edit_half_way<Lines>(ctx, [](auto& l) { l = {}; });
    if (go.kind == 3) {  // cannot throw: nothing to undo
        ctx.edit<Ledger>([](auto& l) noexcept { l.paid.clear(); });
        ctx.edit<Ledger>([](auto& l) noexcept { l.paid.clear(); });
    }
    ctx.edit<Lines>([](auto& l) { l.push_back(4); });
    return {};
}
EndEvent look(Context& ctx, NextEvent) {
    CHECK(ctx.get<Lines>().back() == 4);
    return {{},
            ctx.get<Account>().paid,
            ctx.get<Account>().owed,
            int(ctx.get<Lines>().size()),
            int(ctx.get<Ledger>().paid.size())};
}
inline constexpr auto paying = workflow("paying", step<pay>, step<look>);
}

TEST_CASE("a throwing first edit leaves the slot unchanged, although the step continues") {
    const auto end = run(paying, {.kind = 1}, {.slots = slots(Account{0, 20})});
    CHECK(end.paid == 0);
    CHECK(end.owed == 20);
    CHECK(end.lines == 1);
    CHECK(end.ledger == 0);
    CHECK(run(paying, {.kind = 2}).lines == 1);
}
TEST_CASE("a throwing later edit is undone in small plain structs and growing lists") {
    const auto end = run(paying, {.edits_before = 2});
    CHECK(end.paid == 2);
    CHECK(end.owed == 8);
    CHECK(end.lines == 3);
    CHECK(end.ledger == 1);
    CHECK(run(paying, {.edits_before = 1, .kind = 3}).ledger == 0);
}
TEST_CASE("a later edit that throws fails the attempt at its end when undoing it would need a copy") {
    CHECK_THROWS_WITH_AS((void)run(paying, {.edits_before = 1, .kind = 1}),
                         "step pay failed: an edit of Ledger threw half-way, and the step continued: let it fail, or "
                         "make the edit one that cannot throw",
                         RunError);
    CHECK_THROWS_AS((void)run(paying, {.edits_before = 1, .kind = 2}), RunError);
}
TEST_CASE("a throwing edit is undone in a context without a run, and edits inside of it are separate edits") {
    Context ctx;
    ctx.edit<Account>([](auto& a) { a.paid = 1; });
    CHECK_THROWS_AS(ctx.edit<Account>([](auto& a) {
        a.paid = 5;
        throw Refused();
    }),
                    Refused);
    CHECK(ctx.get<Account>().paid == 1);
    CHECK_THROWS_AS(ctx.edit<Ledger>([&](auto& l) {
        l.paid["you"] = 1;
        ctx.edit<Lines>([](auto& lines) { lines.push_back(1); });
        throw Refused();
    }),
                    Refused);
    CHECK(ctx.get<Ledger>().paid.empty());
    CHECK(ctx.get<Lines>().size() == 1);
}
