// A call of the store on its way to PostgreSQL: it sends statements, makes an answer of their rows, and answers its
// caller. It may need several rounds; the statements of a round are one transaction, which other calls share.
//
//     call->ask(connection);                            // then a sync
//     call->is_done = call->take(rows);
//     call->answer();
//
// If ask() or take() throws an Error, that is the answer of the call. After a lost connection was_lost() is called: the
// call has to find out what of it was done before it repeats it. Of the store's thread.
#pragma once
#include "engine/store/postgres/connection.hpp"
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
    /// The rows of each statement that it has sent. Whether the call is done; else it asks again.
    virtual bool take(std::span<PostgresRows>) = 0;
    virtual void was_lost() {}
    virtual void answer() = 0;

    std::string run;           // that it is about; empty: several, or none
    std::size_t bytes = 0;     // of what it brings
    bool changes = false;      // calls after it have to see what it did
    bool is_urgent = false;    // goes before those that wait
    bool is_patient = false;   // waits for a lost connection however long it takes
    bool makes_rows = false;   // creates runs that other calls of its group may need: sent first
    bool is_hint = false;      // dropped if the connection is lost
    std::uint64_t number = 0;  // in the order of all calls
    std::thread::id thread;    // that has made it
    std::chrono::steady_clock::time_point since{};
    unsigned failures = 0;
    bool is_done = false;
    std::exception_ptr error;
    /// Whom it concerns once it is done (PostgresHints): the owner of a run, or whoever takes a ready one.
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

/// The time of rows, if it is not to be the database's.
using PostgresNow = std::function<std::int64_t()>;
inline PostgresTime time_of(const PostgresNow& now) { return {now ? std::optional(now()) : std::nullopt}; }

PostgresCallPtr postgres_create(storage::NewRun, Store::Then<storage::Created>, const PostgresNow&);
PostgresCallPtr postgres_append(storage::Batch, Store::Then<storage::Appended>, const PostgresNow&);
PostgresCallPtr postgres_write_log(storage::LogEntries, Store::Then<storage::Logged>, const PostgresNow&);
PostgresCallPtr postgres_send(storage::Mail, Store::Then<storage::Sent>, const PostgresNow&);

PostgresCallPtr postgres_load(std::string run, std::uint64_t from, Store::Then<storage::History>);
PostgresCallPtr postgres_read_log(std::string run, std::uint64_t from, std::size_t most, std::size_t bytes,
                                  Store::Then<storage::LogPart>);
PostgresCallPtr postgres_plan(std::string hash, Store::Then<storage::StoredPlan>);
PostgresCallPtr postgres_list(storage::Filter, Store::Then<std::vector<storage::RunRow>>);

/// Gives a greater number each time; asked in the order in which claims are sent.
using PostgresClaimNumber = std::function<std::int64_t()>;
PostgresCallPtr postgres_claim(storage::Claim, const PostgresClaimNumber&, Store::Then<std::vector<storage::RunRow>>,
                               const PostgresNow&);
PostgresCallPtr postgres_beat(storage::Worker, Store::Then<storage::Pulse>, const PostgresNow&);
PostgresCallPtr postgres_survey(Store::Then<storage::Survey>, const PostgresNow&);
PostgresCallPtr postgres_prune(storage::Filter, Store::Then<std::uint64_t>);

/// The columns of a run, in the order in which read_run() takes them.
#define WEFT_POSTGRES_RUN                                                                                              \
    "id, workflow, hash, queue, start_key, forked_from, owner, options, outcome, waits_for, status, priority, epoch, " \
    "next_seq, mail, takeovers, created_at, updated_at, wake_at, number"
inline constexpr PostgresStatement run_by_id{"weft_run", "select " WEFT_POSTGRES_RUN " from weft.runs where id = $1"};
/// $1 to $4: the workflows, the statuses, the time before which, and at most so many; $5: the ids, if there are any.
PostgresValues values_of(const storage::Filter&, std::int64_t most);
struct NumberedRun {
    storage::RunRow row;
    std::int64_t number = 0;  // in the order in which they came
};
NumberedRun read_run(const PostgresRows&, int row);
RunStatus status_of_postgres(std::string_view);
}
