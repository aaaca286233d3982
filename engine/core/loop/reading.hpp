// Waiting for what a run says, on its loop or elsewhere: its next event, its end. Knows nothing of Asio.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/core/loop/run_core.hpp"

namespace weft::core {
awaitable<void> until_complete(CoreRef);
awaitable<PublishedBox> next_published(CoreRef);  // null if the run has ended and all was read
}
