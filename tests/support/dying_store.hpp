// Simulates in one process a process that dies and its successor, which finds only the data that reached the store.
#pragma once
#include "engine/core/loop/loop.hpp"
#include "engine/core/resume.hpp"
#include "engine/core/run_log.hpp"
#include "engine/loop.hpp"
#include "engine/store/memory_store.hpp"
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

namespace dying {
using namespace weft;

/// Simulates the death of a process: no call after a given number of calls reaches the store.
struct Dying : Store {
    Store& to;
    long left;
    Dying(Store& s, long n) : to(s), left(n) {}
    bool dead() { return left-- <= 0; }
    void create(storage::NewRun run, Then<storage::CreateReply> then) override {
        if (!dead()) to.create(std::move(run), std::move(then));
    }
    void create_all(std::vector<storage::NewRun> runs, Then<std::vector<storage::CreateReply>> then) override {
        if (!dead()) to.create_all(std::move(runs), std::move(then));
    }
    void append(storage::Batch batch, Then<storage::AppendReply> then) override {
        if (!dead()) to.append(std::move(batch), std::move(then));
    }
    void load(std::string run, Then<storage::History> then, std::uint64_t from) override {
        to.load(std::move(run), std::move(then), from);
    }
    void write_log(storage::LogEntries entries, Then<storage::LogReply> then) override {
        if (!dead()) to.write_log(std::move(entries), std::move(then));
    }
    void read_log(std::string run, std::uint64_t from, std::size_t most, Then<storage::LogPart> then,
                  std::size_t bytes) override {
        to.read_log(std::move(run), from, most, std::move(then), bytes);
    }
    void plan(std::string hash, Then<storage::StoredPlan> then) override { to.plan(std::move(hash), std::move(then)); }
    void send(storage::Mail mail, Then<storage::SendReply> then) override { to.send(std::move(mail), std::move(then)); }
    void claim(storage::ClaimRequest claim, Then<std::vector<storage::RunRow>> then) override {
        to.claim(std::move(claim), std::move(then));
    }
    void heartbeat(storage::Heartbeat worker, Then<storage::HeartbeatReply> then) override {
        to.heartbeat(std::move(worker), std::move(then));
    }
    void list(storage::Filter filter, Then<std::vector<storage::RunRow>> then) override {
        to.list(std::move(filter), std::move(then));
    }
    void survey(Then<storage::Survey> then) override { to.survey(std::move(then)); }
    void prune(storage::Filter filter, Then<std::uint64_t> then) override {
        to.prune(std::move(filter), std::move(then));
    }
};
/// Gives the runs of the dead owner to the new one.
inline void free_all(MemoryStore& store) {
    store.list({}, [&](std::exception_ptr, std::vector<storage::RunRow> rows) {
        for (auto& row : rows) {
            if (row.status != RunStatus::running) continue;
            store.append(core::given_back(row.id, row.epoch, row.next_seq),
                         [](std::exception_ptr error, storage::AppendReply) { REQUIRE_FALSE(error); });
        }
    });
}
struct Shop {  // the test's own loop
    asio::io_context io{1};
    Loop loop;
    explicit Shop(Store& store, Clock& clock = real_clock())
        : loop(Runtime{io.get_executor(), &clock}, {.store = &store}) {}
    void poll() {
        io.restart();
        io.poll();
    }
};
template <class W>
Run<W> resume_on(Loop& loop, const Bound<W>& workflow, const std::string& id, const RunOptions& options = {}) {
    auto core = core::make_stored(core::PrivateAccess::loop(loop), workflow.definition, id, options);
    core::resume_stored(core);
    return core::PrivateAccess::make<Run<W>>(core);
}
}
