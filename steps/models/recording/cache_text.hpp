// The text of a cache: a first line with its format, then one line for each reply. Pure. Internal to
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
/// Returns the hash, in hexadecimal digits, of the model's identity and the request's content.
std::string cache_key(const std::string& model, const ChatRequest&, const Redactor&);
/// True if the reply is complete, and another try could not improve it.
bool may_be_cached(const ChatReply&);
/// Returns a line with its line break. Empty if it would contain a secret.
std::string cache_line(const CachedReply&, const Redactor&);
/// Keeps the later of two entries with one key, and the newest ones that fit. Malformed lines are skipped.
KnownReplies read_cache(std::string_view text, std::size_t bytes);
/// Returns a cache of the newest lines, at most `bytes` of them.
std::string newest_lines(std::string_view text, std::size_t bytes);
}
