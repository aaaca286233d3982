// The choice of the model is that of the agents: catalog::Models makes it. Its server then gets one request that costs
// nothing, the list of its models, which also shows whether it takes the key.
#include "workflows/catalog/models.hpp"
#include "engine/engine.hpp"
#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/http/address.hpp"
#include "steps/models/http/providers.hpp"
#include "steps/models/pasted.hpp"
#include "steps/models/protocols/ollama.hpp"
#include "workflows/driver/doctor/finding.hpp"
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
using models::Protocol;
using enum FindingMark;

/// The variable with its place: "OPENAI_API_KEY (environment)".
std::string with_place(const std::string& variable) {
    const char* value = std::getenv(variable.c_str());
    return variable + (value && *value ? " (environment)" : " (.env)");
}
/// Whether the text is that of an example, in place of a key.
bool is_placeholder(std::string_view key) {
    const auto text = lower(key);
    for (const auto* part : {"your", "xxx", "placeholder", "changeme", "change-me", "change_me", "replace", "insert",
                             "example", "...", "***", "api_key", "api-key", "apikey", "todo"})
        if (text.find(part) != text.npos) return true;
    return false;
}
Finding key_finding(const std::string& variable, const std::string& value, bool has_own_server) {
    Finding finding{.about = "key", .text = with_place(variable)};
    const auto key = models::pasted_key(value);
    try {
        models::refuse_odd(key, variable, "key");
    } catch (const Error&) {
        return finding.refuse(" has a blank, a line break or another character inside that no key has",
                              "copy the key again");
    }
    if (key.empty()) finding.refuse(" has only blanks or quotes", "set the key, or unset the variable");
    else if (!has_own_server && is_placeholder(key))
        finding.refuse(" looks like the placeholder of an example", "set the key that the service has given you");
    else if (!has_own_server && key.size() < 16)
        finding.refuse(" is too short for a key of the service", "copy the key again");
    else if (key.size() != value.size())
        finding.text += "; quotes, blanks, a line break or a prefix around the key are left out";
    return finding;
}
/// The names of the listed models; nothing if this is no list of Ollama.
std::optional<std::vector<std::string>> names_in(const std::string& body) {
    const auto document = nlohmann::json::parse(body, nullptr, false);
    if (!document.is_object() || !document.contains("models") || !document["models"].is_array()) return {};
    std::vector<std::string> names;
    for (const auto& model : document["models"])
        if (model.is_object() && model.contains("name") && model["name"].is_string()) names.push_back(model["name"]);
    return names;
}
bool is_silence(const Error& error) {
    const auto* net = dynamic_cast<const net::NetError*>(&error);
    return net && net->failure() == net::Failure::timed_out;
}
net::HttpResponse ask(const net::Url& url, const models::Settings& settings, std::chrono::milliseconds longest,
                      net::HttpHeaders headers = {}) {
    Engine engine;
    net::HttpClient client(net::HttpClientOptions{.proxies = models::proxies_for(url, settings)});
    net::HttpRequest request{.url = url, .headers = std::move(headers)};
    request.timeouts = {longest, longest, longest, longest};
    request.limits.body = 4 << 20;
    auto asking = client.send(request);
    return engine.wait(std::move(asking));
}
bool is_model(const std::string& listed, const std::string& asked) {
    return listed == asked || listed == asked + ":latest";
}
/// Asks the server of a chosen model.
Finding server_finding(const models::ModelName& name, const models::Settings& settings, const std::string& option,
                       std::chrono::milliseconds longest) {
    const auto& protocol = *name.protocol;
    const auto base = models::read_base(!option.empty() ? option
                                                        : settings.get(protocol.base_variable).value_or(protocol.base),
                                        !option.empty() ? "--base-url" : protocol.base_variable, protocol);
    Finding finding{.about = "server", .text = base.origin()};
    std::string key;
    for (const char* variable : protocol.keys)
        if (variable && key.empty()) key = models::pasted_key(settings.get(variable).value_or(""));
    net::HttpHeaders headers;
    if (!key.empty()) {
        const auto header = models::key_header(protocol, base, models::Secret(key));
        headers.push_back({header.name, header.value + key});
    }
    if (protocol.fixed.name) headers.push_back({protocol.fixed.name, protocol.fixed.value});
    const bool is_ollama = &protocol == &models::ollama_chat;
    net::HttpResponse response;
    try {
        response = ask(base / (is_ollama ? "api/tags" : "models"), settings, longest, headers);
    } catch (const Error& error) {
        if (is_silence(error)) return finding.block(" does not answer", protocol.unreachable);
        finding.text.clear();
        return finding.block(error.what(), protocol.unreachable);
    }
    const bool is_refused = response.status == 401 || response.status == 403;
    if (is_refused && response.body.find("Missing scopes") != std::string::npos) {  // a restricted key of OpenAI
        finding.text += " answers, but lets this restricted key list no models";
        finding.cure = "if it refuses questions, too, give the key the permission for them";
        return finding;
    }
    if (is_refused)
        return key.empty() ? finding.block(" wants a key", std::string("set ") + protocol.keys[0])
                           : finding.block(" refuses the key", std::string("check ") + protocol.keys[0]);
    if (response.status == 407)
        return finding.block(": the proxy wants a user and a password", "set them in https_proxy");
    if (response.status >= 500)
        return finding.block(" or a proxy before it fails (HTTP " + std::to_string(response.status) + ")",
                             "try again, and check the proxies");
    if (response.status >= 300 && response.status < 400)
        return finding.block(" answers with a redirection (HTTP " + std::to_string(response.status) + ")",
                             protocol.wrong_address);
    if (is_ollama && response.status == 200) {
        const auto names = names_in(response.body);
        if (!names) return finding.block(" answers, but not as Ollama does", protocol.wrong_address);
        if (std::ranges::none_of(*names, [&](const auto& one) { return is_model(one, name.model); }))
            return finding.block(" has no model " + name.model, "ollama pull " + name.model);
    }
    finding.text += " answers";
    if (response.status == 404) {  // some servers have no list
        finding.text += ", but without a list of models (HTTP 404)";
        finding.cure = std::string("if it refuses questions, too, ") + protocol.wrong_address;
    }
    return finding;
}
Finding address_finding(const Protocol& protocol, const std::string& value) {
    Finding finding{.about = "address", .text = with_place(protocol.base_variable)};
    try {
        finding.text += ": " + models::read_base(value, protocol.base_variable, protocol).origin();
    } catch (const Error& error) {
        finding.text.clear();
        finding.refuse(error.what(), "write http://HOST:PORT/v1 or https://HOST/v1, without a user");
    }
    return finding;
}
void add_proxies(Findings& all, const models::Settings& settings) {
    for (const std::string variable : {"https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"}) {
        const auto value = settings.get(variable);
        if (!value) continue;
        Finding finding{.about = "proxy", .text = with_place(variable)};
        const auto only = net::ProxySettings::from(
            [&](const std::string& name) { return name == variable ? value : std::nullopt; });
        try {
            const auto* proxy = only.find({.tls = variable.find('p') == 4 || variable[4] != '_', .host = "proxied"});
            if (proxy) finding.text += ": " + proxy->url.origin();
        } catch (const Error& error) {
            finding.text.clear();
            finding.refuse(error.what(), "write http://HOST:PORT");
        }
        all.push_back(std::move(finding));
    }
    for (const std::string variable : {"no_proxy", "NO_PROXY"})
        if (settings.get(variable)) all.push_back({.about = "proxy", .text = with_place(variable) + " exempts hosts"});
}
}

Findings check_settings() {
    const auto settings = models::Settings::of_process();
    Findings all;
    for (const auto* sentence : {&settings.oddities(), &settings.exposure()})
        if (!sentence->empty()) all.push_back({.about = "settings", .mark = wrong, .text = *sentence});
    std::vector<std::string> seen, names;
    for (const auto* protocol : models::protocols())
        for (const char* variable : protocol->keys) {
            if (!variable || std::ranges::find(seen, variable) != seen.end()) continue;
            seen.emplace_back(variable);
            if (protocol->service) names.emplace_back(variable);
            const bool has_own_server = !protocol->service || settings.get(protocol->base_variable);
            if (const auto value = settings.get(variable)) all.push_back(key_finding(variable, *value, has_own_server));
        }
    if (std::ranges::none_of(all, [](const Finding& one) { return one.about == "key"; }))
        all.push_back({.about = "key",
                       .mark = missing,
                       .text = "no key of a service is set",
                       .cure = "set " + models::one_of(names) +
                               " in the environment or in .env, or run a server of your own, such as Ollama"});
    seen.clear();
    for (const auto* protocol : models::protocols()) {
        const auto value = settings.get(protocol->base_variable);
        if (!value || std::ranges::find(seen, protocol->base_variable) != seen.end()) continue;
        seen.emplace_back(protocol->base_variable);
        all.push_back(address_finding(*protocol, *value));
    }
    add_proxies(all, settings);
    return all;
}
Findings check_model(const catalog::AgentOptions& options, std::chrono::milliseconds longest) {
    Engine engine;
    std::string why;
    catalog::Models chosen(options, engine, [&why](std::string_view note) { why = note; });
    if (!chosen.found())
        return {{.about = "model",
                 .mark = missing,
                 .text = "there is none: only the questions of `weft scripts` have an answer",
                 .cure = models::one_of(chosen.ways()),
                 .blocks = true}};
    if (!options.model.empty()) why = "--model names it";
    else if (models::Settings::of_process().get("WEFT_MODEL")) why = with_place("WEFT_MODEL") + " names it";
    else why = std::string(why.substr(0, why.find(", so "))) + "; --model or WEFT_MODEL takes another one";
    Findings all{{.about = "model", .text = chosen.name() + ": " + why}};
    const auto name = models::parse_model_name(chosen.name());
    if (!name.is_file()) all.push_back(server_finding(name, models::Settings::of_process(), options.base_url, longest));
    return all;
}
Findings check_ollama(std::chrono::milliseconds longest) {
    const auto settings = models::Settings::of_process();
    const auto base = models::ollama_address(settings);
    Finding finding{.about = "ollama", .mark = missing, .text = base.origin()};
    try {
        const auto response = ask(base / "api/tags", settings, longest);
        const auto names = response.status == 200 ? names_in(response.body) : std::nullopt;
        if (!names) {
            finding.refuse(" answers, but not as Ollama does (HTTP " + std::to_string(response.status) + ")",
                           std::string("check ") + models::ollama_chat.base_variable + " and the proxies");
        } else if (names->empty()) {
            finding.text += " has no model";
            finding.cure = "ollama pull llama3.2";
        } else {
            constexpr std::size_t most = 5;
            finding.mark = ok;
            finding.text += " has " + std::to_string(names->size()) + (names->size() == 1 ? " model: " : " models: ");
            for (std::size_t i = 0; i < std::min(names->size(), most); ++i)
                finding.text += (i ? ", " : "") + excerpt((*names)[i], 60);
            if (names->size() > most) finding.text += ", ...";
        }
    } catch (const Error& error) {
        const bool late = is_silence(error);
        finding.text = late ? base.origin() + " does not answer" : error.what();
        finding.mark = late ? wrong : missing;
        finding.cure = "start it with `ollama serve`, and load a model with `ollama pull llama3.2`, if you want to "
                       "use it";
    }
    return {finding};
}
}
