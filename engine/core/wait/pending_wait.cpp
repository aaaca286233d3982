// A cancelled wait throws the same error code as Asio, so code for Asio handles it.
#include "engine/core/wait/pending_wait.hpp"
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace weft::core {
std::exception_ptr aborted() {
    return std::make_exception_ptr(boost::system::system_error(boost::asio::error::operation_aborted));
}
void throw_aborted() { throw boost::system::system_error(boost::asio::error::operation_aborted); }
}
