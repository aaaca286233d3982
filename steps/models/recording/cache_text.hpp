// The text of a cache: a first line that says what it is, then one for each reply. Pure. Internal to
// steps/models/recording/cache.hpp.
//
//     {"weft_cache": 1}
//     {"key": "<SHA-256 of the model and the request>", "model": "openai:gpt-4o-mini", "reply": {...}}
#pragma once
#include "steps/models/recording/known_replies.hpp"
#include "steps/models/recording/redactor.hpp"
#include <string_view>

namespace weft::models {
constexpr std::string_view cache_head = "{\"weft_cache\": 1}\n";
bool is_cache(std::string_view text);
/// By what tells a model from all others and the content of a request, in hexadecimal digits.
std::string cache_key(const std::string& model, const ChatRequest&, const Redactor&);
/// Whether it is whole, and nothing that another try could better.
bool may_be_cached(const ChatReply&);
/// With its end. Empty if a secret stands in it.
std::string cache_line(const CachedReply&, const Redactor&);
/// Of two with the same key, the later one; of all, those that have room. Lines that cannot be read are left out.
KnownReplies read_cache(std::string_view text, std::size_t bytes);
/// A cache of the last lines, at most so many bytes of them.
std::string newest_lines(std::string_view text, std::size_t bytes);
}
