// Child runs: how a child starts, streams and asks through its parent, gets answers, and is awaited.
#include "engine/core/loop/children.hpp"
#include "engine/core/loop/attempt.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/record.hpp"
#include "engine/core/resume.hpp"
#include "engine/error.hpp"
#include "engine/journal/record.hpp"
#include "engine/run_options.hpp"

namespace weft::core {
Attempt* attempt_around(Scope* scope) {
    while (auto* outer = scope->outer()) scope = outer;
    return dynamic_cast<Attempt*>(scope);
}
void ChildChange::await_suspend(std::coroutine_handle<> h) {
    begin(h);
    if (auto* x = run_->extras; x && x->parent) {
        const auto* attempt = attempt_around(scope_);  // a wait under a timeout counts as busy
        x->awaited = attempt && &attempt->run == x->parent;
    }
    if (scope_->cancelled()) cancel_wait();
}
// An undoing child goes on, unless its parent's own undoing is over.
void ChildChange::cancel_wait() {
    const auto* parent = run_->extras ? run_->extras->parent : nullptr;
    const bool ends_now = parent && parent->state.ending != EndingPhase::not_begun &&
                          parent->state.status != RunStatus::running;
    if (run_->state.ending == EndingPhase::not_begun || ends_now) run_->end_by(RunStatus::cancelled);
}
bool ChildChange::await_resume() {
    leave();
    return end();
}
void ChildChange::leave() {
    auto* x = run_->extras;
    if (!x) return;
    if (x->counted_idle) run_->stir();
    x->awaited = false;
}
CoreRef open_child(const ChildOf& child_of, std::shared_ptr<const Definition> definition, const Runtime& runtime,
                   std::shared_ptr<LoopCore>& own_loop, const RunOptions& options) {
    auto* parent = static_cast<RunCore*>(child_of.parent);
    if (!parent) own_loop = std::make_shared<LoopCore>(runtime);  // a step outside of a run, in a unit test
    LoopCore& loop = parent ? *parent->loop.load() : *own_loop;
    auto* track = parent && parent->extras ? parent->extras->track.get() : nullptr;
    const bool shares = track && definition->durable;
    if (track && track->log && !shares && definition)
        throw Error(Code::usage, "a step of " + std::string(parent->definition->name) +
                                     ", whose runs are stored, has run " + std::string(definition->name) +
                                     ", whose runs are not: wrap it in durable(), else a crash would repeat "
                                     "all of its work, and its questions could not be answered");
    if (shares && definition->ending != no_type)
        throw Error(Code::usage, "a step of " + std::string(parent->definition->name) +
                                     ", whose runs are stored, has run " + std::string(definition->name) +
                                     ", which has an undo step: a stored child run cannot undo, so let the undo step "
                                     "of " +
                                     std::string(parent->definition->name) + " undo its work, too");
    if (shares && child_of.beside_others) refuse_within_all("ctx.run of a durable workflow");
    CoreRef child = loop.make(definition, options, false);
    std::string path;
    if (shares)
        path = (track->path.empty() ? "" : track->path + "/") +
               child_prefix(track->invocation(child_of.token).born, child_of.token, child_of.attempt) +
               std::to_string(child_of.number);
    if (shares && !child->named) child->take_name(track->log->id + "/" + path);  // the same id after a resumption
    loop.adopt(*child, parent, Handle(child_of.token));
    if (!shares) return child;
    track->kept.recorded.insert(child_of.token);
    auto& own = *(child->more().track = std::make_unique<Track>());
    own.log = track->log;
    own.path = std::move(path);
    own.renames = track->renames;
    own.log->family.push_back(&*child);
    return child;
}
bool goes_on(RunCore& child) {
    const bool is_stored = child.extras && child.extras->track && !child.extras->track->path.empty();
    return is_stored && restore_child(child);
}
QuestionId id_in_parent(std::string_view path, QuestionId question) {
    return QuestionId(foreign_bit | storage::chained_sum(0, std::uint64_t(question), path));
}
QuestionId id_in_root(std::string_view path, QuestionId question) {
    while (!path.empty()) {
        question = id_in_parent(path, question);
        const auto last = path.rfind('/');
        path = path.substr(0, last == path.npos ? 0 : last);
    }
    return question;
}
void answer_child(RunCore& run, QuestionId question, const Answer& answer) {
    struct Asked {
        RunExtras* by;
        Handle foreign;
    };
    Buffer<Asked, 4> asked;  // the chain of children down to the asking one
    RunCore* asker = &run;
    while (question != QuestionId::none && std::uint64_t(question) & foreign_bit) {
        auto* x = asker->extras;
        const Handle h = x ? x->find_foreign(question) : none;
        if (h == none) return report_unhandled(run, answer.name);
        asked.push_back({x, h});
        asker = x->foreign[h].run;
        question = x->foreign[h].question;
    }
    if (asker->state.status != RunStatus::running) return report_unhandled(run, answer.name);
    const Definition& d = *asker->definition;
    for (std::size_t t = 0; t < d.events.size(); ++t) {
        if (d.events[t].id != answer.id || d.plan.events[t].answers == no_type) continue;
        const CoreRef asked_run(asker);
        const Emitted e = answer.put(*asker, TypeIndex(t), answer.event);
        if (asker->extras && asker->extras->track) try {
                (void)record_event(*asker, e.cell);
            } catch (const Error&) {  // JSON cannot represent it: the question stays open
                asker->cells.discard(e.cell);
                return report_unhandled(run, answer.name);
            }
        // A second answer causes an UnhandledEvent, even if an observer sends it within this call or the child ends.
        // The asking run reports an answer that does not fit, and the question stays open.
        if (answered_question(d.plan, asker->state, TypeIndex(t), question) != none)
            for (auto i = asked.size(); i-- > 0;) asked[i].by->forget(asked[i].foreign);
        asker->arrive(e, question);
        return;
    }
    report_unhandled(run, answer.name);
}
const RunOptions& options_of(NoOptions) {
    static const auto* const none = new RunOptions;  // never destroyed: a static engine may outlive other statics
    return *none;
}
}
