#include "steps/llm/model_name.hpp"
#include "engine/error.hpp"
#include "engine/utf8.hpp"
#include <algorithm>
#include <array>

namespace weft::llm {
namespace {
constexpr std::size_t longest = 1000;  // a script's name is a path

bool begins(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }
// o1, o1-mini, o3: but not olmo or o1x
bool is_o_series(std::string_view model) {
    for (std::string_view name : {"o1", "o3", "o4"})
        if (begins(model, name) && (model.size() == name.size() || model[name.size()] == '-')) return true;
    return false;
}
Provider provider_of(std::string_view model) {
    if (begins(model, "gpt-oss")) return Provider::ollama;
    if (begins(model, "gpt-") || begins(model, "chatgpt-") || is_o_series(model)) return Provider::openai;
    if (begins(model, "claude-")) return Provider::anthropic;
    return begins(model, "gemini-") ? Provider::gemini : Provider::ollama;
}
bool has_blank_or_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c == 0x7F; });
}
}

std::string_view name(Provider provider) {
    switch (provider) {
    case Provider::openai: return "openai";
    case Provider::responses: return "responses";
    case Provider::anthropic: return "anthropic";
    case Provider::gemini: return "gemini";
    case Provider::ollama: return "ollama";
    case Provider::replay: return "replay";
    case Provider::script: break;
    }
    return "script";
}
ModelName parse_model_name(std::string_view text) {
    ModelName result{provider_of(text), std::string(text)};
    for (auto provider : {Provider::openai, Provider::responses, Provider::anthropic, Provider::gemini,
                          Provider::ollama, Provider::script, Provider::replay}) {
        const auto prefix = name(provider);
        if (begins(text, prefix) && text.substr(prefix.size(), 1) == ":")
            result = {provider, std::string(text.substr(prefix.size() + 1))};
    }
    if (result.model.empty())
        throw Error(Code::usage, "\"" + std::string(text.substr(0, 20)) +
                                     "\" names no model: write PROVIDER:NAME, where PROVIDER is openai, "
                                     "responses, anthropic, gemini or ollama, or else script:FILE or replay:FILE");
    if (result.provider == Provider::ollama && result.model == text && (text[0] == '/' || text[0] == '.'))
        throw Error(Code::usage, "\"" + excerpt(text, 60) +
                                     "\" is no model but a path: write script:" + excerpt(text, 60) + " for a script");
    const bool odd = is_file(result.provider) ? text.find('\0') != std::string_view::npos
                                              : has_blank_or_control(text) || !is_utf8(text);
    if (odd || text.size() > longest)
        throw Error(Code::usage, "\"" + excerpt(text, 60) +
                                     "\" cannot be the name of a model: it is too long or "
                                     "has blanks or control characters in it");
    return result;
}
}
