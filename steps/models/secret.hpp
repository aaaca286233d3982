// A key. It cannot be printed, formatted, compared or turned into JSON by accident: whoever needs the text says
// reveal(), and only the code that builds a request header, or looks for the key in a text, does.
//
// What a server says may repeat the key: every text of a server goes through redact() before it is cut or shown, or
// through a KeyFilter (steps/models/protocols/key_filter.hpp) where it comes in pieces. It is looked for as it is, as
// it stands in URLs, and in base64 wherever it may begin there.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft::models {
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string text);
    bool empty() const noexcept { return text_.empty(); }
    const std::string& reveal() const noexcept { return text_; }
    /// Whether it is looked for in texts. A shorter one is no key, and would be found where nobody has repeated it.
    bool hides() const noexcept { return text_.size() >= 8; }
    /// What is looked for, the longest first. Empty if nothing is.
    const std::vector<std::string>& forms() const noexcept;
    /// The text with *** for every occurrence of the key.
    std::string redact(std::string_view text) const;

private:
    template <class Stream> friend Stream& operator<<(Stream&, const Secret&) = delete;
    template <class Json> friend void to_json(Json&, const Secret&) = delete;
    std::string text_;
    std::shared_ptr<const std::vector<std::string>> forms_;
};
}
