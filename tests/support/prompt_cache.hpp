// Simulates a provider that caches the beginnings of prompts, and counts the tokens of four bytes read from them.
//
//     PromptCache cache(anthropic_messages);                 // or {}: --no-prompt-cache
//     for (const auto& request : model.requests) sum += cache.read(request);
//     full_price(sum);
//
// Anthropic's cache keeps a beginning that ends at a mark, and finds it by a mark at that place or up to 20 blocks
// later. The other providers' cache keeps beginnings of whole 128 tokens. Both need at least 1024 tokens.
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "steps/models/protocols/protocol.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace test {
namespace cache_parts {
using nlohmann::json;
/// Returns a request as its blocks in order of reading.
struct Block {
    std::string text;
    bool marked = false;
};
inline void add(std::vector<Block>& blocks, std::string before, json value) {
    const bool marked = value.is_object() && value.erase("cache_control") > 0;
    blocks.push_back({std::move(before) + value.dump(), marked});
}
inline void add_all(std::vector<Block>& blocks, const std::string& before, const json& values) {
    if (values.is_array())
        for (const auto& value : values) add(blocks, before, value);
    else if (!values.is_null()) add(blocks, before, values);
}
/// The tools are first, then the instructions, then the messages, under the names of any protocol.
inline std::vector<Block> blocks_of(const json& body) {
    std::vector<Block> blocks;
    for (const char* name : {"tools", "system", "systemInstruction", "instructions"})
        if (body.contains(name)) add_all(blocks, name, body[name]);
    if (body.contains("tool_choice")) add(blocks, "choice", body["tool_choice"]);
    for (const char* name : {"messages", "contents", "input"}) {
        if (!body.contains(name)) continue;
        for (const auto& message : body[name]) {
            const auto role = message.is_object() ? message.value("role", "") : std::string();
            if (message.contains("content") && message["content"].is_array()) add_all(blocks, role, message["content"]);
            else if (message.contains("parts")) add_all(blocks, role, message["parts"]);
            else add(blocks, "", message);
        }
    }
    return blocks;
}
}

inline std::int64_t full_price(const weft::models::Usage& usage) { return usage.prompt_tokens - usage.cached_tokens; }

class PromptCache {
public:
    explicit PromptCache(const weft::models::Protocol& protocol, bool asked_to_cache = true) : protocol_(protocol) {
        if (!asked_to_cache) features_.set(weft::models::Feature::prompt_cache, 1);
    }
    weft::models::Usage read(const weft::models::ChatRequest& request) {
        const auto body = protocol_.request(request, "any-model", true, features_);
        const auto blocks = cache_parts::blocks_of(nlohmann::json::parse(body));
        return std::string_view(protocol_.name) == "anthropic" ? read_marked(blocks) : read_any(blocks);
    }

private:
    static constexpr std::size_t bytes_of_token = 4, least = 1024 * bytes_of_token, grain = 128 * bytes_of_token;
    static constexpr std::size_t look_back = 20;

    static weft::models::Usage usage(std::size_t all, std::size_t cached, std::size_t written) {
        weft::models::Usage sum;
        sum.prompt_tokens = std::int64_t(all / bytes_of_token);
        sum.cached_tokens = std::int64_t(cached / bytes_of_token);
        sum.cache_written_tokens = std::int64_t(written / bytes_of_token);
        return sum;
    }
    weft::models::Usage read_marked(const std::vector<cache_parts::Block>& blocks) {
        std::string prefix;
        std::vector<std::string> ends;
        for (const auto& block : blocks) ends.push_back(prefix += block.text + '\n');
        std::size_t cached = 0, marked = 0;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (!blocks[i].marked) continue;
            marked = ends[i].size();
            for (std::size_t back = 0; back <= std::min(i, look_back); ++back)
                if (kept_.count(ends[i - back])) cached = std::max(cached, ends[i - back].size());
        }
        for (std::size_t i = 0; i < blocks.size(); ++i)
            if (blocks[i].marked && ends[i].size() >= least) kept_.insert(ends[i]);
        return usage(prefix.size(), cached, marked >= least ? marked - std::min(marked, cached) : 0);
    }
    weft::models::Usage read_any(const std::vector<cache_parts::Block>& blocks) {
        std::string prompt;
        for (const auto& block : blocks) prompt += block.text + '\n';
        std::size_t cached = 0;
        for (const auto& earlier : kept_) {
            const auto end = std::mismatch(earlier.begin(), earlier.end(), prompt.begin(), prompt.end()).second;
            cached = std::max(cached, std::size_t(end - prompt.begin()));
        }
        kept_.insert(prompt);
        cached = cached / grain * grain;
        return usage(prompt.size(), cached >= least ? cached : 0, 0);
    }
    const weft::models::Protocol& protocol_;
    weft::models::Features features_;
    std::set<std::string> kept_;
};
}
