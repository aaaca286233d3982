// From a host's name to an open socket: looks the name up and tries its addresses, IPv6 and IPv4 in turn. The next
// attempt begins when one has failed, or has had no result for 250 ms; the first that connects is used, the others are
// closed (similar to RFC 8305, Happy Eyeballs). So a dead address costs a quarter of a second, not the whole limit.
// Internal to engine/net.
//
//     auto socket = co_await dial(url, resolve, check);     // no limit of its own: see with_timeout
#pragma once
#include "engine/awaitable.hpp"
#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"
#include <boost/asio/ip/tcp.hpp>

namespace weft::net {
/// Throws NetError: name_lookup, name_service, connect; and what the check throws. The arguments outlive it.
awaitable<boost::asio::ip::tcp::socket> dial(const Url&, const Resolve&, const AddressCheck&);
NetError lookup_error(const std::string& host, const boost::system::error_code&);
/// The first one's family first, then the families in turn.
void interleave(std::vector<boost::asio::ip::tcp::endpoint>&);
}
