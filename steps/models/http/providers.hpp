// Makes a ChatModel from a model's name and the environment.
//
//     auto settings = Settings::of_process();
//     auto name = parse_model_name("openai:gpt-4o-mini");
//     auto model = make_model(name, settings, {.base_url = "http://127.0.0.1:8080/v1"});
//
// Options come before the variables of the environment, which the provider's row in
// steps/models/protocols/protocols.cpp names.
//
// https_proxy, http_proxy, all_proxy and no_proxy apply (engine/net/proxy.hpp), except to servers on this machine.
//
// A base URL for anthropic and gemini may end in the version (v1, v1beta) or omit it, as in their own libraries; one
// for openai usually ends in /v1. The address of an endpoint works, too (steps/models/http/address.hpp).
#pragma once
#include "steps/models/http/http_model.hpp"
#include "steps/models/http/retry.hpp"
#include "steps/models/protocols/model_name.hpp"
#include "steps/models/secret.hpp"
#include "steps/models/settings.hpp"
#include <memory>

namespace weft::models {
/// The connection to a provider, where it differs from the environment's settings and the usual behaviour.
struct ModelOptions {
    std::optional<std::string> base_url = {};
    Secret key = {};                         // empty: from the environment
    bool stream = true;                      // false: the text is one delta, at the end
    bool prompt_cache = true;                // asks servers that cache on demand to cache the prompt
    RetryPolicy retry = {};                  // attempts of a call, and the waits between them
    net::HttpTimeouts timeouts = patient();  // of each attempt
    std::shared_ptr<ModelQuota> quota = {};  // limits shared with other processes; null: none
};
/// Throws Error{configuration} for a wrong address, and for a missing key of a service unless a base URL is given;
/// and Error{usage} for scripts and recordings, which need no HTTP.
std::unique_ptr<ChatModel> make_model(const ModelName&, const Settings&, ModelOptions = {});

/// Returns the proxies for a server; none for one on this machine.
net::ProxySettings proxies_for(const net::Url& base, const Settings&);
/// Returns the address of Ollama: its variable, else this machine.
net::Url ollama_address(const Settings&);
/// Returns the names of Ollama's models; nullopt, without an error, if it does not answer in time.
awaitable<std::optional<std::vector<std::string>>> ollama_models(
    net::Url, std::chrono::milliseconds limit = std::chrono::milliseconds(500));
}
