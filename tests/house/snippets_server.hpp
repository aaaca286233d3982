// Declares the names that the other snippets of workflows/server use.
#pragma once
#include "engine/store_reply.hpp"
#include "tests/house/snippets_openai.hpp"
#include "workflows/server/guard/address.hpp"
#include "workflows/server/openapi.hpp"
#include "workflows/server/runs/log_cache.hpp"
#include "workflows/server/service.hpp"

namespace given::in_server {
void note(std::string_view);
extern Store& store;
extern const std::string id;
namespace in_address {
extern ServerOptions options;
extern std::uint16_t port;
}
namespace in_catalog_workflows {
extern catalog::AgentOptions options;
}
namespace in_log_cache {
using server::LogCache;
extern std::shared_ptr<LogCache> cache;
extern std::string run;
extern LogCache::CachedText text;
}
namespace in_openapi {
extern Service& service;
}
namespace in_served_run {
extern ServedRun::Identity identity;
extern LogLimits limits;
extern WallTime now;
extern ServedWorkflow workflow;
extern RunRequest request;
extern RunOptions options;
extern ServedRun::OnEnd ended;
}
namespace in_served_runs {
extern std::vector<ServedWorkflow> workflows;
extern RunsOptions options;
extern RunRequest request;
}
namespace in_served_workflow {
extern tools::Database& database;
}
namespace in_store_reply {
extern awaitable<void> work;
}
namespace in_service {
using server::reply;
}
}
