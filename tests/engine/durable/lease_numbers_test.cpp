// An engine's view of its lease: how long it is certain, when it is over, and the lease numbers.
#include "engine/core/lease.hpp"
#include "engine/testing/manual_clock.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

TEST_CASE("a lease is certain for two thirds of its length after a sent heartbeat, and over after its whole length") {
    weft::testing::ManualClock clock;
    core::Lease lease("ann", clock, 9s);
    CHECK_FALSE(lease.may_begin(1));  // no answer yet
    const auto sent = clock.since_boot();
    clock.advance(2s);
    lease.renew(1, sent);

    clock.advance(3s);
    CHECK(lease.may_begin(1));
    clock.advance(1s);
    CHECK_FALSE(lease.may_begin(1));
    CHECK_FALSE(lease.is_over(1));
    clock.advance(3s);
    CHECK(lease.is_over(1));
    CHECK(lease.left() == 0s);
    CHECK(lease.somebody_waited());
    CHECK_FALSE(lease.somebody_waited());
}
TEST_CASE("an engine whose lease is over starts the next lease number, as another owner") {
    weft::testing::ManualClock clock;
    core::Lease lease("ann", clock, 9s);
    lease.renew(1, clock.since_boot());
    lease.begin_anew(1);
    lease.begin_anew(1);  // the second of two threads

    CHECK(lease.holder().number == 2);
    CHECK(lease.holder().owner != "ann");
    CHECK(lease.number_of("ann") == 0);
    CHECK(lease.number_of(lease.holder().owner) == 2);
    CHECK(lease.is_over(1));
    CHECK_FALSE(lease.is_over(2));
    lease.renew(1, clock.since_boot());  // a late answer
    CHECK_FALSE(lease.may_begin(2));
    lease.renew(2, clock.since_boot());
    CHECK(lease.may_begin(2));
    CHECK_FALSE(lease.may_begin(1));
}
TEST_CASE("a lease without a limit is never in doubt") {
    weft::testing::ManualClock clock;
    core::Lease lease("ann", clock);
    clock.advance(100h);
    CHECK(lease.may_begin(1));
    CHECK_FALSE(lease.is_over(1));
}
TEST_CASE("the store's date goes on evenly when the date of the machine jumps, before and after a comparison") {
    weft::testing::ManualClock clock;
    core::Lease lease("ann", clock, 9s);
    const auto date = [&] { return lease.date().time_since_epoch().count(); };
    const auto first = date();
    lease.compare_dates(first + 3'600'000'000, clock.since_boot(), clock.since_boot());
    CHECK(date() == first + 3'600'000'000);

    clock.jump_wall(-2h);
    clock.advance(1s);
    CHECK(date() == first + 3'601'000'000);
    lease.compare_dates(first + 3'601'000'000, clock.since_boot(), clock.since_boot());
    CHECK(date() == first + 3'601'000'000);
}
TEST_CASE(
    "dates are the machine's when the store's differ by less than two seconds, and a slow answer is better than none") {
    weft::testing::ManualClock clock;
    core::Lease lease("ann", clock, 9s);
    const auto sent = clock.since_boot();
    const auto wall = clock.wall().time_since_epoch().count();
    clock.advance(4s);
    lease.compare_dates(wall + 60'000'000, sent, clock.since_boot());
    CHECK(lease.date() - clock.wall() == 58s);
    lease.compare_dates(wall + 5'000'000, clock.since_boot(), clock.since_boot());
    CHECK(lease.date() == clock.wall());
}
