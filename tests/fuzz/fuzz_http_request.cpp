// Any bytes as a request cause no crash and exceed no limit, and give the same request, or none, however they are cut.
// The first byte chooses the cut.
#include "engine/net/request_parser.hpp"
#include <cstdint>
#include <cstdlib>

using namespace weft::net;

namespace {
constexpr std::size_t header_limit = 1000, body_limit = 4000;

std::string read(std::string_view bytes, std::size_t piece) {
    RequestParser parser(header_limit, body_limit);
    try {
        for (; !bytes.empty() && !parser.done(); bytes.remove_prefix(std::min(piece, bytes.size())))
            parser.feed(bytes.substr(0, piece));
    } catch (const RefusedRequest& refused) {
        return refused.status >= 400 && refused.status <= 505 ? "refused" : "odd";
    }
    if (!parser.done()) return parser.started() ? "unfinished" : "none";
    const auto& request = parser.request();
    if (request.body.size() > body_limit || request.headers.size() > 100) std::abort();
    std::string text = request.method + ' ' + request.target + '\n';
    for (const auto& [name, value] : request.headers) {
        if (value.find_first_of(std::string_view("\r\n\0", 3)) != value.npos) std::abort();
        text += name + ": " + value + '\n';
    }
    return text + request.body + (parser.keep_alive() ? "\nkept" : "\nclosed");
}
/// Else the request was refused or is incomplete, which may depend on the cut: a fault in the last four bytes of a
/// chunked body is noticed when another byte arrives.
bool is_request(const std::string& seen) { return seen.find('\n') != seen.npos; }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto cut = read(bytes, 1 + data[0]), whole = read(bytes, size);
    if (cut != whole && (is_request(cut) || is_request(whole))) std::abort();
    return 0;
}
