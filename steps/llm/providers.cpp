#include "steps/llm/providers.hpp"
#include "engine/error.hpp"
#include "engine/timeout.hpp"
#include "steps/llm/http_model.hpp"
#include "steps/llm/ollama.hpp"
#include "steps/llm/openai.hpp"
#include "steps/llm/wire.hpp"

namespace weft::llm {
namespace {
constexpr const char* openai_url = "https://api.openai.com/v1";

// Forms that Ollama itself takes: host, host:port, :port, and with a scheme; 0.0.0.0 is where it listens, not where
// it is.
net::Url read_ollama_host(std::string text) {
    const bool has_scheme = text.find("://") != std::string::npos;
    if (!has_scheme) {
        if (text.substr(0, 1) == ":") text.insert(0, "127.0.0.1");
        text.insert(0, "http://");
    }
    auto url = net::parse_url(text);
    const auto host_begin = text.find("://") + 3;
    const auto authority = text.substr(host_begin, text.find('/', host_begin) - host_begin);
    const auto port = authority.find(':', authority.find(']') == std::string::npos ? 0 : authority.find(']'));
    if (!has_scheme && port == std::string::npos) url.port = 11434;
    if (url.host == "0.0.0.0" || url.host == "::") url.host = "127.0.0.1";
    return url;
}
std::vector<std::string> names_of(const std::string& body) {
    std::vector<std::string> names;
    const auto document = wire::json::parse(body, nullptr, false);
    const auto& models = wire::member(document, "models");
    if (!models.is_array()) return names;
    for (const auto& model : models)
        if (auto text = wire::text_or_empty(wire::member(model, "name")); !text.empty())
            names.push_back(std::move(text));
    return names;
}
}

net::Url ollama_address(const Settings& settings) {
    return read_ollama_host(settings.get("OLLAMA_HOST").value_or("http://127.0.0.1:11434"));
}

std::unique_ptr<ChatModel> make_model(const ModelName& name, const Settings& settings, ModelOptions options) {
    if (name.provider == Provider::script)
        throw Error(Code::usage, name.text() + " is a script: it is not made by make_model");
    HttpModelOptions http;
    http.name = name.text();
    http.model = name.model;
    http.key = std::move(options.key);
    http.stream = options.stream;
    http.retry = options.retry;
    http.timeouts = options.timeouts;
    if (name.provider == Provider::openai) {
        const auto base = options.base_url ? options.base_url : settings.get("OPENAI_BASE_URL");
        http.protocol = &openai_chat;
        http.base = net::parse_url(base.value_or(openai_url));
        if (http.key.empty()) http.key = Secret(settings.get("OPENAI_API_KEY").value_or(""));
        if (http.key.empty() && !base)
            throw Error(Code::configuration,
                        name.text() +
                            " needs a key: set OPENAI_API_KEY in the environment or in .env, or give the base "
                            "URL of a server that wants none");
    } else {
        http.protocol = &ollama_chat;
        http.base = options.base_url ? read_ollama_host(*options.base_url) : ollama_address(settings);
        if (http.key.empty()) http.key = Secret(settings.get("OLLAMA_API_KEY").value_or(""));
        if (http.timeouts.first_byte == net::HttpTimeouts().first_byte)
            http.timeouts.first_byte = std::chrono::minutes(5);  // it loads the model first
    }
    return std::make_unique<HttpModel>(std::move(http));
}

awaitable<std::optional<std::vector<std::string>>> ollama_models(net::Url base, std::chrono::milliseconds limit) {
    net::HttpClient client;
    net::HttpRequest request;
    request.url = base / "api/tags";
    request.timeouts = {limit, limit, limit, limit};
    std::optional<std::vector<std::string>> found;
    try {
        auto asking = client.send(request);
        const auto response = co_await with_timeout(limit, std::move(asking));
        if (response.status == 200) found = names_of(response.body);
    } catch (const Error&) {}  // nobody there
    co_return found;
}
}
