// A colon does not make a provider, for Ollama's names have one too. So what looks like a provider's name with a slip
// in it is refused, and everything else is Ollama's.
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

namespace {
constexpr Provider providers[] = {Provider::openai, Provider::responses, Provider::anthropic, Provider::gemini,
                                  Provider::ollama, Provider::script,    Provider::replay};
/// The same letters but for one that is missing, too many or another, or for two that have changed places.
bool is_slip(std::string_view a, std::string_view b) {
    if (a == b || a.size() + 1 < b.size() || b.size() + 1 < a.size()) return false;
    std::size_t same = 0;
    while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
    a.remove_prefix(same);
    b.remove_prefix(same);
    if (a.size() != b.size()) return a.size() < b.size() ? a == b.substr(1) : a.substr(1) == b;
    return a.substr(1) == b.substr(1) || (a.size() > 1 && a[0] == b[1] && a[1] == b[0] && a.substr(2) == b.substr(2));
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
    for (auto provider : providers) {
        const auto prefix = name(provider);
        if (begins(text, prefix) && text.substr(prefix.size(), 1) == ":")
            result = {provider, std::string(text.substr(prefix.size() + 1))};
    }
    const auto colon = text.find(':');
    for (auto provider : providers) {
        if (result.model != text) break;
        const bool bare = colon == text.npos;
        if (bare ? text != name(provider) : !is_slip(text.substr(0, colon), name(provider))) continue;
        throw Error(Code::usage, "\"" + excerpt(text, 60) + "\" is no model: did you mean " +
                                     std::string(name(provider)) + ":" +
                                     (bare ? std::string("NAME") : excerpt(text.substr(colon + 1), 60)) + "?");
    }
    if (result.model == text && text.ends_with(':')) result.model.clear();
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
