// The promises of engine/store.hpp about logs of runs, for every store.
#include "tests/engine/store/conformance.hpp"
#include <doctest/doctest.h>
#include <future>

using namespace stores;
using Texts = std::vector<std::string>;

namespace {
Texts numbered(std::uint64_t from, std::uint64_t upto) {
    Texts made;
    for (; from < upto; ++from) made.push_back("entry " + std::to_string(from));
    return made;
}
}
TEST_CASE("a log returns written entries by their numbers") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));

        CHECK(write_log(store, entries_of("r1", 0, {"a"})).next == 1);
        CHECK(write_log(store, entries_of("r1", 1, {"b", "c"})).next == 3);

        CHECK(bodies(read_log(store, "r1")) == Texts{"a", "b", "c"});
        CHECK(bodies(read_log(store, "r1", 1, 1), 1) == Texts{"b"});
        CHECK(read_log(store, "r1", 1, 1).next == 3);
        CHECK(load(store, "r1").ticks.size() == 1);
    });
}
TEST_CASE("an unwritten log is empty, and so is the part after the end of a log") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        CHECK(read_log(store, "r1").entries.empty());
        CHECK(read_log(store, "r1").next == 0);
        CHECK(write_log(store, entries_of("r1", 0, {})).next == 0);
        write_log(store, entries_of("r1", 0, {"a", "b"}));

        for (auto from : {std::uint64_t{2}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
            CHECK(read_log(store, "r1", from).entries.empty());
            CHECK(read_log(store, "r1", from).next == 2);
        }
        CHECK(read_log(store, "r1", 0, 0).entries.empty());
        CHECK(write_log(store, entries_of("r1", 0, {})).next == 2);
    });
}
TEST_CASE("existing entries stay as they are, and new ones are added behind them") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        write_log(store, entries_of("r1", 0, {"a", "b"}));

        CHECK(write_log(store, entries_of("r1", 0, {"a", "b"})).next == 2);
        CHECK(write_log(store, entries_of("r1", 0, {"other"})).next == 2);
        CHECK(write_log(store, entries_of("r1", 1, {"other", "c"})).next == 3);

        CHECK(bodies(read_log(store, "r1")) == Texts{"a", "b", "c"});
    });
}
TEST_CASE("a log refuses an entry out of order, and stores nothing of it") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        write_log(store, entries_of("r1", 0, {"a"}));
        auto torn = entries_of("r1", 1, {"b", "c"});
        torn.entries[1].number = 3;

        auto late = refusal([&] { write_log(store, entries_of("r1", 2, {"c"})); });
        auto gap = refusal([&] { write_log(store, torn); });
        auto last = refusal([&] { write_log(store, entries_of("r1", ~std::uint64_t{0}, {"z"})); });

        CHECK(late.code == Code::usage);
        CHECK(late.sentence == "run r1: entry 2 of its log cannot be stored before entry 1 is");
        CHECK(gap.code == Code::usage);
        CHECK(gap.sentence == "run r1: entry 3 of its log stands where entry 2 belongs: they are stored in order");
        CHECK(last.code == Code::usage);
        CHECK(bodies(read_log(store, "r1")) == Texts{"a"});
    });
}
TEST_CASE("the log of a missing run is refused by name") {
    on_every_store([](Store& store, House&) {
        CHECK(refusal([&] { write_log(store, entries_of("nobody", 0, {"a"})); }).sentence ==
              "the store has no run nobody");
        CHECK(refusal([&] { read_log(store, "nobody"); }).code == Code::usage);
    });
}
TEST_CASE("a log belongs to one run") {
    on_every_store([](Store& store, House&) {
        for (auto id : {"r1", "r2"}) create(store, run_of(id));
        for (std::uint64_t i = 0; i < 70; ++i)
            for (std::string id : {"r1", "r2"}) write_log(store, entries_of(id, i, {id + std::to_string(i)}));

        for (std::string id : {"r1", "r2"})
            for (std::uint64_t from : {0, 1, 31, 32, 33, 63, 64, 65, 69}) {
                auto found = bodies(read_log(store, id, from), from);
                REQUIRE(found.size() == 70 - from);
                CHECK(found.front() == id + std::to_string(from));
                CHECK(found.back() == id + "69");
            }
    });
}
TEST_CASE("a former owner adds nothing to a log, and the last one does, also after the run has ended") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        write_log(store, entries_of("r1", 0, {"a"}));
        auto leave = batch_of(store, "r1", {});
        leave.left = left(RunStatus::ready);
        append(store, leave);

        CHECK_FALSE(write_log(store, entries_of("r1", 1, {"left"})).is_fenced);
        REQUIRE(claim(store, {.owner = "bob"}).at(0).epoch == 2);
        auto late = write_log(store, entries_of("r1", 2, {"late"}));
        auto end = batch_of(store, "r1", {"end"});
        end.left = left(RunStatus::done, "{}");
        append(store, end);

        CHECK(late.is_fenced);
        CHECK(late.next == 2);
        CHECK_FALSE(write_log(store, entries_of("r1", 2, {"ended"}, 2)).is_fenced);
        CHECK(write_log(store, entries_of("r1", 3, {"early"}, 3)).is_fenced);
        CHECK(bodies(read_log(store, "r1")) == Texts{"a", "left", "ended"});
    });
}
TEST_CASE("a body within its bound is kept whole") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        const std::string most(most_log_body, 'x'), odd("a\0b\xff\xc3\xe2\x82 '\"\n", 11);

        auto refused = refusal([&] { write_log(store, entries_of("r1", 0, {"a", most + "x"})); });

        CHECK(refused.code == Code::usage);
        CHECK(refused.sentence.find("run r1: entry 1 of its log has 1048577 bytes, and at most 1048576 are") == 0);
        CHECK(read_log(store, "r1").next == 0);
        CHECK(write_log(store, entries_of("r1", 0, {odd, most, ""})).next == 3);
        CHECK(bodies(read_log(store, "r1")) == Texts{odd, most, ""});
    });
}
TEST_CASE("an answer has a bound of entries and of bytes, and the next one begins at its end") {
    on_every_store([](Store& store, House&) {
        for (auto id : {"many", "long"}) create(store, run_of(id));
        write_log(store, entries_of("many", 0, numbered(0, most_log_entries + 5)));
        write_log(store, entries_of("long", 0, Texts(10, std::string(most_log_body, 'x'))));

        auto many = read_log(store, "many", 0, ~std::size_t{0});
        auto large = read_log(store, "long");

        CHECK(bodies(many) == numbered(0, most_log_entries));
        CHECK(many.next == most_log_entries + 5);
        CHECK(bodies(read_log(store, "many", most_log_entries), most_log_entries) ==
              numbered(most_log_entries, most_log_entries + 5));
        CHECK(large.entries.size() == 8);
        CHECK(large.next == 10);
        CHECK(read_log(store, "long", 8).entries.size() == 2);
    });
}
TEST_CASE("an entry handed over before a record is stored when the record is") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto next = batch_of(store, "r1", {"tick"});
        std::vector<int> order;
        std::promise<void> done;

        store.write_log(entries_of("r1", 0, {"a"}), [&](std::exception_ptr, LogReply) { order.push_back(1); });
        store.append(next, [&](std::exception_ptr, AppendReply) { order.push_back(2); });
        store.write_log(entries_of("r1", 1, {"b"}), [&](std::exception_ptr, LogReply) { order.push_back(3); });
        store.read_log("r1", 0, 10, [&](std::exception_ptr, LogPart part) {
            order.push_back(int(part.next) + 2);
            done.set_value();
        });
        done.get_future().get();

        CHECK(order == std::vector<int>{1, 2, 3, 4});
    });
}
TEST_CASE("a run's log is pruned with the run, and a later run with that id begins an empty log") {
    on_every_store([](Store& store, House&) {
        for (auto id : {"r1", "r2"}) {
            create(store, run_of(id));
            write_log(store, entries_of(id, 0, numbered(0, 100)));
            auto end = batch_of(store, id, {"end"});
            end.left = left(RunStatus::done, "{}");
            append(store, end);
        }

        CHECK(prune(store, {.ids = {"r1"}}) == 1);

        CHECK(refusal([&] { read_log(store, "r1"); }).code == Code::usage);
        CHECK(refusal([&] { write_log(store, entries_of("r1", 100, {"late"})); }).code == Code::usage);
        CHECK(bodies(read_log(store, "r2")) == numbered(0, 100));
        create(store, run_of("r1"));
        CHECK(read_log(store, "r1").next == 0);
        CHECK(write_log(store, entries_of("r1", 0, {"new"})).next == 1);
        CHECK(bodies(read_log(store, "r1")) == Texts{"new"});
    });
}
TEST_CASE("a log takes entries of several writers at once, and each answer is correct for its entry") {
    on_every_store([](Store& store, House&) {
        const std::size_t runs = 30, entries = 40;
        std::vector<std::future<void>> all;
        for (std::size_t i = 0; i < runs; ++i) create(store, run_of("r" + std::to_string(i)));

        for (std::size_t i = 0; i < runs; ++i)
            all.push_back(std::async(std::launch::async, [&store, id = "r" + std::to_string(i)] {
                for (std::size_t n = 0; n < entries; ++n) {
                    const auto next = write_log(store, entries_of(id, n, {id})).next;
                    if (next != n + 1 || read_log(store, id, n, 1).entries.size() != 1) throw std::logic_error(id);
                }
            }));

        for (auto& each : all) CHECK_NOTHROW(each.get());
        for (std::size_t i = 0; i < runs; ++i) {
            const auto id = "r" + std::to_string(i);
            CHECK(bodies(read_log(store, id)) == Texts(entries, id));
        }
    });
}
