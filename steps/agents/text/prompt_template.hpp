// A text with places for values: `{name}`, where a name has lower-case letters and '_'. All other braces stay, so that
// a prompt can show JSON.
//
//     PromptTemplate greeting("Hello {name}, reply as {\"ok\": true}.", {"name"});
//     greeting.render({{"name", "Ada"}});
//
// The constructor throws Error{configuration} that lists places without a value, and needed values without a place. It
// also refuses a text that is not UTF-8, or longer than 256 KB.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weft::agents {
class PromptTemplate {
public:
    PromptTemplate(std::string text, const std::vector<std::string_view>& needed,
                   const std::vector<std::string_view>& optional = {});
    bool has(std::string_view place) const;
    /// Inserts the values unchanged: braces in them are text. A name without a value is empty.
    std::string render(const std::map<std::string_view, std::string_view>& values) const;
    const std::string& text() const { return text_; }
    std::vector<std::string> places() const;  // each once, in the order of first occurrence

private:
    std::string text_;
};
}
