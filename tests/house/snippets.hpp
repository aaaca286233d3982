// Declares the names that snippets of headers use. tests/house/snippets.py puts the snippets of engine/net/url.hpp, for
// example, into given::in_net::in_url after this file, and all their headers before it.
#pragma once
#include "engine/asio.hpp"
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/spawn.hpp"
#include "engine/store/memory_store.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/agents/react/dialects/text_parser.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/openai_family.hpp"
#include "steps/models/protocols/wire/wire.hpp"
#include "workflows/driver/run_watcher.hpp"
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fstream>
#include <iostream>
#include <spdlog/logger.h>
#include <sqlite3.h>
using namespace weft;
using namespace weft::models;
using namespace weft::net;
using namespace weft::agents;
using namespace weft::view;
using namespace weft::workflows;
using namespace std::chrono_literals;
using weft::testing::await;
namespace asio = boost::asio;
#define CHECK(...) static_cast<void>(__VA_ARGS__)
#define CHECK_FALSE(...) static_cast<void>(__VA_ARGS__)

namespace given {
extern Engine engine;
extern Context ctx;
extern Pool pool;
extern ChatModel& model;
extern const Dialect& dialect;
extern tools::Registry tools;
extern Memory& memory;
extern ReactOptions options;
using agents::Exchange;
using models::Message;
extern Message message;
extern ChatRequest request;
extern ChatReply reply;
extern Sampling sampling;
extern Settings settings;
extern Trace trace;
extern std::shared_ptr<spdlog::logger> logger;
extern asio::io_context io;
extern asio::any_io_executor executor;
extern asio::steady_timer timer;
extern asio::ip::tcp::socket socket;
extern std::stop_token stop;
extern Secret key;
extern std::string text, body, head, bytes, chunk, delta, path, question, arguments;
extern WallTime now;
extern OnDelta on_delta;
extern AnswerEvent answer;
void use(std::string_view);
ApprovalEvent decide(const ApprovalRequestEvent&);
}

#include "tests/house/snippets_engine.hpp"
#include "tests/house/snippets_mcp.hpp"
#include "tests/house/snippets_mcp_server.hpp"
#include "tests/house/snippets_openai.hpp"
#include "tests/house/snippets_server.hpp"
#include "tests/house/snippets_steps.hpp"
#include "tests/house/snippets_store.hpp"
#include "tests/house/snippets_tools.hpp"
