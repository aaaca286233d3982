// Pasted addresses and keys.
#include "engine/error.hpp"
#include "steps/models/http/address.hpp"
#include "steps/models/http/http_model.hpp"
#include "steps/models/http/providers.hpp"
#include "steps/models/pasted.hpp"
#include "steps/models/protocols/anthropic.hpp"
#include "steps/models/protocols/openai.hpp"
#include "tests/steps/models/asking.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::models;
using testing::RudeServer;

namespace {
std::string base_of(const char* name, const std::string& base) {
    const auto model = make_model(parse_model_name(name), Settings(Settings::Variables{}), {.base_url = base});
    return dynamic_cast<HttpModel&>(*model).base().text();
}
template <class Act> std::string refusal(Act act) {
    try {
        act();
    } catch (const Error& error) {
        CHECK(error.code() == Code::configuration);
        return error.what();
    }
    return "";
}
std::string header_of(const std::string& base, const std::string& key, const Protocol& protocol = openai_chat) {
    const auto header = key_header(protocol, net::parse_url(base), Secret(key));
    return std::string(header.name) + ": " + header.value;
}
}

TEST_CASE("an address is accepted when it was copied from another protocol, an example or a cloud's page") {
    struct Row {
        const char *model, *given, *base;
    };
    for (const auto& [model, given, base] : {
             Row{"openai:m", "http://h/v1/chat/completions/", "http://h/v1"},
             {"openai:m", "http://h/v1/completions", "http://h/v1"},
             {"openai:m", "http://h/v1/responses", "http://h/v1"},
             {"openai:m", "http://h/v1/messages", "http://h/v1"},
             {"openai:m", "http://h/v1/models", "http://h/v1"},
             {"openai:m", "http://h/v1/v1", "http://h/v1"},
             {"openai:m", "http://h:11434/api/chat", "http://h:11434/v1"},
             {"openai:m", "http://h:11434/api/generate", "http://h:11434/v1"},
             {"openai:m", "http://h/api/chat/completions", "http://h/api"},  // Open WebUI
             {"openai:m", "http://h/v1?a=b", "http://h/v1?a=b"},
             {"openai:m", "http://h/v1/?", "http://h/v1"},
             {"responses:m", "http://h/v1/chat/completions", "http://h/v1"},
             {"openai:m", "https://x.openai.azure.com/", "https://x.openai.azure.com/openai/v1"},
             {"openai:m", "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1",
              "https://x.openai.azure.com/openai/deployments/d?api-version=1"},
             {"openai:m", "https://x.services.ai.azure.com/models?api-version=1",
              "https://x.services.ai.azure.com/models?api-version=1"},
             {"openai:m", "https://x.services.ai.azure.com/models/chat/completions?api-version=1",
              "https://x.services.ai.azure.com/models?api-version=1"},
             {"anthropic:m", "http://h/v1/chat/completions", "http://h/v1"},
             {"anthropic:m", "http://h/v1/messages?beta=true", "http://h/v1?beta=true"},
             {"anthropic:m", "http://h", "http://h/v1"},
             {"gemini:m", "http://h/v1beta/openai/", "http://h/v1beta"},
             {"gemini:m", "http://h/v1beta/openai/chat/completions", "http://h/v1beta"},
             {"gemini:m", "http://h/v1beta/models/other:streamGenerateContent?alt=sse", "http://h/v1beta?alt=sse"},
             {"ollama:m", "http://h:1/v1", "http://h:1/"},
             {"ollama:m", "http://h:1/v1/chat/completions", "http://h:1/"},
             {"ollama:m", "http://h:1/api", "http://h:1/"},
             {"ollama:m", "http://h:1/api/tags", "http://h:1/"},
             {"ollama:m", "https://h/ollama/api/chat", "https://h/ollama"},
             {"ollama:m", "h:1/v1/", "http://h:1/"},
             {"openai:m", "localhost:1234/v1", "http://localhost:1234/v1"},
             {"openai:m", "localhost", "http://localhost/"},
             {"openai:m", "//127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"},
             {"openai:m", "box:8080", "http://box:8080/"},
             {"openai:m", "[::1]:8080/v1", "http://[::1]:8080/v1"},
             {"openai:m", "api.example.com/v1", "https://api.example.com/v1"},
             {"openai:m", "api.example.com:443/v1", "https://api.example.com/v1"},
             {"openai:m", " \"http://h/v1\"\n", "http://h/v1"},
             {"openai:m", "'http://h/v1',", "http://h/v1"},
             {"openai:m", "<http://h/v1>", "http://h/v1"},
             {"openai:m", "OPENAI_BASE_URL=http://h/v1", "http://h/v1"},
             {"openai:m", "export OPENAI_BASE_URL='http://h/v1'", "http://h/v1"},
             {"openai:m", "base_url=\"http://h/v1\",", "http://h/v1"},
             {"openai:m", "[http://h/v1](http://h/v1)", "http://h/v1"},
             {"openai:m", "http://h/v1.", "http://h/v1"},
             {"openai:m", "http://h/v1?url=b", "http://h/v1?url=b"},
             {"ollama:m", "OLLAMA_HOST=h:1", "http://h:1/"},
             {"openai:m", "\u201chttp://h/v1\u201d", "http://h/v1"},
             {"openai:m", "\ufeffhttp://h/v1\u200b\u00a0", "http://h/v1"},
         }) {
        const auto& shown = given;
        CAPTURE(shown);
        CHECK(base_of(model, given) == base);
    }
}
TEST_CASE("an error about an address names its origin and shows hidden characters") {
    const auto made = [](Settings::Variables variables, ModelOptions options = {}) {
        return refusal([&] { make_model(parse_model_name("openai:m"), Settings(variables), options); });
    };
    CHECK(made({}, {.base_url = "nonsense"}).find("base_url: the address \"nonsense\" does not begin with") == 0);
    CHECK(made({{"OPENAI_BASE_URL", "ftp://h"}}).find("OPENAI_BASE_URL: the address") == 0);
    CHECK(made({{"OPENAI_BASE_URL", "http:/h"}}).find("OPENAI_BASE_URL: the address") == 0);
    CHECK(made({{"OPENAI_BASE_URL", "http://h\u200b/v1"}}).find("U+200B) after 8 characters") != std::string::npos);
    CHECK(made({{"OPENAI_BASE_URL", "http://h /v1"}}).find("OPENAI_BASE_URL has a blank (U+0020)") == 0);
    CHECK(refusal([] {
              ollama_address(Settings(Settings::Variables{{"OLLAMA_HOST", "no host"}}));
          }).find("OLLAMA_HOST has a blank") == 0);
    CHECK(refusal([] { check_base("http://me:secret@h", "--base-url"); }).find("secret") == std::string::npos);
    const auto query = refusal([] { check_base("http://h:999999/v1?key=secret", "--base-url"); });
    CHECK(query.find("no usable port") != std::string::npos);
    CHECK(query.find("secret") == std::string::npos);
    CHECK_NOTHROW(check_base("localhost:1234", "--base-url"));
    CHECK_NOTHROW(check_base(":8000", "--base-url"));
}
TEST_CASE("a key is accepted when it was pasted with surrounding text") {
    for (const char* text :
         {"sk-1", " sk-1\n", "\"sk-1\"", "'sk-1'\r\n", "Bearer sk-1", "\u200b\ufeffsk-1\u00a0", "\u201csk-1\u201d",
          "Authorization: Bearer sk-1", "x-api-key: sk-1", "OPENAI_API_KEY=sk-1", "export OPENAI_API_KEY='sk-1';",
          "sk-1,", "sk-1  # my key", "\"sk-1\" # my key", "set OPENAI_API_KEY=sk-1", "$env:OPENAI_API_KEY=\"sk-1\"",
          "$env:OPENAI_API_KEY = 'sk-1'", "OPENAI_API_KEY: sk-1", "\"api_key\": \"sk-1\","}) {
        CAPTURE(text);
        CHECK(pasted_key(text) == "sk-1");
    }
    for (const char* whole : {"A1B2KEY=", "A1B2KEY==", "sk-1#2"})  // the first two have a valid end of base64
        CHECK(pasted_key(whole) == whole);
    CHECK(pasted_key("\xff\xfe") == "\xff\xfe");
    CHECK(pasted_key("\"\"") == "");
    const auto refused = [](const char* key) {
        return refusal([&] {
            make_model(parse_model_name("openai:m"), Settings(Settings::Variables{{"OPENAI_API_KEY", key}}));
        });
    };
    CHECK(refused("sk-12345\u200b678") == "OPENAI_API_KEY has an invisible character "
                                          "(U+200B) after 8 characters, which no key has: set it again");
    CHECK(refused("sk-1\u2026") ==
          "OPENAI_API_KEY has the character \u2026 (U+2026) after 4 characters, which no key has: set it again");
    CHECK(refused("sk-1\n2").find("a line break (U+000A) after 4 characters") != std::string::npos);
    CHECK(refused("sk-\xff").find("bytes that are not text after 3 characters") != std::string::npos);
}
TEST_CASE("Azure gets the key in its own header, and its query at the end of each request") {
    CHECK(header_of("https://x.openai.azure.com/openai/v1", "k") == "api-key: ");
    CHECK(header_of("https://x.services.ai.azure.com/models", "k") == "api-key: ");
    CHECK(header_of("http://gateway/openai/deployments/d?api-version=1", "k") == "api-key: ");
    CHECK(header_of("https://x.openai.azure.com/openai/v1", "eyJ0.a.b") == "Authorization: Bearer ");
    CHECK(header_of("https://azure.com.example.org/v1", "k") == "Authorization: Bearer ");
    CHECK(header_of("https://x.services.ai.azure.com/anthropic", "k", anthropic_messages) == "x-api-key: ");

    RudeServer server({once(200, whole_reply)});
    auto options = options_for(server);
    options.base = read_base(server.url("/openai/deployments/d/chat/completions?api-version=1").text(), "",
                             openai_chat);
    HttpModel model(std::move(options));
    testing::ManualClock clock;
    CHECK(ask(model, clock).reply.text == "42");
    const auto request = server.requests().at(0);
    CHECK(request.find("POST /openai/deployments/d/chat/completions?api-version=1 HTTP/1.1") == 0);
    CHECK(request.find("\r\napi-key: ") != std::string::npos);
    CHECK(request.find("Bearer") == std::string::npos);
}
