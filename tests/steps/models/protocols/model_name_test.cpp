#include "engine/error.hpp"
#include "steps/models/protocols/anthropic.hpp"
#include "steps/models/protocols/gemini.hpp"
#include "steps/models/protocols/model_name.hpp"
#include "steps/models/protocols/ollama.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/responses.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::models;

TEST_CASE("only a known provider before the first colon is a prefix") {
    CHECK(parse_model_name("openai:gpt-oss:20b") == ModelName{&openai_chat, "gpt-oss:20b"});
    CHECK(parse_model_name("ollama:llama3.2:3b") == ModelName{&ollama_chat, "llama3.2:3b"});
    CHECK(parse_model_name("llama3.2:3b") == ModelName{&ollama_chat, "llama3.2:3b"});
    CHECK(parse_model_name("script:sub folder/x.json") == ModelName{nullptr, "sub folder/x.json", ModelFile::script});
    CHECK(parse_model_name("ollama:gpt-4o").text() == "ollama:gpt-4o");
    CHECK(parse_model_name("anthropic:a").protocol == &anthropic_messages);
    CHECK(parse_model_name("responses:gpt-5").protocol == &openai_responses);
    CHECK(parse_model_name("gemini:a:b").text() == "gemini:a:b");
    CHECK(parse_model_name("replay:run 1.jsonl").text() == "replay:run 1.jsonl");
}
// shows A-27: a bare model name tells its provider
// shows B-A24: a bare name that begins like another provider's goes to the right provider
TEST_CASE("bare names belong to OpenAI by their beginning, else to Ollama") {
    for (const char* text : {"gpt-4o-mini", "o1", "o1-preview", "o3", "o3-mini", "o4-mini", "chatgpt-4o-latest"})
        CHECK(parse_model_name(text).protocol == &openai_chat);
    for (const char* text : {"gpt-oss", "gpt-oss:20b", "claude", "olmo", "o1x", "openchat", "llama3.2", "mistral:7b",
                             "gpt4all", "hf.co/a/b:Q4"})
        CHECK(parse_model_name(text).protocol == &ollama_chat);
    for (const char* text :
         {"opneai:gpt-4o", "openi:x", "antropic:x", "ollma:x", "gemni:x", "replay", "script", "bogus:", ":x"})
        CHECK_THROWS_AS(parse_model_name(text), Error);
    CHECK_THROWS_WITH_AS(parse_model_name("OpenAI:gpt-4o"),
                         "\"OpenAI:gpt-4o\" is not a model: did you mean openai:gpt-4o?", Error);
    for (const char* text : {"openchat:7b", "gemma:2b", "llama3.2:3b", "olmo:7b"})
        CHECK(parse_model_name(text).protocol == &ollama_chat);
    CHECK(parse_model_name("claude-sonnet-5").protocol == &anthropic_messages);
    CHECK(parse_model_name("gemini-3-pro").protocol == &gemini_generate);
}
TEST_CASE("an impossible model name is refused") {
    for (std::string text :
         {"", "openai:", "gemini:", "replay:", "script:", "a b", "a\nb", "openai:\x1b[2J", "a\xff"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_model_name(text), Error);
    }
    CHECK_THROWS_AS(parse_model_name(std::string(5000, 'x')), Error);
    CHECK_THROWS_AS(parse_model_name(std::string("script:a\0b", 10)), Error);
}
