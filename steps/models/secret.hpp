// A key. It cannot be printed, formatted, compared or turned into JSON by accident: only reveal() returns the text, for
// code that builds a request header or searches a text for the key.
//
// A server's texts may repeat the key. Each goes through redact() before it is cut or shown, or in pieces through a
// KeyFilter (steps/models/protocols/parts/key_filter.hpp). Both find the key as it is, percent-encoded, and in base64
// at any offset.
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
    /// True if texts are searched for the key. A shorter text is not a key, and would match by chance.
    bool hides() const noexcept { return text_.size() >= 8; }
    /// The forms of the key to search for, longest first. Empty if hides() is false.
    const std::vector<std::string>& forms() const noexcept;
    /// Returns the text with *** in place of each form of the key.
    std::string redact(std::string_view text) const;

private:
    template <class Stream> friend Stream& operator<<(Stream&, const Secret&) = delete;
    template <class Json> friend void to_json(Json&, const Secret&) = delete;
    std::string text_;
    std::shared_ptr<const std::vector<std::string>> forms_;
};
}
