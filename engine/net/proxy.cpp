// Errors in the variables are reported only when a request needs that proxy.
#include "engine/net/proxy.hpp"
#include "engine/error.hpp"
#include "engine/text/base64.hpp"
#include "engine/text/text.hpp"
#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <charconv>

namespace weft::net {
namespace {
namespace ip = boost::asio::ip;
using boost::system::error_code;

template <class Network> bool holds(const Network& range, const decltype(range.network())& address) {
    return Network(address, range.prefix_length()).canonical() == range.canonical();
}
bool in_range(const std::string& host, const std::string& range, int bits) {
    error_code no_address;
    const auto address = ip::make_address(host, no_address);
    if (no_address) return false;
    const auto base = ip::make_address(range, no_address);
    if (no_address || base.is_v4() != address.is_v4()) return false;
    if (base.is_v4()) return bits <= 32 && holds(ip::network_v4(base.to_v4(), bits), address.to_v4());
    return bits <= 128 && holds(ip::network_v6(base.to_v6(), bits), address.to_v6());
}
/// Returns name and value of the first variable that is not empty.
std::pair<std::string, std::string> first_of(const ProxySettings::ProxyVariable& variable,
                                             std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (auto value = variable(name); value && !value->empty()) return {name, *value};
    return {};
}
}

std::string Proxy::wants_user() const {
    return name() + (authorization.empty() ? " needs a user and a password" : " refuses its user and password") +
           " (407): write them into the environment variable that names it, as http://user:password@host:port";
}

ProxySettings ProxySettings::from(const ProxyVariable& variable) {
    ProxySettings settings;
    const auto all = first_of(variable, {"all_proxy", "ALL_PROXY"});
    auto https = first_of(variable, {"https_proxy", "HTTPS_PROXY"}), http = first_of(variable, {"http_proxy"});
    if (https.first.empty()) https = all;
    if (http.first.empty()) http = all;
    if (!https.first.empty()) settings.https_ = read(https.first, https.second);
    if (!http.first.empty()) settings.http_ = read(http.first, http.second);

    const auto list = first_of(variable, {"no_proxy", "NO_PROXY"}).second;
    for (std::size_t begin = 0, end; begin < list.size(); begin = end + 1) {
        end = std::min(list.find_first_of(", \t", begin), list.size());
        auto entry = lower(std::string_view(list).substr(begin, end - begin));
        Exemption exemption;
        const auto number = [&](std::size_t at, auto& value) {  // removes a number behind `at` and stores it in `value`
            const char* last = entry.data() + entry.size();
            if (std::from_chars(entry.data() + at + 1, last, value).ptr != last) return;
            entry.resize(at);
        };
        const auto colon = entry.rfind(':'), slash = entry.find('/');
        if (colon != entry.npos && (entry.find(':') == colon || (colon > 0 && entry[colon - 1] == ']')))
            number(colon, exemption.port);
        else if (slash != entry.npos) number(slash, exemption.bits);
        if (entry.starts_with('[') && entry.ends_with(']')) entry = entry.substr(1, entry.size() - 2);
        if (entry.starts_with("*.")) entry.erase(0, 1);
        if (entry.starts_with('.')) entry.erase(0, 1);
        if (entry.empty()) continue;
        if (entry != "*") exemption.host = std::move(entry);
        settings.exempt_.push_back(std::move(exemption));
    }
    return settings;
}
ProxySettings::ProxyChoice ProxySettings::read(const std::string& variable, std::string value) {
    ProxyChoice choice;
    const auto scheme_end = value.find("://");
    const auto scheme = scheme_end == value.npos ? "http" : lower(std::string_view(value).substr(0, scheme_end));
    if (scheme_end != value.npos) value.erase(0, scheme_end + 3);
    if (scheme != "http") {
        choice.problem = "names a proxy of a kind that is not supported: give one that begins with http://";
    } else {
        Proxy proxy;
        if (const auto at = value.rfind('@'); at != value.npos) {  // a password may have any characters
            auto user = percent_decoded_leniently(std::string_view(value).substr(0, at));
            if (user.find(':') == user.npos) user += ':';
            proxy.authorization = "Basic " + base64(user);
            value.erase(0, at + 1);
        }
        try {
            proxy.url = parse_url("http://" + value);
            const auto bracket = value.find(']');
            if (value.find(':', bracket == value.npos ? 0 : bracket) == value.npos) proxy.url.port = 1080;
            proxy.url.target = "/";
            choice.proxy = std::move(proxy);
        } catch (const Error&) { choice.problem = "is not a proxy's address: write it like http://host:port"; }
    }
    if (!choice.problem.empty()) choice.problem = "the environment variable " + variable + " " + choice.problem;
    return choice;
}
bool ProxySettings::is_exempt(const Url& url) const {
    const std::string_view host = url.host;
    return std::any_of(exempt_.begin(), exempt_.end(), [&](const Exemption& exemption) {
        if (exemption.port != 0 && exemption.port != url.port) return false;
        if (exemption.bits >= 0) return in_range(url.host, exemption.host, exemption.bits);
        if (exemption.host.empty() || host == exemption.host) return true;
        return host.size() > exemption.host.size() && host.ends_with(exemption.host) &&
               host[host.size() - exemption.host.size() - 1] == '.';
    });
}
const Proxy* ProxySettings::find(const Url& url) const {
    const ProxyChoice& choice = url.tls ? https_ : http_;
    if ((!choice.proxy && choice.problem.empty()) || is_exempt(url)) return nullptr;
    if (!choice.proxy) throw Error(Code::configuration, choice.problem);
    return &*choice.proxy;
}
}
