// A colon alone does not mark a provider, because Ollama's names have colons, too. So a misspelt provider is an error,
// and every other name is Ollama's.
#include "steps/models/protocols/model_name.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/name_pattern.hpp"
#include "steps/models/protocols/protocol.hpp"
#include <algorithm>

namespace weft::models {
namespace {
constexpr std::size_t longest = 1000;  // a script's name is a path

/// Returns the provider of a bare name.
const Protocol* protocol_of(std::string_view model) {
    const Protocol* owner = nullptr;
    std::size_t length = 0;
    for (const auto* protocol : protocols())
        for (const char* name : protocol->bare_names) {
            const std::string_view pattern = name ? name : "";
            if (pattern.size() <= length || !matches(pattern, model)) continue;
            owner = protocol;
            length = pattern.size();
        }
    return owner;
}
std::string_view name_of(ModelFile file) { return file == ModelFile::replay ? "replay" : "script"; }
std::string_view prefix_of(const ModelName& name) {
    return name.is_file() ? name_of(name.file) : std::string_view(name.protocol->name);
}
/// Returns all prefixes before the colon, as names without a model.
std::vector<ModelName> known_prefixes() {
    std::vector<ModelName> known;
    for (const auto* protocol : protocols()) known.push_back({.protocol = protocol});
    for (const auto file : {ModelFile::script, ModelFile::replay}) known.push_back({.file = file});
    return known;
}
std::string provider_names() {
    std::vector<std::string> names;
    for (const auto* protocol : protocols()) names.push_back(protocol->name);
    return one_of(names);
}
/// True if the texts differ by one missing, extra or changed letter, or by two swapped neighbours.
bool is_slip(std::string_view a, std::string_view b) {
    if (a == b || a.size() + 1 < b.size() || b.size() + 1 < a.size()) return false;
    std::size_t same = 0;
    while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
    a.remove_prefix(same);
    b.remove_prefix(same);
    if (a.size() != b.size()) return a.size() < b.size() ? a == b.substr(1) : a.substr(1) == b;
    return a.substr(1) == b.substr(1) || (a.size() > 1 && a[0] == b[1] && a[1] == b[0] && a.substr(2) == b.substr(2));
}
/// Throws Error{usage} for a missing model name or a misspelt provider, with the probable meaning.
void refuse_slips(std::string_view text, const std::vector<ModelName>& known) {
    const auto colon = text.find(':');
    const bool bare = colon == text.npos;
    const auto written = lower(text.substr(0, colon));
    for (const auto& one : known) {
        const auto prefix = prefix_of(one);
        if (written != prefix && (bare || !is_slip(written, prefix))) continue;
        throw Error(Code::usage, "\"" + excerpt(text, 60) + "\" is not a model: did you mean " + std::string(prefix) +
                                     ":" + (bare ? std::string("NAME") : excerpt(text.substr(colon + 1), 60)) + "?");
    }
}
bool has_blank_or_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c == 0x7F; });
}
}

std::string ModelName::text() const { return std::string(prefix_of(*this)) + ":" + model; }

ModelName parse_model_name(std::string_view text) {
    const auto known = known_prefixes();
    const auto named = std::find_if(known.begin(), known.end(), [&](const ModelName& one) {
        const auto prefix = prefix_of(one);
        return text.starts_with(prefix) && text.substr(prefix.size(), 1) == ":";
    });
    const bool bare = named == known.end();
    if (bare) refuse_slips(text, known);
    auto result = bare ? ModelName{.protocol = protocol_of(text)} : *named;
    result.model = bare ? text : text.substr(text.find(':') + 1);
    if (!result.is_file()) result.model = trimmed(result.model);  // names are often pasted
    if (result.model.empty() || (bare && (text.starts_with(':') || text.ends_with(':'))))
        throw Error(Code::usage, "\"" + std::string(text.substr(0, 20)) +
                                     "\" names no model: write PROVIDER:NAME, where PROVIDER is " + provider_names() +
                                     ", or else script:FILE or replay:FILE");
    if (bare && (text[0] == '/' || text[0] == '.'))
        throw Error(Code::usage, "\"" + excerpt(text, 60) +
                                     "\" is a path, not a model: write script:" + excerpt(text, 60) + " for a script");
    const bool odd = result.is_file() ? text.find('\0') != std::string_view::npos
                                      : has_blank_or_control(text) || !is_utf8(text);
    if (odd || text.size() > longest)
        throw Error(Code::usage, "\"" + excerpt(text, 60) +
                                     "\" cannot be the name of a model: it is too long or "
                                     "has blanks or control characters in it");
    return result;
}
std::string limited_model(std::string_view text) {
    const auto name = parse_model_name(text);
    if (name.is_file()) throw Error(Code::usage, name.text() + " is a file, and asks no server: limit another model");
    return name.text();
}
}
