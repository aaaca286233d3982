// A comparison of messages costs a hundredth of writing them.
#include "steps/models/protocols/parts/written_messages.hpp"
#include <algorithm>

namespace weft::models {
namespace {
constexpr std::size_t most_kept = 8, longest_kept = 256 << 10;
constexpr std::uint64_t long_ago = 64;  // calls; a conversation that was used later keeps its place

std::size_t bytes_of(const std::vector<Message>& messages) {
    std::size_t bytes = 0;
    for (const auto& message : messages) {
        bytes += sizeof message + message.content.size() + message.native.json.text.size() + message.call.size() +
                 message.tool.size() + message.joints.size() * sizeof(std::size_t);
        for (const auto& call : message.calls)
            bytes += sizeof call + call.id.size() + call.name.size() + call.arguments.size();
    }
    return bytes;
}
}

std::size_t WrittenMessages::WrittenConversation::common_with(const std::vector<Message>& others,
                                                              const Features& theirs) const {
    if (features != theirs) return 0;
    const auto differs = std::mismatch(messages.begin(), messages.end(), others.begin(), others.end());
    return static_cast<std::size_t>(differs.first - messages.begin());
}
void WrittenMessages::WrittenConversation::cut(std::size_t n) {
    messages.resize(n);
    ends.resize(n);
    text.resize(n ? ends.back() : 0);
}
WrittenMessages::WrittenConversation* WrittenMessages::place_for(WrittenConversation* best, std::size_t common) {
    if (best && best->goes_on_after(common)) {
        best->cut(common);
        return best;
    }
    const auto older = [](const auto& a, const auto& b) { return a.used < b.used; };
    const auto oldest = std::min_element(kept_.begin(), kept_.end(), older);
    // More conversations than places would replace each other before any of them comes again.
    if (kept_.size() == most_kept && oldest->used + long_ago > used_) return nullptr;
    WrittenConversation other;
    if (best) {
        const auto n = static_cast<std::ptrdiff_t>(common);
        other.messages.assign(best->messages.begin(), best->messages.begin() + n);
        other.ends.assign(best->ends.begin(), best->ends.begin() + n);
        other.text.assign(best->text, 0, other.ends.back());
    }
    if (kept_.size() < most_kept) return &kept_.emplace_back(std::move(other));
    return &(*oldest = std::move(other));
}
void WrittenMessages::append(std::string& out, const std::vector<Message>& messages, const Features& features,
                             WriteMessage write) {
    ++used_;
    WrittenConversation* best = nullptr;
    std::size_t common = 0;
    for (auto& known : kept_)
        if (const auto n = known.common_with(messages, features); n > common) common = n, best = &known;
    const auto begin = out.size();
    if (best) out.append(best->text, 0, best->ends[common - 1]);
    if (best && best->goes_on_after(common)) best->used = used_;
    std::vector<std::size_t> ends;
    ends.reserve(messages.size() - common);
    for (auto i = common; i < messages.size(); ++i) {
        if (i) out += ',';
        write(out, messages[i], features);
        ends.push_back(out.size() - begin);
    }
    if (ends.empty() || out.size() - begin > longest_kept || bytes_of(messages) > longest_kept) return;
    auto* place = place_for(best, common);
    if (!place) return;
    // The messages come last: if an exception leaves out some, the next cut() removes what has no message.
    place->ends.insert(place->ends.end(), ends.begin(), ends.end());
    place->text.append(out, begin + place->text.size());
    place->messages.insert(place->messages.end(), messages.begin() + static_cast<std::ptrdiff_t>(common),
                           messages.end());
    place->features = features;
    place->used = used_;
}
}
