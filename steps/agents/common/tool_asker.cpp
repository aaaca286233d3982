// What a call tells goes through a bucket: a tool that tells too much costs the stream little.
#include "engine/context.hpp"
#include "engine/once.hpp"
#include "steps/agents/common/asking.hpp"
#include "steps/agents/common/events.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::agents {
namespace {
constexpr double told_at_once = 20, told_in_a_second = 10;
constexpr int most_told_by_a_call = 1000;
}
void ToolAsker::begin_call(std::string id, std::string tool, std::string key, std::size_t number) {
    id_ = std::move(id);
    tool_ = std::move(tool);
    key_ = std::move(key);
    effect_ = "call " + std::to_string(number);
    effects_ = 0;
    may_tell_ = told_at_once;
    told_ = 0;
    last_told_ = clock_.now();
}
nlohmann::json ToolAsker::values() const { return ctx_.values(); }
void ToolAsker::tell(Told told) {
    const auto now = clock_.now();
    const auto since = std::chrono::duration<double>(now - last_told_).count();
    last_told_ = now;
    may_tell_ = std::min(told_at_once, may_tell_ + since * told_in_a_second);
    const bool is_all = told.done && told.total && *told.done >= *told.total;
    if (told_ >= most_told_by_a_call || (may_tell_ < 1 && !is_all)) return;
    may_tell_ = std::max(0.0, may_tell_ - 1);
    ++told_;
    ctx_.stream(ToolProgressEvent{id_, tool_, told.done, told.total, std::move(told.text)});
}
awaitable<std::optional<tools::Observation>> ToolAsker::at_most_once(awaitable<tools::Observation> work) {
    return ctx_.at_most_once(effect_ + '.' + std::to_string(++effects_), std::move(work));
}
}
