// One thread talks to the server by two lanes, and takes calls from a queue. A call wakes the thread only if that is
// worth it: calls during a transaction can wait. While the thread rests, the caller's thread sends, which saves a
// wakeup before the server gets the call; only the store's thread gives answers. A call of the second lane waits for
// all earlier calls of the first; a call of the first lane waits only for earlier calls of its thread that change
// something or name its run.
#include "engine/core/wait/start_thread.hpp"
#include "engine/error.hpp"
#include "engine/store/postgres/connection_thread.hpp"
#include "engine/store/postgres/schema.hpp"
#include <algorithm>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace weft {
using namespace storage;
namespace {
using LaneTime = PostgresLane::Time;
LaneTime steady_now() { return std::chrono::steady_clock::now(); }
constexpr std::size_t calls_at_once = 1000;
constexpr std::size_t longest_call = 200u << 20;  // bytes: the server's limit of one value, less room for escapes
constexpr std::size_t most_sent_by_callers = 256u << 10;  // bytes: the limit keeps a caller's wait short
constexpr auto longest_wait_for_taker = std::chrono::milliseconds(10);
constexpr int looks_in_silence = 4;  // minimum wakeups before a silent server counts as lost
}

thread_local const PostgresStore::ConnectionThread* PostgresStore::ConnectionThread::gives_answers = nullptr;

PostgresStore::ConnectionThread::ConnectionThread(const std::string& url, PostgresOptions options)
    : options_(std::move(options)),
      url_(url),
      appends_(url_, options_,
               {.most_at_once = calls_at_once,
                .may_begin = [this](const auto& call) { return !queries_.comes_before(call); },
                .answered = [this](const auto& call) { let_go(call); },
                .tell = [this](const StoreNote& note) { tell(note); },
                .lost = [this] { queries_.drop_unused(); },
                .reached = [this](std::size_t attempt) { queries_.follow(attempt); }}),
      queries_(url_, options_,
               {.most_at_once = 1,
                .may_begin = [this](const auto& call) { return appends_.oldest() > call.number; },
                .answered = [this](const auto& call) { let_go(call); },
                .tell = [this](const StoreNote& note) { tell(note); },
                .lost = [this] { appends_.drop_unused(); },
                .reached = [this](std::size_t attempt) { appends_.follow(attempt); },
                .greets = [this] { return hints_.is_wanted() ? postgres_listen() : nullptr; },
                .notified = [this](std::string_view owner) { hints_.give(owner); }}) {
    auto connection = connect();
    const auto limit = steady_now() + std::chrono::milliseconds(options_.connect_ms);
    check_size(ask_postgres(*connection, store_size, PostgresValues(), limit), options_.databases);
    queries_.adopt(std::move(connection));
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_ < 0) throw Error(Code::configuration, "the system has no descriptor left for a store");
    try {
        thread_ = core::start_thread("a store", [this] { work(); });
    } catch (...) {
        ::close(wake_);
        throw;
    }
}
PostgresStore::ConnectionThread::~ConnectionThread() {
    {
        std::lock_guard lock(mutex_);
        stops_ = true;
    }
    ring();
    thread_.join();
    ::close(wake_);
}
std::shared_ptr<void> PostgresStore::ConnectionThread::on_hint(Hint act) {
    if (!options_.hints) return nullptr;
    auto listens = hints_.add(std::move(act));
    query(postgres_listen());
    return listens;
}
void PostgresStore::ConnectionThread::tell(const StoreNote& note) {
    if (std::exchange(told_, note.text) != note.text && options_.note) options_.note(note);
}
void PostgresStore::ConnectionThread::ring() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);  // full: the thread is awake anyway
}
// Tries each host of the address once, or twice if a pooler refuses options; the hosts share the time equally.
std::unique_ptr<PostgresConnection> PostgresStore::ConnectionThread::connect() {
    const auto begun = steady_now();
    const auto deadline = begun + std::chrono::milliseconds(options_.connect_ms);
    const auto hosts = url_.hosts();
    std::string why;
    PostgresServerTraits server_traits;
    for (std::size_t attempt = 0; attempt < hosts;) try {
            auto connection = std::make_unique<PostgresConnection>(url_, attempt, server_traits);
            const auto share = begun + (deadline - begun) * std::int64_t(attempt + 1) / std::int64_t(hosts);
            prepare_database(*connection, url_, share);
            for (auto* lane : {&appends_, &queries_}) lane->know(server_traits);
            return connection;
        } catch (const PostgresError& e) {
            why = e.what();
            if (!e.is_of_options() || url_.has_options() || !std::exchange(server_traits.sends_options, false))
                ++attempt;
            if (e.is_of_options() && url_.has_options())
                why += " (a pooler takes no options: leave them out of the address and of PGOPTIONS)";
        }
    if (why.find("no password supplied") != why.npos) why += " (PGPASSWORD, or a pass file, may have it)";
    throw Error(Code::configuration, "cannot use the store '" + url_.name() + "': " + why);
}
void PostgresStore::ConnectionThread::enter(PostgresCallPtr call, bool is_append) {
    const auto refused = [&](Code code, const std::string& why) {
        call->error = std::make_exception_ptr(Error(code, "the store '" + url_.name() + "' " + why));
        call->answer();
    };
    if (call->bytes > longest_call)
        return refused(Code::usage, "takes at most 200 MB at once, and this is more: store less");
    std::unique_lock lock(mutex_);
    if (waiting_ >= options_.most_waiting || bytes_ + call->bytes > std::max(options_.most_bytes, call->bytes)) {
        const auto waiting = std::to_string(waiting_);
        lock.unlock();
        return refused(Code::journal, "has no room for a further call: " + waiting + " of them wait for the server");
    }
    ++waiting_;
    bytes_ += call->bytes;
    call->number = ++numbers_;
    call->thread = std::this_thread::get_id();
    call->since = steady_now();
    coming_.push_back({std::move(call), is_append});
    const bool rings = !is_append || ++coming_appends_ == wake_threshold_;
    const bool is_small = bytes_ <= most_sent_by_callers;
    lock.unlock();
    if (gives_answers == this) return;  // this thread looks for calls before it rests
    if (rings && !(is_small && send_at_once())) ring();
}
/// Returns whether the store's thread can keep sleeping.
bool PostgresStore::ConnectionThread::send_at_once() {
    const std::unique_lock at_work(at_work_, std::try_to_lock);
    if (!at_work) return false;
    take_calls();
    const auto now = steady_now();
    if (!appends_.why_away_for_long(now).empty()) return false;
    const auto rounds = appends_.rounds();
    bool is_sent = appends_.send(now);
    is_sent &= queries_.send(now);
    if (appends_.rounds() != rounds) is_sent &= choose_taker(core::AnswerTaker::of_this_thread());
    std::lock_guard lock(mutex_);
    wake_threshold_ = appends_.wake_threshold(now);
    return is_sent;
}
/// Decides which thread takes the answer to the round that was sent. Returns whether the store's thread can keep
/// sleeping: if it does not notice the answer, it looks in time.
bool PostgresStore::ConnectionThread::choose_taker(core::AnswerTaker* taker) {
    const auto connection = appends_.awaited_connection();
    const auto take = [this, connection](core::AnswerTaker& own) { take_answers(own, connection); };
    const bool takes = taker && connection != 0 && taker->await(appends_.descriptor(), connection, take);
    taker_ = takes ? taker : nullptr;
    return takes || polls_appends_;
}
/// On the thread of a loop.
void PostgresStore::ConnectionThread::take_answers(core::AnswerTaker& own, std::uint64_t connection) {
    const std::unique_lock at_work(at_work_, std::try_to_lock);
    if (!at_work) {
        has_missed_ = true;
        return ring();
    }
    if (taker_ != &own) return;  // the loop was late, and another thread takes the answer
    const auto* const before = std::exchange(gives_answers, this);
    const auto rounds = appends_.rounds();
    if (appends_.awaited_connection() == connection) appends_.polled(POLLIN);
    do
        while (appends_.is_ready() && step_appends()) {}
    while (appends_.is_ready() && more_has_come());
    gives_answers = before;
    bool can_sleep = true;
    if (appends_.rounds() != rounds || appends_.awaited_connection() == connection) can_sleep = choose_taker(&own);
    if (!can_sleep || has_work_for_the_thread()) ring();
}
void PostgresStore::ConnectionThread::let_go(const PostgresCall& call) {
    if (options_.hints && call.hint && !call.error) hints_.note(*call.hint);
    if (call.number == 0) return;  // a call of the store itself
    std::lock_guard lock(mutex_);
    --waiting_;
    bytes_ -= call.bytes;
}
bool PostgresStore::ConnectionThread::take_calls() {
    std::vector<IncomingCall> came;
    {
        std::lock_guard lock(mutex_);
        came.swap(coming_);
        coming_appends_ = 0;
    }
    for (auto& [call, is_append] : came) (is_append ? appends_ : queries_).add(std::move(call));
    return !came.empty();
}
bool PostgresStore::ConnectionThread::send_hints() {
    bool is_last = false;
    {
        std::lock_guard lock(mutex_);
        is_last = stops_;
    }
    auto call = hints_.due(steady_now(), is_last);
    if (!call) return false;
    queries_.add(std::move(call));
    return true;
}
/// Whether more calls have come than may wait for the present round.
bool PostgresStore::ConnectionThread::more_has_come() {
    std::lock_guard lock(mutex_);
    wake_threshold_ = appends_.wake_threshold(steady_now());
    return coming_appends_ >= wake_threshold_;
}
bool PostgresStore::ConnectionThread::has_work_for_the_thread() {
    if (!appends_.is_empty() && appends_.awaited_connection() == 0) return true;
    if (!queries_.is_empty() && queries_.awaited_connection() == 0) return true;
    std::lock_guard lock(mutex_);
    return stops_ || coming_.size() > coming_appends_ || !hints_.is_empty();
}
/// A loop that is busy or has ended takes no answer. Then the store's thread takes it, until a loop sends again.
void PostgresStore::ConnectionThread::watch_taker(LaneTime now) {
    if (has_missed_.exchange(false)) taker_ = nullptr;
    if (!taker_ || now < look_at_) return;
    if (std::exchange(rounds_seen_, appends_.rounds()) == appends_.rounds()) taker_ = nullptr;
    look_at_ = now + longest_wait_for_taker;
}
void PostgresStore::ConnectionThread::wait(LaneTime until, std::unique_lock<std::mutex>& at_work) {
    const auto now = steady_now();
    if (more_has_come()) return;
    {
        std::lock_guard lock(mutex_);
        if (coming_.size() > coming_appends_) return;
    }
    watch_taker(now);
    polls_appends_ = !taker_;
    pollfd what[]{{.fd = wake_, .events = POLLIN, .revents = 0},
                  {.fd = polls_appends_ ? appends_.descriptor() : -1, .events = appends_.events(), .revents = 0},
                  {.fd = queries_.descriptor(), .events = queries_.events(), .revents = 0}};
    // Wake up in time for answers to calls that another thread sends meanwhile.
    until = std::min(until, now + std::chrono::milliseconds(options_.silence_ms) / looks_in_silence);
    if (taker_) until = std::min(until, look_at_);
    const auto ns = std::max<std::int64_t>(0, std::chrono::nanoseconds(until - now).count());
    const timespec left{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
    at_work.unlock();
    ::ppoll(what, 3, &left, nullptr);
    std::uint64_t count = 0;
    if (what[0].revents != 0) [[maybe_unused]]
        const auto read = ::read(wake_, &count, sizeof count);
    at_work.lock();
    appends_.polled(what[1].revents);
    queries_.polled(what[2].revents);
}
bool PostgresStore::ConnectionThread::step_appends() {
    const bool has_come = take_calls();
    return appends_.step(steady_now()) || has_come;
}
bool PostgresStore::ConnectionThread::step() {
    const auto rounds = appends_.rounds();
    bool has_moved = step_appends();
    if (appends_.rounds() != rounds) taker_ = nullptr;
    // An owner that renews its lease but cannot store would keep its runs from all other owners.
    if (const auto why = appends_.why_away_for_long(steady_now()); !why.empty())
        has_moved |= queries_.refuse_held(why, steady_now());
    has_moved |= send_hints();
    has_moved |= queries_.step(steady_now());
    return has_moved;
}
void PostgresStore::ConnectionThread::work() {
    gives_answers = this;
    std::unique_lock at_work(at_work_);
    std::optional<LaneTime> closing;
    for (;;) {
        while (step()) {}
        const auto now = steady_now();
        {
            std::lock_guard lock(mutex_);
            if (stops_ && !closing) closing = now + std::chrono::milliseconds(options_.closing_ms);
            if (stops_ && coming_.empty() && appends_.is_empty() && queries_.is_empty() && hints_.is_empty()) return;
        }
        if (closing && now >= *closing) {
            const Error late(Code::journal,
                             "the store '" + url_.name() + "' was closed before the server had answered");
            appends_.refuse_all(late);
            queries_.refuse_all(late);
            if (!take_calls()) return;
            continue;
        }
        wait(std::min(
                 {appends_.wakes_at(now), queries_.wakes_at(now), hints_.due_at(), closing.value_or(LaneTime::max())}),
             at_work);
    }
}

std::string shown_postgres_url(const std::string& url) {
    try {
        return PostgresUrl(url).name();
    } catch (const Error&) { return "postgres://..."; }
}
PostgresStore::PostgresStore(const std::string& url, PostgresOptions options)
    : thread_(std::make_unique<ConnectionThread>(url, std::move(options))) {}
PostgresStore::~PostgresStore() = default;

std::shared_ptr<void> PostgresStore::on_hint(Hint act) { return thread_->on_hint(std::move(act)); }
}
