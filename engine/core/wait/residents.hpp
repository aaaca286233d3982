// What lives on an execution context and goes with it: coroutines that were spawned there, and wait. The context's end
// reaches them before whatever they were waiting for on it has gone.
#pragma once
#include <boost/asio/execution_context.hpp>
#include <mutex>

namespace weft::core {
class Resident {
public:
    virtual void context_goes() = 0;  // destroys itself

protected:
    ~Resident() = default;

private:
    friend class Residents;
    Resident *next_ = nullptr, **back_ = nullptr;
};
class Residents final : public boost::asio::execution_context::service {
public:
    using key_type = Residents;
    static boost::asio::execution_context::id id;
    explicit Residents(boost::asio::execution_context& context) : service(context) {}
    void add(Resident&);
    void remove(Resident&);  // one that is there, or is not any more

private:
    void shutdown() override;
    std::mutex mutex_;
    Resident* first_ = nullptr;
};
}
