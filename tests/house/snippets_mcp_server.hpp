// Declares the names that snippets of the headers in workflows/mcp use, for tests/house/snippets.hpp.
#pragma once
#include "tests/house/snippets_mcp.hpp"
#include "tools/registry.hpp"
#include "workflows/hello.hpp"
#include "workflows/mcp/form.hpp"
#include "workflows/mcp/http_server.hpp"
#include "workflows/mcp/http_service.hpp"
#include "workflows/mcp/line_pipes.hpp"
#include "workflows/mcp/peer.hpp"
#include "workflows/mcp/run_offer.hpp"
#include "workflows/mcp/run_progress.hpp"
#include "workflows/mcp/stdio_server.hpp"
#include "workflows/mcp/tool_offer.hpp"
#include "workflows/refund.hpp"

namespace given::in_mcp {
using nlohmann::json;
extern mcp_server::Core& core;
extern Runtime runtime;
extern mcp_server::Envelope envelope;
extern const std::string principal, id;
void use(const std::string&);
void write(const std::string&);
namespace in_call {
using namespace weft::mcp_server;
}
namespace in_check {
using namespace weft::mcp_server;
extern mcp_server::rpc::Request message;
extern net::IncomingRequest request;
extern json arguments, schema;
}
namespace in_core {
using namespace weft::mcp_server;
extern mcp_server::Call& call;
extern tools::Registry registry;
}
namespace in_form {
using namespace weft::mcp_server;
extern std::string type;
extern json value, result;
extern std::vector<const EventType*> answers;
extern JsonRun run;
extern QuestionId id;
}
namespace in_http_service {
using mcp_server::HttpService;
extern mcp_server::HttpOptions options;
}
namespace in_line_pipes {
using mcp_server::LineReader;
using mcp_server::LineWriter;
extern std::size_t limits;
extern Signal signal;
extern std::string line;
void use(const mcp_server::IncomingLine&);
}
namespace in_outbox {
using mcp_server::Outbox;
extern std::string text;
}
namespace in_peer {
using namespace weft::mcp_server;
extern mcp_server::rpc::Request request;
extern mcp_server::rpc::Notification notification;
extern mcp_server::rpc::Response response;
extern mcp_server::CallClient asker;
}
namespace in_run_offer {
using namespace weft::mcp_server;
}
namespace in_run_progress {
using mcp_server::progress_text;
extern AnyEvent event;
extern mcp_server::Call& call;
extern int count;
}
namespace in_seal {
using mcp_server::StateSeal;
extern const std::string state, purpose;
extern WallTime now, until;
}
namespace in_sessions {
using namespace weft::mcp_server;
extern mcp_server::Sessions& sessions;
}
namespace in_tool_offer {
using mcp_server::add_tools;
extern tools::Registry registry;
}
}
