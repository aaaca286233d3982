// The pieces in which a reader passes the text on: one for each read of the network, in the order of everything else.
#include "steps/models/protocols/anthropic.hpp"
#include "steps/models/protocols/ollama.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/parts/reply_reader.hpp"
#include <doctest/doctest.h>
using namespace weft::models;

namespace {
using Told = std::vector<std::string>;

std::string event(const std::string& data) { return "data: " + data + "\n\n"; }
std::string delta(const std::string& members) {
    return event(R"({"choices":[{"index":0,"delta":{)" + members + R"(},"finish_reason":null}]})");
}
std::string content(const std::string& text) { return delta(R"("content":")" + text + '"'); }
const std::string end = event("[DONE]");

/// Returns what a reader tells of these reads, in order: text, (reasoning), !fault.
Told tell(const Protocol& protocol, const std::vector<std::string>& reads, const std::string& stop = "") {
    Told told;
    ChatRequest request{.stop = {stop}};
    request.on_reasoning = [&](std::string_view piece) { told.push_back("(" + std::string(piece) + ")"); };
    const OnDelta on_delta = [&](std::string_view piece) { told.emplace_back(piece); };
    const auto reader = protocol.reader(request, Secret("sk-canary-12345"));
    reader->when_reasoned([&] { told.emplace_back("void"); });
    try {
        for (const auto& bytes : reads) reader->feed(bytes, on_delta);
        reader->finish(on_delta);
    } catch (const Fault&) { told.emplace_back("!"); }
    return told;
}
}

TEST_CASE("chunks of text are one delta when one read brings them") {
    CHECK(tell(openai_chat, {content("For") + content("ty"), content("-") + content("two") + end}) ==
          Told{"Forty", "-two"});
    const auto block = [](const std::string& text) {
        return event(R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" + text +
                     R"("}})");
    };
    CHECK(tell(anthropic_messages, {block("For") + block("ty"), block("-two") + event(R"({"type":"message_stop"})")}) ==
          Told{"Forty", "-two"});
    const auto line = [](const std::string& text, const char* done) {
        return R"({"message":{"content":")" + text + R"("},"done":)" + done + "}\n";
    };
    CHECK(tell(ollama_chat, {line("For", "false") + line("ty", "false"), line("-two", "true")}) ==
          Told{"Forty", "-two"});
}
TEST_CASE("text and reasoning keep their order when one read brings both") {
    const auto reasoning = delta(R"("reasoning_content":"Hm.")");
    CHECK(tell(openai_chat, {reasoning + content("4") + content("2") + reasoning + content(".") + end}) ==
          Told{"(Hm.)", "42", "(Hm.)", "."});
    CHECK(tell(openai_chat, {content("<think>Hm.") + content("</think>4") + content("2") + end}) ==
          Told{"(Hm.)", "42"});
}
TEST_CASE("text that turns out to be reasoning is delivered before it is void") {
    CHECK(tell(openai_chat, {content("Six ") + content("times</think>4") + content("2") + end}) ==
          Told{"Six times", "void", "(Six times)", "42"});
}
TEST_CASE("text before a fault is delivered when one read brings both") {
    const auto fault = event(R"({"error":{"message":"overloaded"}})");
    CHECK(tell(openai_chat, {content("4") + content("2") + fault}) == Told{"42", "!"});
    CHECK(tell(openai_chat, {content("4") + content("2")}) == Told{"42", "!"});
}
TEST_CASE("text that was held back is delivered when the reply ends") {
    CHECK(tell(openai_chat, {content("4") + content("2 sk-can") + end}) == Told{"42 ", "sk-can"});
}
TEST_CASE("a stop sequence ends the reply before a fault in the same read") {
    const auto fault = event(R"({"error":{"message":"overloaded"}})");
    CHECK(tell(openai_chat, {content("4") + content("2\\nObser") + content("vation: 1") + fault}, "Observation:") ==
          Told{"42\n"});
    CHECK(tell(openai_chat, {content("42") + content(" sk-canary-") + content("x") + fault}, "y") ==
          Told{"42 sk-canar"});
    CHECK(tell(openai_chat, {content("42") + content(" <thin") + content("g") + fault}, "n") == Told{"42 <thi"});
    CHECK(tell(openai_chat, {content("42 sk-canary-123") + content("45") + fault}, "*") == Told{"42 "});
}
TEST_CASE("a reply fails when it goes on without an end behind its last mark") {
    std::vector<std::string> reads = {content("<|channel|>final<|message|>42<|return|>")};
    for (int i = 0; i < 17; ++i) reads.push_back(content(std::string(1 << 19, 'x')));
    CHECK(tell(openai_chat, reads) == Told{"42", "!"});
}
