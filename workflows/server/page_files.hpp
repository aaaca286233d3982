// The built-in files of the server's own page (workflows/server/page/).
//
//     for (const auto& [name, text] : page_files()) ...
#pragma once
#include <string_view>
#include <utility>
#include <vector>

namespace weft::server {
const std::vector<std::pair<std::string_view, std::string_view>>& page_files();
}
