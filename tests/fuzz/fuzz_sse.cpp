// Any bytes as an event stream cause no crash and no endless loop, and give the same events however they are cut. The
// first byte chooses the cut.
#include "engine/net/net_error.hpp"
#include "engine/net/sse.hpp"
#include <cstdint>
#include <cstdlib>

using namespace weft::net;

namespace {
std::string read(std::string_view bytes, std::size_t piece) {
    SseParser parser({.line = 300, .event = 500});
    std::string seen;
    const auto take = [&] {
        while (auto event = parser.next())
            ((((seen += event->type) += '|') += event->data) += '|') += std::string(event->id) + '\n';
    };
    try {
        for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
            parser.feed(bytes.substr(0, piece));
            take();
        }
        parser.finish();
        take();
    } catch (const NetError&) { seen += "too large"; }
    return seen;
}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (read(bytes, 1 + data[0]) != read(bytes, size)) std::abort();
    return 0;
}
