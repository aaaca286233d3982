// What a scope cancels. Apart from it, as headers that know nothing of Asio need it too.
#pragma once
#include <exception>

namespace weft::core {
/// Something that a coroutine waits for, as its scope sees it.
class Pending {
public:
    virtual void cancel_wait() = 0;  // end soon; the await then throws operation_aborted

protected:
    ~Pending() = default;
};
/// What a cancelled wait throws: system_error(operation_aborted).
std::exception_ptr aborted();
[[noreturn]] void throw_aborted();
}
