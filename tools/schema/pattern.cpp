// Patterns of schemas are those of JavaScript. RE2 supports most of them, but writes \u20ac as \x{20ac}.
#include "tools/schema/pattern.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include <cstdint>
#include <cstdio>
#include <re2/re2.h>

namespace weft::tools {
namespace {
constexpr std::size_t longest = 4096;          // bytes of an expression
constexpr std::int64_t most_memory = 1 << 20;  // bytes of the compiled pattern with its state for matching

/// The value of four hexadecimal digits after \u at this position; -1 without them.
long unit_at(const std::string& text, std::size_t at) {
    if (text.compare(at, 2, "\\u") != 0 || text.size() < at + 6) return -1;
    for (std::size_t i = at + 2; i < at + 6; ++i)
        if (!is_hex_digit(text[i])) return -1;
    return std::stol(text.substr(at + 2, 4), nullptr, 16);
}
/// Rewrites \u20ac to \x{20ac} for RE2, and joins surrogate pairs.
std::string for_re2(const std::string& expression) {
    std::string out;
    for (std::size_t i = 0; i < expression.size();) {
        if (expression[i] != '\\' || i + 1 == expression.size()) {
            out += expression[i++];
            continue;
        }
        auto unit = unit_at(expression, i);
        if (unit < 0) {
            out.append(expression, i, 2);
            i += 2;
            continue;
        }
        i += 6;
        if (const auto low = unit_at(expression, i); unit >= 0xD800 && unit < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
            unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            i += 6;
        }
        char text[24];
        std::snprintf(text, sizeof text, "\\x{%lx}", unit);
        out += text;
    }
    return out;
}
std::string cure(RE2::ErrorCode code) {
    switch (code) {
    case RE2::ErrorBadPerlOp:
    case RE2::ErrorBadNamedCapture:
    case RE2::ErrorBadEscape:
        return "look-ahead, look-behind, back references and groups with names are not known here: write it without";
    case RE2::ErrorRepeatSize:
        return "counts above 1000, alone or multiplied, are not known here: bound the length by maxLength";
    case RE2::ErrorPatternTooLarge: return "it takes too much memory: write a simpler one";
    default: return "correct it";
    }
}
}

struct Pattern::CompiledPattern {
    CompiledPattern(const std::string& text, const RE2::Options& options) : expression(text, options) {}
    const RE2 expression;
};

Pattern::Pattern(const std::string& expression) {
    if (expression.size() > longest) throw BadPattern("is longer than 4096 bytes: write a shorter one");
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(most_memory);
    compiled_ = std::make_shared<const CompiledPattern>(for_re2(expression), options);
    if (const auto& re = compiled_->expression; !re.ok())
        throw BadPattern("cannot be used (" + excerpt(re.error(), 100) + "): " + cure(re.error_code()));
}
bool Pattern::is_in(std::string_view text) const {
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->expression);
}
}
