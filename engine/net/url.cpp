// Stricter than the standard: refuses forms that two programs could read differently.
#include "engine/net/url.hpp"
#include "engine/error.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <charconv>

namespace weft::net {
namespace {

// Hides an address with '@' and every query, which may hold a password or a key, and a long word, which may be a key in
// the wrong variable.
[[noreturn]] void refuse(std::string_view text, std::string_view why) {
    const bool is_word = text.size() >= 16 && text.find_first_of(".:/") == std::string_view::npos;
    const bool secret = is_word || text.find('@') != std::string_view::npos;
    text = text.substr(0, text.find('?'));
    throw Error(Code::configuration, "the address " + (secret ? std::string() : "\"" + excerpt(text, 200) + "\" ") +
                                         std::string(why) + "; write it like http://host:port/path");
}
bool is_host_name(std::string_view host) {
    if (host.empty() || host.size() > 253 || host.front() == '.' || host.find("..") != std::string_view::npos)
        return false;
    return std::all_of(host.begin(), host.end(),
                       [](char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '.' || c == '_'; });
}
bool is_address_6(std::string_view host) {
    const bool known = std::all_of(host.begin(), host.end(),
                                   [](char c) { return is_hex_digit(c) || c == ':' || c == '.'; });
    return known && host.size() >= 2 && host.size() <= 45 && std::count(host.begin(), host.end(), ':') >= 2;
}
/// Returns false if a '%' lacks its two digits; such a '%' stays as it is.
bool decode_percents(std::string_view text, std::string& plain) {
    bool good = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        plain += text[i];
        if (text[i] != '%') continue;
        if (i + 2 < text.size() && is_hex_digit(text[i + 1]) && is_hex_digit(text[i + 2])) {
            plain.back() = static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
            i += 2;
        } else good = false;
    }
    return good;
}
}

std::string Url::authority() const {
    std::string text = host.find(':') == std::string::npos ? host : "[" + host + "]";
    if (port != (tls ? 443 : 80)) text += ":" + std::to_string(port);
    return text;
}
std::string Url::origin() const { return (tls ? "https://" : "http://") + authority(); }

Url parse_url(std::string_view text) {
    if (text.size() > 2000) refuse(text, "is longer than 2000 bytes");
    const auto scheme_end = text.find("://");
    if (scheme_end == std::string_view::npos) refuse(text, "does not begin with http:// or https://");
    const auto scheme = lower(text.substr(0, scheme_end));
    if (scheme != "http" && scheme != "https") refuse(text, "does not begin with http:// or https://");
    if (std::any_of(text.begin(), text.end(), [](char c) { return c <= ' ' || c >= 0x7F || c == '\\' || c == '"'; }))
        refuse(text, "has characters that no address has");
    if (text.find('#') != std::string_view::npos) refuse(text, "has a part after '#', which is never sent to a server");

    auto rest = text.substr(scheme_end + 3);
    const auto authority = rest.substr(0, rest.find_first_of("/?"));
    rest.remove_prefix(authority.size());
    if (authority.find('@') != std::string_view::npos)
        refuse(text, "has a user name or password in it; give a key by option or environment instead");

    Url url;
    url.tls = scheme == "https";
    url.port = url.tls ? 443 : 80;
    const bool bracketed = !authority.empty() && authority.front() == '[';
    const auto host_end = bracketed ? authority.find(']') : std::min(authority.find(':'), authority.size());
    if (host_end == std::string_view::npos) refuse(text, "has '[' without ']'");
    const auto host = bracketed ? authority.substr(1, host_end - 1) : authority.substr(0, host_end);
    auto port = authority.substr(host_end + bracketed);
    if (bracketed ? !is_address_6(host) : !is_host_name(host)) refuse(text, "has no usable host name");
    url.host = lower(host);
    if (!port.empty()) {
        if (port.front() != ':') refuse(text, "has something between host and path");
        port.remove_prefix(1);
        unsigned value = 0;
        const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), value);
        if (error != std::errc() || end != port.data() + port.size() || value == 0 || value > 65535)
            refuse(text, "has no usable port: it is a number from 1 to 65535");
        url.port = static_cast<std::uint16_t>(value);
    }
    if (!rest.empty()) url.target = (rest.front() == '?' ? "/" : "") + std::string(rest);
    return url;
}
Url operator/(const Url& base, std::string_view path) {
    Url url = base;
    const auto query = url.target.substr(std::min(url.target.find('?'), url.target.size()));
    url.target.resize(url.target.size() - query.size());
    while (!url.target.empty() && url.target.back() == '/') url.target.pop_back();
    while (!path.empty() && path.front() == '/') path.remove_prefix(1);
    url.target += '/';
    url.target += path;
    if (query.size() > 1) url.target += (path.find('?') == path.npos ? '?' : '&') + query.substr(1);
    return url;
}

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string plain;
    if (!decode_percents(text, plain)) return {};
    return plain;
}
std::string percent_decoded_leniently(std::string_view text) {
    std::string plain;
    decode_percents(text, plain);
    return plain;
}
}
