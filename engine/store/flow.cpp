// PostgreSQL follows the same rules in SQL (postgres/claims.cpp).
#include "engine/store/flow.hpp"
#include "engine/core/data/run_values.hpp"
#include "engine/error.hpp"
#include "engine/store/rules.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>

namespace weft::storage {
namespace {
constexpr std::size_t most_key = 200;  // bytes
constexpr std::uint32_t most_starts = 1'000'000;

// Two long texts with the same beginning are different keys.
std::string bounded_key(std::string text) {
    std::ranges::replace(text, '\0', ' ');  // PostgreSQL has no such text
    if (text.size() <= most_key) return text;
    const auto sum = std::to_string(chained_sum(0, text.size(), text));
    return std::string(utf8_cut(text, most_key - sum.size() - 1)) + '#' + sum;
}
std::map<std::string, std::string> texts_of(std::string_view tick) {
    std::map<std::string, std::string> texts;
    if (tick.find("\"values\"") == tick.npos) return texts;
    const auto record = nlohmann::json::parse(tick, nullptr, false);
    if (!record.is_object() || !record.contains("values") || !record["values"].is_object()) return texts;
    for (auto& [name, value] : record["values"].items())
        if (auto text = core::value_text(value); text && can_be_run_id(name))
            texts[name] = bounded_key(std::move(*text));
    return texts;
}
[[noreturn]] void refuse(const std::string& why) { throw Error(Code::usage, why); }
std::uint64_t rest_of(std::optional<std::uint32_t> most, std::uint64_t used) {
    if (!most) return std::numeric_limits<std::uint64_t>::max();
    return *most - std::min<std::uint64_t>(*most, used);
}
std::uint64_t count_of(const std::map<std::string, std::uint64_t>& counts, const std::string& key) {
    const auto own = counts.find(key);
    return own == counts.end() ? 0 : own->second;
}
}
void check_limits(const QueueLimits& limits) {
    const auto shown = excerpt(limits.queue, 60);
    check_queue_name(limits.queue);
    if (limits.per.empty() && limits.running_per_key)
        refuse("a limit for each key of the queue " + shown + " needs the name of the key, such as value.tenant");
    check_key_name(limits.per, "the queue " + shown);
    if (limits.starts && (*limits.starts == 0 || *limits.starts > most_starts))
        refuse("the queue " + shown + " begins 1 to " + std::to_string(most_starts) + " runs in a period");
    if (limits.seconds != 1 && limits.seconds != 60 && limits.seconds != 3600)
        refuse("the period of the queue " + shown + " is a second, a minute or an hour");
}
void too_many_limits() {
    refuse("the store has " + std::to_string(most_limited_queues) + " limited queues: remove the limits of one first");
}
std::string key_texts_of(const NewRun& run) {
    if (run.ticks.empty()) return {};
    const auto texts = texts_of(run.ticks.front().body);
    return texts.empty() ? std::string() : nlohmann::json(texts).dump();
}
std::string key_of(std::string_view tick, const QueueLimits& limits) {
    if (limits.per.empty()) return {};
    const auto texts = texts_of(tick);
    const auto own = texts.find(limits.per.substr(values_member.size()));
    return own == texts.end() ? std::string() : own->second;
}
std::string key_in(std::string_view key_texts, const QueueLimits& limits) {
    if (limits.per.empty() || key_texts.empty()) return {};
    const auto texts = nlohmann::json::parse(key_texts, nullptr, false);
    if (!texts.is_object()) return {};
    const auto own = texts.find(limits.per.substr(values_member.size()));
    return own == texts.end() || !own->is_string() ? std::string() : own->get<std::string>();
}
StartTokens full_tokens(const QueueLimits& limits, std::int64_t now) {
    return {std::max(1.0, limits.starts.value_or(0) / double(limits.seconds)), now};
}
StartTokens tokens_at(const QueueLimits& limits, StartTokens tokens, std::int64_t now) {
    const auto full = full_tokens(limits, now);
    const auto seconds = double(std::max<std::int64_t>(0, now - tokens.filled_at)) / 1e6;
    return {std::min(full.count, tokens.count + seconds * limits.starts.value_or(0) / limits.seconds), now};
}
std::uint64_t FlowState::room() const { return rest_of(limits.running, running); }
std::uint64_t FlowState::room_of(const std::string& key) const {
    return std::min(room(), rest_of(limits.running_per_key, count_of(running_by_key, key)));
}
namespace {
/// The positions that one queue gives, in their turn.
std::vector<std::size_t> turns_of(const std::vector<FlowCandidate>& all, const std::vector<std::size_t>& own,
                                  FlowState state) {
    std::map<std::string, std::uint64_t> ranks;
    std::vector<std::tuple<int, std::uint64_t, std::size_t>> turns;
    for (const auto at : own) {
        const auto& key = all[at].key;
        const auto rank = ++ranks[key];
        if (rank <= state.room_of(key))
            turns.emplace_back(~all[at].priority, rank + count_of(state.running_by_key, key), at);
    }
    std::ranges::sort(turns);
    std::vector<std::size_t> given;
    for (auto& turn : turns) {
        const auto at = std::get<2>(turn);
        if (given.size() >= state.room() || (all[at].is_start && !state.may_start())) continue;
        state.tokens -= all[at].is_start;
        given.push_back(at);
    }
    return given;
}
}
std::vector<std::size_t> choose_in_turn(const std::vector<FlowCandidate>& all, const FlowStates& states,
                                        std::size_t most) {
    std::map<std::string, std::vector<std::size_t>> by_queue;
    for (std::size_t at = 0; at < all.size(); ++at) by_queue[all[at].queue].push_back(at);
    std::vector<std::pair<std::size_t, std::size_t>> chosen;  // place and position
    for (auto& [queue, own] : by_queue) {
        const auto state = states.find(queue);
        if (state == states.end()) {
            for (const auto at : own) chosen.emplace_back(at, at);
            continue;
        }
        auto place = own.begin();  // priorities descend in both lists
        for (const auto at : turns_of(all, own, state->second)) {
            while (all[*place].priority > all[at].priority) ++place;
            chosen.emplace_back(*place++, at);
        }
    }
    std::ranges::sort(chosen);
    std::vector<std::size_t> positions;
    for (auto& [place, at] : chosen)
        if (positions.size() < most) positions.push_back(at);
    return positions;
}
QueueFlow flow_of(const FlowState& state, const std::map<std::string, std::uint64_t>& ready, std::uint64_t starts) {
    QueueFlow flow{.limits = state.limits, .running = state.running};
    std::uint64_t room = 0;
    for (auto& [key, runs] : ready) {
        flow.ready += runs;
        room += std::min(runs, state.room_of(key));
    }
    if (state.limits.starts) room = std::min(room, flow.ready - starts + std::uint64_t(std::max(0.0, state.tokens)));
    flow.held_back = flow.ready - std::min(room, state.room());
    if (state.limits.starts) flow.starts_left = std::max(0.0, state.tokens);
    return flow;
}
}
