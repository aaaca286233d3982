// Child runs, and the wait of Context::run. The coroutine's frame holds the wait, so a child needs one frame only. Does
// not include Asio.
#pragma once
#include "engine/core/loop/run_wait.hpp"
#include <memory>

namespace weft {
struct Runtime;     // engine/clock.hpp
struct RunOptions;  // engine/run_options.hpp
}
namespace weft::core {
class LoopCore;
/// Cancellation cancels the child and still waits for its end. Returns whether the wait was cancelled.
class ChildChange final : RunWait {
public:
    using RunWait::RunWait;
    ~ChildChange() {
        if (waiting()) leave();
    }
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<>);
    void cancel_wait() override;
    bool await_resume();

private:
    void leave();
};
using child_change_of = change_of<ChildChange>;

/// Identifies a child within its parent: by the attempt, and its number there.
struct ChildOf {
    RunInterface* parent;
    unsigned token, attempt, number;
    bool beside_others = false;  // inside all()
};
/// Makes a child on the parent's loop; without a parent, on a new loop.
CoreRef open_child(const ChildOf&, std::shared_ptr<const Definition>, const Runtime&,
                   std::shared_ptr<LoopCore>& own_loop, const RunOptions&);
/// Restores a child that the store has. True: the child continues, and has its start event already.
bool goes_on(RunCore& child);
struct NoOptions {};  // in place of RunOptions, to keep frames small
inline const RunOptions& options_of(const RunOptions& o) { return o; }
const RunOptions& options_of(NoOptions);

/// An answer on its way to the run that asked the question.
struct Answer {
    const void* id;  // identifies its type
    std::string_view name;
    void* event;
    Emitted (*put)(RunCore&, TypeIndex, void* event);
};
/// Marks the ids that children's questions have in their parents.
inline constexpr std::uint64_t foreign_bit = std::uint64_t{1} << 63;
inline bool is_of_a_child(QuestionId id) { return id != QuestionId::none && std::uint64_t(id) & foreign_bit; }
/// The id of a stored child's question in the parent, from the path of the child.
QuestionId id_in_parent(std::string_view path, QuestionId);
/// The id in the root run. The path leads from the root to the child.
QuestionId id_in_root(std::string_view path, QuestionId);
/// Gives the answer to the child that asked, or to the run itself if the question is none. Reports an answer without a
/// question.
void answer_child(RunCore&, QuestionId, const Answer&);
}
