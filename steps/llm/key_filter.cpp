#include "steps/llm/key_filter.hpp"
#include <algorithm>
#include <utility>

namespace weft::llm {
std::string KeyFilter::pass(std::string_view delta) {
    if (!key_.hides()) return std::string(delta);
    const std::string_view key = key_.reveal();
    if (held_.empty() && delta.find(key.front()) == delta.npos) return std::string(delta);
    held_ += delta;
    std::size_t begin = 0;  // what is left after the last whole key
    for (auto at = held_.find(key); at != held_.npos; at = held_.find(key, begin)) begin = at + key.size();
    auto length = std::min(key.size() - 1, held_.size() - begin);
    while (length > 0 && !std::string_view(held_).ends_with(key.substr(0, length))) --length;
    auto text = std::exchange(held_, held_.substr(held_.size() - length));
    text.resize(text.size() - length);
    return key_.redact(text);
}
std::string KeyFilter::rest() { return std::exchange(held_, {}); }
}
