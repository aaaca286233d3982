// The first wait of a cancelled scope throws; the second one does not begin.
#include "engine/core/wait/scope.hpp"
#include "engine/error.hpp"
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <utility>

namespace weft::core {
void refuse_within_all(const char* what) {
    throw Error(Code::usage,
                std::string(what) +
                    " was called in a part of all(), which runs concurrently with other parts, so its "
                    "order could change after a crash: record the whole, by ctx.once(name, work) with work "
                    "that awaits all()");
}
void refuse_second_await() {
    throw Error(Code::usage, "this awaitable was awaited, or moved away, already: await it only once, and call the "
                             "function again for another one");
}
std::exception_ptr aborted() {
    return std::make_exception_ptr(boost::system::system_error(boost::asio::error::operation_aborted));
}
/// The same error code as Asio's, so code for Asio handles it.
void throw_aborted() { throw boost::system::system_error(boost::asio::error::operation_aborted); }
void Scope::refuse() {
    if (!std::exchange(delivered_, true)) throw_aborted();
}
}
