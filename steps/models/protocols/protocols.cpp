// The table of providers: names, addresses, key variables and protocols.
#include "steps/models/pasted.hpp"
#include "steps/models/protocols/anthropic.hpp"
#include "steps/models/protocols/gemini.hpp"
#include "steps/models/protocols/ollama.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/protocol.hpp"
#include "steps/models/protocols/responses.hpp"
#include "steps/models/secret.hpp"
#include "steps/models/settings.hpp"
#include <algorithm>

namespace weft::models {
constexpr Protocol openai_chat{
    .name = "openai",
    .about = "OpenAI, or with a base URL any server that speaks its protocol",
    .bare_names = {"gpt-*", "chatgpt-*", "o1", "o1-*", "o3", "o3-*", "o4", "o4-*"},
    .service = "OpenAI",
    .usual_model = "gpt-4o-mini",
    .missing_model = "check the model's name, and the base URL, which usually ends in /v1",
    .unreachable = "check the base URL, and that the server runs",
    .wrong_address = "check the base URL: most end in one /v1",
    .keys = {"OPENAI_API_KEY"},
    .base_variable = "OPENAI_BASE_URL",
    .base = "https://api.openai.com/v1",
    .key = {"Authorization", "Bearer "},
    .idempotency_key = true,
    .path = [](const std::string&, bool) { return std::string("chat/completions"); },
    .request = openai_request,
    .reader = openai_reader,
};
constexpr Protocol openai_responses{
    .name = "responses",
    .about = "the same by OpenAI's newer protocol, which carries a model's reasoning from turn to turn",
    .missing_model = openai_chat.missing_model,
    .unreachable = openai_chat.unreachable,
    .wrong_address = openai_chat.wrong_address,
    .keys = {openai_chat.keys[0]},
    .base_variable = openai_chat.base_variable,
    .base = openai_chat.base,
    .key = openai_chat.key,
    .idempotency_key = openai_chat.idempotency_key,
    .path = [](const std::string&, bool) { return std::string("responses"); },
    .request = responses_request,
    .reader = responses_reader,
};
constexpr Protocol anthropic_messages{
    .name = "anthropic",
    .about = "Anthropic, or a server that speaks its protocol",
    .bare_names = {"claude-*"},
    .service = "Anthropic",
    .usual_model = "claude-haiku-4-5",
    .missing_model = "check the model's name, and the base URL if one is given",
    .unreachable = "check the base URL, and that the server runs",
    .wrong_address = "check the base URL, the part before /v1/messages",
    .keys = {"ANTHROPIC_API_KEY"},
    .base_variable = "ANTHROPIC_BASE_URL",
    .base = "https://api.anthropic.com",
    .version = "v1",
    .key = {"x-api-key", ""},
    .fixed = {"anthropic-version", "2023-06-01"},
    .path = [](const std::string&, bool) { return std::string("messages"); },
    .request = anthropic_request,
    .reader = anthropic_reader,
};
constexpr Protocol gemini_generate{
    .name = "gemini",
    .about = "Google's Gemini",
    .bare_names = {"gemini-*"},
    .service = "Gemini",
    .usual_model = "gemini-2.5-flash",
    .missing_model = "check the model's name, and the base URL if one is given",
    .unreachable = "check the base URL, and that the server runs",
    .wrong_address = "check the base URL, the part before /v1beta/models",
    .keys = {"GEMINI_API_KEY", "GOOGLE_API_KEY"},
    .base_variable = "GOOGLE_GEMINI_BASE_URL",
    .base = "https://generativelanguage.googleapis.com",
    .version = "v1beta",
    .key = {"x-goog-api-key", ""},
    .path = gemini_path,
    .request = gemini_request,
    .reader = gemini_reader,
};
constexpr Protocol ollama_chat{
    .name = "ollama",
    .about = "Ollama on this machine or at OLLAMA_HOST",
    .bare_names = {"*", "gpt-oss*"},  // all other names, and open weights with names like OpenAI's
    .missing_model = "load it with `ollama pull`, or see `ollama list` for its models",
    .unreachable = "start it with `ollama serve`, or give its address as base URL or in OLLAMA_HOST",
    .wrong_address = "check the base URL, the server's address without /v1 or /api: http://127.0.0.1:11434",
    .keys = {"OLLAMA_API_KEY"},
    .needs_key = false,
    .base_variable = "OLLAMA_HOST",
    .base = "http://127.0.0.1:11434",
    .read_base = ollama_base,
    .key = {"Authorization", "Bearer "},
    .path = [](const std::string&, bool) { return std::string("api/chat"); },
    .request = ollama_request,
    .reader = ollama_reader,
};

std::span<const Protocol* const> protocols() {
    static constexpr const Protocol* all[] = {&openai_chat, &openai_responses, &anthropic_messages, &gemini_generate,
                                              &ollama_chat};
    return all;
}
std::vector<Secret> known_keys(const Settings& settings) {
    std::vector<Secret> keys;
    std::vector<std::string_view> seen;
    for (const auto* protocol : protocols())
        for (const char* variable : protocol->keys) {
            if (!variable || std::find(seen.begin(), seen.end(), variable) != seen.end()) continue;
            seen.push_back(variable);
            if (const auto key = settings.get(variable)) keys.emplace_back(std::string(pasted_key(*key)));
        }
    return keys;
}
std::string one_of(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        (text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") += words[i];
    return text;
}
}
