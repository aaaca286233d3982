// A handle awaits two things beside the end of its run: the next event, which gets its type back when somebody asks for
// it, and the time at which all that was sent to the run is stored.
#include "engine/run.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/signal.hpp"

namespace weft::core {
awaitable<std::optional<AnyEvent>> next_event_of(CoreRef core) {
    auto next = co_await next_published(core);
    if (!next) co_return std::nullopt;
    co_return AnyEvent(std::move(next));
}
namespace {
/// The error that a run has ended with because its store did not keep something; else null.
std::exception_ptr loss_of(const RunCore& run) {
    const auto error = run.extras ? run.extras->error : nullptr;
    return error && code_of(error) == Code::journal ? error : nullptr;
}
struct Stored {
    Signal signal;
    std::exception_ptr error;
};
awaitable<void> until_rung(std::shared_ptr<Stored> stored) {
    auto rung = stored->signal.wait();
    co_await std::move(rung);
    if (stored->error) std::rethrow_exception(stored->error);
}
}
awaitable<void> until_stored(CoreRef core) {  // what it waits for is what was sent before this call
    const auto stored = std::make_shared<Stored>();
    const auto ask = [core, stored] {
        const auto tell = [stored](const std::exception_ptr& error) {
            stored->error = error;
            stored->signal.ring();
        };
        if (Loop* loop = core->loop) loop->when_stored(*core, tell);
        else tell(loss_of(*core));
    };
    if (is_here(*core) || !core->mailbox->post(ask)) ask();
    return until_rung(stored);
}
}
