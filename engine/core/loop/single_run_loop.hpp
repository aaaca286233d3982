// A loop for one run, in the calling thread.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include <memory>

namespace weft {
struct RunOptions;
}
namespace weft::core {
/// Makes a run on a loop of its own, and drives it until no work is left.
class SingleRunLoop {
public:
    SingleRunLoop(std::shared_ptr<const Definition>, const RunOptions&);
    ~SingleRunLoop();
    CoreRef core();
    void drive();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};
}
