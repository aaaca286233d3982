// One thread writes. One transaction takes all calls that wait, and those that come meanwhile; if it fails, the thread
// repeats each call alone. A caller with a fresh answer is likely to call again immediately, so the thread waits for
// it, at most for half of the last commit's duration. After a disk error the connection is not trusted: the thread
// opens the file again, writes the log's content again, and repeats each call, which detects whether it was stored
// before.
#include "engine/store/sqlite_store.hpp"
#include "engine/core/wait/start_thread.hpp"
#include "engine/store/damaged.hpp"
#include "engine/store/sqlite/file.hpp"
#include "engine/store/sqlite/schema.hpp"
#include "engine/store/sqlite/tables.hpp"
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <random>
#include <thread>

namespace weft {
using namespace storage;

class SqliteStore::Writer {
public:
    struct QueuedCall {
        std::string run;  // named in errors
        bool writes = false;
        bool counts = false;  // a repeated call would give another answer
        std::function<void(storage::SqliteTables&)> work;
        std::function<void(std::exception_ptr)> answer;
        std::exception_ptr error;
    };
    Writer(const std::string& path, SqliteOptions options)
        : options_(std::move(options)), is_owner_(options_.access == SqliteAccess::engine), file_(path, is_owner_) {
        try {
            open();
        } catch (const storage::SqliteError& e) {
            close();
            file_.leave_nothing();
            storage::refuse_store(file_.name(), e);
        } catch (const Error&) {
            close();
            file_.leave_nothing();
            throw;
        }
        thread_ = core::start_thread("a store", [this] { work(); });
    }
    ~Writer() {
        {
            std::lock_guard lock(mutex_);
            stops_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }
    template <class T, class Work> void ask(Then<T>& then, QueuedCall call, Work work) {
        auto value = std::make_shared<T>();
        call.work = [value, work = std::move(work)](storage::SqliteTables& tables) { *value = work(tables); };
        call.answer = [value, then = std::move(then)](std::exception_ptr error) { then(error, std::move(*value)); };
        {
            std::lock_guard lock(mutex_);
            calls_.push_back(std::move(call));
            if (calls_.size() < wanted_) return;
        }
        wake_.notify_one();
    }
    template <class T> bool refuses(const Then<T>& then) const {
        if (is_owner_) return false;
        const auto why = "the store '" + file_.name() +
                         "' was opened as a visitor, which only reads and sends: only an "
                         "engine claims and continues runs";
        then(std::make_exception_ptr(Error(Code::usage, why)), T{});
        return true;
    }
    storage::Leases leases;  // used by the thread only

private:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::size_t most_at_once_ = 1000, most_in_a_portion_ = 8;
    static constexpr auto most_patience_ = std::chrono::milliseconds(1);
    static constexpr std::int64_t pages_when_idle_ = 1000, pages_at_most_ = 16'000;

    void open();
    void reopen();
    void begin(bool writes);
    void work();
    void attempt(std::vector<QueuedCall>&, bool is_again);
    void undo(std::vector<QueuedCall>&);
    bool take_more(std::vector<QueuedCall>&);
    void process(std::vector<QueuedCall>&, bool is_again = false);
    void recover_from(const storage::SqliteError&, std::vector<QueuedCall>&, bool is_again);
    void one_by_one(std::vector<QueuedCall>&);
    void fail(QueuedCall&, const storage::SqliteError&);
    void fail_all(std::vector<QueuedCall>&, const std::exception&);
    void tell(const std::vector<QueuedCall>&);
    void close();
    void abandon();
    void tidy(bool is_idle);

    const SqliteOptions options_;
    const bool is_owner_;
    storage::SqliteFile file_;
    std::optional<storage::SqliteConnection> connection_;
    std::optional<storage::SqliteTables> tables_;
    std::int64_t ticket_ = 0;  // drawn by the commit under way
    std::int64_t tidy_at_ = pages_when_idle_;
    std::int64_t marked_ = -1;  // the last number written to the lock file
    std::size_t expected_ = 0;  // number of calls in the last round
    Time answered_{};
    Time::duration commit_{};  // duration of the last commit
    std::string trouble_;      // reason for a failed call of this round
    bool has_told_ = false;    // trouble was reported, its end not yet
    std::minstd_rand jitter_{std::random_device{}()};

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<QueuedCall> calls_;
    std::size_t wanted_ = 1;  // number of calls that wakes the thread
    bool stops_ = false;
    std::thread thread_;
};

void SqliteStore::Writer::open() {
    const int newest = int(storage::sqlite_migrations().size());
    connection_.emplace(file_.connect(options_.busy_ms));
    storage::check_version(*connection_, file_.name(), newest, is_owner_);
    file_.keep_log(*connection_, options_.may_lose_the_last_moments_on_power_failure);
    if (is_owner_) storage::migrate(*connection_, file_.path(), storage::sqlite_migrations());
    if (auto finding = connection_->integrity(is_owner_ ? 1000 : 200); finding != "ok") {
        std::replace(finding.begin(), finding.end(), '\n', ' ');
        throw Error(Code::journal, "the store '" + file_.name() + "' is damaged (" + finding +
                                       "): use a copy, or save what is left by `sqlite3 FILE .recover`");
    }
    tables_.emplace(*connection_, file_.name(), options_.now);
    if (!is_owner_) return;
    file_.check_mark(tables_->last_number());
    connection_->execute("begin immediate");
    tables_->release_all();
    connection_->execute("commit");
    file_.mark(tables_->last_number());
}
void SqliteStore::Writer::reopen() {
    close();
    try {
        connection_.emplace(file_.connect(options_.busy_ms));
        file_.keep_log(*connection_, options_.may_lose_the_last_moments_on_power_failure);
        connection_->empty_log();  // a failed sync may have left data in the system's cache only: write it again
        tables_.emplace(*connection_, file_.name(), options_.now);
    } catch (...) {
        close();
        throw;
    }
}
void SqliteStore::Writer::close() {
    tables_.reset();
    connection_.reset();
}
void SqliteStore::Writer::abandon() {
    try {
        if (connection_ && connection_->is_in_transaction()) connection_->execute("rollback");
        if (tables_) tables_->renumber();
    } catch (const storage::SqliteError&) { close(); }
}
void SqliteStore::Writer::begin(bool writes) {
    // SQLite itself waits for a lock, but refuses immediately where a wait might never end.
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.busy_ms);
    for (;;) try {
            return void(connection_->run(writes ? "begin immediate" : "begin"));
        } catch (const storage::SqliteError& e) {
            if (!e.is_busy() || std::chrono::steady_clock::now() >= until) throw;
            std::this_thread::sleep_for(std::chrono::milliseconds(10 + jitter_() % 90));
        }
}
bool SqliteStore::Writer::take_more(std::vector<QueuedCall>& calls) {
    const auto patience = std::min<Time::duration>(commit_ / 2, most_patience_);
    std::unique_lock lock(mutex_);
    if (calls.size() < expected_ && calls_.empty()) {
        wanted_ = std::min(expected_ - calls.size(), most_in_a_portion_);
        wake_.wait_until(lock, answered_ + patience, [&] { return stops_ || calls_.size() >= wanted_; });
        wanted_ = 1;
    }
    const auto n = std::min(calls_.size(), most_at_once_ - std::min(most_at_once_, calls.size()));
    std::move(calls_.begin(), calls_.begin() + long(n), std::back_inserter(calls));
    calls_.erase(calls_.begin(), calls_.begin() + long(n));
    return n > 0;
}
void SqliteStore::Writer::attempt(std::vector<QueuedCall>& calls, bool is_again) {
    auto any = [&](bool QueuedCall::*what) {
        return std::any_of(calls.begin(), calls.end(), [&](const QueuedCall& call) { return call.*what; });
    };
    if (!tables_) reopen();
    const bool writes = any(&QueuedCall::writes);
    begin(writes);
    tables_->begin();
    const auto before = connection_->all_changes();
    for (std::size_t i = 0; i < calls.size() || (writes && !is_again && take_more(calls)); ++i) {
        auto& call = calls[i];
        call.error = nullptr;
        const auto changes = connection_->all_changes();
        try {
            call.work(*tables_);
        } catch (const Error&) { call.error = std::current_exception(); }
        if (call.error && connection_->all_changes() != changes) return undo(calls);
    }
    ticket_ = any(&QueuedCall::counts) && connection_->all_changes() != before ? tables_->draw_ticket() : 0;
    const auto begun = std::chrono::steady_clock::now();
    connection_->run("commit");
    commit_ = std::chrono::steady_clock::now() - begun;
    ticket_ = 0;
}
// A call has failed after some of its changes, which must not be stored: the others are repeated without it.
void SqliteStore::Writer::undo(std::vector<QueuedCall>& calls) {
    abandon();
    if (calls.size() > 1) one_by_one(calls);
}
void SqliteStore::Writer::process(std::vector<QueuedCall>& calls, bool is_again) {
    try {
        attempt(calls, is_again);
        if (!tables_) return;  // the connection was lost after an undone call, whose error is the answer
        const auto last = tables_->last_number();
        if (is_owner_ && !options_.may_lose_the_last_moments_on_power_failure && last != marked_)
            file_.mark(marked_ = last);
    } catch (const storage::SqliteError& e) {
        try {
            recover_from(e, calls, is_again);
        } catch (const std::exception& second) {  // a fault of the file: the next call opens it again
            close();
            fail_all(calls, second);
        }
    } catch (const std::exception& e) {
        abandon();
        fail_all(calls, e);
    }
}
void SqliteStore::Writer::fail_all(std::vector<QueuedCall>& calls, const std::exception& why) {
    trouble_ = why.what();
    for (auto& call : calls) call.error = std::make_exception_ptr(Error(Code::journal, why.what()));
}
void SqliteStore::Writer::recover_from(const storage::SqliteError& e, std::vector<QueuedCall>& calls, bool is_again) {
    const auto ticket = std::exchange(ticket_, 0);
    if (e.is_of_the_disk()) try {
            reopen();
            if (ticket && tables_->ticket() == ticket) return;  // the commit was stored: the answers are right
        } catch (const storage::SqliteError& second) {
            for (auto& call : calls) fail(call, second);
            return;
        }
    else abandon();
    if (e.is_busy() || (calls.size() == 1 && (is_again || !e.is_of_the_disk())))
        for (auto& call : calls) fail(call, e);
    else one_by_one(calls);
}
void SqliteStore::Writer::one_by_one(std::vector<QueuedCall>& calls) {
    for (auto& call : calls) {
        std::vector<QueuedCall> one;
        one.push_back(std::move(call));
        process(one, true);
        call = std::move(one.front());
    }
}
void SqliteStore::Writer::fail(QueuedCall& call, const storage::SqliteError& e) {
    const auto sentence = storage::sqlite_sentence(file_.name(), e, call.run);
    const bool is_of_one_run = e.is_damage() && !call.run.empty() && !call.writes;
    if (!is_of_one_run && !e.is_too_big()) trouble_ = sentence;
    call.error = is_of_one_run ? std::make_exception_ptr(storage::DamagedError(call.run, sentence))
                               : std::make_exception_ptr(Error(e.is_too_big() ? Code::usage : Code::journal, sentence));
}
/// Reports the beginning and the end of trouble, once each.
void SqliteStore::Writer::tell(const std::vector<QueuedCall>& calls) {
    const auto trouble = std::exchange(trouble_, {});
    const bool is_stored = std::ranges::any_of(calls,
                                               [](const QueuedCall& call) { return call.writes && !call.error; });
    const bool is_news = has_told_ ? is_stored && trouble.empty() : !trouble.empty();
    if (!is_news) return;
    has_told_ = !has_told_;
    if (!options_.note) return;
    options_.note(has_told_ ? StoreNote{trouble, true}
                            : StoreNote{"the store '" + file_.name() + "' can be written again"});
}
void SqliteStore::Writer::work() {
    std::vector<QueuedCall> calls;
    for (;;) {
        bool is_idle = false;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return stops_ || !calls_.empty(); });
            if (calls_.empty()) break;
            const auto n = std::min(calls_.size(), most_at_once_);
            std::move(calls_.begin(), calls_.begin() + long(n), std::back_inserter(calls));
            calls_.erase(calls_.begin(), calls_.begin() + long(n));
        }
        process(calls);
        tell(calls);
        expected_ = calls.size();
        for (auto& call : calls) call.answer(call.error);
        answered_ = std::chrono::steady_clock::now();
        calls.clear();
        {
            std::lock_guard lock(mutex_);
            is_idle = calls_.empty();
        }
        tidy(is_idle);
    }
    close();
}
void SqliteStore::Writer::tidy(bool is_idle) {
    if (!connection_ || connection_->pages_in_log() < (is_idle ? tidy_at_ : tidy_at_ + pages_at_most_)) return;
    try {
        tidy_at_ = connection_->checkpoint() ? pages_when_idle_ : connection_->pages_in_log() + pages_when_idle_;
    } catch (const storage::SqliteError& e) {
        if (e.is_of_the_disk()) close();  // the next call opens it again
        else tidy_at_ += pages_when_idle_;
    }
}

SqliteStore::SqliteStore(std::string path, SqliteOptions options)
    : writer_(std::make_unique<Writer>(path, std::move(options))) {}
SqliteStore::~SqliteStore() = default;

void SqliteStore::create(NewRun run, Then<CreateReply> then) {
    if (!run.owner.empty() && writer_->refuses(then)) return;
    const auto id = run.id;
    writer_->ask(then, {.run = id, .writes = true}, [run = std::move(run)](auto& t) { return t.create(run); });
}
void SqliteStore::create_all(std::vector<NewRun> runs, Then<std::vector<CreateReply>> then) {
    writer_->ask(then, {.run = {}, .writes = true}, [runs = std::move(runs)](auto& t) { return t.create_all(runs); });
}
void SqliteStore::append(Batch batch, Then<AppendReply> then) {
    if (writer_->refuses(then)) return;
    const auto id = batch.run;
    writer_->ask(then, {.run = id, .writes = true}, [batch = std::move(batch)](auto& t) { return t.append(batch); });
}
void SqliteStore::load(std::string run, Then<History> then, std::uint64_t from) {
    writer_->ask(then, {.run = run}, [run, from](auto& t) { return t.load(run, from); });
}
void SqliteStore::load_mail(std::string run, Then<std::vector<Mail>> then) {
    writer_->ask(then, {.run = run}, [run](auto& t) { return t.load_mail(run); });
}
void SqliteStore::write_log(LogEntries entries, Then<LogReply> then) {
    if (writer_->refuses(then)) return;
    const auto id = entries.run;
    writer_->ask(then, {.run = id, .writes = true},
                 [entries = std::move(entries)](auto& t) { return t.write_log(entries); });
}
void SqliteStore::read_log(std::string run, std::uint64_t from, std::size_t most, Then<LogPart> then,
                           std::size_t bytes) {
    writer_->ask(then, {.run = run}, [run, from, most, bytes](auto& t) { return t.read_log(run, from, most, bytes); });
}
void SqliteStore::plan(std::string hash, Then<StoredPlan> then) {
    writer_->ask(then, {}, [hash = std::move(hash)](auto& t) { return t.plan(hash); });
}
void SqliteStore::send(Mail mail, Then<SendReply> then) {
    const auto id = mail.run;
    writer_->ask(then, {.run = id, .writes = true}, [mail = std::move(mail)](auto& t) { return t.send(mail); });
}
void SqliteStore::claim(ClaimRequest claim, Then<std::vector<RunRow>> then) {
    if (writer_->refuses(then)) return;
    writer_->ask(then, {.writes = true, .counts = true},
                 [claim = std::move(claim), &leases = writer_->leases](auto& t) { return t.claim(claim, leases); });
}
void SqliteStore::heartbeat(Heartbeat worker, Then<HeartbeatReply> then) {
    if (writer_->refuses(then)) return;
    writer_->ask(then, {.writes = true}, [worker = std::move(worker), &leases = writer_->leases](auto& t) {
        return t.heartbeat(worker, leases);
    });
}
void SqliteStore::list(Filter filter, Then<std::vector<RunRow>> then) {
    writer_->ask(then, {}, [filter = std::move(filter)](auto& t) { return t.list(filter); });
}
void SqliteStore::set_limits(QueueLimits limits, Then<bool> then) {
    writer_->ask(then, {.writes = true}, [limits = std::move(limits)](auto& t) { return t.set_limits(limits); });
}
void SqliteStore::set_model_limit(ModelLimit limit, Then<bool> then) {
    writer_->ask(then, {.writes = true}, [limit = std::move(limit)](auto& t) { return t.models().set(limit); });
}
void SqliteStore::model_limits(Then<std::vector<ModelFlow>> then) {
    writer_->ask(then, {}, [](auto& t) { return t.models().all(); });
}
void SqliteStore::take_quota(QuotaRequest request, Then<QuotaReply> then) {
    writer_->ask(then, {.writes = true}, [request = std::move(request)](auto& t) { return t.models().take(request); });
}
void SqliteStore::survey(Then<Survey> then) {
    writer_->ask(then, {}, [](auto& t) { return t.survey(); });
}
void SqliteStore::prune(Filter filter, Then<std::uint64_t> then) {
    writer_->ask(then, {.writes = true, .counts = true},
                 [filter = std::move(filter)](auto& t) { return t.prune(filter); });
}
}
