// A cancelled wait throws the error code that Asio throws, so that code written for Asio knows it.
#include "engine/scope.hpp"
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace weft {
std::exception_ptr aborted() {
    return std::make_exception_ptr(boost::system::system_error(asio::error::operation_aborted));
}
void throw_aborted() { throw boost::system::system_error(asio::error::operation_aborted); }
void Scope::refuse() {
    if (!std::exchange(delivered_, true)) throw_aborted();
}
}
