// What lives on an execution context and goes with it: coroutines that were spawned there, and wait. The context's end
// reaches them before whatever they were waiting for on it has gone.
#pragma once
#include <boost/asio/execution_context.hpp>
#include <mutex>

namespace weft::core {
class SpawnedCoroutine {
public:
    virtual void context_goes() = 0;  // destroys itself

protected:
    ~SpawnedCoroutine() = default;

private:
    friend class SpawnedCoroutines;
    SpawnedCoroutine *next_ = nullptr, **back_ = nullptr;
};
class SpawnedCoroutines final : public boost::asio::execution_context::service {
public:
    using key_type = SpawnedCoroutines;
    static boost::asio::execution_context::id id;
    explicit SpawnedCoroutines(boost::asio::execution_context& context) : service(context) {}
    void add(SpawnedCoroutine&);
    void remove(SpawnedCoroutine&);  // one that is there, or is not any more

private:
    void shutdown() override;
    std::mutex mutex_;
    SpawnedCoroutine* first_ = nullptr;
};
}
