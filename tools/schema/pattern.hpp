// A regular expression from a JSON Schema, searched in texts of a model. RE2 does not backtrack: for any pattern it
// takes time linear in the text, and no deep stack (docs/decisions/0026_re2.md).
//
//     const Pattern word("^\\w+$");
//     if (!word.is_in(text)) ...
// RE2 supports the JavaScript patterns that JSON Schema uses, except look-ahead, look-behind, back references, named
// groups, and counts above 1000. \uXXXX is rewritten for it.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft::tools {
/// An error in a pattern: the part of a sentence after "it", such as "cannot be used (missing ): (a): correct it".
struct BadPattern : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// Immutable, so any number of threads may use it. Copies share the compiled pattern.
class Pattern {
public:
    /// Throws BadPattern.
    explicit Pattern(const std::string& expression);
    bool is_in(std::string_view text) const;

private:
    struct CompiledPattern;
    std::shared_ptr<const CompiledPattern> compiled_;
};
}
