#include "engine/testing/await.hpp"
#include "steps/models/http/http_model.hpp"
#include "steps/models/http/providers.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/rude_server.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;
using testing::await;
using testing::RudeServer;

namespace {
std::string base_of(const std::string& name, Settings::Variables variables, ModelOptions options = {}) {
    const auto model = make_model(parse_model_name(name), Settings(std::move(variables)), std::move(options));
    return dynamic_cast<HttpModel&>(*model).base().text();
}
std::string ollama_at(const char* host) {
    return ollama_address(Settings(Settings::Variables{{"OLLAMA_HOST", host}})).text();
}
}

TEST_CASE("the address is the given one, else the environment's, else the provider's") {
    const Settings::Variables key{{"OPENAI_API_KEY", "k"}};
    const Settings::Variables both{{"OPENAI_API_KEY", "k"}, {"OPENAI_BASE_URL", "http://127.0.0.1:1/v1"}};
    CHECK(base_of("gpt-4o", both) == "http://127.0.0.1:1/v1");
    CHECK(base_of("gpt-4o", both, {.base_url = "http://127.0.0.1:2/v1"}) == "http://127.0.0.1:2/v1");
    CHECK(base_of("ollama:x", {}) == "http://127.0.0.1:11434/");
    CHECK(base_of("ollama:x", {{"OLLAMA_HOST", "h:1"}}, {.base_url = "http://other:2"}) == "http://other:2/");
}
TEST_CASE("OLLAMA_HOST is read as Ollama reads it") {
    CHECK(ollama_at("0.0.0.0") == "http://127.0.0.1:11434/");
    CHECK(ollama_at("0.0.0.0:8000") == "http://127.0.0.1:8000/");
    CHECK(ollama_at(":8000") == "http://127.0.0.1:8000/");
    CHECK(ollama_at("box") == "http://box:11434/");
    CHECK(ollama_at("[::1]") == "http://[::1]:11434/");
    CHECK(ollama_at("[::1]:1") == "http://[::1]:1/");
    CHECK(ollama_at("http://box") == "http://box/");
    CHECK(ollama_at("https://box:1/ollama") == "https://box:1/ollama");
    CHECK_THROWS_AS(ollama_at("not a host"), Error);
}
// shows A-28: a key comes from the environment, else from the settings file; a missing key is an error
TEST_CASE("OpenAI's own server requires a key, and other servers may not") {
    CHECK_THROWS_WITH_AS(
        base_of("gpt-4o", {}),
        "openai:gpt-4o needs a key: set OPENAI_API_KEY in the environment or in .env, or give the base URL "
        "of a server that needs none",
        Error);
    CHECK_NOTHROW(base_of("openai:any", {}, {.base_url = "http://127.0.0.1:1/v1"}));
    CHECK_THROWS_AS(base_of("openai:any", {}, {.base_url = ""}), Error);
    CHECK_THROWS_AS(base_of("ollama:any", {}, {.base_url = ""}), Error);
    CHECK_THROWS_AS(base_of("script:any", {}), Error);
    CHECK_THROWS_AS(base_of("replay:any", {}), Error);
}
TEST_CASE("every service has its key, its address and the version in it, in any notation of the address") {
    struct Case {
        const char *name, *variable, *base, *expected;  // the base may be null
    };
    const std::string google = "https://generativelanguage.googleapis.com/v1beta";
    const Case cases[] = {
        {"claude-x", "ANTHROPIC_API_KEY", nullptr, "https://api.anthropic.com/v1"},
        {"gemini-x", "GEMINI_API_KEY", nullptr, google.c_str()},
        {"gemini-x", "GOOGLE_API_KEY", nullptr, google.c_str()},
        {"claude-x", "", "http://h", "http://h/v1"},
        {"claude-x", "", "http://h/v1/", "http://h/v1"},
        {"claude-x", "", "http://h/v1/messages", "http://h/v1"},
        {"claude-x", "", "https://h/api/anthropic/", "https://h/api/anthropic/v1"},
        {"gemini-x", "", "http://h/", "http://h/v1beta"},
        {"gemini-x", "", "http://h/v1beta/models/gemini-x:generateContent", "http://h/v1beta"},
        {"gemini-x", "", "http://h/v1/publishers/google", "http://h/v1/publishers/google"},
        {"openai:x", "", "http://h/v1/chat/completions", "http://h/v1"},
        {"openai:x", "", "http://h", "http://h/"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.base);
        ModelOptions options;
        if (c.base) options.base_url = c.base;
        CHECK(base_of(c.name, {{c.variable, "k"}}, std::move(options)) == c.expected);
    }
    CHECK(base_of("claude-x", {{"ANTHROPIC_BASE_URL", "http://a"}}) == "http://a/v1");
    CHECK(base_of("gemini-x", {{"GOOGLE_GEMINI_BASE_URL", "http://g"}}) == "http://g/v1beta");
    CHECK_THROWS_WITH_AS(base_of("claude-x", {{"OPENAI_API_KEY", "k"}}),
                         "anthropic:claude-x needs a key: set ANTHROPIC_API_KEY in the environment or in .env, or "
                         "give the base URL of a server that needs none",
                         Error);
}
TEST_CASE("a running Ollama lists its models, and another server is not taken for it") {
    const auto models = [](RudeServer::Session session, std::chrono::milliseconds most = test::limit) {
        RudeServer server({session});
        return await(ollama_models(server.url(), most));
    };
    using Names = std::vector<std::string>;
    CHECK(models(testing::always(200, R"({"models":[{"name":"llama3.2:3b"},{"name":"qwen3"},{"x":1},7]})")) ==
          Names{"llama3.2:3b", "qwen3"});
    CHECK(models(testing::always(200, "<html>")) == Names{});
    CHECK_FALSE(models(testing::always(404, "")));
    CHECK_FALSE(models([](testing::Peer& peer) { peer.wait_for_end(); }, 200ms));
    CHECK_FALSE(await(ollama_models(net::parse_url("http://127.0.0.1:1"), test::limit)));
}
