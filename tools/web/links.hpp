// Resolves links of pages and redirects.
#pragma once
#include "engine/net/url.hpp"

namespace weft::tools {
/// Reads an address of people or servers. Escapes blanks and bytes beyond ASCII, and drops the part after '#'.
/// Throws Error{configuration} unless it is an http or https address; see engine/net/url.hpp.
net::Url read_address(std::string_view text);
/// Reads a link on a page: whole, or relative ("//host/path", "/path", "path", "?query").
net::Url follow_link(const net::Url& page, std::string_view link);
}
