// Reads and writes the records of an attempt (ctx.once, ctx.at_most_once), and waits until they are stored.
#pragma once
#include "engine/core/loop/run_wait.hpp"
#include <optional>
#include <string>

namespace weft::json_detail {
struct Shape;
}
namespace weft::core {
struct StepNote;
class Notes {
public:
    static std::optional<Notes> of(RunInterface* run, unsigned token, unsigned attempt, unsigned depth);
    /// The attempt's next record. nothing: the work must run; value: the result was read into `value` (not for a null
    /// shape); ended: a time limit ended the work. Rethrows a recorded failure as an Error with its code and sentence.
    /// Throws Error{journal} if the record has another name, or is unreadable.
    enum class NextNote { nothing, value, ended };
    NextNote next(const std::string& name, const json_detail::Shape*, void* value);
    void add(const std::string& name, const json_detail::Shape*, const void* value);  // throws if the run has ended
    /// The failure is stored with the attempt's next record. Exceptions of classes derived from Error are not recorded,
    /// so their work runs again. `scope`: the awaiting coroutine's.
    void add_failure(const std::string& name, const std::exception_ptr&, const Scope& scope);
    /// The recorded state of work that runs at most once. A known outcome is read into `value`.
    enum class EffectState { not_begun, begun, known };
    EffectState effect(const std::string& name, const json_detail::Shape*, void* value);
    void begin(const std::string& name);  // throws if the run has ended
    void finish(const std::string& name, const json_detail::Shape*, const void* value);
    /// Returns true while the caller must wait, because the store lacks added records or the lease is in doubt. Throws
    /// if the run has left memory.
    bool wait();
    void demand_it() const;  // throws if the records are not stored
    CoreRef run() const { return CoreRef(run_); }

private:
    Notes(RunCore& run, unsigned token, unsigned attempt, unsigned depth)
        : run_(&run), token_(token), attempt_(attempt), depth_(depth) {}
    template <class R> R record(const std::string& name) const;
    template <class R> void write(const R& record);
    void read(const std::string& name, const json_detail::Shape&, const std::string& text, void* value);
    [[noreturn]] void refuse(const std::string& sentence);
    [[noreturn]] void fail_again(const StepNote&);
    std::string text_of(const std::string& name, const json_detail::Shape*, const void* value) const;
    RunCore* run_;
    unsigned token_, attempt_;
    unsigned depth_;  // number of enclosing recorded works
    std::uint64_t need_ = 0;
    bool waits_ = false;
};
/// Suspends until the store answers, or the run changes in another way.
class StoreChange final : public RunWait {
public:
    using RunWait::RunWait;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<>);
};
using store_change_of = change_of<StoreChange>;
}
