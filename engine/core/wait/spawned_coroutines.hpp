// The waiting spawned coroutines of an execution context, which are destroyed with it: the end of the context destroys
// them before its other services.
#pragma once
#include "engine/core/data/linked.hpp"
#include <boost/asio/execution_context.hpp>
#include <mutex>

namespace weft::core {
class SpawnedCoroutine : public Linked<SpawnedCoroutine> {
public:
    virtual void context_goes() = 0;  // destroys itself

protected:
    ~SpawnedCoroutine() = default;
};
class SpawnedCoroutines final : public boost::asio::execution_context::service {
public:
    using key_type = SpawnedCoroutines;
    static boost::asio::execution_context::id id;
    explicit SpawnedCoroutines(boost::asio::execution_context& context) : service(context) {}
    void add(SpawnedCoroutine&);
    void remove(SpawnedCoroutine&);  // no effect if the coroutine is not in the list

private:
    void shutdown() override;
    std::mutex mutex_;
    SpawnedCoroutine* first_ = nullptr;
};
}
