// The members of an engine, for its own files.
#pragma once
#include "engine/core/lease.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/engine.hpp"
#include "engine/impl/async_mutex.hpp"
#include "engine/impl/claim_pauses.hpp"
#include "engine/signal.hpp"
#include "engine/store.hpp"
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <functional>
#include <latch>
#include <map>
#include <thread>

namespace weft {
namespace core {
/// An engine without its blocking functions. Its owner runs the loops, and the executor of its heart.
struct EngineParts {
    std::shared_ptr<Admission> admission;
    std::vector<std::unique_ptr<LoopCore>> loops;
    std::atomic<unsigned> next{0};
    EngineOptions options;
    std::shared_ptr<Lease> lease;  // its unique owner name is the owner of this engine's runs in the store
    Clock* clock = nullptr;
    struct HeartbeatState {  // shared with the store's callbacks, which may outlive this engine
        std::mutex mutex;
        std::condition_variable answered;  // for the engine's constructor, which waits for the first answer
        Signal changed;                    // for send_heartbeats()
        Signal is_heard;                   // for take_answers()
        bool is_beating = false;           // a heartbeat waits for its answer
        bool is_hinted = false;            // a hint asks for a heartbeat soon
        bool claims = false;               // this engine also needs hints about ready runs
        struct HeartbeatAnswer {
            std::exception_ptr error;
            storage::HeartbeatReply reply;
            std::uint64_t lease_number = 0;
            Duration sent{};
        };
        std::optional<HeartbeatAnswer> answer;
        std::optional<storage::HeartbeatReply> heard;  // the latest reply that the listener has not handled
    };
    std::shared_ptr<HeartbeatState> heart = std::make_shared<HeartbeatState>();
    std::shared_ptr<void> hints;  // keeps the subscription to hints
    std::atomic<bool> leaving = false;
    std::atomic<bool> stopping = false;  // ends the coroutines of the heart

    void configure(const EngineOptions&);
    void add_loop(const Runtime&, asio::io_context*, std::uint64_t seed);  // the context: of the loop's thread, if any
    void begin_heart(const Runtime& heart, std::function<void()> ended);   // calls `ended` twice, after stop_heart()
    void stop_heart();
    awaitable<void> send_heartbeats(Runtime heart);  // notices the end of the lease; never waits for the store
    awaitable<void> take_answers();                  // handles answers to heartbeats, which may take long
    bool heartbeat();                                // false if a heartbeat waits for its answer
    void take_hints();
    void take(const HeartbeatState::HeartbeatAnswer&);
    void renew(const HeartbeatState::HeartbeatAnswer&);
    /// Whether the engine may claim runs under this lease: before its first heartbeat others would take them over at
    /// once.
    bool may_claim(const Lease::Holder& holder) const { return lease->may_begin(holder.number); }
    void lose_lease(std::uint64_t number);
    void say_goodbye();  // sends the last heartbeat
    Duration between_heartbeats() const;
    void on_loops(void (*act)(LoopCore&));
    awaitable<void> hear(storage::HeartbeatReply);
    awaitable<void> fetch_mail(storage::HeartbeatReply::InboxCount);
    bool go_on(const storage::RunRow&);     // resumes a claimed run; false if it is here already
    void free_run(const storage::RunRow&);  // gives back a claimed run, without waiting for the store
    awaitable<void> free_left_behind();     // gives back runs that the store has as this engine's, and memory has not
    awaitable<std::vector<storage::RunRow>> claim_from_store(storage::ClaimRequest);
    /// Claims the ready runs of recovered workflows and of `more`, which count as recovered from now on, and appends
    /// their ids. The call is one unit, so the heart cannot claim runs first, and the caller gets all ids.
    awaitable<void> claim_ready(std::vector<std::shared_ptr<const Definition>> more, std::vector<std::string>& ids);
    awaitable<void> claim(storage::ClaimRequest, const std::function<bool(const storage::RunRow&)>& take,
                          std::size_t& taken);
    awaitable<void> await_claims();                    // waits until the runs of a claim in progress are in their loops
    void drain(const std::function<void()>& drained);  // calls `drained` for each loop
    CoreRef make_or_find(const std::shared_ptr<const Definition>&, const RunOptions&, bool& is_new);
    CoreRef resume(std::shared_ptr<const Definition>, const std::string& id, const RunOptions&);
    LoopCore& next_loop() {
        return *loops[loops.size() == 1 ? 0 : next.fetch_add(1, std::memory_order_relaxed) % loops.size()];
    }
    struct FetchedMail {
        const void* core = nullptr;  // the run's core at that time
        std::uint64_t mail = 0;      // the number of mails
        std::shared_ptr<std::atomic<bool>> is_delivered = std::make_shared<std::atomic<bool>>(false);
    };
    std::map<std::string, FetchedMail> fetched;  // by run id: mail that a step may not have taken yet; for the listener
    std::mutex naming;                           // held from the look-up of an id until it is taken
    AsyncMutex claims;                           // held during a claim: else a claimed run would seem to be in no loop
    std::vector<std::shared_ptr<const Definition>> recovered;  // definitions of recover()
    ClaimPauses pauses;                                        // pauses of the recovered workflows
};
}
struct Engine::Parts : core::EngineParts {
    struct Thread {  // a context of the engine and its thread
        asio::io_context io{1};
        asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
        std::thread thread;
        void begin(std::function<void()> work);  // throws Error{configuration} if the system starts no thread
    };
    std::vector<std::unique_ptr<Thread>> threads;  // of the loops
    std::unique_ptr<Thread> heart_thread;
    std::latch heart_ended{2};
    std::unique_ptr<Pool> pool;
    std::once_flag pool_made;
    void add_loop_on(asio::io_context&, std::uint64_t seed);
    void listen();  // starts the heartbeats, if there is a store
    void end_heart();
    void abandon();  // ends what a constructor has begun before it throws
};
}
