// A loop with a store that notes the ticks read by a resumed run, and the bytes of stored snapshots.
#pragma once
#include "engine/durable.hpp"
#include "engine/testing/manual_clock.hpp"
#include "tests/support/dying_store.hpp"

namespace snapshots {
using namespace weft;
using namespace weft::storage;
using dying::Dying;
/// A store that notes the ticks read by a resumed run, and the stored snapshots.
struct Reading final : Dying {
    std::vector<History> loaded;
    std::vector<std::size_t> snapshots;  // their bytes
    explicit Reading(Store& s, long calls = 1'000'000) : Dying(s, calls) {}
    void append(Batch batch, Then<AppendReply> then) override {
        if (batch.snapshot) snapshots.push_back(batch.snapshot->body.size());
        Dying::append(std::move(batch), std::move(then));
    }
    void load(std::string run, Then<History> then, std::uint64_t from) override {
        const auto see = [this, then = std::move(then)](std::exception_ptr error, History history) {
            loaded.push_back(history);
            then(error, std::move(history));
        };
        to.load(std::move(run), see, from);
    }
};
struct SnapshotWorld {
    testing::ManualClock& clock;
    asio::io_context io{1};
    Loop loop;
    SnapshotWorld(testing::ManualClock& c, Store& store, std::uint32_t every)
        : clock(c), loop(Runtime{io.get_executor(), &c}, {.store = &store, .seed = 1, .snapshot_every = every}) {}
    void run() {
        io.restart();
        while (io.poll() > 0) {}
    }
};
/// Owns the run for a while.
template <class Fill> void append_by_hand(MemoryStore& store, Fill fill) {
    store.claim({.owner = "hand"}, [&](std::exception_ptr, std::vector<RunRow> rows) {
        Batch batch;
        batch.run = rows.at(0).id;
        batch.epoch = rows.at(0).epoch;
        batch.seq = rows.at(0).next_seq;
        fill(batch);
        batch.left = RunRelease{};
        store.append(std::move(batch), [](std::exception_ptr error, AppendReply appended) {
            REQUIRE_FALSE(error);
            REQUIRE(appended == AppendReply::stored);
        });
    });
}
}
