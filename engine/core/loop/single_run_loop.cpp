// run() uses a loop for one run.
#include "engine/core/loop/single_run_loop.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/error.hpp"
#include "engine/run_options.hpp"
#include <boost/asio/io_context.hpp>

namespace weft::core {
struct SingleRunLoop::Parts {
    asio::io_context io{1};
    LoopCore loop{io.get_executor()};
    CoreRef core;
    Parts(std::shared_ptr<const Definition> d, const RunOptions& o) : core(loop.make(d, o)) { loop.adopt(*core); }
};
SingleRunLoop::SingleRunLoop(std::shared_ptr<const Definition> d, const RunOptions& o) {
    if (loop_of_this_thread())
        throw Error(Code::usage, "run() was called inside of a step, which it would block: use ctx.run() there");
    parts_.reset(new Parts(std::move(d), o));
}
SingleRunLoop::~SingleRunLoop() = default;
CoreRef SingleRunLoop::core() { return parts_->core; }
void SingleRunLoop::drive() { parts_->io.run(); }
}
