// The thread of a PostgreSQL store: its two lanes and the queue of calls. Each call that the store makes is beside its
// statements: appends.cpp, claims.cpp, flow.cpp, queries.cpp, queue.cpp, survey.cpp.
//
//     thread_->append(std::make_unique<CreateCall>(...));    // the first lane: data of runs
//     thread_->query(std::make_unique<ListCall>(...));       // the second: all other calls
#pragma once
#include "engine/core/wait/answer_taker.hpp"
#include "engine/store/postgres/hints.hpp"
#include "engine/store/postgres/lane.hpp"
#include "engine/store/postgres_store.hpp"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace weft {
class PostgresStore::ConnectionThread {
public:
    ConnectionThread(const std::string& url, PostgresOptions);
    ~ConnectionThread();
    void append(storage::PostgresCallPtr call) { enter(std::move(call), true); }
    void query(storage::PostgresCallPtr call) { enter(std::move(call), false); }
    const storage::PostgresNow& now() const { return options_.now; }
    const PostgresOptions& options() const { return options_; }
    int silence_ms() const { return options_.silence_ms; }
    std::shared_ptr<void> on_hint(Hint act);
    const storage::PostgresClaimNumber& next_claim() const { return next_claim_; }
    bool expects_limits = false;  // the last claim saw limits of queues; for claims

private:
    struct IncomingCall {
        storage::PostgresCallPtr call;
        bool is_append;
    };
    std::unique_ptr<storage::PostgresConnection> connect();
    void enter(storage::PostgresCallPtr, bool is_append);
    void let_go(const storage::PostgresCall&);
    void tell(const StoreNote&);  // once, although both lanes see the same trouble
    void ring() const;
    bool take_calls();
    bool send_at_once();
    bool send_hints();
    bool choose_taker(core::AnswerTaker*);
    void take_answers(core::AnswerTaker&, std::uint64_t connection);
    bool more_has_come();
    bool has_work_for_the_thread();
    void watch_taker(storage::PostgresLane::Time now);
    void wait(storage::PostgresLane::Time until, std::unique_lock<std::mutex>& at_work);
    bool step_appends();
    bool step();  // false: nothing to do until a call or an answer comes
    void work();

    const PostgresOptions options_;
    const storage::PostgresUrl url_;
    storage::PostgresHints hints_;  // declared before the lanes, whose calls use the hints
    std::mutex at_work_;            // guards the lanes; taken before mutex_
    storage::PostgresLane appends_, queries_;
    int wake_ = -1;
    /// The loop that takes the answer to the present round of appends_; null: the store's thread. Only compared.
    const core::AnswerTaker* taker_ = nullptr;
    bool polls_appends_ = false;     // the thread rests, and would notice that answer
    std::uint64_t rounds_seen_ = 0;  // of appends_, at the last look after the loop that takes answers
    storage::PostgresLane::Time look_at_{};
    std::atomic<bool> has_missed_ = false;  // a loop could not take an answer, because another thread was at work
    std::string told_;
    std::int64_t claims_ = 0;  // number of the last claim
    const storage::PostgresClaimNumber next_claim_ = [this] {
        return claims_ = std::max(claims_ + 1, storage::wall_microseconds());
    };

    std::mutex mutex_;
    std::vector<IncomingCall> coming_;
    std::size_t coming_appends_ = 0, wake_threshold_ = 1, waiting_ = 0, bytes_ = 0;
    std::uint64_t numbers_ = 0;
    bool stops_ = false;
    std::thread thread_;
    static thread_local const ConnectionThread* gives_answers;  // the store whose answers this thread gives
};
}
