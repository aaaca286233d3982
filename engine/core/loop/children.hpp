// Runs of runs, and what Context::run awaits. It is kept in the frame of that one coroutine, of which there
// is one for each child that goes on, so that a child costs no other. Knows nothing of Asio.
#pragma once
#include "engine/core/loop/run_wait.hpp"
#include <memory>

namespace weft {
struct Runtime;     // engine/clock.hpp
struct RunOptions;  // engine/run_options.hpp
}
namespace weft::core {
class Loop;
/// A wait that takes no time, but heeds cancellation. Gives the runtime that the awaiting coroutine runs on.
class Checkpoint {
public:
    explicit Checkpoint(Scope* scope) : scope_(scope) {}
    bool await_ready();
    void await_suspend(std::coroutine_handle<>);
    const Runtime& await_resume();

private:
    Scope* scope_;
};
struct checkpoint {};
inline Checkpoint bridge(Scope* scope, checkpoint) { return Checkpoint(scope); }

/// Cancelling cancels the child, whose end is still waited for. Tells whether it was cancelled.
class ChildChange final : RunWait {
public:
    using RunWait::RunWait;
    ~ChildChange() {
        if (waiting()) leave();
    }
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<>);
    void cancel_wait() override { run_->cancel(); }
    bool await_resume();

private:
    void leave();
};
struct child_change_of {
    explicit child_change_of(CoreRef r) : run(std::move(r)) {}
    CoreRef run;
};
inline ChildChange bridge(Scope* scope, child_change_of c) { return ChildChange(scope, std::move(c.run)); }

/// Which run of a child this is, of which attempt.
struct ChildOf {
    RunInterface* parent;
    unsigned token, attempt, number;
    bool beside_others = false;  // in a part of all()
};
/// A child of the parent, on its loop; without a parent, on a loop that is made for it.
CoreRef open_child(const ChildOf&, std::shared_ptr<const Definition>, const Runtime&, std::shared_ptr<Loop>& own_loop,
                   const RunOptions&);
/// Whether it was there before the parent was resumed, and goes on: its start event has come long ago.
bool goes_on(RunCore& child);
struct NoOptions {};  // in the place of RunOptions, in the frame of each child that needs none
inline const RunOptions& options_of(const RunOptions& o) { return o; }
const RunOptions& options_of(NoOptions);

/// An answer on its way to a run, which is found by the question.
struct Answer {
    const void* id;  // of its type
    std::string_view name;
    void* event;
    Emitted (*put)(RunCore&, TypeIndex, void* event);
};
/// Set in the id that a child's question has in its parent.
inline constexpr std::uint64_t foreign_bit = std::uint64_t{1} << 63;
inline bool is_of_a_child(QuestionId id) { return id != QuestionId::none && std::uint64_t(id) & foreign_bit; }
/// The id that a question of a stored child has in the child's parent, by the path of the child.
QuestionId id_in_parent(std::string_view path, QuestionId);
/// The same in the run that has no parent. The path leads from there to the child.
QuestionId id_in_root(std::string_view path, QuestionId);
/// Gives it to the child that asked, or to the run itself if the question is none. What answers nothing is reported.
void answer_child(RunCore&, QuestionId, const Answer&);
}
