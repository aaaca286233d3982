// The replies of a cache that a process has in memory. Internal to steps/models/recording/cache.hpp.
//
//     KnownReplies known(64u << 20);
//     known.put({key, "openai:gpt-4o-mini", reply}, line.size());
//     if (auto reply = known.find(key)) std::cout << reply->text;
//
// A reply counts by the length of its line in the file, so that memory is bounded as the file is: the oldest make room.
// Not for several threads at once.
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
    /// In place of what had its key. One that is longer than the bound is not taken.
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
    Entries in_order_;                                                // the oldest one first
    std::unordered_map<std::string_view, Entries::iterator> by_key_;  // the keys are those of the entries
};
}
