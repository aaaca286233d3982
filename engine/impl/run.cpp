// A handle also awaits the next event, whose type a reader recovers by get_if, and the moment when the store has
// everything that was sent.
#include "engine/run.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/record.hpp"
#include "engine/signal.hpp"

namespace weft {
// Most runs have only a number, from which this makes the id on demand.
std::string AnyEvent::run() const { return box_->sender ? box_->sender->run : core::hex(box_->number); }
}
namespace weft::core {
awaitable<std::optional<AnyEvent>> next_event_of(CoreRef core) {
    auto next = co_await next_published(core);
    if (!next) co_return std::nullopt;
    co_return AnyEvent(std::move(next));
}
namespace {
/// The error of a run that ended because its store failed; else null.
std::exception_ptr loss_of(const RunCore& run) {
    const auto error = run.extras ? run.extras->error : nullptr;
    return error && code_of(error) == Code::journal ? error : nullptr;
}
struct StoreOutcome {
    Signal signal;
    std::exception_ptr error;
};
awaitable<void> until_rung(std::shared_ptr<StoreOutcome> stored) {
    auto rung = stored->signal.wait();
    co_await std::move(rung);
    if (stored->error) std::rethrow_exception(stored->error);
}
}
awaitable<void> until_stored(CoreRef core) {  // waits for what was sent before this call
    const auto stored = std::make_shared<StoreOutcome>();
    const auto ask = [core, stored] {
        const auto tell = [stored](const std::exception_ptr& error) {
            stored->error = error;
            stored->signal.ring();
        };
        if (LoopCore* loop = core->loop) loop->keeper().when_stored(*core, tell);
        else tell(loss_of(*core));
    };
    if (is_here(*core) || !core->mailbox->post(ask)) ask();
    return until_rung(stored);
}
}
