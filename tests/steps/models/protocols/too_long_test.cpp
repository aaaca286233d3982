// Servers' errors about an overlong prompt.
#include "engine/testing/await.hpp"
#include "steps/models/http/http_model.hpp"
#include "steps/models/protocols/openai.hpp"
#include "tests/support/rude_server.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::models;
using testing::RudeServer;

namespace {
/// Returns the error of a model whose server gives this answer.
template <class Wanted> bool throws(int status, const std::string& body) {
    RudeServer server({testing::always(status, body)});
    HttpModel model({.name = "openai:any",
                     .model = "any",
                     .protocol = &openai_chat,
                     .base = server.url(""),
                     .retry = {.attempts = 1}});
    ChatRequest request;
    request.messages = {user("?")};
    try {
        testing::await(model.chat(request));
    } catch (const Wanted& error) {
        CHECK(error.code() == Code::model_refused);
        CHECK(std::string(error.what()).find("cannot read so long a conversation") != std::string::npos);
        return true;
    } catch (const Error&) {}
    return false;
}
}

// shows L-09: the memory goes from run to run, reasoning does not; prompts have a limit
TEST_CASE("an overlong prompt is recognised by code, status, or the usual words") {
    for (const auto& [status, body] :
         {std::pair{400, R"({"error":{"code":"context_length_exceeded","message":"x"}})"},
          {400, R"({"error":{"code":400,"type":"exceed_context_size_error","message":"x"}})"},
          {413, ""},
          {400, R"({"error":{"message":"the request exceeds the available context size. try increasing it"}})"},
          {400, R"({"error":{"message":"This model's maximum context length is 4096 tokens. However, ..."}})"},
          {400, R"({"error":"prompt too long; exceeded max context length by 12 tokens"})"},
          {500, R"({"error":{"message":"Prompt is too long: 210000 tokens > 200000 maximum"}})"},
          {429, R"({"error":{"code":"rate_limit_exceeded","message":"Request too large for x on tokens per min"}})"},
          {200, R"({"error":{"code":"context_length_exceeded","message":"x"}})"}}) {
        const std::string said = body;  // clang 14 cannot capture a binding
        CHECK_MESSAGE(throws<PromptTooLong>(status, body), said);
    }
}
TEST_CASE("other refusals do not count as an overlong prompt") {
    for (const auto& [status, body] : {std::pair{400, R"({"error":{"message":"the temperature is too high"}})"},
                                       {404, R"({"error":{"message":"no such model"}})"},
                                       {401, ""},
                                       {429, R"({"error":{"code":"rate_limit_exceeded","message":"slow down"}})"}}) {
        const std::string said = body;
        CHECK_FALSE_MESSAGE(throws<PromptTooLong>(status, body), said);
    }
}
