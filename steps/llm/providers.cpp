// Base URLs come in many forms: with the version or without, with the whole path of an example, and for Ollama as a
// host or a port alone. A machine's own servers are never asked through a proxy.
#include "steps/llm/providers.hpp"
#include "engine/error.hpp"
#include "engine/timeout.hpp"
#include "steps/llm/anthropic.hpp"
#include "steps/llm/gemini.hpp"
#include "steps/llm/http_model.hpp"
#include "steps/llm/ollama.hpp"
#include "steps/llm/openai.hpp"
#include "steps/llm/responses.hpp"
#include "steps/llm/wire.hpp"
#include <algorithm>

namespace weft::llm {
namespace {
/// A service that wants a key, and servers that speak as it does, which may not.
struct Service {
    const Protocol* protocol;
    const char *key, *second_key, *base;  // variables; the second key may be null
    const char* own_base;
    const char* version;  // what a base URL has to end in; null if it is taken as it is
};
Service service_of(Provider provider) {
    constexpr const char* openai_url = "https://api.openai.com/v1";
    switch (provider) {
    case Provider::anthropic:
        return {&anthropic_messages,  "ANTHROPIC_API_KEY",         nullptr,
                "ANTHROPIC_BASE_URL", "https://api.anthropic.com", "v1"};
    case Provider::gemini:
        return {&gemini_generate,
                "GEMINI_API_KEY",
                "GOOGLE_API_KEY",
                "GOOGLE_GEMINI_BASE_URL",
                "https://generativelanguage.googleapis.com",
                "v1beta"};
    case Provider::responses:
        return {&openai_responses, "OPENAI_API_KEY", nullptr, "OPENAI_BASE_URL", openai_url, nullptr};
    default: return {&openai_chat, "OPENAI_API_KEY", nullptr, "OPENAI_BASE_URL", openai_url, nullptr};
    }
}
bool ends_in(std::string_view text, std::string_view tail) {
    return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}
bool ends_in_version(std::string_view target) {
    const auto last = target.substr(target.rfind('/') + 1);
    return last.size() >= 2 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9';
}
/// What people have at hand: with the version or without, as the services' own libraries want it, or down to the very
/// end, out of an example.
net::Url read_base(const std::string& text, const Service& service, const std::string& model) {
    auto url = net::parse_url(text);
    auto& target = url.target;
    const auto trim = [&] {
        while (target.size() > 1 && target.back() == '/') target.pop_back();
    };
    trim();
    for (const bool stream : {true, false})
        if (const auto tail = '/' + service.protocol->path(model, stream); ends_in(target, tail)) {
            target.resize(target.size() - tail.size() + 1);
            trim();
            return url;
        }
    if (!service.version || ends_in_version(target) || ends_in(target, "/publishers/google")) return url;
    return url / service.version;
}

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
/// No proxy can reach this machine's own addresses as we do, whatever the environment says.
bool is_here(const std::string& host) {
    return host == "localhost" || ends_in(host, ".localhost") || host == "::1" || host.rfind("127.", 0) == 0;
}
net::ProxySettings proxies_for(const net::Url& base, const Settings& settings) {
    if (is_here(base.host)) return {};
    return net::ProxySettings::from([&settings](const std::string& name) { return settings.get(name); });
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
    if (is_file(name.provider)) throw Error(Code::usage, name.text() + " is a file: it is not made by make_model");
    HttpModelOptions http;
    http.name = name.text();
    http.model = name.model;
    http.key = std::move(options.key);
    http.stream = options.stream;
    http.retry = options.retry;
    http.timeouts = options.timeouts;
    if (name.provider == Provider::ollama) {
        http.protocol = &ollama_chat;
        http.base = options.base_url ? read_ollama_host(*options.base_url) : ollama_address(settings);
        if (http.key.empty()) http.key = Secret(settings.get("OLLAMA_API_KEY").value_or(""));
        http.proxies = proxies_for(http.base, settings);
        return std::make_unique<HttpModel>(std::move(http));
    }
    const auto service = service_of(name.provider);
    const auto base = options.base_url ? options.base_url : settings.get(service.base);
    http.protocol = service.protocol;
    http.base = read_base(base.value_or(service.own_base), service, name.model);
    http.proxies = proxies_for(http.base, settings);
    for (const char* variable : {service.key, service.second_key})
        if (variable && http.key.empty()) http.key = Secret(settings.get(variable).value_or(""));
    const auto& key = http.key.reveal();
    if (std::any_of(key.begin(), key.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
        throw Error(Code::configuration, std::string(service.key) + " has a line break or another control character in "
                                                                    "it, which no key has: set it anew");
    if (http.key.empty() && !base)
        throw Error(Code::configuration, name.text() + " needs a key: set " + service.key +
                                             " in the environment or in .env, or give the base URL of a server that "
                                             "wants none");
    return std::make_unique<HttpModel>(std::move(http));
}

awaitable<std::optional<std::vector<std::string>>> ollama_models(net::Url base, std::chrono::milliseconds limit) {
    net::HttpClient client;  // without a proxy: a machine that nobody has named is not looked for through one
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
