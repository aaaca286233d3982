// The non-public networks. An IPv4 address inside an IPv6 address counts as the IPv4 address.
#include "tools/web/hosts.hpp"
#include "engine/error.hpp"
#include <algorithm>
#include <array>

namespace weft::tools {
namespace {
namespace ip = boost::asio::ip;

[[noreturn]] void refuse_host(const std::string& entry, const std::string& why) {
    throw Error(Code::configuration, "the allowed host \"" + entry + "\" " + why);
}
net::Url read_host(const std::string& entry, const std::string& host) {
    try {
        auto url = net::parse_url("http://" + host);
        if (url.target == "/" && !host.ends_with('/')) return url;
    } catch (const Error&) {}
    refuse_host(entry, "is not a host: write it like example.org, *.example.org or example.org:8080");
}
struct Network4 {
    std::uint32_t address;
    int bits;
};
constexpr std::uint32_t dotted(std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0) {
    return a << 24 | b << 16 | c << 8;
}
constexpr std::array closed{
    Network4{dotted(0), 8},  // "this network" of RFC 1122
    Network4{dotted(10), 8},
    Network4{dotted(100, 64), 10},  // private; shared by a provider's customers
    Network4{dotted(127), 8},
    Network4{dotted(169, 254), 16},
    Network4{dotted(172, 16), 12},
    Network4{dotted(192, 0, 0), 24},
    Network4{dotted(192, 0, 2), 24},
    Network4{dotted(192, 88, 99), 24},
    Network4{dotted(192, 168), 16},
    Network4{dotted(198, 18), 15},
    Network4{dotted(198, 51, 100), 24},
    Network4{dotted(203, 0, 113), 24},
    Network4{dotted(224), 3}  // multicast and reserved
};
bool is_public(std::uint32_t address) {
    return std::none_of(closed.begin(), closed.end(), [address](const Network4& network) {
        return ((address ^ network.address) >> (32 - network.bits)) == 0;
    });
}
bool is_public(const ip::address_v6::bytes_type& b) {
    const auto word = [&b](std::size_t i) { return b[2 * i] << 8 | b[2 * i + 1]; };
    // IPv6-only networks write IPv4 addresses in this form: check the IPv4 address.
    const bool translated = word(0) == 0x64 && word(1) == 0xff9b &&
                            std::all_of(&b[4], &b[12], [](auto x) { return x == 0; });
    if (translated) return is_public(static_cast<std::uint32_t>(word(6)) << 16 | static_cast<std::uint32_t>(word(7)));
    if (word(0) >> 13 != 1) return false;                     // only 2000::/3 is public
    if (word(0) == 0x2001 && word(1) < 0x200) return false;   // protocols, such as Teredo
    if (word(0) == 0x2001 && word(1) == 0xdb8) return false;  // documentation
    return word(0) != 0x2002 && word(0) < 0x3ff0;             // 6to4; documentation
}
}

AllowedHosts::AllowedHosts(const std::vector<std::string>& entries) {
    for (const auto& text : entries) {
        Entry entry;
        entry.below = text.starts_with("*.");
        const auto host = text.substr(entry.below ? 2 : 0);
        const auto url = read_host(text, host);
        entry.host = url.host;
        if (entry.below && entry.host.find('.') == entry.host.npos)
            refuse_host(text, "is too wide: name what stands below one owner, such as *.example.org");
        const auto colon = host.rfind(':');
        if (colon != host.npos && host.find(']', colon) == host.npos) entry.port = url.port;
        entries_.push_back(std::move(entry));
        list_ += (list_.empty() ? "" : ", ") + text;
    }
    if (entries_.empty())
        throw Error(Code::configuration, "no host is allowed: name at least one, such as example.org");
}
bool AllowedHosts::allows(const net::Url& url) const {
    const std::uint16_t usual = url.tls ? 443 : 80;
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        if (url.port != entry.port.value_or(usual)) return false;
        return entry.below ? url.host.ends_with("." + entry.host) : url.host == entry.host;
    });
}
bool is_public(const ip::address& address) {
    return address.is_v4() ? is_public(address.to_v4().to_uint()) : is_public(address.to_v6().to_bytes());
}
}
