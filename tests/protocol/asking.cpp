#include "tests/protocol/asking.hpp"
#include "engine/net/http_client.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "steps/models/http/http_model.hpp"
#include "steps/models/protocols/anthropic.hpp"
#include "steps/models/protocols/gemini.hpp"
#include "steps/models/protocols/ollama.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/responses.hpp"
#include <nlohmann/json.hpp>

namespace weft::models::testing {
const std::vector<Way> ways = [] {
    std::vector<Way> list;
    for (const bool stream : {true, false}) {
        list.push_back({&openai_chat, "/v1", stream});
        list.push_back({&openai_responses, "/v1", stream});
        list.push_back({&anthropic_messages, "/v1", stream});
        list.push_back({&gemini_generate, "/v1beta", stream});
        list.push_back({&ollama_chat, "", stream});
    }
    return list;
}();

Outcome ask(const std::string& url, const Way& way, const ChatRequest& request, const std::string& key) {
    HttpModelOptions options{.name = "test:any", .model = "any", .protocol = way.protocol, .stream = way.stream};
    options.base = net::parse_url(url + way.base);
    options.key = Secret(key);
    options.chance = [] { return 0.0; };
    options.limiter = std::make_shared<Limiter>();
    options.allowance = std::make_shared<RetryAllowance>();
    HttpModel model(std::move(options));
    Outcome outcome;
    const OnDelta on_delta = [&](std::string_view delta) { outcome.deltas.emplace_back(delta); };
    weft::testing::ManualClock clock;
    const auto begin = clock.now();
    try {
        outcome.reply = weft::testing::await(model.chat(request, on_delta), clock);
    } catch (const Error& e) {
        outcome.error = e.what();
        outcome.code = e.code();
    }
    outcome.waited = clock.now() - begin;
    return outcome;
}
std::pair<unsigned, std::string> get(const std::string& url) {
    net::HttpClient client;
    net::HttpRequest request;
    request.url = net::parse_url(url);
    auto response = weft::testing::await(client.send(request));
    return {response.status, std::move(response.body)};
}
std::pair<unsigned, std::string> post(const std::string& url, const std::string& body, const char* header) {
    net::HttpClient client;
    net::HttpRequest request{.method = "POST", .url = net::parse_url(url), .body = body};
    request.headers = {{"Content-Type", "application/json"}};
    if (header) request.headers.push_back({header, "1"});
    auto response = weft::testing::await(client.send(request));
    return {response.status, std::move(response.body)};
}
nlohmann::json journal_of(const std::string& url) {
    return nlohmann::json::parse(get(url + "/__aimock/journal").second);
}
}
