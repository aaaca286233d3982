// Helpers for the text of a page (steps/view/html_page.hpp).
#pragma once
#include "steps/models/chat_model.hpp"
#include <string>
#include <string_view>

namespace weft::view {
/// A text for any place of a page, an attribute in double quotes too: neutralised and escaped.
std::string escaped(std::string_view text);
/// The same, cut to so many bytes with a mark.
std::string escaped(std::string_view text, std::size_t bytes);
std::string in_short(double seconds);              // "0.41 s", in any locale
std::string in_words(const models::Usage& usage);  // "120 tokens read, 30 written"; empty for none
std::string cache_in_words(const models::Usage&);  // " (100 from a cache, 20 into it)"; empty for none

std::string_view page_style();
std::string_view page_script();
/// The content security policy that allows these two: of hashes, so that not a byte may differ.
std::string page_policy();
}
