// What an engine is made of, for its own files.
#pragma once
#include "engine/core/lease.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/engine.hpp"
#include "engine/impl/claim_pauses.hpp"
#include "engine/store.hpp"
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <map>
#include <thread>

namespace weft {
struct Engine::Parts {
    struct Thread {  // a context of the engine's own, and the thread that runs it
        asio::io_context io{1};
        asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
        std::thread thread;
    };
    std::vector<std::unique_ptr<Thread>> threads;
    std::unique_ptr<Pool> pool;
    std::shared_ptr<core::Admission> admission;
    std::vector<std::unique_ptr<core::Loop>> loops;
    std::once_flag pool_made;
    std::atomic<unsigned> next{0};
    Options options;
    std::shared_ptr<core::Lease> lease;  // its owner is that of this engine's runs in the store, and unique
    const Clock* clock = nullptr;
    struct Heart {  // shared with the store's callbacks, which may come after this engine was destroyed
        std::mutex mutex;
        std::condition_variable_any answered;
        bool is_beating = false;  // a heartbeat is not answered yet
        bool is_hinted = false;   // a hint has come: send one soon
        bool claims = false;      // hints of ready runs concern this engine, too
        struct Answer {
            std::exception_ptr error;
            storage::HeartbeatReply reply;
            std::uint64_t term = 0;
            Duration sent{};
        };
        std::optional<Answer> answer;
        std::optional<storage::HeartbeatReply> heard;  // the latest answer that the listener has not handled yet
    };
    std::shared_ptr<Heart> heart = std::make_shared<Heart>();
    std::shared_ptr<void> hints;  // keeps the subscription to hints
    std::jthread heartbeats;      // sends heartbeats and notices the end of the lease: it never waits for the store
    std::jthread listener;        // handles answers to heartbeats, which may take long
    std::atomic<bool> leaving = false;

    void make_lease();  // before the loops
    void listen();      // begins to send heartbeats, if there is a store
    bool heartbeat();   // unless a heartbeat is not answered yet
    void take_hints();
    void take(const Heart::Answer&);
    void renew(const Heart::Answer&);
    /// Whether runs may be claimed under this term: before its first heartbeat others would take them over at once.
    bool may_claim(const core::Lease::Term& term) const { return lease->may_begin(term.number); }
    void lose_lease(std::uint64_t term);
    void say_goodbye();  // the last heartbeat
    Duration between_heartbeats() const;
    void on_loops(void (*act)(core::Loop&));
    void hear(const storage::HeartbeatReply&);
    void fetch_mail(const storage::HeartbeatReply::Inbox&);
    bool go_on(const storage::RunRow&);     // that was claimed; false: it is here already
    void free_run(const storage::RunRow&);  // that this engine has claimed; it does not wait for the store
    void free_left_behind();                // runs that this engine owns in the store, but not in memory any more
    std::vector<storage::RunRow> claim_from_store(storage::Claim);
    // What is ready of the workflows that were recovered, and of these, which are from now on. With them the engine's
    // own thread finds nothing to claim before they are here, so that whoever recovers them gets the ids of all.
    std::vector<std::string> claim_ready(std::vector<std::shared_ptr<const Definition>> more = {});
    core::Loop& next_loop() {
        return *loops[loops.size() == 1 ? 0 : next.fetch_add(1, std::memory_order_relaxed) % loops.size()];
    }
    struct Fetched {
        const void* core = nullptr;  // that it was for
        std::uint64_t mail = 0;      // how much there was
        std::shared_ptr<std::atomic<bool>> is_delivered = std::make_shared<std::atomic<bool>>(false);
    };
    std::map<std::string, Fetched> fetched;  // by run: its mail, which a step may leave where it is; of the listener
    std::mutex naming;                       // between the look whether an id is taken, and taking it
    std::mutex recovering;
    std::vector<std::shared_ptr<const Definition>> recovered;  // by recover()
    ClaimPauses pauses;                                        // of their runs
};
}
