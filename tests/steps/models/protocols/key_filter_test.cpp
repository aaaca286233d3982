#include "steps/models/protocols/ollama.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/parts/key_filter.hpp"
#include "tests/steps/models/protocols/reading.hpp"
#include <doctest/doctest.h>
using namespace weft::models;

namespace {
std::string filtered(std::string_view text, const std::string& key) {
    auto expected = Secret(key).redact(text);
    weft::testing::for_all_cuts(text, [&](const auto& pieces) {
        const Secret secret(key);
        KeyFilter filter(secret);
        std::string passed;
        for (auto piece : pieces) passed += filter.pass(piece);
        REQUIRE(passed + filter.rest() == expected);
    });
    return expected;
}
const std::string key = "sk-canary-12345";
const Secret secret(key);
}

TEST_CASE("a key is hidden at any place, however the text is cut") {
    CHECK(filtered("it is " + key + key + ", yes, " + key, key) == "it is ******, yes, ***");
    CHECK(filtered("sk-sk-canary-sk-canary-12345-sk-", key) == "sk-sk-canary-***-sk-");
    CHECK(filtered("aaaaaaaaaaaaaaaaaaab", "aaaaaaaa") == "******aaab");
    CHECK(filtered("abababababababab", "abababab") == "******");
    CHECK(filtered("", key).empty());
}
TEST_CASE("a key is hidden in base64, wherever it begins there, and with percent encoding") {
    CHECK(filtered("c2stY2FuYXJ5LTEyMzQ1", key) == "***");                           // alone
    CHECK(filtered("QmVhcmVyIHNrLWNhbmFyeS0xMjM0NQ==", key) == "QmVhcmVyIH***Q==");  // after "Bearer "
    CHECK(filtered("a sk%2Fcanary%2F1 b", "sk/canary/1") == "a *** b");
    CHECK(filtered("c2stY2FuYXJ5LTEyMz and c2st", key) == "c2stY2FuYXJ5LTEyMz and c2st");
}
TEST_CASE("a text without the key passes unchanged, and so does a key that is too short") {
    CHECK(filtered("sk-canary-1234 and sk-", key) == "sk-canary-1234 and sk-");
    CHECK(filtered("token: 1234567", "1234567") == "token: 1234567");
    CHECK(filtered("token", "") == "token");
}
TEST_CASE("a key repeated by a server is in no reply, delta or fault, whole or cut at any place") {
    const auto content = [](const std::string& text) {
        return R"(data: {"model":"m )" + key + R"(","choices":[{"delta":{"content":")" + text + R"("}}]})" + "\n\n";
    };
    const auto streamed = content("You sent sk-can") + content("ary-12345, so ") + content("s\\u006b-canary-12345") +
                          "data: [DONE]\n\n";
    for (const auto& [protocol, bytes] :
         {std::pair{&openai_chat, streamed},
          {&openai_chat, R"({"model":"m )" + key + R"(","choices":[{"message":{"content":"You sent )" + key + ", so " +
                             key + R"("},"finish_reason":"stop"}]})"},
          {&ollama_chat, R"({"model":"m )" + key + R"(","message":{"content":"You sent sk-can"}})" + "\n" +
                             R"({"message":{"content":"ary-12345, so )" + key + R"("},"done":true})" + "\n"}}) {
        const auto reading = read_any_way(*protocol, bytes, {}, secret);
        CHECK(reading.error.empty());
        CHECK(reading.text == "You sent ***, so ***");
        CHECK(reading.model == "m ***");
        CHECK(reading.deltas == reading.text);
    }
}
TEST_CASE("a shortened quote does not end in the middle of a key") {
    for (std::size_t before = 60; before < 320; ++before) {
        const auto padded = std::string(before, 'x') + key;
        for (const auto& bytes :
             {R"(data: {"error":{"message":")" + padded + "\"}}\n\n", "data: " + padded + "\n\n", "data: {" + padded}) {
            const auto reading = read(openai_chat, {bytes}, {}, secret);
            INFO(reading.error);
            CHECK_FALSE(reading.error.empty());
            CHECK(reading.error.find("sk-") == std::string::npos);
        }
    }
}
