// Ticket numbers order the waiting runs of all workflows. A map of the workflows with room finds the oldest run by one
// look-up. Admitted runs begin on their own loops, outside of the lock.
#include "engine/core/loop/admission.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_extras.hpp"

namespace weft::core {
// A line is in next_ exactly while it has room and a waiting run.
void Admission::update(WorkflowQueue& line) {
    const bool room = line.most == 0 || line.running < line.most;
    const auto ticket = room && !line.waiting.empty() ? line.waiting.begin()->first : 0;
    if (ticket == line.next) return;
    if (line.next) next_.erase(line.next);
    if (ticket) next_.emplace(ticket, &line);
    line.next = ticket;
}
bool Admission::enter(RunCore& run) {
    const Definition& d = *run.definition;
    auto& x = run.more();
    std::lock_guard lock(mutex_);
    WorkflowQueue& line = lines_[key_of(d)];
    line.most = d.most_runs;
    const bool first = line.waiting.empty() && (line.most == 0 || line.running < line.most);
    if (first && has_room()) {
        x.admitted = true;
        ++line.running;
        ++running_;
        return true;
    }
    x.ticket = ++last_ticket_;
    line.waiting.emplace(x.ticket, CoreRef(&run));
    ++queued_;
    update(line);
    return false;
}
void Admission::leave(RunCore& run) {
    auto& x = *run.extras;
    std::vector<CoreRef> admitted;
    {
        std::lock_guard lock(mutex_);
        const auto i = lines_.find(key_of(*run.definition));
        if (i == lines_.end() || (!x.admitted && !x.ticket)) return;
        WorkflowQueue& line = i->second;
        if (x.admitted) --line.running, --running_;
        else line.waiting.erase(x.ticket), --queued_;
        x.admitted = false;
        x.ticket = 0;
        update(line);
        if (line.running == 0 && line.waiting.empty()) lines_.erase(i);
        while (has_room() && !next_.empty()) {
            WorkflowQueue& ready = *next_.begin()->second;
            auto waiting = ready.waiting.extract(ready.waiting.begin());
            waiting.mapped()->extras->admitted = true;
            admitted.push_back(std::move(waiting.mapped()));
            --queued_;
            ++ready.running;
            ++running_;
            update(ready);
        }
    }
    for (auto& core : admitted)
        core->mailbox->post([core] {
            if (LoopCore* loop = core->loop) loop->begin_queued(*core);
        });
}
void Admission::close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
}
std::size_t Admission::queued() const {
    std::lock_guard lock(mutex_);
    return queued_;
}
}
