// Reads a reply's bytes by a protocol, in every cut, and returns the result or the error.
//
//     CHECK(read_any_way(openai_chat, bytes) == Reading{.text = "hi", .finish = FinishReason::stop, .deltas = "hi"});
#pragma once
#include "engine/net/net_error.hpp"
#include "steps/models/protocols/parts/reply_reader.hpp"
#include "steps/models/protocols/protocol.hpp"
#include "tests/support/cuts.hpp"

namespace weft::models {
struct Reading {
    std::string text, model, error;  // error: the fault's sentence
    FinishReason finish = FinishReason::unknown;
    std::int64_t prompt = 0, completion = 0;
    std::string deltas;  // joined
    std::vector<ToolCall> calls;
    std::string native;  // JSON; empty if there is none
    std::int64_t cached = 0, reasoning = 0;
    bool operator==(const Reading&) const = default;
};
inline Reading read(const Protocol& protocol, const std::vector<std::string_view>& pieces,
                    const ChatRequest& request = {}, const Secret& key = {}) {
    Reading result;
    const OnDelta on_delta = [&](std::string_view delta) { result.deltas += delta; };
    auto reader = protocol.reader(request, key);
    try {
        for (auto piece : pieces) reader->feed(piece, on_delta);
        const auto reply = reader->finish(on_delta);
        const auto& usage = reply.usage;
        result = {reply.text,          reply.model,           {},
                  reply.finish,        usage.prompt_tokens,   usage.completion_tokens,
                  result.deltas,       reply.calls,           reply.native.json.text,
                  usage.cached_tokens, usage.reasoning_tokens};
    } catch (const Fault& fault) { result.error = fault.what(); } catch (const net::NetError& e) {
        result.error = e.what();
    }
    return result;
}
/// Returns the result of the whole bytes, or an error if a cut gives another result.
inline Reading read_any_way(const Protocol& protocol, std::string_view bytes, const ChatRequest& request = {},
                            const Secret& key = {}) {
    Reading whole = read(protocol, {bytes}, request, key);
    testing::for_all_cuts(bytes, [&](const auto& pieces) {
        if (read(protocol, pieces, request, key) != whole) whole.error = "differs when it is cut";
    });
    return whole;
}
}
