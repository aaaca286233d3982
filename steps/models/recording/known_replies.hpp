// The replies of a cache in the memory of one process. Internal to steps/models/recording/cache.hpp.
//
//     KnownReplies known(64u << 20);
//     known.put({key, "openai:gpt-4o-mini", reply}, line.size());
//     if (auto reply = known.find(key)) std::cout << reply->text;
//
// A reply counts by the length of its line, so the bound of the file holds for memory: the oldest replies make room.
// Not thread-safe.
#pragma once
#include "steps/models/chat_model.hpp"
#include <list>
#include <string_view>
#include <unordered_map>

namespace weft::models {
struct CachedReply {
    std::string key, model;
    ChatReply reply;
    static constexpr std::string_view optional_fields[] = {"model"};
};
BOOST_DESCRIBE_STRUCT(CachedReply, (), (key, model, reply))

class KnownReplies {
public:
    explicit KnownReplies(std::size_t bytes) : most_(bytes) {}
    KnownReplies(KnownReplies&&) = default;
    KnownReplies& operator=(KnownReplies&&) = default;
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
}
