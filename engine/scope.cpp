#include "engine/scope.hpp"
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace weft {
void Scope::refuse() {
    if (!std::exchange(told_, true)) throw boost::system::system_error(asio::error::operation_aborted);
}
}
