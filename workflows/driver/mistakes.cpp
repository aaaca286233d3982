// CLI11 says what is wrong in many forms; each is recognised by its type and said as one sentence.
#include "workflows/driver/mistakes.hpp"
#include <CLI/Error.hpp>

namespace weft::driver {
namespace {
template <class E> bool is(const CLI::ParseError& error) { return dynamic_cast<const E*>(&error) != nullptr; }

/// The text up to the part, and what comes after it; all and nothing if the part is not in it.
std::pair<std::string, std::string> split(const std::string& text, const std::string& part) {
    const auto at = text.find(part);
    if (at == text.npos) return {text, ""};
    return {text.substr(0, at), text.substr(at + part.size())};
}
}

std::string in_our_words(const CLI::ParseError& error) {
    std::string text = error.what();
    if (is<CLI::ExtrasError>(error)) return "this was not expected: " + split(text, ": ").second;
    if (is<CLI::ArgumentMismatch>(error)) {  // --model: 1 required MODEL missing; --model: At Most 1 required ...
        const auto [name, what] = split(text, ": ");
        return name + (what.ends_with("missing") ? " needs a value" : " can be given only once");
    }
    if (is<CLI::ConversionError>(error)) {  // Could not convert: --json = maybe; only flags have no check of their own
        const auto [name, value] = split(split(text, ": ").second, " = ");
        return name + " takes no value, so not \"" + value + '"';
    }
    if (is<CLI::ExcludesError>(error)) {
        const auto [one, other] = split(text, " excludes ");
        return one + " and " + other + " cannot be given together";
    }
    if (is<CLI::ValidationError>(error)) {  // --max-steps: takes a ...
        const auto [name, what] = split(text, ": ");
        return name + ' ' + what;
    }
    return text;
}
}
