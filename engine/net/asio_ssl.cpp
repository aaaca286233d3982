// Asio's TLS functions; engine/impl/asio.cpp has the others.
#include <boost/asio/ssl/impl/src.hpp>
