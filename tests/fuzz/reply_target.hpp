// Reads a reply's bytes twice: whole, and in pieces whose size the first byte chooses. Both give the same text, calls
// and native reply; the deltas join to the text; no part has the key; and only a Fault or a NetError is thrown. A
// protocol's reader without the scanner of chunks, if there is one, gives the same result.
#pragma once
#include "engine/net/net_error.hpp"
#include "steps/models/protocols/parts/reply_reader.hpp"
#include "steps/models/protocols/protocol.hpp"
#include <cstdint>
#include <cstdlib>

namespace weft::models {
using MakeReader = std::unique_ptr<ReplyReader> (*)(const ChatRequest&, const Secret&);
inline std::string shown(std::string text) {
    if (text.find("sk-12345") != text.npos) std::abort();
    return text;
}
inline std::string shown(const ChatReply& reply) {
    std::string text = "reply " + shown(reply.text) + "|" + shown(reply.model) + "|" + shown(reply.native.json.text);
    for (const auto& call : reply.calls)
        for (const auto* part : {&call.id, &call.name, &call.arguments}) text += "|" + shown(*part);
    const auto& usage = reply.usage;
    for (const auto number : {usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens, usage.reasoning_tokens,
                              usage.cache_written_tokens, std::int64_t(reply.finish)})
        text += "|" + std::to_string(number);
    return text;
}
inline std::string read_reply(MakeReader make_reader, const ChatRequest& request, std::string_view bytes,
                              std::size_t piece) {
    auto reader = make_reader(request, Secret("sk-12345"));
    std::string joined;
    reader->when_reasoned([&] { joined.clear(); });
    const OnDelta on_delta = [&](std::string_view delta) { joined += delta; };
    try {
        for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
            reader->feed(bytes.substr(0, piece), on_delta);
        const auto reply = reader->finish(on_delta);
        if (reply.text != joined) std::abort();
        return shown(reply);
    } catch (const Fault& fault) {
        return "fault " + joined + "|" + shown(fault.what());
    } catch (const net::NetError& error) { return "error " + joined + "|" + error.what(); }
}
inline int try_reply(const Protocol& protocol, const std::uint8_t* data, std::size_t size,
                     MakeReader without_scanner = nullptr) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    ChatRequest request;
    if (data[0] & 1) request.stop = {"Observation:", "\n\n"};  // without them calls count
    const auto reply = read_reply(protocol.reader, request, bytes, size);
    if (read_reply(protocol.reader, request, bytes, 1 + data[0]) != reply) std::abort();
    if (without_scanner && read_reply(without_scanner, request, bytes, size) != reply) std::abort();
    return 0;
}
}
