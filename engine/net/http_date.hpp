// Reads a date in the form of HTTP headers.
//
//     auto date = net::read_http_date("Sun, 06 Nov 1994 08:49:37 GMT");    // nullopt for any other text
#pragma once
#include "engine/clock.hpp"
#include <optional>
#include <string_view>

namespace weft::net {
std::optional<WallTime> read_http_date(std::string_view);
}
