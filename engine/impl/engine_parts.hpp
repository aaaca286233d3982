// The members of an engine, for its own files.
#pragma once
#include "engine/core/loop/random.hpp"
#include "engine/core/shard.hpp"
#include "engine/engine.hpp"
#include "engine/impl/async_mutex.hpp"
#include "engine/impl/claim_pauses.hpp"
#include "engine/signal.hpp"
#include "engine/store.hpp"
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <latch>
#include <map>
#include <span>
#include <thread>

namespace weft {
namespace core {
/// An engine without its blocking functions. Its owner runs the loops, and the executor of its heart.
struct EngineParts {
    using KnownDefinitions = std::vector<std::shared_ptr<const Definition>>;
    std::shared_ptr<Admission> admission;
    std::vector<std::unique_ptr<LoopCore>> loops;
    std::atomic<unsigned> next{0};
    EngineOptions options;
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
    struct FetchedMail {
        const void* core = nullptr;  // the run's core at that time
        std::uint64_t mail = 0;      // the number of mails
        std::shared_ptr<std::atomic<bool>> is_delivered = std::make_shared<std::atomic<bool>>(false);
    };
    /// The heartbeats and claims of one database of the store: one that is away delays no other.
    struct Heart {
        std::shared_ptr<Shard> shard;  // the owner name of its lease is the owner of this engine's runs there
        std::shared_ptr<HeartbeatState> state = std::make_shared<HeartbeatState>();
        std::shared_ptr<void> hints;                 // keeps the subscription to hints
        std::map<std::string, FetchedMail> fetched;  // by run id: mail that a step may not have taken yet
        AsyncMutex claims;   // held during a claim: else a claimed run would seem to be in no loop
        ClaimPauses pauses;  // of the recovered workflows
        Store& store() const { return *shard->store; }
        Lease& lease() const { return *shard->lease; }
        /// Whether the engine may claim runs under this lease: before its first heartbeat others would take them over
        /// at once.
        bool may_claim(const Lease::Holder& holder) const { return lease().may_begin(holder.number); }
    };
    std::vector<std::unique_ptr<Heart>> hearts;  // one for each database; one without a database if there is no store
    std::atomic<bool> leaving = false;
    std::atomic<bool> stopping = false;  // ends the coroutines of the heart

    void configure(const EngineOptions&);
    void add_loop(const Runtime&, asio::io_context*, std::uint64_t seed);  // the context: of the loop's thread, if any
    /// Begins the hearts, which call `ended` twice each, after stop_hearts().
    void begin_hearts(const Runtime& on, const std::function<void()>& ended);
    void stop_hearts();
    awaitable<void> send_heartbeats(Heart&, Runtime on);  // notices the end of the lease; never waits for the store
    awaitable<void> take_answers(Heart&);                 // handles answers to heartbeats, which may take long
    bool heartbeat(Heart&);                               // false if a heartbeat waits for its answer
    void take_hints(Heart&);
    void take(Heart&, const HeartbeatState::HeartbeatAnswer&);
    void renew(Heart&, const HeartbeatState::HeartbeatAnswer&);
    void lose_lease(Heart&, std::uint64_t number);
    void say_goodbye();  // sends the last heartbeats
    void on_loops(void (*act)(LoopCore&));
    awaitable<void> hear(Heart&, storage::HeartbeatReply);
    awaitable<void> fetch_mail(Heart&, storage::HeartbeatReply::InboxCount);
    /// Resumes a claimed run; false if it is here already.
    bool go_on(Heart&, const KnownDefinitions& recovered, const storage::RunRow&);
    /// Gives back runs that the store has as this engine's, and memory has not.
    awaitable<void> free_left_behind(Heart&);
    awaitable<std::vector<storage::RunRow>> claim_from_store(Heart&, storage::ClaimRequest);
    /// Claims the ready runs of recovered workflows and of `more`, which count as recovered from now on, and appends
    /// their ids. A heart cannot claim runs first: the caller gets all ids.
    awaitable<void> claim_ready(KnownDefinitions more, std::vector<std::string>& ids);
    awaitable<void> claim_ready(Heart&, std::vector<std::string>& ids);  // the caller holds Heart::claims
    struct ClaimShare {
        Heart* heart;
        std::size_t runs = 0;   // of the database in this engine, beside a number that is the same for all databases
        std::size_t most = 0;   // runs to claim first
        bool is_empty = false;  // the database has no further run for this claim, or has failed
        std::exception_ptr error = nullptr;
    };
    std::vector<ClaimShare> shares_of_claim(std::size_t most);
    awaitable<void> claim_share(ClaimShare&, storage::ClaimRequest,
                                const std::function<bool(const storage::RunRow&)>& take, std::size_t& taken);
    awaitable<void> claim_shares(std::span<ClaimShare>, storage::ClaimRequest,
                                 const std::function<bool(const storage::RunRow&)>& take, std::size_t& taken);
    awaitable<void> claim(storage::ClaimRequest, const std::function<bool(const storage::RunRow&)>& take,
                          std::size_t& taken);
    awaitable<void> claim(Heart&, storage::ClaimRequest, const std::function<bool(const storage::RunRow&)>& take,
                          std::size_t& taken);
    awaitable<void> await_claims();                    // waits until the runs of a claim in progress are in their loops
    void drain(const std::function<void()>& drained);  // calls `drained` for each loop
    CoreRef make_or_find(const std::shared_ptr<const Definition>&, const RunOptions&, bool& is_new);
    CoreRef resume(std::shared_ptr<const Definition>, const std::string& id, const RunOptions&);
    LoopCore& next_loop() {
        return *loops[loops.size() == 1 ? 0 : next.fetch_add(1, std::memory_order_relaxed) % loops.size()];
    }
    std::mutex naming;                    // held from the look-up of an id until it is taken
    std::atomic<unsigned> next_heart{0};  // that claims first
    std::shared_ptr<const KnownDefinitions> recovered = std::make_shared<const KnownDefinitions>();  // of recover()
    std::mutex recovering;  // protects `recovered`
};
}
struct Engine::Parts : core::EngineParts {
    struct Thread {  // a context of the engine and its thread
        asio::io_context io{1};
        asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
        std::thread thread;
    };
    std::vector<std::unique_ptr<Thread>> threads;  // of the loops
    std::unique_ptr<Thread> heart_thread;
    std::optional<std::latch> hearts_ended;
    std::unique_ptr<Pool> pool;
    std::once_flag pool_made;
    void add_loop_on(asio::io_context&, std::uint64_t seed);
    void listen();  // starts the heartbeats, if there is a store; leaves nothing begun if it throws
    void end_hearts();
    void abandon();  // ends the loops that a constructor has begun before it throws
};
}
