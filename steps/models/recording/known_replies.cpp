// Nodes of a list never move, even if the list does, so the index may refer to their keys.
#include "steps/models/recording/known_replies.hpp"

namespace weft::models {
void KnownReplies::put(CachedReply reply, std::size_t bytes) {
    if (const auto known = by_key_.find(reply.key); known != by_key_.end()) erase(known->second);
    if (bytes > most_) return;
    while (taken_ + bytes > most_) erase(in_order_.begin());
    in_order_.push_back({std::move(reply), bytes});
    taken_ += bytes;
    by_key_.emplace(in_order_.back().reply.key, std::prev(in_order_.end()));
}
std::optional<ChatReply> KnownReplies::find(const std::string& key) const {
    const auto known = by_key_.find(key);
    return known == by_key_.end() ? std::nullopt : std::optional(known->second->reply.reply);
}
void KnownReplies::erase(Entries::iterator entry) {
    taken_ -= entry->bytes;
    by_key_.erase(entry->reply.key);
    in_order_.erase(entry);
}
}
