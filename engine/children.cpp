// Runs of runs: how a child comes, streams and asks through its parent, is answered, and is waited for.
#include "engine/attempt.hpp"
#include "engine/run_extras.hpp"
#include "engine/run_wait.hpp"
#include "engine/timeout.hpp"
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace weft {
namespace {
constexpr std::uint64_t foreign_bit = std::uint64_t{1} << 63;
}
namespace detail {
namespace {
class Checkpoint {  // a wait that takes no time, but heeds cancellation
public:
    explicit Checkpoint(Scope* scope) : scope_(scope) {}
    bool await_ready() { return scope_->may_wait(); }
    void await_suspend(std::coroutine_handle<>) { scope_->abandoned(); }
    void await_resume() {}

private:
    Scope* scope_;
};
struct checkpoint {};
auto bridge(Scope* scope, checkpoint) { return Checkpoint(scope); }

class ChildChange final : RunWait {  // cancelling cancels the child, whose end is still waited for
public:
    using RunWait::RunWait;
    ~ChildChange() {
        if (waiting()) leave();
    }
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) {
        begin(h);
        if (auto* x = run_->extras; x && x->parent) {
            const auto* attempt = dynamic_cast<Attempt*>(scope_);  // not a timeout around the wait, which is busy
            x->awaited = attempt && &attempt->run == x->parent;
        }
        if (scope_->cancelled()) run_->cancel();
    }
    void cancel_wait() override { run_->cancel(); }
    bool await_resume() {
        leave();
        return end();
    }

private:
    void leave() {
        auto* x = run_->extras;
        if (!x) return;
        if (x->counted_idle) run_->stir();
        x->awaited = false;
    }
};
struct child_change_of {
    explicit child_change_of(CoreRef r) : run(std::move(r)) {}
    CoreRef run;
};
auto bridge(Scope* scope, child_change_of c) { return ChildChange(scope, std::move(c.run)); }
}
awaitable<const Runtime*> runtime_here() {
    co_await checkpoint();
    co_return co_await this_runtime();
}
awaitable<void> until_child_complete(CoreRef core) {
    bool cancelled = false;
    while (!core->complete) cancelled = co_await child_change_of(core);
    if (cancelled) throw boost::system::system_error(asio::error::operation_aborted);
}
CoreRef open_child(Common* common, std::shared_ptr<const Definition> definition, const Runtime& runtime,
                   std::shared_ptr<Loop>& own_loop, const RunOptions& options) {
    auto* parent = static_cast<RunCore*>(common);
    if (!parent) own_loop = std::make_shared<Loop>(runtime);  // a step that is tested alone
    Loop& loop = parent ? *parent->loop.load() : *own_loop;
    CoreRef child = loop.make(std::move(definition), options);
    loop.adopt(*child, parent);
    return child;
}
void answer_child(RunCore& run, QuestionId question, const Answer& answer) {
    std::vector<RunExtras::Foreign*> asked;  // by the child, its child and so on
    RunCore* asker = &run;
    while (asker && question != QuestionId::none && std::uint64_t(question) & foreign_bit) {
        auto* f = asker->extras ? asker->extras->find_foreign(question) : nullptr;
        asker = f ? f->run : nullptr;
        if (!f) break;
        question = f->question;
        asked.push_back(f);
    }
    if (!asker || asker->state.cause != Cause::none) return report_unhandled(run, answer.name);
    const Definition& d = *asker->definition;
    for (std::size_t t = 0; t < d.events.size(); ++t) {
        if (d.events[t].id != answer.id || d.plan.events[t].answers == no_type) continue;
        const Emitted e = answer.put(*asker, TypeIndex(t), answer.event);
        asker->arrive(e, question);
        const auto& commands = *asker->commands;
        const auto last = commands.size() ? commands[commands.size() - 1] : Command{Command::end};
        if (last.kind == Command::unhandled && last.cell == e.cell) return;  // the asker reports it
        // Answered: whoever answers it again is told so, also if the child ends before.
        for (auto i = asked.size(); i-- > 0;) (i == 0 ? &run : asked[i - 1]->run)->extras->forget(*asked[i]);
        return;
    }
    report_unhandled(run, answer.name);
}
}

// --- questions of children ---
QuestionId RunExtras::add_foreign(RunCore& child, QuestionId question) {
    child.hold();
    const auto number = next_foreign++;
    auto& f = foreign.try_emplace(number, Foreign{&child, question, number}).first->second;
    auto& list = child.extras->asked_parent;
    f.next = list;
    if (list) list->back = &f.next;
    f.back = &list;
    list = &f;
    return QuestionId(foreign_bit | number);
}
RunExtras::Foreign* RunExtras::find_foreign(QuestionId id) {
    auto i = foreign.find(std::uint64_t(id) & ~foreign_bit);
    return i == foreign.end() ? nullptr : &i->second;
}
void RunExtras::forget(Foreign& f) {
    *f.back = f.next;
    if (f.next) f.next->back = f.back;
    const CoreRef child(f.run);
    child->drop();
    foreign.erase(f.number);
}
void RunExtras::leave_parent() {
    while (parent && asked_parent) parent->extras->forget(*asked_parent);
}
}
