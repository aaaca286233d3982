// A reply gives the same result whole, in single characters, and in cuts chosen by the first byte, in linear time.
#pragma once
#include "steps/agents/react/dialects/text_parser.hpp"
#include "tools/make_tool.hpp"
#include "tools/registry.hpp"
#include <algorithm>
#include <array>
#include <cstdlib>

namespace weft::agents {
struct FuzzedReply {
    Reply reply;
    std::array<std::string, 4> pieces;
};
/// Tools with each kind of parameters for bare arguments: one text, one number, several, none.
inline const tools::Registry& fuzz_tools() {
    static const auto tools = [] {
        tools::Registry all;
        all.add(tools::make_tool("a", "Takes a text.", [](std::string text) { return text; }, {"text"}));
        all.add(tools::make_tool("n", "Takes a number.", [](double number) { return number; }, {"number"}));
        all.add(tools::make_tool("m", "Takes more.",
                                 [](std::string text, double number) { return text + std::to_string(number); },
                                 {"text", "number"}));
        all.add(tools::make_tool("z", "Takes nothing.", [] { return std::string("done"); }));
        return all;
    }();
    return tools;
}
inline FuzzedReply read_in_cuts(const Grammar& grammar, std::string_view text, std::size_t cut) {
    FuzzedReply out;
    TextParser parser(grammar, &fuzz_tools());
    const OnPiece on_piece = [&out](PieceKind kind, std::string_view piece) {
        out.pieces[static_cast<std::size_t>(kind)] += piece;
    };
    const auto limit = 20 * text.size() + 64;
    while (!text.empty()) {
        const auto n = std::min(text.size(), cut);
        parser.feed(text.substr(0, n), on_piece);
        text.remove_prefix(n);
    }
    out.reply = parser.finish(on_piece);
    if (parser.examined() > limit) std::abort();
    return out;
}
inline bool same(const FuzzedReply& a, const FuzzedReply& b) {
    const auto &x = a.reply, &y = b.reply;
    return a.pieces == b.pieces && x.kind == y.kind && x.thought == y.thought && x.action == y.action &&
           x.action_input == y.action_input && x.answer == y.answer && x.error == y.error && x.text == y.text &&
           x.note == y.note && x.ignored == y.ignored && x.invented == y.invented && x.unlabelled == y.unlabelled;
}
inline int try_parser(const Grammar& grammar, const unsigned char* data, std::size_t size) {
    if (!size) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto whole = read_in_cuts(grammar, text, std::max<std::size_t>(1, text.size()));
    if (!same(whole, read_in_cuts(grammar, text, 1)) || !same(whole, read_in_cuts(grammar, text, 1 + data[0] % 13)))
        std::abort();
    if (whole.reply.kind != ReplyKind::action) {
        if (!whole.reply.note.empty()) std::abort();
        return 0;
    }
    if (!nlohmann::json::parse(whole.reply.action_input).is_object()) std::abort();
    return 0;
}
}
