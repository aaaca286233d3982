// The server's interface as OpenAPI 3.1 has it, with the workflows that it offers.
//
//     const auto document = openapi(service);              // GET /openapi.json
#pragma once
#include <nlohmann/json.hpp>

namespace weft::server {
class Service;
nlohmann::json openapi(const Service&);
}
