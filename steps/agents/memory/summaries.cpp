// A memory drops its oldest messages, so a summary is found by its overlap with the rest of the history.
#include "steps/agents/memory/summaries.hpp"
#include <algorithm>

namespace weft::agents {
namespace {
using HistoryMessages = std::vector<models::Message>;
/// The length of the history's longest beginning that is also the end of the kept messages.
std::size_t overlap(const HistoryMessages& kept, const HistoryMessages& history) {
    for (auto n = std::min(kept.size(), history.size()); n > 0; --n)
        if (std::equal(kept.end() - static_cast<std::ptrdiff_t>(n), kept.end(), history.begin())) return n;
    return 0;
}
}

std::optional<Summaries::SummaryMatch> Summaries::find(const HistoryMessages& history) const {
    const std::lock_guard lock(mutex_);
    std::optional<SummaryMatch> best;
    for (const auto& kept : kept_)
        if (const auto n = overlap(kept.messages, history); n > (best ? best->messages : 0)) best = {n, kept.text};
    return best;
}
void Summaries::keep(HistoryMessages messages, std::string text) {
    const std::lock_guard lock(mutex_);
    kept_.push_back({std::move(messages), std::move(text)});
    if (kept_.size() > most_) kept_.pop_front();
}
}
