// Compresses bytes like a server.
//
//     packed("text")                       // gzip
//     packed("text", -MAX_WBITS)           // deflate without a header, as some servers send it
//     packed_pieces({"one", "two"})        // each piece is readable before the next
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include <zlib.h>

namespace weft::testing {
inline std::vector<std::string> packed_pieces(const std::vector<std::string_view>& texts, int bits = 16 + MAX_WBITS) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY);
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::string piece(deflateBound(&stream, texts[i].size()) + 64, '\0');
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(texts[i].data()));
        stream.avail_in = static_cast<uInt>(texts[i].size());
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        deflate(&stream, i + 1 < texts.size() ? Z_SYNC_FLUSH : Z_FINISH);
        piece.resize(piece.size() - stream.avail_out);
        pieces.push_back(std::move(piece));
    }
    deflateEnd(&stream);
    return pieces;
}
inline std::string packed(std::string_view text, int bits = 16 + MAX_WBITS) { return packed_pieces({text}, bits)[0]; }
}
