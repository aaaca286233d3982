// A text with places for values: `{name}`, where a name is of small letters and '_'. All other braces stay as they are,
// so that a prompt can show JSON.
//
//     PromptTemplate greeting("Hello {name}, reply as {\"ok\": true}.", {"name"});
//     greeting.render({{"name", "Ada"}});
//
// Checked when it is made: Error{configuration} lists the places that no value is for, and the values that are needed
// and have no place. So does a text that is not UTF-8, or longer than 256 KB.
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
    /// Values are put in as they are: braces in them mean nothing. A name without a value is empty.
    std::string render(const std::map<std::string_view, std::string_view>& values) const;
    const std::string& text() const { return text_; }
    std::vector<std::string> places() const;  // in the order in which they first stand there

private:
    std::string text_;
};
}
