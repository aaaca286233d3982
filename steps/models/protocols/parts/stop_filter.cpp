// The sequence that ends first wins, and the longest of those, so the result is the same for any division of the text.
#include "steps/models/protocols/parts/stop_filter.hpp"
#include "engine/text/characters.hpp"
#include <algorithm>
#include <utility>

namespace weft::models {
StopFilter::StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {
    std::erase(stops_, std::string());
    for (const auto& stop : stops_) {
        const auto last = static_cast<unsigned char>(stop.back());
        ends_.set(last);
        if (is_letter(stop.back())) ends_.set(last ^ 0x20u);  // the filter of reasoning may change the case of a mark
        if (last >= 0x80 || last == '*') ends_.set();  // joined halves and a redacted key have bytes of their own
    }
}
bool StopFilter::may_hit(std::string_view text) const {
    return !stops_.empty() &&
           std::any_of(text.begin(), text.end(), [this](char c) { return ends_[static_cast<unsigned char>(c)]; });
}

std::string_view StopFilter::pass(std::string_view delta) {
    if (hit_) return {};
    const auto begins = [delta](const std::string& stop) { return delta.find(stop.front()) != delta.npos; };
    if (held_.empty() && std::none_of(stops_.begin(), stops_.end(), begins)) return delta;
    auto& text = passed_;
    (text = std::move(held_)) += delta;
    held_.clear();
    std::size_t begin = text.size(), end = std::string::npos;
    for (const auto& stop : stops_) {
        const auto at = text.find(stop);
        if (at == std::string::npos) continue;
        hit_ = true;
        if (at + stop.size() < end || (at + stop.size() == end && at < begin)) begin = at, end = at + stop.size();
    }
    if (!hit_) {
        for (const auto& stop : stops_)
            for (std::size_t length = std::min(stop.size() - 1, text.size()); length > text.size() - begin; --length)
                if (text.compare(text.size() - length, length, stop, 0, length) == 0) begin = text.size() - length;
        held_ = text.substr(begin);
    }
    text.resize(begin);
    return text;
}
std::string StopFilter::rest() { return std::exchange(held_, {}); }
}
