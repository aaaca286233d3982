// Compiles Asio's own functions once, so that other sources that include Asio need not.
#include <boost/asio/impl/src.hpp>
