// A regular expression out of a JSON Schema, searched for in texts that a model has written. RE2 does not backtrack: it
// takes time linear in the text and no deep stack, for any pattern and text (docs/decisions/0026_re2.md).
//
//     const Pattern word("^\\w+$");
//     if (!word.is_in(text)) ...
// RE2 supports the JavaScript patterns that JSON Schema uses, except look-ahead, look-behind, back references, groups
// with names and counts above 1000. \uXXXX is rewritten for it.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft::tools {
/// What is wrong with a pattern: a predicate such as "cannot be used (missing ): (a): correct it".
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
    struct Compiled;
    std::shared_ptr<const Compiled> compiled_;
};
}
