// The server's interface in OpenAPI 3.1, with the workflows that it offers.
//
//     const auto document = openapi(service);              // GET /openapi.json
#pragma once
#include <nlohmann/json.hpp>

namespace weft::server {
class Service;
nlohmann::json openapi(const Service&);
}
