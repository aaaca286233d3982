// The refusal or failure of a request: a status and a sentence.
//
//     throw Problem(404, "there is no run \"x\"");
#pragma once
#include "engine/net/http_server.hpp"
#include <stdexcept>

namespace weft::server {
struct Problem : std::runtime_error {
    Problem(unsigned s, const std::string& detail, net::HttpHeaders h = {})
        : std::runtime_error(detail), status(s), headers(std::move(h)) {}
    unsigned status;
    net::HttpHeaders headers;
};
}
