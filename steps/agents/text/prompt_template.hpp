// A text with places for values: `{name}`, where a name has lower-case letters and '_'. All other braces stay, so that
// a prompt can show JSON.
//
//     PromptTemplate greeting("Hello {name}, reply as {\"ok\": true}.", {"name"});
//     greeting.render({{"name", "Ada"}});
//
// The constructor throws Error{configuration} that lists places without a value, and needed values without a place. It
// also refuses a text that is not UTF-8, or longer than 256 KB.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::agents {
using PlaceValues = std::vector<std::pair<std::string_view, std::string_view>>;  // names and values

class PromptTemplate {
public:
    PromptTemplate(std::string text, const std::vector<std::string_view>& needed,
                   const std::vector<std::string_view>& optional = {});
    bool has(std::string_view place) const;
    /// Inserts the values unchanged: braces in them are text. A name without a value is empty.
    std::string render(const PlaceValues& values) const;
    const std::string& text() const { return text_; }
    std::vector<std::string> places() const;  // each once, in the order of first occurrence

private:
    struct TemplatePart {
        std::size_t begin, size;  // within text_
        bool is_place;
    };
    std::string_view text_of(const TemplatePart& part) const {
        return std::string_view(text_).substr(part.begin, part.size);
    }
    std::string text_;
    std::vector<TemplatePart> parts_;
};
}
