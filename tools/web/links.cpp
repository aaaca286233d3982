// Reads links like a browser: relative ones against the page, without the part after '#', other bytes escaped.
#include "tools/web/links.hpp"
#include "engine/text/text.hpp"
#include <algorithm>
#include <vector>

namespace weft::tools {
namespace {
std::string escaped(std::string_view text) {
    constexpr auto digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == ' ' || byte >= 0x80) ((out += '%') += digits[byte >> 4]) += digits[byte & 15];
        else out += c;
    }
    return out;
}
/// The parts of a path without "." and "..", as a server would read them.
std::string plain_path(std::string_view path) {
    std::vector<std::string_view> parts;
    bool folder = false;  // ends in a folder
    for (std::size_t at = 1; at <= path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        const auto part = path.substr(at, end - at);
        folder = part.empty() || part == "." || part == "..";
        if (part == ".." && !parts.empty()) parts.pop_back();
        if (part != "." && part != ".." && (!part.empty() || end < path.size())) parts.push_back(part);
        at = end + 1;
    }
    std::string out;
    for (const auto part : parts) (out += '/') += part;
    return folder || out.empty() ? out + '/' : out;
}
}

net::Url read_address(std::string_view text) {
    text = trimmed(text);
    return net::parse_url(escaped(text.substr(0, text.find('#'))));
}
net::Url follow_link(const net::Url& page, std::string_view link) {
    link = trimmed(link);
    link = link.substr(0, link.find('#'));
    const auto colon = link.find(':');
    if (colon < link.find_first_of("/?")) return read_address(link);  // a link with its own scheme
    const std::string scheme = page.tls ? "https:" : "http:";
    if (link.starts_with("//")) return read_address(scheme + std::string(link));
    const auto path = std::string_view(page.target).substr(0, page.target.find('?'));
    if (link.empty()) return page;
    if (link.front() == '?') return read_address(page.origin() + std::string(path) + std::string(link));
    const auto query = std::min(link.find('?'), link.size());
    auto target = std::string(link.substr(0, query));
    if (target.front() != '/') target = std::string(path.substr(0, path.rfind('/') + 1)) + target;
    return read_address(page.origin() + plain_path(target) + std::string(link.substr(query)));
}
}
