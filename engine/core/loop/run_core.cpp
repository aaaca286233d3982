// The atomic activity controls which thread may read a run. stir() handles a parent before its child, because a thread
// that reads the parent also reads its children.
#include "engine/core/loop/run_core.hpp"
#include "engine/core/loop/diagnosis.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/record.hpp"
#include <algorithm>

namespace weft::core {
RunCore::RunCore(LoopCore& l, Mailbox& d, std::shared_ptr<const Definition> definition, std::uint64_t number)
    : loop(&l),
      mailbox(&d),
      definition(std::move(definition)),
      state(this->definition->plan),
      cells(*this->definition),
      number(number) {
    mailbox->hold();
}
RunCore::~RunCore() {
    while (auto* p = take_published()) p->destroy();
    delete commands;
    delete extras;
    mailbox->drop();
}
RunExtras& RunCore::more() {
    if (!extras) extras = new RunExtras(*this);
    return *extras;
}
std::optional<Clock::Time> RunCore::deadline() const {
    std::optional<Clock::Time> earliest;
    for (const auto* run = this; run && run->extras; run = run->extras->parent) {
        const auto& own = run->extras->deadline;
        if (own.is_set() && (!earliest || own.at < *earliest)) earliest = own.at;
    }
    return earliest;
}
const std::string& RunCore::values() const {
    static const std::string none_given;
    for (const auto* run = this; run && run->extras; run = run->extras->parent)
        if (!run->extras->values.empty()) return run->extras->values;
    return none_given;
}
std::string RunCore::id() const {
    if (named) return extras->id;  // set before the run was shared; later, extras may appear at any time
    return hex(number);
}
void RunCore::take_name(std::string id) {
    auto& x = more();
    if (x.watch) x.watch->set_id(id);
    x.id = std::move(id);
    named = true;
}
bool RunCore::replaying() const { return extras && extras->track && extras->track->replays; }
// In a stored run the invocation's tick identifies it. In other runs a number does, which is kept for later attempts if
// there may be any.
std::string RunCore::key(unsigned token, std::uint64_t& number) {
    if (auto* track = extras ? extras->track.get() : nullptr)
        return (track->log ? track->log->id : id()) + "/" + (track->path.empty() ? "" : track->path + "/") +
               std::to_string(track->invocation(token).born) + "." + std::to_string(token);
    static std::atomic<std::uint64_t> last = 0;
    if (number == 0 && definition->steps[state.tokens[token].step].policy.retry.attempts > 1) {
        auto& kept = more().keys.make()[token];
        if (state.tokens[token].attempts == 0 || kept == 0) kept = ++last;
        number = kept;
    }
    if (number == 0) number = ++last;
    return id() + "/" + std::to_string(number);
}
bool RunCore::streams() const {
    for (const auto* r = this; r; r = r->extras ? r->extras->parent : nullptr)
        if (r->state.status != RunStatus::running) return false;
    return true;
}
void RunCore::publish(Published* p) {
    PublishedBox event(p);
    if (!streams()) return;  // after the end nothing reaches the stream
    auto* track = extras ? extras->track.get() : nullptr;
    if (track && track->log && track->log->holds_back()) track->log->held.push_back({this, std::move(event)});
    else tell(std::move(event));
}
static std::shared_ptr<const Sender> sender_of(const RunCore& run) {
    auto* x = run.extras;
    if (!x || !(run.named || x->parent)) return nullptr;
    if (x->sender) return x->sender;
    Sender sender{.run = run.id(), .path = {}};
    if (x->parent) {
        if (const auto above = sender_of(*x->parent); above && !above->path.empty()) sender.path = above->path + '/';
        sender.path += x->parent->definition->steps[x->parent_step].name;
    }
    return x->sender = std::make_shared<const Sender>(std::move(sender));
}
void RunCore::sign(Published& event) const {
    event.number = number;
    if (extras) event.sender = sender_of(*this);
}
void RunCore::tell(PublishedBox event) {
    sign(*event);
    RunCore* root = this;
    const bool went_on = streams();  // false: emitted before the end, and held back until now
    for (RunCore* parent; root->extras && (parent = root->extras->parent); root = parent)
        if (event->question != QuestionId::none) event->question = parent->more().add_foreign(*root, event->question);
    if (extras && extras->watch) extras->watch->streamed(event.get());
    if (root->ended || (went_on && !streams())) return;  // an observer has ended the run
    root->put_out(event.release());
}
void RunCore::put_out(Published* p) {
    p->next = last_out ? std::exchange(last_out->next, p) : p;
    last_out = p;
    if (readers) loop.load()->wake(*this);
}
PublishedBox RunCore::next_published() {
    std::unique_lock lock(mailbox->mutex(), std::defer_lock);
    if (!loop.load(std::memory_order_acquire)) lock.lock();  // a complete run has no loop thread
    if (auto* p = take_published()) return PublishedBox(p);
    if (lock) lock.unlock();
    if (!ended || told.exchange(true)) return nullptr;
    PublishedBox last(last_event(*this));
    sign(*last);
    return last;
}
Published* RunCore::take_published() {
    if (!last_out) return nullptr;
    auto* first = last_out->next;
    if (first == last_out) last_out = nullptr;
    else last_out->next = first->next;
    return first;
}

// A question enters the stream when its tick is taken, not after the commands before it: these may call steps that
// stream.
void RunCore::tell_question(Handle h, QuestionId question) {
    try {
        auto& cell = cells[h];
        if (extras && extras->watch) extras->watch->asked(cell.type, question);
        definition->events[cell.type].publish(*this, cell.event(), question);
    } catch (...) {
        if (LoopCore* its_loop = loop) its_loop->fail_run(*this, std::current_exception());
    }
}
// An observer may answer a question at once, which adds commands.
void RunCore::tell_questions() {
    auto left = state.asked - asked;
    asked = state.asked;
    std::size_t at = commands->size();
    for (auto n = left; n > 0;)
        if ((*commands)[--at].kind == Command::publish) --n;
    for (; left > 0 && streams(); ++at) {
        const Command c = (*commands)[at];
        if (c.kind != Command::publish) continue;
        --left;
        tell_question(c.cell, question_id(c.token, c.serial));
    }
}
void RunCore::tell_if_unhandled() {
    if (!commands || commands->size() == 0) return;
    Command& last = (*commands)[commands->size() - 1];
    if (last.kind != Command::unhandled) return;
    cells[last.cell].uses = 0;
    last.kind = Command::discard;  // reported once
    report_unhandled(*this, definition->events[last.step].name);
}

// Reports a fan-out's progress at most about a hundred times, whatever its size: its reader may be slow.
void RunCore::tell_progress() {
    if (!extras->progress) return;
    auto& told = *extras->progress;
    const auto begun = state.branches.begun, settled = std::max(told.settled, state.branches.settled());
    const auto step = std::max<std::uint64_t>(1, begun / 100);
    const bool is_all = settled == begun && settled != told.settled;
    if (!is_all && settled - told.settled < step && begun - told.begun < step) return;
    told = {.settled = settled, .begun = begun};
    publish(new Published::Of<RunProgressEvent>(told));
}

// --- idle state ---
// A foreign thread reads a run only while it holds the activity of an idle run: then the run and its children do not
// change.
bool RunCore::at_rest() const {
    if (state.status != RunStatus::running || commands || !back) return false;
    if (!extras) return waiting == 0;
    if (extras->track && extras->track->log && is_unknown(extras->track->log->state)) return false;
    return waiting == extras->idle_children_count && !extras->retries;
}
void RunCore::rest() {
    if (extras && extras->waiting_start && loop.load()->attempts().begin_waiting(*this)) return;
    const bool is_news = activity.load(std::memory_order_relaxed) == Activity::busy;
    if (extras && is_news) tell_progress();
    if (is_news && !at_rest()) return;
    if (extras && extras->tell_idle && is_news)
        publish(new Published::Of<RunIdleEvent>({.waits_for = what_is_awaited(*this)}));
    if (extras && extras->track && is_news) loop.load()->keeper().note_idle(*this);
    if (extras && extras->watch && is_news) {
        const auto awaited = what_is_awaited(*this);
        extras->watch->tell([&](Observer& o) { o.run_idle(extras->watch->run(), awaited); });
        if (!at_rest()) return;  // an observer has answered at once
    }
    if (is_news) activity.store(Activity::idle, std::memory_order_release);  // no other thread changes it
    if (!extras || !extras->awaited || extras->counted_idle) return;
    extras->count_idle(true);
    extras->parent->rest();
}
void RunCore::stir() {  // the parent first: a thread that reads it reads its children
    if (extras && extras->counted_idle) {
        extras->parent->stir();
        extras->count_idle(false);
    }
    const bool read_by_others = !mailbox->one_thread() && activity.load(std::memory_order_relaxed) != Activity::queued;
    if (!read_by_others) return activity.store(Activity::busy, std::memory_order_relaxed);
    for (;;) {
        auto idle = Activity::idle;
        if (activity.compare_exchange_strong(idle, Activity::busy, std::memory_order_acquire) || idle == Activity::busy)
            return;
        activity.wait(Activity::being_read);
    }
}

}
