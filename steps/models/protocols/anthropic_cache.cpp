// The server refuses a mark on a thought or an empty text, so the mark goes to the last block before these.
#include "steps/models/protocols/anthropic_cache.hpp"
#include "steps/models/protocols/parts/turns.hpp"
#include <functional>

namespace weft::models {
namespace {
using wire::json;
using wire::member;
constexpr const char* mark_name = "cache_control";

json text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }
void mark(json& block) { block[mark_name] = {{"type", "ephemeral"}}; }
bool takes_mark(const json& block) {
    const auto& type = member(block, "type");
    if (type == "text") return !turns::is_blank(wire::text_or_empty(member(block, "text")));
    return type == "tool_use" || (type == "tool_result" && block.contains("content"));
}
void mark_last(json& blocks) {
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block)
        if (takes_mark(*block)) return mark(*block);
}
bool begins_character(std::string_view text, std::size_t at) {
    return at == text.size() || (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
}
}

CacheMarks::CacheMarks(const ChatRequest& request, const std::vector<Message>& messages, bool wanted)
    : messages_(messages),
      kept_(messages.size() -
            std::min(messages.size(), request.messages.size() - std::min(request.messages.size(), request.kept))),
      wanted_(wanted) {}
bool CacheMarks::is_kept(const Message& message) const {
    const std::less<const Message*> before;  // the message may also be in another list
    return !before(&message, messages_.data()) && before(&message, messages_.data() + kept_);
}
json CacheMarks::system(std::string text) const {
    if (!wanted_) return text;
    auto block = text_block(text);
    mark(block);
    return json::array({std::move(block)});
}
void CacheMarks::mark_tools(json& tools) const {
    if (wanted_ && !tools.empty()) mark(tools.back());
}
json CacheMarks::text_blocks(const Message& message) const {
    json blocks = json::array();
    const std::string_view text = message.content;
    if (turns::is_blank(text)) return blocks;
    std::size_t begin = 0;
    const auto add = [&](std::size_t end) {
        if (turns::is_blank(text.substr(begin, end - begin)))
            return;  // servers refuse a blank block: join it with the next
        blocks.push_back(text_block(text.substr(begin, end - begin)));
        begin = end;
    };
    if (wanted_)
        for (const auto joint : message.joints)
            if (joint > begin && joint <= text.size() && begins_character(text, joint)) add(joint);
    const bool grows = !blocks.empty() && !is_kept(message) && &message == messages_.data() + kept_;
    if (grows) mark(blocks.back());
    if (begin < text.size()) add(text.size());
    return blocks;
}
void CacheMarks::note(const Message& message, json& blocks) const {
    if (wanted_ && is_kept(message)) mark_last(blocks);
}
void CacheMarks::choose(json& turns) const {
    if (!wanted_) return;
    int left = 2;
    for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
        const bool of_user = member(*turn, "role") == "user";
        bool found = false;
        auto& blocks = (*turn)["content"];
        for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
            if (!block->contains(mark_name)) continue;
            if (left > 0 && !found && (of_user || left == 2)) found = true, --left;
            else block->erase(mark_name);
        }
    }
}
}
