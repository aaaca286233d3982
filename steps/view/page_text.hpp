// Helpers for the text of a page (steps/view/html_page.hpp).
#pragma once
#include "steps/models/chat_model.hpp"
#include <string>
#include <string_view>

namespace weft::view {
/// Returns a text for any place of a page, including attributes in double quotes: neutralised and escaped.
std::string escaped(std::string_view text);
/// Returns the same, cut to `bytes` with a mark.
std::string escaped(std::string_view text, std::size_t bytes);
std::string in_short(double seconds);              // "0.41 s", in any locale
std::string in_words(const models::Usage& usage);  // "120 tokens read, 30 written"; empty for none
std::string cache_in_words(const models::Usage&);  // " (100 from a cache, 20 into it)"; empty for none

std::string_view page_style();
std::string_view page_script();
/// Returns the content security policy that allows only these two, by hashes of their exact bytes.
std::string page_policy();
}
