// A call of the store to PostgreSQL: sends statements, makes an answer from their rows, and gives it to its caller. A
// call may need several rounds; the statements of a round are one transaction, which other calls share.
//
//     call->ask(connection);                            // then a sync
//     call->is_done = call->take(rows);
//     call->answer();
//
// An Error from ask() or take() is the answer of the call. After a lost connection was_lost() is called: the call then
// reads which part of it was stored before it repeats the rest. Use it on the store's thread.
#pragma once
#include "engine/store/postgres/connection.hpp"
#include "engine/store/postgres_store.hpp"
#include "engine/store/rules.hpp"
#include <chrono>
#include <span>
#include <thread>

namespace weft::storage {
class PostgresCall {
public:
    PostgresCall() = default;
    PostgresCall(const PostgresCall&) = delete;
    PostgresCall& operator=(const PostgresCall&) = delete;
    virtual ~PostgresCall() = default;
    virtual void ask(PostgresConnection&) = 0;
    /// Takes the rows of each sent statement. Returns whether the call is done; otherwise it asks again.
    virtual bool take(std::span<PostgresRows>) = 0;
    virtual void was_lost() {}
    virtual void answer() = 0;

    std::string run;           // the run that the call names; empty: several, or none
    std::size_t bytes = 0;     // size of the call's data
    bool changes = false;      // later calls must see its effect
    bool is_urgent = false;    // sent before waiting calls
    bool is_patient = false;   // waits for a lost connection without a limit
    bool makes_rows = false;   // sent first: other calls of its group may need the runs that it creates
    std::string burst;         // of a debounced start: processes lock the rows of bursts in the order of this text
    bool is_hint = false;      // dropped if the connection is lost
    bool confirms = false;     // its answer may come from rows that another transaction has stored
    std::uint64_t number = 0;  // position in the order of all calls
    std::thread::id thread;    // the caller's thread
    std::chrono::steady_clock::time_point since{};
    unsigned failures = 0;
    bool is_done = false;
    std::exception_ptr error;
    /// The receiver of a hint once the call is done (PostgresHints): the owner of a run; empty: all, as a run is ready.
    std::optional<std::string> hint;
};
using PostgresCallPtr = std::unique_ptr<PostgresCall>;

template <class T> class PostgresCallOf : public PostgresCall {
public:
    using Then = Store::Then<T>;
    explicit PostgresCallOf(Then then) : then_(std::move(then)) {}
    void answer() final { error ? then_(error, T{}) : then_(nullptr, std::move(value_)); }

protected:
    T value_{};

private:
    Then then_;
};

/// The time for rows; without a clock it is null, and the database's time applies.
using PostgresNow = std::function<std::int64_t()>;
inline PostgresTime time_of(const PostgresNow& now) { return {now ? std::optional(now()) : std::nullopt}; }

/// Whether the store has as many databases as the process knows (PostgresOptions::databases). A process that knows
/// fewer would create a run whose id or key another database has.
#define WEFT_POSTGRES_SIZE(NUMBER) "coalesce((select databases from weft.meta), 0) = " NUMBER "::int8"
inline constexpr PostgresStatement store_size{"weft_store_size", "select coalesce(databases, 0)::int8 from weft.meta"};
void check_size(const PostgresRows& store_size, std::int64_t databases);  // throws Error{configuration}

inline constexpr unsigned most_rounds = 20;            // of a call while other processes change its runs
[[noreturn]] void give_up_on(const std::string& run);  // throws Error{journal}

/// The call of Store::create() for a run with NewRun::debounce.
PostgresCallPtr debounced_start(storage::NewRun, Store::Then<storage::CreateReply>, const PostgresOptions&);

/// Returns a greater number each time; called in the order in which claims are sent.
using PostgresClaimNumber = std::function<std::int64_t()>;

/// A row with an epoch that cannot grow is damaged, and must not block other runs.
#define WEFT_MOST_EPOCH "9000000000000000000"
/// The key of a new run in a queue: null without limits. TEXTS is key_texts() or empty.
#define WEFT_POSTGRES_KEY(QUEUE, TEXTS)                                                                                \
    "(select coalesce(case when q.per <> '' then nullif(" TEXTS ", '')::json ->> substr(q.per, 7) end, '') "           \
    "from weft.queues q where q.name = " QUEUE ")"
/// The tokens of a queue `q` (StartTokens) at `t.at`; null without such a limit.
#define WEFT_POSTGRES_TOKENS                                                                                           \
    "case when q.starts is not null then least(greatest(1, q.starts::float8 / q.seconds), q.tokens "                   \
    "+ greatest(0, extract(epoch from t.at - q.filled_at)::float8) * q.starts / q.seconds) end "
/// The columns of the limits of a queue `q`, in the order of read_limits().
#define WEFT_POSTGRES_LIMITS "q.name, q.running, q.per, q.running_per_key, q.starts, q.seconds "
storage::QueueLimits read_limits(const PostgresRows&, int row);
/// The columns of a run, in the order of read_run().
#define WEFT_POSTGRES_RUN                                                                                              \
    "id, workflow, hash, queue, start_key, forked_from, owner, options, outcome, waits_for, status, priority, epoch, " \
    "next_seq, mail, takeovers, created_at, updated_at, wake_at, number"
inline constexpr PostgresStatement run_by_id{"weft_run", "select " WEFT_POSTGRES_RUN " from weft.runs where id = $1"};
/// $1 to $4: the workflows, the statuses, the time before which rows changed, the maximum count; $5: the ids, if any.
PostgresValues values_of(const storage::Filter&, std::int64_t most);
struct NumberedRun {
    storage::RunRow row;
    std::int64_t number = 0;  // order of creation
};
NumberedRun read_run(const PostgresRows&, int row);
RunStatus status_of_postgres(std::string_view);
}
