// Waits for a run's next event or its end, on its loop or on another executor. Does not include Asio.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/core/loop/run_core.hpp"

namespace weft::core {
awaitable<void> until_complete(CoreRef);
awaitable<PublishedBox> next_published(CoreRef);  // null after the terminal event
}
