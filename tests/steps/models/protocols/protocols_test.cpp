#include "engine/net/url.hpp"
#include "steps/models/http/http_model.hpp"
#include "steps/models/http/providers.hpp"
#include "steps/models/protocols/anthropic.hpp"
#include "steps/models/protocols/gemini.hpp"
#include "steps/models/protocols/model_name.hpp"
#include "steps/models/protocols/ollama.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "steps/models/protocols/responses.hpp"
#include "tests/steps/models/asking.hpp"
#include <doctest/doctest.h>
#include <set>
using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;
using testing::RudeServer;

TEST_CASE("every provider's row is complete, and found by its name") {
    std::set<std::string> names;
    for (const auto* protocol : protocols()) {
        CAPTURE(protocol->name);
        CHECK(names.insert(protocol->name).second);
        CHECK(parse_model_name(std::string(protocol->name) + ":some-model") == ModelName{protocol, "some-model"});
        CHECK_FALSE(std::string(protocol->about).empty());
        REQUIRE(protocol->keys[0]);
        CHECK(protocol->hints().key_variable == std::string(protocol->keys[0]));
        CHECK_FALSE(std::string(protocol->missing_model).empty());
        CHECK_FALSE(std::string(protocol->unreachable).empty());
        CHECK_NOTHROW(net::parse_url(protocol->base));
        CHECK_FALSE(protocol->path("m", true).empty());
        CHECK(protocol->request({.messages = {{.role = Role::user, .content = "Hi."}}}, "m", true, {}).find("Hi.") !=
              std::string::npos);
        CHECK(protocol->reader({}, Secret()));
        CHECK((protocol->service == nullptr) == (protocol->usual_model == nullptr));
    }
    CHECK(names == std::set<std::string>{"anthropic", "gemini", "ollama", "openai", "responses"});
}
TEST_CASE("a bare name belongs to at most one row, and an unclaimed one to Ollama") {
    std::set<std::string> claimed;
    for (const auto* protocol : protocols())
        for (const char* name : protocol->bare_names)
            if (name) CHECK(claimed.insert(name).second);
    CHECK(claimed.count("*") == 1);
    CHECK(parse_model_name("o1-mini").protocol == &openai_chat);
    CHECK(parse_model_name("o1mini").protocol == &ollama_chat);
    CHECK(parse_model_name("gpt-oss-120b").protocol == &ollama_chat);
}
TEST_CASE("a service's usual model gets requests with its key, at its own address") {
    struct {
        const Protocol& protocol;
        const char *model, *base;
    } const services[] = {
        {openai_chat, "openai:gpt-4o-mini", "https://api.openai.com/v1"},
        {anthropic_messages, "anthropic:claude-haiku-4-5", "https://api.anthropic.com/v1"},
        {gemini_generate, "gemini:gemini-2.5-flash", "https://generativelanguage.googleapis.com/v1beta"}};
    for (const auto& [protocol, text, base] : services) {
        const ModelName name{&protocol, protocol.usual_model};
        CHECK(name.text() == text);
        const auto model = make_model(name, Settings(Settings::Variables{{protocol.keys[0], "k"}}));
        CHECK(dynamic_cast<HttpModel&>(*model).base().text() == base);
    }
}
TEST_CASE("every configured key is listed once, whatever its purpose") {
    const auto keys = known_keys(Settings(Settings::Variables{{"OPENAI_API_KEY", "one"},
                                                              {"GEMINI_API_KEY", "two"},
                                                              {"GOOGLE_API_KEY", "three"},
                                                              {"OLLAMA_API_KEY", ""},
                                                              {"ANOTHER_API_KEY", "four"}}));
    std::vector<std::string> texts;
    for (const auto& key : keys) texts.push_back(key.reveal());
    CHECK(texts == std::vector<std::string>{"one", "two", "three"});
}
TEST_CASE("a key with a control character is refused for any service") {
    for (const auto* protocol : protocols())
        CHECK_THROWS_WITH_AS(make_model({protocol, "m"}, Settings(Settings::Variables{{protocol->keys[0], "a\nb"}})),
                             (std::string(protocol->keys[0]) +
                              " has a line break (U+000A) after 1 characters, which no key has: set it again")
                                 .c_str(),
                             Error);
}
TEST_CASE("the idempotency key is sent to providers whose servers support it") {
    const std::string anthropic_reply = R"({"content":[{"type":"text","text":"42"}],"stop_reason":"end_turn"})";
    const auto asked = [](const Protocol& protocol, const std::string& reply) {
        RudeServer server({once(200, reply)});
        HttpModel model({.name = "m", .model = "m", .protocol = &protocol, .base = server.url("/v1"), .stream = false});
        testing::ManualClock clock;
        CHECK(models::ask(model, clock).reply.text == "42");
        return server.requests().at(0);
    };
    CHECK(asked(openai_chat, whole_reply).find("\r\nIdempotency-Key: weft-") != std::string::npos);
    CHECK(asked(anthropic_messages, anthropic_reply).find("Idempotency-Key") == std::string::npos);
}
TEST_CASE("an exhausted limit delays the next request, in the headers of every protocol") {
    for (const char* headers : {"x-ratelimit-remaining-tokens: 0\r\nx-ratelimit-reset-tokens: 3s\r\n",
                                "anthropic-ratelimit-requests-remaining: 0\r\n"
                                "anthropic-ratelimit-requests-reset: 2026-01-01T00:00:03Z\r\n"}) {
        CAPTURE(headers);
        RudeServer server({once(200, whole_reply, headers), once(200, whole_reply)});
        auto options = options_for(server);
        options.chance = [] { return 0.0; };
        HttpModel model(std::move(options));
        testing::ManualClock clock;
        CHECK(models::ask(model, clock).waited == 0s);
        CHECK(models::ask(model, clock).waited == 3s);
    }
}
TEST_CASE("alternatives are listed in the form of a sentence") {
    CHECK(one_of({}) == "");
    CHECK(one_of({"a"}) == "a");
    CHECK(one_of({"a", "b"}) == "a or b");
    CHECK(one_of({"a", "b", "c"}) == "a, b or c");
}
