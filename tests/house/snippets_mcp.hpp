// Declares the names that snippets of the headers in tools/mcp use, for tests/house/snippets.hpp.
#pragma once
#include "engine/process/line_splitter.hpp"
#include "tools/mcp/remote_tool.hpp"
#include "tools/mcp/servers_file.hpp"

namespace given::in_mcp {
namespace mcp = weft::tools::mcp;
using weft::tools::Observation;
extern mcp::Transport& transport;
extern mcp::TransportListener& listener;
extern nlohmann::json result, params, schema, entry, arguments;
extern std::string line, token;
extern weft::tools::Registry registry;
extern const mcp::Elicit elicit;
extern const mcp::Variable environment;
void send(const std::string&);
namespace in_answer_id {
extern const weft::process::SplitLine line;
}
namespace in_client {
extern std::unique_ptr<mcp::Transport> transport;
}
namespace in_cross_loop_call {
using mcp::CrossLoopCall;
extern const Runtime home;
extern weft::tools::ToolContext& context;
extern mcp::RemoteServer& server;
extern awaitable<Observation> work;
}
namespace in_form_order {
using namespace weft::tools::mcp;
extern nlohmann::json message, form;
void show(const nlohmann::json&);
}
namespace in_json_with_comments {
using mcp::without_comments;
}
namespace in_redactor {
extern mcp::RpcMessage message;
extern std::string text;
}
namespace in_remote_tool {
extern std::shared_ptr<mcp::RemoteServer> server;
extern mcp::ToolInfo info;
}
namespace in_result_text {
extern const mcp::CallResult result;
}
}
