// What the snippets of headers take for granted. tests/house/snippets.py puts those of engine/net/url.hpp, say, into
// given::in_net::in_url, behind this file, which all their headers precede.
#pragma once
#include "engine/asio.hpp"
#include "engine/spawn.hpp"
#include "steps/llm/openai.hpp"
#include "steps/llm/openai_family.hpp"
#include "steps/llm/wire.hpp"
#include "steps/react/text_dialect.hpp"
#include "steps/react/text_parser.hpp"
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
using namespace weft;
using namespace weft::llm;
using namespace weft::net;
using namespace weft::steps;
using namespace weft::workflows;
using namespace std::chrono_literals;
using weft::testing::await;
namespace asio = boost::asio;
#define CHECK(...) static_cast<void>(__VA_ARGS__)

namespace given {
extern Engine engine;
extern Context ctx;
extern Pool pool;
extern ChatModel& model;
extern const Dialect& dialect;
extern tools::Registry tools;
extern Memory& memory;
extern ReactOptions options;
using llm::Message;
using steps::Exchange;
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

namespace in_engine {
struct Search {
} search_engine;
struct TopicEvent : StartEvent {
    std::string text;
} topic;
struct HitEvent {};
struct ReportEvent : StopEvent {};
std::vector<HitEvent> plan(Context&, TopicEvent);
struct FoundEvent {};
FoundEvent search(Context&, HitEvent, Search&);
ReportEvent report(Context&, std::vector<FoundEvent>);
inline constexpr auto research = workflow("research", step<plan>, step<search>, step<report>);
extern RefundEvent request;
extern Code code;
extern std::string host, order_text;
awaitable<int> connect(std::string host);
awaitable<void> serve(asio::ip::tcp::socket&);
awaitable<std::string> ask();
namespace in_asio {
extern asio::mutable_buffer buffer;
asio::awaitable<void> some_asio_awaitable();
awaitable<void> my_awaitable();
}
namespace in_awaitable {
struct QuestionEvent {
    std::string text;
};
struct ChatModel {
    awaitable<std::string> chat(std::string);
};
struct AnswerEvent : StopEvent {
    std::string text;
};
}
namespace in_context {
struct DeltaEvent {
    std::string text;
};
}
namespace in_event_json {
extern const Definition& definition;
extern JsonRun run;
void log(std::string_view, const nlohmann::json&);
}
namespace in_json_run {
extern std::shared_ptr<const Definition> definition;
nlohmann::json decide(const nlohmann::json&);
}
namespace in_json_shape_of {
using namespace json_detail;
struct Order {
    int count = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (count))
struct OrderEvent {
    int count = 0;
};
}
namespace in_json {
struct Placed {
    int count;
} order;
BOOST_DESCRIBE_STRUCT(Placed, (), (count))
}
namespace in_event_json {
extern JsonRun run;
extern const Definition definition;
void log(std::string_view event, const nlohmann::json& data);
}
namespace in_json_run {
extern std::shared_ptr<const Definition> definition;
nlohmann::json decide(const nlohmann::json& request);
}
namespace in_json_shape_of {
struct Order {
    int count;
};
BOOST_DESCRIBE_STRUCT(Order, (), (count))
struct OrderEvent {};
}
namespace in_pool {
extern std::string query;
int read_rows(std::string, std::stop_token);
}
}

namespace in_net {
extern Route route;
extern Url url;
extern Resolve resolve;
extern AddressCheck check;
extern std::size_t limit, header_limit, body_limit;
void parse(std::string_view);
}

namespace in_testing {
extern InputEvent input;
struct HourEvent {
} event;
awaitable<int> poll_every_hour(Context&, HourEvent), work();
namespace in_recorder {
struct Desk {
} desk;
struct RefundEvent : StartEvent {
    double amount = 0;
};
struct ApprovalRequestEvent : InputRequiredEvent {
    double amount = 0;
};
struct ApprovalEvent : Answers<ApprovalRequestEvent> {
    bool granted = false;
};
struct DecisionEvent : StopEvent {
    std::string text;
};
ApprovalRequestEvent review(Context&, RefundEvent, Desk&);
DecisionEvent conclude(Context&, ApprovalEvent);
inline constexpr auto refund = workflow("refund", step<review>, step<conclude>);
}
}

namespace in_llm {
using llm::Exchange;
extern Exchange exchange;
extern ModelName first, second;
extern Fault fault;
extern Redactor redactor;
extern RetryPolicy policy;
extern RetryAllowance allowance;
extern bool cut;
extern int attempt;
double random01();
void give_up();
namespace in_call_ids {
extern ToolCall call;
}
namespace in_fault {
extern llm::Answer answer;
extern Hints hints;
}
namespace in_line_diff {
extern std::string recorded, asked;
std::vector<DiffLine> lines_of(const std::string&);
}
namespace in_openai_message {
extern wire::json delta;
}
namespace in_quick_look {
extern SseEvent event;
void add(std::string_view, const OnDelta&), take(const wire::json&);
}
namespace in_recording {
extern ChatModel& real;
}
namespace in_recording_text {
extern std::ofstream file;
}
namespace in_redactor {
extern Secret token;
}
namespace in_responses_output {
extern std::int64_t index;
extern std::string id;
extern wire::json whole;
}
namespace in_retry_allowance {
extern Clock::Time now;
}
}

namespace in_memory {
extern Exchange exchange;
extern std::vector<const WordCounts*> texts;
namespace in_remember {
extern std::string answer;
}
}
namespace in_react {
extern ParametersOf parameters_of;
extern OnPiece on_piece;
extern const tools::Tool* tool;
namespace in_budget {
extern Situation now;
}
}
namespace in_reflect {
extern ReflectOptions options;
namespace in_json_in_text {
extern std::string reply;
}
}
namespace in_structured {
struct Sales {
    double q1, q2;
};
BOOST_DESCRIBE_STRUCT(Sales, (), (q1, q2))
}
namespace in_tool_agent {
extern ToolAgentOptions options;
}
namespace in_trace {
extern Run<std::remove_const_t<decltype(react)>> run;
void write(std::string_view);
}

namespace in_tools {
using namespace weft::tools;
double add(double, double), weather(double);
extern std::string name;
namespace in_http_get {
extern Registry registry;
}
namespace in_make_tool {
struct Hit {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(Hit, (), (text))
struct TextClock {
    std::string text() const;
} clock;
}
}
namespace in_sql {
using namespace weft::tools;
}
namespace in_web {
using namespace weft::tools;
}

namespace in_workflows {
extern driver::Setup here;
extern tools::Database database;
namespace in_reflect {
extern ReflectOptions options;
}
namespace in_refund {
extern RefundEvent request;
}
namespace in_tool_agent {
extern ToolAgentOptions options;
}
}
namespace in_driver {
using namespace weft::driver;
extern AgentOptions options;
extern Setup setup;
extern Interrupts interrupts;
namespace in_setup {
extern TopicEvent topic;
}
}
}
