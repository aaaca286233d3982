#include "steps/memory/remember.hpp"
#include "engine/asio.hpp"
#include "engine/published.hpp"
#include "engine/utf8.hpp"

namespace weft::steps {
awaitable<void> remember(Context& ctx, Memory& memory, Exchange exchange) {
    std::string why;
    try {
        memory.append(ctx.run_id(), std::move(exchange));
        auto saving = memory.save();
        co_await std::move(saving);
        co_return;
    } catch (const boost::system::system_error& error) {
        if (error.code() == asio::error::operation_aborted) throw;
        why = error.what();
    } catch (const std::exception& error) { why = error.what(); }
    ctx.stream(WarningEvent{repair_utf8(why)});
}
}
