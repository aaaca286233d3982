// The allowed hosts of the web, and the public addresses.
//
//     const AllowedHosts hosts({"en.wikipedia.org", "*.example.org", "intranet.example.org:8080"});
//     hosts.allows(net::parse_url("https://a.b.example.org/"));     // true; example.org itself is another entry
//
// An entry without a port means 80 for http and 443 for https; with a port only that port. Names are compared as a
// whole in small letters: 127.1, 2130706433 and other forms of an address are names that no list contains.
#pragma once
#include "engine/net/url.hpp"
#include <boost/asio/ip/address.hpp>
#include <optional>
#include <vector>

namespace weft::tools {
class AllowedHosts {
public:
    /// Throws Error{configuration} if there is no entry, or one is not a host or too wide, such as *.org.
    explicit AllowedHosts(const std::vector<std::string>& entries);
    bool allows(const net::Url&) const;
    const std::string& list() const { return list_; }  // for people

private:
    struct Entry {
        std::string host;
        bool below = false;  // matches its subdomains only
        std::optional<std::uint16_t> port;
    };
    std::vector<Entry> entries_;
    std::string list_;
};

/// Whether an address is public: not of this machine, private, shared, link-local, multicast, for documentation or
/// reserved, also not inside an IPv6 address.
bool is_public(const boost::asio::ip::address&);
}
