// The replies of a cache: in memory, and as a text with a first line for its format, then one line for each reply.
// Pure. Internal to steps/models/recording/cache.hpp.
//
//     {"weft_cache": 1}
//     {"key": "<SHA-256 of the model and the request>", "model": "openai:gpt-4o-mini", "reply": {...}}
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/recording/redactor.hpp"
#include <list>
#include <string_view>
#include <unordered_map>

namespace weft::models {
constexpr std::string_view cache_head = "{\"weft_cache\": 1}\n";

struct CachedReply {
    std::string key, model;
    ChatReply reply;
    static constexpr std::string_view optional_fields[] = {"model"};
};
BOOST_DESCRIBE_STRUCT(CachedReply, (), (key, model, reply))

/// A reply counts by the length of its line, so the bound of the file holds for memory: the oldest replies make room.
class CachedReplies {
public:
    explicit CachedReplies(std::size_t bytes) : most_(bytes) {}
    CachedReplies(CachedReplies&&) = default;
    CachedReplies& operator=(CachedReplies&&) = default;
    /// Replaces the entry with the same key. Ignores a reply above the bound.
    void put(CachedReply, std::size_t bytes);
    std::optional<ChatReply> find(const std::string& key) const;
    std::size_t size() const { return by_key_.size(); }

private:
    struct Entry {
        CachedReply reply;
        std::size_t bytes;
    };
    using Entries = std::list<Entry>;
    void erase(Entries::iterator);
    std::size_t most_, taken_ = 0;
    Entries in_order_;                                                // oldest first
    std::unordered_map<std::string_view, Entries::iterator> by_key_;  // the entries own the keys
};

/// Returns the hash, in hexadecimal digits, of the model's identity and the request's content.
std::string cache_key(const std::string& model, const ChatRequest&, const Redactor&);
/// True if the reply is complete, and another try could not improve it.
bool may_be_cached(const ChatReply&);
/// Returns a line with its line break. Empty if it would contain a secret.
std::string cache_line(const CachedReply&, const Redactor&);
/// Keeps the later of two entries with one key, and the newest ones that fit. Malformed lines are skipped.
CachedReplies read_cache(std::string_view text, std::size_t bytes);
/// Returns a cache of the newest lines, at most `bytes` of them.
std::string newest_lines(std::string_view text, std::size_t bytes);
}
