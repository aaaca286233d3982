// Asio's TLS functions; engine/asio.cpp has the others.
#include <boost/asio/ssl/impl/src.hpp>
