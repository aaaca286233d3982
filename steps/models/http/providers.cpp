// Servers on this machine are never reached through a proxy.
#include "steps/models/http/providers.hpp"
#include "engine/error.hpp"
#include "engine/timeout.hpp"
#include "steps/models/http/address.hpp"
#include "steps/models/pasted.hpp"
#include "steps/models/protocols/ollama.hpp"
#include "steps/models/protocols/wire/wire.hpp"
#include <algorithm>

namespace weft::models {
namespace {
/// True for this machine's own addresses, which no proxy can reach for us.
bool is_here(const std::string& host) {
    return host == "localhost" || host.ends_with(".localhost") || host == "::1" || host.starts_with("127.");
}
/// Returns the given key, else the key in the first variable that is set.
Secret read_key(const Secret& given, const Settings& settings, const Protocol& protocol) {
    std::string_view source = "the key that is given";
    auto key = std::string(pasted_key(given.reveal()));
    for (const char* variable : protocol.keys)
        if (variable && key.empty()) {
            key = pasted_key(settings.get(variable).value_or(""));
            source = variable;
        }
    refuse_odd(key, source, "key");
    return Secret(std::move(key));
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

net::ProxySettings proxies_for(const net::Url& base, const Settings& settings) {
    if (is_here(base.host)) return {};
    return net::ProxySettings::from([&settings](const std::string& name) { return settings.get(name); });
}
net::Url ollama_address(const Settings& settings) {
    return read_base(settings.get(ollama_chat.base_variable).value_or(ollama_chat.base), ollama_chat.base_variable,
                     ollama_chat);
}

std::unique_ptr<ChatModel> make_model(const ModelName& name, const Settings& settings, ModelOptions options) {
    if (name.is_file()) throw Error(Code::usage, name.text() + " is a file: it is not made by make_model");
    const auto& protocol = *name.protocol;
    const auto base = options.base_url ? options.base_url : settings.get(protocol.base_variable);
    HttpModelOptions http;
    http.name = name.text();
    http.model = name.model;
    http.protocol = &protocol;
    http.base = read_base(base.value_or(protocol.base), options.base_url ? "base_url" : protocol.base_variable,
                          protocol);
    http.proxies = proxies_for(http.base, settings);
    http.key = read_key(options.key, settings, protocol);
    http.stream = options.stream;
    http.prompt_cache = options.prompt_cache;
    http.retry = options.retry;
    http.timeouts = options.timeouts;
    http.quota = std::move(options.quota);
    if (http.key.empty() && protocol.needs_key && !base)
        throw Error(Code::configuration, name.text() + " needs a key: set " + protocol.keys[0] +
                                             " in the environment or in .env, or give the base URL of a server that "
                                             "needs none");
    return std::make_unique<HttpModel>(std::move(http));
}

awaitable<std::optional<std::vector<std::string>>> ollama_models(net::Url base, std::chrono::milliseconds limit) {
    net::HttpClient client;  // no proxy for an address that may be the default
    net::HttpRequest request;
    request.url = base / "api/tags";
    request.timeouts = {limit, limit, limit, limit};
    std::optional<std::vector<std::string>> found;
    try {
        auto asking = client.send(request);
        const auto response = co_await with_timeout(limit, std::move(asking));
        if (response.status == 200) found = names_of(response.body);
    } catch (const Error&) {}  // no server there
    co_return found;
}
}
