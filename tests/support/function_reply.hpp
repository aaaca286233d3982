// A reply of the function-call dialect, read in pieces, for tests and fuzzers.
#pragma once
#include "steps/agents/react/dialects/function_parser.hpp"
#include <algorithm>
#include <array>

namespace test {
inline std::optional<std::vector<std::string>> function_parameters(std::string_view tool) {
    using Names = std::vector<std::string>;
    if (tool == "add" || tool == "multiply" || tool == "divide") return Names{"a", "b"};
    if (tool == "llm_tool") return Names{"input"};
    if (tool == "list") return Names{};
    return std::nullopt;
}
struct FunctionReply {
    weft::agents::Reply reply;
    std::array<std::string, 4> pieces;  // one text for each kind of piece
    std::size_t examined = 0;
};
/// `next_cut` returns the length of the next piece.
template <class NextCut> FunctionReply read_function_reply(std::string_view text, NextCut next_cut) {
    FunctionReply out;
    weft::agents::FunctionParser parser(function_parameters);
    const weft::agents::OnPiece on_piece = [&out](weft::agents::PieceKind kind, std::string_view piece) {
        out.pieces[static_cast<std::size_t>(kind)] += piece;
    };
    while (!text.empty()) {
        const auto n = std::clamp<std::size_t>(next_cut(), 1, text.size());
        parser.feed(text.substr(0, n), on_piece);
        text.remove_prefix(n);
    }
    out.reply = parser.finish(on_piece);
    out.examined = parser.examined();
    return out;
}
inline weft::agents::Reply read_function_reply(std::string_view text) {
    return read_function_reply(text, [&text] { return text.size(); }).reply;
}
inline std::string inner_text(const weft::agents::Reply& reply) {
    std::string all;
    for (const auto& call : reply.inner)
        all += call.tool + call.arguments.text + std::to_string(call.into) + call.place + ';';
    return all;
}
inline bool same(const FunctionReply& a, const FunctionReply& b) {
    const auto &x = a.reply, &y = b.reply;
    return a.pieces == b.pieces && x.kind == y.kind && x.thought == y.thought && x.action == y.action &&
           x.action_input == y.action_input && inner_text(x) == inner_text(y) && x.written == y.written &&
           x.answer == y.answer && x.error == y.error && x.text == y.text && x.note == y.note &&
           x.ignored == y.ignored && x.invented == y.invented;
}
}
