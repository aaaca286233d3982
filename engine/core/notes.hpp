// What an attempt of a durable run's step has recorded, and the wait until it is on disk.
#pragma once
#include "engine/core/loop/run_wait.hpp"
#include <optional>
#include <string>

namespace weft::json_detail {
struct Shape;
}
namespace weft::core {
struct Note;
class Notes {
public:
    static std::optional<Notes> of(RunInterface* run, unsigned token, unsigned attempt, unsigned depth);
    /// The attempt's next record: none, so that the work has to be done; a value, which is read (a null shape: there is
    /// none); or that a time limit has ended the work. Throws what the work has thrown, as an Error of its code and
    /// sentence, and Error{journal} if the record is of another name, or cannot be read.
    enum class Next { nothing, value, ended };
    Next next(const std::string& name, const json_detail::Shape*, void* value);
    void add(const std::string& name, const json_detail::Shape*, const void* value);
    /// Recorded with what the attempt records next. An exception of a class derived from Error is not recorded, so that
    /// the work is done again. `scope`: the awaiting one.
    void add_failure(const std::string& name, const std::exception_ptr&, const Scope& scope);
    /// What is known of something that is done at most once. A known outcome is read into the value.
    enum class Effect { not_begun, begun, known };
    Effect effect(const std::string& name, const json_detail::Shape*, void* value);
    void begin(const std::string& name);  // throws if the run has ended
    void finish(const std::string& name, const json_detail::Shape*, const void* value);
    /// True as long as it has to be waited for: until what was added is on disk, and the lease is not in doubt. Throws
    /// if the run was lost or cancelled.
    bool wait();
    void demand_it() const;  // throws unless it is
    CoreRef run() const { return CoreRef(run_); }

private:
    Notes(RunCore& run, unsigned token, unsigned attempt, unsigned depth)
        : run_(&run), token_(token), attempt_(attempt), depth_(depth) {}
    template <class R> R record(const std::string& name) const;
    template <class R> void write(const R& record);
    void read(const std::string& name, const json_detail::Shape&, const std::string& text, void* value);
    [[noreturn]] void refuse(const std::string& sentence);
    [[noreturn]] void fail_again(const Note&);
    std::string text_of(const std::string& name, const json_detail::Shape*, const void* value) const;
    RunCore* run_;
    unsigned token_, attempt_;
    unsigned depth_;  // within how much other recorded work
    std::uint64_t need_ = 0;
    bool waits_ = false;
};
/// Suspends until the store has answered, or something else has happened to the run.
class StoreChange final : RunWait {
public:
    using RunWait::RunWait;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<>);
    void cancel_wait() override;
    void await_resume();
};
struct store_change_of {
    explicit store_change_of(CoreRef r) : run(std::move(r)) {}
    CoreRef run;
};
inline StoreChange bridge(Scope* scope, store_change_of c) { return StoreChange(scope, std::move(c.run)); }
}
