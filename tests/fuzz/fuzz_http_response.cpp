// Any bytes as an answer, plain or compressed, cause no crash and exceed no limit, and give the same text however they
// are cut. The first byte chooses the cut.
#include "engine/net/gunzip.hpp"
#include "engine/net/net_error.hpp"
#include "engine/net/response_parser.hpp"
#include <cstdint>
#include <cstdlib>

using namespace weft::net;

namespace {
constexpr std::size_t limit = 4000;

std::string read(std::string_view bytes, std::size_t piece) {
    ResponseParser parser(1000, limit);
    std::unique_ptr<Gunzip> unpack;
    std::string text, packed;
    bool looked = false;
    try {
        for (; !bytes.empty() && !parser.done(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
            parser.feed(bytes.substr(0, piece), packed);
            if (!looked && parser.has_header()) {
                looked = true;
                unpack = Gunzip::for_encoding(find_header(parser.headers(), "Content-Encoding"), limit);
            }
            if (!looked) continue;
            if (unpack) unpack->feed(packed, text);
            else text += packed;
            packed.clear();
        }
        if (!parser.done()) parser.finish();
        if (unpack) unpack->finish();
    } catch (const NetError& error) { return "refused"; }
    if (text.size() > limit) std::abort();
    return std::to_string(parser.status()) + text;
}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (read(bytes, 1 + data[0]) != read(bytes, size)) std::abort();
    return 0;
}
