// The worker's thread claims, resumes and releases runs. The observer only records what happens to a run: it is called
// on the run's loop, with code of the run still on the stack.
#include "workflows/worker/worker.hpp"
#include "engine/any_event.hpp"
#include "engine/engine.hpp"
#include "engine/retry.hpp"
#include "engine/storage/answer.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <set>
#include <unistd.h>
#include <utility>

namespace weft::worker {
using namespace storage;
using namespace std::chrono_literals;
namespace {
constexpr unsigned most_failures = 3;  // consecutive failures after which a run is refused
constexpr std::size_t most_left = 2000, most_refused = 1000, most_told = 20, most_told_text = 500,
                      most_failures_kept = 10'000;
constexpr auto between_surveys = 2s, longest_survey = 1s;  // the limit: of one of several databases
// The divisor of the time that surveys may take: each reads all runs that have not ended.
constexpr int share_of_surveys = 50;
constexpr std::chrono::milliseconds least_rest = 20ms;  // for any number of hints

std::string name_of_process() {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    return repair_utf8(host) + ':' + std::to_string(::getpid());
}
}
Worker::Worker(WorkerOptions options)
    : options_(std::move(options)), process_(name_of_process()), most_at_once_(options_.slots) {}
Worker::~Worker() = default;

void Worker::offer(std::vector<WorkflowOffer> offers) {
    std::lock_guard lock(mutex_);
    for (auto& offer : offers) {
        std::erase_if(offers_, [&](const WorkflowOffer& known) { return known.workflow == offer.workflow; });
        offers_.push_back(std::move(offer));
    }
}
std::size_t Worker::used() const {
    std::lock_guard lock(mutex_);
    return going_.size();
}
catalog::WorkerInfo Worker::info() const {
    std::lock_guard lock(mutex_);
    catalog::WorkerInfo info;
    info.process = process_;
    info.slots = std::uint32_t(options_.slots);
    info.used = std::uint32_t(going_.size());
    info.queues = options_.queues;
    for (auto& offer : offers_) info.workflows[offer.workflow] = offer.hash;
    for (auto at = refused_.rbegin(); at != refused_.rend() && info.refused.size() < most_told; ++at)
        info.refused.push_back(at->run);
    return info;
}

// ----- claims

ClaimRequest Worker::claim_of(std::vector<std::string> hashes) const {
    std::lock_guard lock(mutex_);
    ClaimRequest claim;
    for (auto& offer : offers_) claim.workflows.push_back(offer.workflow);
    claim.hashes = std::move(hashes);
    claim.queues = options_.queues;
    claim.except.assign(leaving_.begin(), leaving_.end());
    claim.except.insert(claim.except.end(), left_.begin(), left_.end());
    for (auto& refused : refused_) claim.except.push_back(refused.id);
    claim.behind = behind_;
    claim.most = std::min(options_.slots - std::min(options_.slots, going_.size()), most_at_once_);
    return claim;
}
std::size_t Worker::claim(Engine& engine, ClaimRequest claim) {
    if (claim.most == 0 || claim.hashes.empty()) return 0;
    std::size_t seen = 0;
    const auto most = claim.most;
    const auto taken = engine.claim(std::move(claim), [this, &seen](const RunRow& row) { return ++seen, take(row); });
    may_have_more_ |= seen == most;
    return taken;
}
bool Worker::take(const RunRow& row) {
    const auto offer = std::ranges::find(offers_, row.workflow, &WorkflowOffer::workflow);
    if (offer == offers_.end()) return false;
    if (options_.leaves && options_.leaves(row)) {
        left_.insert(row.id);
        return false;
    }
    const ClaimRequest::QueuePlace place{row.priority, row.created_at};
    {
        std::lock_guard lock(mutex_);
        if (!going_.try_emplace(row.id, ClaimedRun{.workflow = row.workflow, .place = place, .next_seq = row.next_seq})
                 .second) {
            leaving_.insert(row.id);  // finish() has not removed it from memory yet
            return false;
        }
    }
    try {
        const RunOptions options{.observer = this, .claimed = RunOptions::Claimed{row.epoch, row.owner}};
        auto needs = offer->resume(row, options);
        std::lock_guard lock(mutex_);
        going_.at(row.id).needs = std::move(needs);
        return true;
    } catch (const std::exception& error) {
        {
            std::lock_guard lock(mutex_);
            going_.erase(row.id);
        }
        refuse(row.id, row.workflow, place, error.what());
        return false;
    }
}
/// The surveys of the databases that answer in time. One of several that does not is asked again after its answer.
std::vector<Survey> Worker::surveys_of(Store& store) {
    const auto shards = store.shards();
    if (shards.size() == 1) return {answer_of<Survey>([&](auto then) { store.survey(std::move(then)); })};
    pending_.resize(shards.size());
    for (std::size_t i = 0; i < shards.size(); ++i) {
        if (pending_[i].valid()) continue;
        const auto answer = std::make_shared<std::promise<Survey>>();
        pending_[i] = answer->get_future();
        shards[i]->survey([answer](std::exception_ptr error, Survey survey) {
            if (error) answer->set_exception(error);
            else answer->set_value(std::move(survey));
        });
    }
    std::vector<Survey> surveys;
    const auto limit = std::chrono::steady_clock::now() + longest_survey;
    for (auto& pending : pending_)
        if (pending.wait_until(limit) == std::future_status::ready) try {
                surveys.push_back(pending.get());
            } catch (const Error&) {}  // its claims tell the error
    return surveys;
}
/// Ready runs of this worker's workflows that no living worker takes.
std::set<Worker::Kind> Worker::orphaned_kinds(const Survey& survey) const {
    std::vector<catalog::WorkerInfo> workers{info()};
    for (auto& row : survey.workers)
        if (auto other = catalog::read_worker_info(row.info)) workers.push_back(*std::move(other));
    const auto has = [](const catalog::WorkerInfo& worker, const RunCount& count) {
        const auto own = worker.workflows.find(count.workflow);
        return own != worker.workflows.end() && own->second == count.hash && catalog::takes_queue(worker, count.queue);
    };
    std::set<Kind> orphaned;
    for (auto& count : survey.runs) {
        const bool is_ours = std::ranges::count(offers_, count.workflow, &WorkflowOffer::workflow) > 0 &&
                             catalog::takes_queue(workers.front(), count.queue);
        const bool is_had = std::ranges::any_of(workers, [&](auto& worker) { return has(worker, count); });
        if (count.status == RunStatus::ready && is_ours && !is_had)
            orphaned.insert({count.queue, count.workflow, count.hash});
    }
    return orphaned;
}
std::size_t Worker::carry_over(Engine& engine, const std::set<Kind>& orphaned) {
    const auto now = engine.first_runtime().clock->now();
    std::erase_if(orphaned_since_, [&](auto& each) { return !orphaned.contains(each.first); });
    std::size_t taken = 0;
    for (auto& kind : orphaned) {
        const auto since = orphaned_since_.try_emplace(kind, now).first->second;
        if (now - since < options_.orphaned_for) continue;
        auto claim = claim_of({kind.hash});
        claim.queues = {kind.queue};
        claim.workflows = {kind.workflow};
        taken += this->claim(engine, std::move(claim));
    }
    return taken;
}
std::size_t Worker::fill(Engine& engine, Store& store) {
    finish();
    may_have_more_ = false;
    const auto& clock = *engine.first_runtime().clock;
    if (clock.now() >= next_survey_ || left_.size() > most_left) left_.clear();  // only this thread uses it
    std::vector<std::string> own;
    for (auto& offer : offers_) own.push_back(offer.hash);
    auto taken = claim(engine, claim_of(std::move(own)));
    const auto begun = clock.now();
    if (used() >= options_.slots) orphaned_since_.clear();  // without free slots, no claim updates the times
    if (used() >= options_.slots || begun < next_survey_) return taken;
    std::set<Kind> orphaned;
    for (const auto& survey : surveys_of(store)) orphaned.merge(orphaned_kinds(survey));
    taken += carry_over(engine, orphaned);
    next_survey_ = clock.now() + std::max<Duration>(between_surveys, (clock.now() - begun) * share_of_surveys);
    return taken;
}
void Worker::work(Engine& engine, Store& store) {
    const auto hints = store.on_hint([this](std::string_view owner) {
        if (!owner.empty()) return;
        std::lock_guard lock(mutex_);
        is_hinted_ = true;
        changed_.notify_all();
    });
    std::string complaint;
    const Wait between_hinted{least_rest, options_.rest, 2};
    unsigned in_vain = 0;  // hints in a row without a run
    for (;;) {
        const auto begun = std::chrono::steady_clock::now();
        bool was_hinted = false;
        {
            std::lock_guard lock(mutex_);
            was_hinted = std::exchange(is_hinted_, false);  // the claim below finds the hinted run
        }
        std::size_t taken = 0;
        auto rest = options_.rest;
        try {
            taken = fill(engine, store);
            if (!complaint.empty()) note("the store answers again");
            complaint.clear();
            most_at_once_ = std::min(options_.slots, most_at_once_ * 2);
        } catch (const Error& error) {  // the store is busy or not available: its runs wait
            if (complaint != error.what()) note(complaint = error.what());
            rest = std::max<std::chrono::milliseconds>(rest, 1s);
            may_have_more_ = false;
            most_at_once_ = std::max<std::size_t>(1, most_at_once_ / 2);  // the runs may be too large to load together
        }
        // All workers get the hint of a ready run, but only one gets the run: the others then react more slowly.
        if (taken > 0) in_vain = 0;
        else if (was_hinted) ++in_vain;
        if (options_.each_round) options_.each_round();
        std::unique_lock lock(mutex_);
        const auto is_due = [&] {
            const bool has_room = going_.size() < options_.slots;
            return stops_ || (is_hinted_ && has_room) ||
                   std::ranges::any_of(going_, [](auto& each) { return each.second.gone; });
        };
        if (!may_have_more_ || going_.size() >= options_.slots) changed_.wait_for(lock, rest, is_due);
        if (is_hinted_ && taken == 0)
            changed_.wait_until(lock, begun + between_hinted.before_retry(in_vain + 1), [&] { return stops_; });
        if (stops_) return;
    }
}
void Worker::stop() {
    std::lock_guard lock(mutex_);
    stops_ = true;
    changed_.notify_all();
}

// ----- the ends of runs

void Worker::event_streamed(const RunInfo& run, const AnyEvent& event) noexcept {
    const auto* failed = event.get_if<RunFailedEvent>();
    if (!failed || !run.parent.empty()) return;
    std::lock_guard lock(mutex_);
    const auto at = going_.find(std::string(run.id));
    if (at == going_.end()) return;
    at->second.error = failed->error;
    at->second.code = failed->code;
}
void Worker::run_ended(const RunInfo& run, RunStatus) noexcept { let_go(run, true); }
void Worker::run_parked(const RunInfo& run) noexcept { let_go(run, false); }
void Worker::let_go(const RunInfo& run, bool ended) noexcept {
    if (!run.parent.empty()) return;
    std::lock_guard lock(mutex_);
    const auto at = going_.find(std::string(run.id));
    if (at == going_.end()) return;
    at->second.gone = true;
    at->second.ended = ended;
    changed_.notify_all();
}
void Worker::finish() {
    std::vector<std::pair<std::string, ClaimedRun>> gone;  // destroyed after the lock is released
    {
        std::lock_guard lock(mutex_);
        for (auto at = going_.begin(); at != going_.end();) {
            if (!at->second.gone) {
                ++at;
                continue;
            }
            leaving_.erase(at->first);
            gone.emplace_back(at->first, std::move(at->second));
            at = going_.erase(at);
        }
    }
    for (auto& [run, going] : gone) finish(run, going);
    const auto now = std::chrono::steady_clock::now();
    std::lock_guard lock(mutex_);
    if (behind_ && forget_behind_ <= now) behind_.reset();
    while (!refused_.empty() && refused_.front().until <= now) refused_.pop_front();
}
/// Retries a run a few times if its restore failed or its lease was lost. Attempts with a finished step do not count:
/// then the server or this process was not available.
void Worker::finish(const std::string& run, const ClaimedRun& going) {
    const bool came_to_nothing = !going.ended && !going.error.empty() &&
                                 (going.code == Code::journal || going.code == Code::usage);
    if (!came_to_nothing) {
        failures_.erase(run);
        return;
    }
    if (failures_.size() > most_failures_kept) failures_.clear();
    auto& failures = failures_[run];
    if (going.next_seq > failures.next_seq) failures = {0, going.next_seq};
    if (++failures.count < most_failures)
        return note("run " + repair_utf8(utf8_cut(run, most_told_text)) + " will be retried: " + going.error);
    failures_.erase(run);
    refuse(run, going.workflow, going.place, going.error);
}
void Worker::refuse(const std::string& run, const std::string& workflow, ClaimRequest::QueuePlace place,
                    const std::string& why) {
    const catalog::RefusedRun refused{repair_utf8(utf8_cut(run, most_told_text)),
                                      repair_utf8(utf8_cut(workflow, most_told_text)),
                                      repair_utf8(utf8_cut(why, most_told_text))};
    {
        std::lock_guard lock(mutex_);
        const auto until = std::chrono::steady_clock::now() + options_.retry_refused_after;
        if (refused_.size() < most_refused) refused_.push_back({run, refused, until});
        else if (!behind_ || *behind_ < place) {
            behind_ = place;
            forget_behind_ = until;
        }
    }
    told_ = last_why_ == why ? told_ + 1 : 1;
    last_why_ = why;
    if (told_ <= most_told) note("this worker cannot continue run " + refused.run + ": " + refused.why);
}
void Worker::note(const std::string& sentence) const {
    if (options_.note) options_.note(sentence);
}
}
