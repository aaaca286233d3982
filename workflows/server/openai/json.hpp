// JSON for the writers of this folder. Keys keep their order, and json_line() replaces invalid UTF-8 by U+FFFD.
//
//     for_each_piece(text, [&](std::string_view piece) { out += event_of(piece); });
#pragma once
#include "engine/text/utf8.hpp"
#include "workflows/server/openai/reply.hpp"
#include <nlohmann/json.hpp>

namespace weft::server {
using OrderedJson = nlohmann::ordered_json;

/// Calls `act` with pieces of a UTF-8 text, which are cut between characters.
template <class Act> void for_each_piece(const std::string& text, const Act& act) {
    for (std::string_view rest = text; !rest.empty();) {
        const auto piece = utf8_cut(rest, max_openai_piece);
        act(piece);
        rest.remove_prefix(piece.size());
    }
}
}
