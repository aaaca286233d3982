// A key. It cannot be printed, formatted, compared or turned into JSON by accident: whoever needs the text says
// reveal(), and only the code that builds a request header does.
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
    /// The text with every occurrence of the key replaced.
    std::string redact(std::string text) const {
        if (text_.size() < 4) return text;  // else it would replace what is no key
        for (std::size_t at = 0; (at = text.find(text_, at)) != std::string::npos; at += 3)
            text.replace(at, text_.size(), "***");
        return text;
    }

private:
    template <class Stream> friend Stream& operator<<(Stream&, const Secret&) = delete;
    template <class Json> friend void to_json(Json&, const Secret&) = delete;
    std::string text_;
};
}
