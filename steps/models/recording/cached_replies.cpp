// A cache is not a record: unreadable lines are ignored. Nodes of a list never move, even if the list does, so the
// index may refer to their keys.
#include "steps/models/recording/cached_replies.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/json/parse.hpp"
#include "steps/models/recording/recording_text.hpp"
#include "steps/models/thought_filter.hpp"
#include <openssl/evp.h>

namespace weft::models {
void CachedReplies::put(CachedReply reply, std::size_t bytes) {
    if (const auto known = by_key_.find(reply.key); known != by_key_.end()) erase(known->second);
    if (bytes > most_) return;
    while (taken_ + bytes > most_) erase(in_order_.begin());
    in_order_.push_back({std::move(reply), bytes});
    taken_ += bytes;
    by_key_.emplace(in_order_.back().reply.key, std::prev(in_order_.end()));
}
std::optional<ChatReply> CachedReplies::find(const std::string& key) const {
    const auto known = by_key_.find(key);
    return known == by_key_.end() ? std::nullopt : std::optional(known->second->reply.reply);
}
void CachedReplies::erase(Entries::iterator entry) {
    taken_ -= entry->bytes;
    by_key_.erase(entry->reply.key);
    in_order_.erase(entry);
}
std::string cache_key(const std::string& model, const ChatRequest& request, const Redactor& redactor) {
    const auto asked = model + '\n' + request_text(recorded(request), redactor);
    unsigned char digest[32];
    EVP_Digest(asked.data(), asked.size(), digest, nullptr, EVP_sha256(), nullptr);
    constexpr auto digits = "0123456789abcdef";
    std::string key;
    for (const auto byte : digest) (key += digits[byte >> 4]) += digits[byte & 15];
    return key;
}
bool may_be_cached(const ChatReply& reply) {
    if (reply.cached) return false;
    return reply.finish == FinishReason::stop || (reply.finish == FinishReason::tool_calls && !reply.calls.empty());
}
std::string cache_line(const CachedReply& reply, const Redactor& redactor) {
    auto line = to_json(reply).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (redactor.redact(line) != line) return {};
    return line + '\n';
}
CachedReplies read_cache(std::string_view text, std::size_t bytes) {
    CachedReplies replies(bytes);
    while (!text.empty()) {
        const auto end = text.find('\n');
        if (end == text.npos) break;  // an incomplete line
        const auto line = text.substr(0, end);
        text.remove_prefix(end + 1);
        try {
            auto reply = from_json<CachedReply>(parse_json(line, {.bytes = 16u << 20}), "line");
            part_thoughts(reply.reply);  // for lines of older versions
            replies.put(std::move(reply), line.size() + 1);
        } catch (const Error&) {}  // the first line, or a malformed one
    }
    return replies;
}
std::string newest_lines(std::string_view text, std::size_t bytes) {
    text.remove_prefix(text.starts_with(cache_head) ? cache_head.size() : 0);
    text = text.substr(0, text.rfind('\n') + 1);
    if (text.size() > bytes) {
        const auto begin = text.find('\n', text.size() - bytes);
        text.remove_prefix(begin == text.npos ? text.size() : begin + 1);
    }
    return std::string(cache_head) += text;
}
}
