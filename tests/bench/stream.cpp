// Measures the reading of a streamed reply: by the usual readers, which make a JSON tree only of chunks that the
// scanner does not recognise, and by readers that make a tree of every chunk. The floor only finds the events. One JSON
// line per figure.
#include "engine/net/sse.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/responses.hpp"
#include "tests/bench/measure.hpp"
using namespace weft;
using namespace weft::models;

namespace {
using MakeReader = std::unique_ptr<ReplyReader> (*)(const ChatRequest&, const Secret&);
constexpr std::size_t piece = 16384;  // the size of a socket's reads

std::string words(int i) { return i % 12 == 11 ? ".\\n" : i % 7 == 3 ? " \xc3\xa9t\xc3\xa9" : " word"; }
std::string openai_stream(int chunks) {
    std::string bytes;
    for (int i = 0; i < chunks; ++i)
        bytes += R"(data: {"id":"chatcmpl-Bq7VrX0s4","object":"chat.completion.chunk","created":1763632800,)"
                 R"("model":"gpt-4o-mini-2024-07-18","service_tier":"default","system_fingerprint":"fp_34a54ae93c",)"
                 R"("choices":[{"index":0,"delta":{"content":")" +
                 words(i) + R"("},"logprobs":null,"finish_reason":null}],"usage":null})" + "\n\n";
    return bytes + R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})" + "\n\ndata: [DONE]\n\n";
}
std::string responses_stream(int chunks) {
    std::string bytes;
    for (int i = 0; i < chunks; ++i)
        bytes += "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\"," +
                 std::string(R"("sequence_number":)") + std::to_string(i) +
                 R"(,"item_id":"msg_68af3c0e7f","output_index":0,"content_index":0,"delta":")" + words(i) +
                 R"(","logprobs":[],"obfuscation":"kT3vB1q"})" + "\n\n";
    return bytes + R"(data: {"type":"response.completed","response":{"status":"completed"}})" + "\n\n";
}
std::size_t read_by(MakeReader make_reader, std::string_view bytes) {
    std::size_t delivered = 0;
    const OnDelta on_delta = [&](std::string_view delta) { delivered += delta.size(); };
    auto reader = make_reader({}, {});
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
        reader->feed(bytes.substr(0, piece), on_delta);
    const auto reply = reader->finish(on_delta);
    require(reply.text.size() == delivered && reply.finish == FinishReason::stop, "stream");
    return delivered;
}
std::size_t find_events(std::string_view bytes) {
    net::SseParser events;
    std::size_t size = 0;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        events.feed(bytes.substr(0, piece));
        while (const auto event = events.next()) size += event->data.size();
    }
    return size;
}
template <class Read> void measure(const char* peer, const char* protocol, const std::string& bytes, Read read) {
    keep(read(bytes));  // warms caches
    const int rounds = 10;
    const double cpu = cpu_ns();
    for (int i = 0; i < rounds; ++i) keep(read(bytes));
    out(peer, "stream", protocol, rounds * bytes.size() / (cpu_ns() - cpu) * 1e9 / (1 << 20), "MiB/s");
}
void measure(const char* protocol, const std::string& bytes, MakeReader with_scanner, MakeReader without) {
    measure("floor: only the events", protocol, bytes, find_events);
    measure("weft: scanner first", protocol, bytes, [&](const std::string& b) { return read_by(with_scanner, b); });
    measure("weft: a tree of every chunk", protocol, bytes, [&](const std::string& b) { return read_by(without, b); });
}
}

int main() {
    const int chunks = 20'000;
    measure("openai", openai_stream(chunks), openai_chat.reader, openai_reader_without_scanner);
    measure("responses", responses_stream(chunks), openai_responses.reader, responses_reader_without_scanner);
}
