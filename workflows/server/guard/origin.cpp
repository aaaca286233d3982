// A browser writes the host of an origin in lower case and in its shortest form, and leaves out the scheme's own port.
#include "workflows/server/guard/origin.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <charconv>

namespace weft::server {
namespace {
namespace ip = boost::asio::ip;
constexpr std::string_view of_names = "abcdefghijklmnopqrstuvwxyz0123456789-._", digits = "0123456789";
/// Schemes that no Origin header has.
constexpr std::string_view never_sent[] = {"ws", "wss", "ftp", "file", "data", "blob", "about", "javascript"};

bool has_only(std::string_view text, std::string_view allowed) { return text.find_first_not_of(allowed) == text.npos; }
/// The last label of a name, without the root's dot. A name whose last label is a number is an IPv4 address.
std::string_view last_label(std::string_view name) {
    const auto last = trimmed_end(name, ".");
    return last.substr(last.rfind('.') + 1);  // the whole text without a dot
}
bool is_number(std::string_view label) { return has_only(label, digits) || label.starts_with("0x"); }
/// Normal form of a name, an IPv4 address or a bracketed IPv6 address; std::nullopt if no browser sends it.
std::optional<std::string> normal_name(std::string_view name) {
    boost::system::error_code error;
    if (name.starts_with('[') && name.ends_with(']')) {
        auto address = ip::make_address_v6(std::string(name.substr(1, name.size() - 2)), error);
        address.scope_id(0);
        return error ? std::nullopt : std::optional('[' + address.to_string() + ']');
    }
    const auto label = last_label(name);
    if (label.empty() || !has_only(name, of_names) || name.find("..") != name.npos) return {};
    if (is_number(label)) {
        ip::make_address_v4(std::string(trimmed_end(name, ".")), error);
        if (error) return {};
    }
    return std::string(name);
}
struct Authority {
    std::string_view name, port;
    bool is_sound = false;
};
Authority divided(std::string_view text) {
    const auto end = text.starts_with('[') ? text.find(']') : std::min(text.find(':'), text.size()) - 1;
    if (text.empty() || end >= text.size()) return {};
    Authority all{.name = text.substr(0, end + 1), .port = text.substr(end + 1), .is_sound = true};
    if (all.port.empty()) return all;
    all.is_sound = all.port[0] == ':' && all.port.size() <= 6 && has_only(all.port.substr(1), digits);
    all.port.remove_prefix(1);
    return all;
}
/// ":PORT", or "" for the scheme's own port; std::nullopt for an invalid port.
std::optional<std::string> port_suffix(std::string_view scheme, std::string_view port) {
    if (port.empty()) return "";
    unsigned number = 0;
    std::from_chars(port.data(), port.data() + port.size(), number);
    if (number == 0 || number > 65535) return {};
    if ((scheme == "https" && number == 443) || (scheme == "http" && number == 80)) return "";
    return ':' + std::to_string(number);
}
[[noreturn]] void refuse(const char* kind, std::string_view given, const std::string& why) {
    throw Error(Code::configuration,
                "the allowed " + std::string(kind) + " \"" + excerpt(given, 100) + "\" can never match: " + why);
}
}

std::string normal_origin(std::string_view given) {
    const auto no = [&](const std::string& why) { refuse("origin", given, why); };
    const auto text = lower(trimmed(given));
    if (text.find('*') != text.npos) no("there are no wildcards: name each origin, such as https://app.example");
    if (text == "null") no("any page may send it: serve the page from an address of its own");
    const auto colon = text.find("://");
    if (colon == text.npos || colon == 0) no("it has no scheme: write https://" + excerpt(text, 100));
    const auto scheme = text.substr(0, colon);
    auto rest = text.substr(colon + 3);
    if (std::ranges::find(never_sent, scheme) != std::end(never_sent))
        no("no page comes from " + scheme + "://: write http:// or https://");
    if (rest.ends_with('/')) rest.pop_back();
    if (const auto end = rest.find_first_of("/\\?#"); end != rest.npos)
        no("an origin has no path: write " + scheme + "://" + excerpt(rest.substr(0, end), 100));
    const auto parts = divided(rest);
    const auto name = parts.is_sound ? normal_name(parts.name) : std::nullopt;
    const auto port = port_suffix(scheme, parts.port);
    if (!name || !port)
        no("it has no host, or one that browsers never send: write https://app.example, and a name with non-ASCII "
           "letters in its xn-- form");
    return scheme + "://" + *name + *port;
}
std::string normal_host(std::string_view given) {
    auto text = lower(trimmed(given));
    if (std::ranges::count(text, ':') > 1 && !text.starts_with('[')) text = '[' + text + ']';
    if (const auto name = host_name_in(text)) return *name;
    refuse("host", given,
           "it has to be a name or an address without a scheme, a path or a wildcard, such as "
           "weft.example");
}
std::optional<std::string> host_name_in(std::string_view header) {
    const auto text = lower(header);
    const auto parts = divided(text);
    auto name = parts.is_sound ? normal_name(parts.name) : std::nullopt;
    if (name && name->ends_with('.') && !is_number(last_label(*name))) name->pop_back();  // the root's dot
    return name;
}
bool is_origin_of(std::string_view origin, std::string_view host_header) {
    const auto asking = lower(origin), own = lower(host_header);
    const auto parts = divided(own);
    if (!parts.is_sound) return false;
    for (const std::string scheme : {"http", "https"})
        if (const auto port = port_suffix(scheme, parts.port))
            if (asking == scheme + "://" + std::string(parts.name) + *port) return true;
    return false;
}
}
