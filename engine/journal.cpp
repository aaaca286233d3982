// A tick is stored, or is not, on any thread; the loop hears of it on its own.
#include "engine/journal.hpp"
#include "engine/core/door.hpp"
#include "engine/core/handle.hpp"
#include "engine/core/loop.hpp"

namespace weft {
void Journal::Stored::operator()(std::exception_ptr error) const {
    if (core::is_here(*run_)) {
        if (core::Loop* loop = run_->loop) loop->stored(*run_, tick_, error);
    } else
        run_->door->post([run = run_, tick = tick_, error] {
            if (core::Loop* loop = run->loop) loop->stored(*run, tick, error);
        });
}
}
