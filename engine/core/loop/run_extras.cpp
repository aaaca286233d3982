// The members that few runs need. A parent lists its children's questions under new ids. In a stored run such an id
// depends only on the child and the question, so it is the same after a restart, in whatever order children ask then.
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/begin_again.hpp"
#include "engine/core/loop/children.hpp"

namespace weft::core {
RunExtras::DeadlineTimer::DeadlineTimer(RunCore& r)
    : Timer{[](Timer& t) { static_cast<DeadlineTimer&>(t).run.time_out(); }}, run(r) {}
void RunExtras::count_idle(bool idle) {
    auto& above = *parent->extras;
    if (idle) {
        link(above.idle_children);
        ++above.idle_children_count;
    } else {
        unlink();
        --above.idle_children_count;
    }
    counted_idle = idle;
}
void RunExtras::remove_timers(Timers& timers) {
    timers.remove(deadline);
    while (auto* r = retries) {
        timers.remove(*r);
        r->unlink();
        delete r;
    }
}
RunExtras::RunExtras(RunCore& r) : run(r), deadline(r) {}
RunExtras::~RunExtras() {  // no child's question is left: each child owns this run until it has removed its own
    release_id();
    if (parent) parent->drop();
}
void RunExtras::release_id() {
    const auto taken = std::exchange(ids, nullptr);
    if (!taken) return;
    std::lock_guard lock(taken->mutex);
    taken->taken.erase(id);
}
std::vector<std::string> RunExtras::busy_steps() const {
    std::vector<std::string> names;
    for (std::size_t s = 0; s < run.definition->steps.size(); ++s) {
        const Lane& lane = run.state.lanes[s];
        bool busy = lane.first != none || lane.free < run.definition->plan.steps[s].workers;
        for (auto* r = retries; r && !busy; r = r->next) busy = run.state.tokens[r->token].step == s;
        if (busy) names.emplace_back(run.definition->steps[s].name);
    }
    return names;
}
Clock::Time RunExtras::first_began(Handle token, Clock::Time now) const {
    if (!began || run.state.tokens[token].attempts == 0) return now;  // an entry would belong to an earlier token
    auto i = began->find(token);
    return i == began->end() ? now : i->second;
}

// --- questions of children ---
QuestionId RunExtras::add_foreign(RunCore& child, QuestionId question) {
    const auto* stored = child.extras->track.get();
    auto id = stored ? id_in_parent(stored->path, question) : QuestionId(foreign_bit | foreign_asked++);
    auto& ids_here = foreign_ids.make();
    while (ids_here.contains(id)) id = QuestionId(foreign_bit | (std::uint64_t(id) + 1));  // for equal checksums
    auto& first = child.extras->asked_parent;
    const Handle h = foreign.make({.run = &child, .question = question, .id = id, .next = first});
    ids_here.emplace(id, h);
    child.hold();
    if (first != none) foreign[first].before = h;
    first = h;
    return id;
}
Handle RunExtras::find_foreign(QuestionId id) const {
    if (!foreign_ids) return none;
    const auto found = foreign_ids->find(id);
    return found == foreign_ids->end() ? none : found->second;
}
void RunExtras::forget(Handle h) {
    const ChildQuestion f = foreign[h];
    foreign_ids->erase(f.id);
    (f.before == none ? f.run->extras->asked_parent : foreign[f.before].next) = f.next;
    if (f.next != none) foreign[f.next].before = f.before;
    foreign[h].run = nullptr;
    foreign.drop(h);
    f.run->drop();
}
void RunExtras::leave_parent() {
    while (parent && asked_parent != none) parent->extras->forget(asked_parent);
}
}
