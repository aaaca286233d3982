// Programs of version 0.1.0 without a store: engine, questions, children, observers, tools.
#include "engine/engine.hpp"
#include "engine/observer.hpp"
#include "engine/pool.hpp"
#include "engine/run.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/testing/await.hpp"
#include "engine/timeout.hpp"
#include "engine/workflow.hpp"
#include "tests/compatibility/programs.hpp"
#include "tools/make_tool.hpp"
#include "tools/registry.hpp"
#include <mutex>

#define main WEFT_PROGRAM_MAIN
namespace v0_1_hello {
#include "tests/compatibility/v0_1/hello.cpp"
}
namespace v0_1_handlers {
#include "tests/compatibility/v0_1/handlers.cpp"
}
namespace v0_1_fan_out {
#include "tests/compatibility/v0_1/fan_out.cpp"
}
namespace v0_1_context {
#include "tests/compatibility/v0_1/context.cpp"
}
namespace v0_1_approvals {
#include "tests/compatibility/v0_1/approvals.cpp"
}
namespace v0_1_child {
#include "tests/compatibility/v0_1/child.cpp"
}
namespace v0_1_many_runs {
#include "tests/compatibility/v0_1/many_runs.cpp"
}
namespace v0_1_tools {
#include "tests/compatibility/v0_1/tools.cpp"
}
#undef main

static_assert(std::is_same_v<weft::FailingStore::How, weft::FailingStore::FailureMode>);

TEST_CASE("a program of version 0.1.0 prints the same when it is compiled with this version") {
    compatibility::check("hello", v0_1_hello::program);
    compatibility::check("handlers", v0_1_handlers::program);
    compatibility::check("fan_out", v0_1_fan_out::program);
    compatibility::check("context", v0_1_context::program);
    compatibility::check("approvals", v0_1_approvals::program);
    compatibility::check("child", v0_1_child::program);
    compatibility::check("many_runs", v0_1_many_runs::program);
    compatibility::check("tools", v0_1_tools::program);
}
