// Makes a store fail, for tests: at call n or from call n on, before or after the call takes effect; or delays answers.
//
//     MemoryStore memory;
//     FailingStore store(memory);
//     store.fail(3, FailingStore::FailureMode::stored);   // the fourth call from now is stored, and its answer is lost
//
// A failure is Error{journal}, as when a disk is full. Any thread may call.
#pragma once
#include "engine/store/forwarding_store.hpp"
#include <memory>

namespace weft {
class FailingStore : public ForwardingStore {
public:
    enum class FailureMode {
        not_stored,   // this call takes no effect
        stored,       // this call takes effect and reports a failure
        from_now_on,  // no call takes effect until fail_no_more()
    };
    using How [[deprecated("its name is FailureMode")]] = FailureMode;  // name of version 0.1
    explicit FailingStore(Store&);                                      // the inner store, which must outlive this one
    ~FailingStore() override;
    /// Fails the n-th call from now; 0 is the next one.
    void fail(std::size_t n, FailureMode how = FailureMode::not_stored);
    void fail_no_more();           // ends fail(): all further calls reach the inner store
    std::size_t calls() const;     // since construction
    std::size_t failures() const;  // since construction

    /// Delays all further answers until release().
    void hold();
    /// Gives the oldest n held answers on this thread. Returns their number.
    std::size_t release(std::size_t n = ~std::size_t{0});
    std::size_t held() const;  // number of delayed answers

private:
    struct State;
    void pass(StoreCall) override;
    std::shared_ptr<State> state_;  // shared with pending answers
};
}
