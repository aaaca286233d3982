// A key. It cannot be printed, formatted, compared or turned into JSON by accident: whoever needs the text says
// reveal(), and only the code that builds a request header, or looks for the key in a text, does.
//
// What a server says may repeat the key: every text of a server goes through redact() before it is cut or shown, or
// through a KeyFilter (steps/llm/key_filter.hpp) where it comes in pieces.
#pragma once
#include <string>
#include <string_view>

namespace weft::llm {
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string text) : text_(std::move(text)) {}
    bool empty() const noexcept { return text_.empty(); }
    const std::string& reveal() const noexcept { return text_; }
    /// Whether it is looked for in texts. A shorter one is no key, and would be found where nobody has repeated it.
    bool hides() const noexcept { return text_.size() >= 8; }
    /// The text with *** for every occurrence of the key.
    std::string redact(std::string_view text) const {
        if (!hides()) return std::string(text);
        std::string clean;
        for (std::size_t at; (at = text.find(text_)) != text.npos; text.remove_prefix(at + text_.size()))
            (clean += text.substr(0, at)) += "***";
        return clean += text;
    }

private:
    template <class Stream> friend Stream& operator<<(Stream&, const Secret&) = delete;
    template <class Json> friend void to_json(Json&, const Secret&) = delete;
    std::string text_;
};
}
