// Programs of version 0.1.0 with stores, agents, a server and a worker; and names that none of them uses.
#include "engine/describe.hpp"
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "engine/net/http_client.hpp"
#include "engine/once.hpp"
#include "engine/replay.hpp"
#include "engine/store/postgres_options.hpp"
#include "engine/store/postgres_store.hpp"
#include "engine/store/sqlite_store.hpp"
#include "steps/agents/common/outcome.hpp"
#include "steps/agents/common/warning.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/models/script/scripted.hpp"
#include "tests/compatibility/programs.hpp"
#include "tools/make_tool.hpp"
#include "tools/parallel.hpp"
#include "workflows/mcp/http_server.hpp"
#include "workflows/react.hpp"
#include "workflows/server/server.hpp"
#include "workflows/tool_agent.hpp"
#include "workflows/worker/worker.hpp"
#include <filesystem>
#include <thread>
#include <unistd.h>

#define main WEFT_PROGRAM_MAIN
namespace v0_1_durable_runs {
#include "tests/compatibility/v0_1/durable_runs.cpp"
}
namespace v0_1_agent {
#include "tests/compatibility/v0_1/agent.cpp"
}
namespace v0_1_native_tools {
#include "tests/compatibility/v0_1/native_tools.cpp"
}
namespace v0_1_serving {
#include "tests/compatibility/v0_1/serving.cpp"
}
namespace v0_1_shared_store {
#include "tests/compatibility/v0_1/shared_store.cpp"
}
#undef main

static_assert(std::is_same_v<weft::net::Exchange, weft::net::HttpExchange>);
static_assert(std::is_same_v<weft::agents::Situation, weft::agents::PromptInput>);
static_assert(std::is_same_v<weft::worker::Offer, weft::worker::WorkflowOffer>);
static_assert(std::is_same_v<weft::mcp_server::Offer, weft::mcp_server::ServedTool>);
static_assert(std::is_same_v<weft::mcp_server::HttpServer, weft::mcp_server::McpHttpServer>);
static_assert(sizeof(weft::PostgresOptions) > 0 && sizeof(weft::agents::WarningEvent) > 0);

TEST_CASE("a program of version 0.1.0 with a store, an agent, a server or a worker prints the same with this version") {
    compatibility::check("durable_runs", v0_1_durable_runs::program);
    compatibility::check("agent", v0_1_agent::program);
    compatibility::check("native_tools", v0_1_native_tools::program);
    compatibility::check("serving", v0_1_serving::program);
    compatibility::check("shared_store", [] { v0_1_shared_store::program(1, nullptr); });
}
