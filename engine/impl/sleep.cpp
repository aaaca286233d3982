// Context::sleep: the end of a sleep is an outcome of the invocation, which later attempts read.
#include "engine/core/sleep.hpp"
#include "engine/error.hpp"
#include "engine/journal/record.hpp"
#include "engine/json/shape_of.hpp"
#include "engine/once.hpp"
#include "engine/text/time_parts.hpp"
#include "engine/timeout.hpp"
#include <algorithm>

namespace weft {
namespace core {
struct Sleeper {
    static WallTime date(const Context& ctx, const Clock& clock) {
        return date_of(static_cast<const RunCore*>(ctx.run_), clock);
    }
    static awaitable<WallTime> recorded(Context& ctx, Notes notes, WallTime until) {
        static constexpr auto* shape = json_detail::shape_if_any<std::int64_t>();
        const auto name = std::string(journal::sleep_name) + std::to_string(++ctx.sleeps_);  // in the attempt's order
        std::int64_t end = until.time_since_epoch().count();
        if (notes.effect(name, shape, &end) != Notes::EffectState::known) {
            notes.finish(name, shape, &end);
            while (notes.wait()) co_await store_change_of(notes.run());
        }
        co_return WallTime(WallTime::duration(end));
    }
};
}
awaitable<WallTime> core::wall_of_sleeps(const Context& ctx) {
    auto& clock = co_await this_clock();
    co_return Sleeper::date(ctx, clock);
}
awaitable<void> Context::sleep(std::chrono::nanoseconds duration) {
    const auto now = co_await core::wall_of_sleeps(*this);
    const auto wait = std::chrono::ceil<WallTime::duration>(std::max(duration, duration.zero()));
    co_await sleep_until(now + std::min(wait, last_time - now));
}
awaitable<void> Context::sleep_until(WallTime until) {
    const auto* scope = co_await core::awaiting_scope();
    if (scope->is_one_of_several()) core::refuse_within_all("ctx.sleep");
    if (depth_ || effects_)
        throw Error(Code::usage, "ctx.sleep was called in work of ctx.once or ctx.at_most_once: sleep before that work "
                                 "or after it, or use sleep_for, which begins anew after a crash");
    until = std::clamp(until, WallTime(), last_time);
    if (auto notes = core::Once::notes_of(*this)) until = co_await core::Sleeper::recorded(*this, *notes, until);
    if (replaying() || core::Sleeper::date(*this, scope->clock()) >= until) co_return;
    const core::sleep_until_wall wait{until};
    co_await wait;
}
}
