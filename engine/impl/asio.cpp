// Asio's own functions, compiled once: every source that includes Asio would compile them again.
#include <boost/asio/impl/src.hpp>
