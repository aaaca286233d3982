// The functions of Asio's TLS, as engine/asio.cpp has the others.
#include <boost/asio/ssl/impl/src.hpp>
