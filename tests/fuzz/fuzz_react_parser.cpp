// A reply is read the same whole, in single characters, and in cuts that the first byte chooses; and in linear time.
#include "steps/react/text_parser.hpp"
#include <algorithm>
#include <array>
#include <cstdlib>
using namespace weft::steps;

namespace {
struct Read {
    Reply reply;
    std::array<std::string, 4> pieces;
};
Read read(std::string_view text, std::size_t cut) {
    Read out;
    TextParser parser;
    const OnPiece on_piece = [&out](PieceKind kind, std::string_view piece) {
        out.pieces[static_cast<std::size_t>(kind)] += piece;
    };
    const auto limit = 4 * text.size();
    while (!text.empty()) {
        const auto n = std::min(text.size(), cut);
        parser.feed(text.substr(0, n), on_piece);
        text.remove_prefix(n);
    }
    out.reply = parser.finish(on_piece);
    if (parser.examined() > limit) std::abort();
    return out;
}
bool same(const Read& a, const Read& b) {
    const auto &x = a.reply, &y = b.reply;
    return a.pieces == b.pieces && x.kind == y.kind && x.reasoning == y.reasoning && x.thought == y.thought &&
           x.action == y.action && x.action_input == y.action_input && x.answer == y.answer && x.error == y.error &&
           x.text == y.text && x.ignored == y.ignored && x.invented == y.invented;
}
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    if (!size) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto whole = read(text, std::max<std::size_t>(1, text.size()));
    if (!same(whole, read(text, 1)) || !same(whole, read(text, 1 + data[0] % 13))) std::abort();
    return 0;
}
