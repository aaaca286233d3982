// Where a link of a page, or a redirect, leads to.
#pragma once
#include "engine/net/url.hpp"

namespace weft::tools {
/// What people and servers write as an address. Blanks and bytes beyond ASCII are escaped, what follows a '#' is left
/// out. Throws Error{configuration} for what is no http or https address; see engine/net/url.hpp.
net::Url read_address(std::string_view text);
/// The same for a link on a page: whole, or in short ("//host/path", "/path", "path", "?query").
net::Url follow_link(const net::Url& page, std::string_view link);
}
