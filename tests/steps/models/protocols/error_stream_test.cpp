// Errors with status 200, in a stream or instead of it, for each reader.
#include "steps/models/protocols/anthropic.hpp"
#include "steps/models/protocols/gemini.hpp"
#include "steps/models/protocols/ollama.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/responses.hpp"
#include "tests/steps/models/protocols/reading.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::models;

TEST_CASE("an error is found in every form that it has in streams") {
    const std::string words = "context size exceeded by 1";
    const auto says = "cannot read so long a conversation (400): " + words +
                      "; shorten it, offer fewer tools, or take a model or a server with a longer context";
    const std::string object = R"({"code":400,"message":")" + words + R"("})";
    const std::string envelope = R"({"error":)" + object + "}";
    for (const auto* protocol : protocols()) {
        CAPTURE(protocol->name);
        const bool lines = protocol == &ollama_chat;  // without server-sent events
        std::vector<std::string> bodies{envelope,
                                        object,
                                        R"({"error":")" + words + R"("})",
                                        words,
                                        R"({"object":"error","message":{"detail":")" + words + R"("}})",
                                        R"({"success":false,"errors":[{"message":")" + words + R"("}]})",
                                        R"({"detail":")" + words + R"("})"};
        if (!lines)
            bodies.insert(bodies.end(), {
                                            "error: " + object + "\n\n",  // ggml-org/llama.cpp#16104
                                            "error: " + words + "\n\n",
                                            "event: error\ndata: " + envelope + "\n\n",
                                            "event: error\ndata: " + object + "\n\n",
                                            "event: error\ndata: \"" + words + "\"\n\n",
                                            "event: error\ndata: " + words + "\n\n",
                                            "data: " + envelope + "\n\ndata: [DONE]\n\n",
                                            "data: " + object + "\n\n",
                                            "data: " + words + "\n\n",
                                            ": ping\n\n" + envelope + "\n\n",
                                            ": ping\n\n" + words,
                                        });
        for (const auto& body : bodies) {
            CAPTURE(body);
            const auto error = read_any_way(*protocol, body).error;
            CHECK(error.find(words) != std::string::npos);
            CHECK(error.find("cannot read so long a conversation") == 0);
        }
    }
    CHECK(read_any_way(openai_chat, "error: " + object + "\n\n").error == says);
}
TEST_CASE("an error in a later chunk of any server ends the reply") {
    const std::string first = R"(data: {"choices":[{"index":0,"delta":{"content":"a"}}]})"
                              "\n\n";
    for (const char* rest : {"error: {\"message\":\"gone\"}\n\n", "event: error\ndata: gone\n\n",
                             "{\"error\":\"gone\"}\n\n", "data: {\"error\":{\"message\":\"gone\"},\"choices\":[]}\n\n",
                             "data: {\"choices\":[{\"index\":0,\"delta\":{},\"error\":{\"message\":\"gone\"}}]}\n\n"}) {
        CAPTURE(rest);
        CHECK(read_any_way(openai_chat, first + rest).error == "failed: gone");
    }
    CHECK(read_any_way(ollama_chat, "{\"message\":{\"role\":\"assistant\",\"content\":\"a\"},\"done\":false}\n"
                                    "{\"error\":\"gone\"}\n")
              .error == "failed: gone");
}
TEST_CASE("a web page instead of a reply leads to the base URL") {
    for (const auto* protocol : protocols())
        CHECK(read_any_way(*protocol, "<!DOCTYPE html>\n<html>\n<p>hello</p>\n</html>\n")
                  .error.find("answered with a web page; check the base URL") == 0);
}
