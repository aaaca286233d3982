// Makes a ChatModel from a model's name and the environment.
//
//     auto settings = Settings::of_process();
//     auto name = parse_model_name("openai:gpt-4o-mini");
//     auto model = make_model(name, settings, {.base_url = "http://127.0.0.1:8080/v1"});
//
// What is given here comes before the variables of the environment. The provider's row in
// steps/models/protocols/protocols.cpp names these.
//
// https_proxy, http_proxy, all_proxy and no_proxy as engine/net/proxy.hpp reads them, but for servers on this machine.
//
// A base URL for anthropic and gemini may end in the version (v1, v1beta) or leave it out, as their own libraries do;
// for openai it mostly ends in /v1. The whole address of an endpoint will do (steps/models/http/address.hpp).
#pragma once
#include "steps/models/http/http_model.hpp"
#include "steps/models/http/retry.hpp"
#include "steps/models/protocols/model_name.hpp"
#include "steps/models/secret.hpp"
#include "steps/models/settings.hpp"
#include <memory>

namespace weft::models {
struct ModelOptions {
    std::optional<std::string> base_url;
    Secret key;
    bool stream = true;
    bool prompt_cache = true;
    RetryPolicy retry;
    net::HttpTimeouts timeouts = patient();
};
/// Throws Error{configuration} for a wrong address, and for a service without a key unless a base URL leads
/// elsewhere; Error{usage} for scripts and recordings, which need no HTTP.
std::unique_ptr<ChatModel> make_model(const ModelName&, const Settings&, ModelOptions = {});

/// Where Ollama is expected: where its variable says, else on this machine.
net::Url ollama_address(const Settings&);
/// The names of the models that Ollama has; none if it does not answer in time, which is no error.
awaitable<std::optional<std::vector<std::string>>> ollama_models(
    net::Url, std::chrono::milliseconds limit = std::chrono::milliseconds(500));
}
