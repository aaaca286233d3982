// Which hosts of the web may be asked, and which addresses.
//
//     const AllowedHosts hosts({"en.wikipedia.org", "*.example.org", "intranet.example.org:8080"});
//     hosts.allows(net::parse_url("https://a.b.example.org/"));     // true; example.org itself is another entry
//
// Without a port an entry means the usual one, 80 for http and 443 for https; with a port only that. Names are compared
// whole and in small letters: 127.1, 2130706433 and other ways to write an address are names that nobody has listed.
#pragma once
#include "engine/net/url.hpp"
#include <boost/asio/ip/address.hpp>
#include <optional>
#include <vector>

namespace weft::tools {
class AllowedHosts {
public:
    /// Throws Error{configuration} for no entry at all, and for one that is no host or too wide, such as *.org.
    explicit AllowedHosts(const std::vector<std::string>& entries);
    bool allows(const net::Url&) const;
    const std::string& list() const { return list_; }  // for people

private:
    struct Entry {
        std::string host;
        bool below = false;  // the hosts below it, not itself
        std::optional<std::uint16_t> port;
    };
    std::vector<Entry> entries_;
    std::string list_;
};

/// Whether an address is one of the public internet: none of this machine, of a private or shared network, of a link, a
/// group or a document, none kept for later, and no other address in the guise of IPv6.
bool is_public(const boost::asio::ip::address&);
}
