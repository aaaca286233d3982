// A reply's bytes, put together twice: whole, and in pieces of a size that the first byte chooses. Both give the same
// text, the deltas are the text, the key is in none of it, and nothing but a Fault or a NetError comes out.
#pragma once
#include "engine/net/net_error.hpp"
#include "steps/llm/reply_reader.hpp"
#include <cstdint>
#include <cstdlib>

namespace weft::llm {
inline std::string read_reply(const Protocol& protocol, std::string_view bytes, std::size_t piece) {
    const ChatRequest request{.stop = {"Observation:", "\n\n"}};
    auto reader = protocol.reader(request, Secret("sk-12345"));
    std::string joined;
    const OnDelta on_delta = [&](std::string_view delta) { joined += delta; };
    const auto shown = [](const std::string& text) {
        if (text.find("sk-12345") != text.npos) std::abort();
        return text;
    };
    try {
        for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
            reader->feed(bytes.substr(0, piece), on_delta);
        const auto reply = reader->finish(on_delta);
        if (reply.text != joined) std::abort();
        return "reply " + shown(reply.text) + "|" + reply.model + "|" + std::to_string(static_cast<int>(reply.finish));
    } catch (const Fault& fault) {
        return "fault " + joined + "|" + shown(fault.what());
    } catch (const net::NetError& error) { return "error " + joined + "|" + error.what(); }
}
inline int try_reply(const Protocol& protocol, const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (read_reply(protocol, bytes, 1 + data[0]) != read_reply(protocol, bytes, size)) std::abort();
    return 0;
}
}
