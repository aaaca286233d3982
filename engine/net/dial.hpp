// Opens a socket to a host: looks up its name and tries its addresses, IPv6 and IPv4 in turn. The next attempt begins
// when one has failed, or has had no result for 250 ms; the first connection wins, and the others are closed (similar
// to RFC 8305, Happy Eyeballs). So a dead address costs a quarter of a second, not the whole limit. Internal to
// engine/net.
//
//     auto socket = co_await dial(url, resolve, check);     // without a time limit: see with_timeout
#pragma once
#include "engine/awaitable.hpp"
#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"
#include <boost/asio/ip/tcp.hpp>

namespace weft::net {
/// Throws NetError (name_lookup, name_service, connect) and the check's exceptions. The arguments must outlive it.
awaitable<boost::asio::ip::tcp::socket> dial(const Url&, const Resolve&, const AddressCheck&);
NetError lookup_error(const std::string& host, const boost::system::error_code&);
/// Orders the endpoints by alternating families, beginning with the family of the first.
void interleave(std::vector<boost::asio::ip::tcp::endpoint>&);
}
