// Declares the names that snippets of the headers in steps/ use, for tests/house/snippets.hpp.
#pragma once

namespace given {
namespace in_models {
using models::RecordedExchange;
extern RecordedExchange exchange;
extern ModelName first, second;
extern Fault fault;
extern Redactor redactor;
extern RetryPolicy policy;
extern RetryAllowance allowance;
extern bool cut;
extern int attempt;
double random01();
void give_up();
namespace in_http::in_model_quota {
extern models::ModelQuota& quota;
extern models::QuotaCall call;
extern ChatReply reply;
}
namespace in_http::in_store_quota {
using models::StoreQuota;
extern Store& store;
extern ModelName name;
extern models::Settings settings;
}
namespace in_tool_name {
bool is_tool(std::string_view);
}
namespace in_thought_filter {
extern ThoughtFilter::Listener& listener;
}
namespace in_protocols {
namespace in_anthropic_cache {
extern std::vector<Message> messages;
extern Features features;
extern wire::json blocks, turns;
}
namespace in_retry_after {
extern models::Headers headers;
}
namespace in_features {
extern std::string refusal;
}
namespace in_lone_surrogates {
extern std::string json;
extern LoneSurrogates halves;
}
namespace in_call_assembler {
extern ChatReply reply;
}
namespace in_fault {
extern models::ResponseHead answer;
extern ProviderHints hints;
}
namespace in_openai_message {
extern wire::json delta;
}
namespace in_text_chunk_scanner {
extern SseEvent event;
void add(std::string_view), take(const wire::json&);
}
namespace in_responses_output {
extern std::int64_t index;
extern std::string id;
extern wire::json whole;
}
}
namespace in_http {
namespace in_address {
extern const Protocol ollama_chat;
}
namespace in_limiter {
extern Limiter limiter;
extern net::Url url;
extern Secret key;
extern std::string model;
extern Clock::Time now;
extern double chance;
}
namespace in_retry_allowance {
extern Clock::Time now;
}
}
namespace in_recording {
namespace in_line_diff {
extern std::string recorded, asked;
std::vector<DiffLine> lines_of(const std::string&);
}
namespace in_recording {
extern ChatModel& real;
}
namespace in_cache {
extern ChatModel& real;
}
namespace in_recording_text {
extern std::ofstream file;
}
namespace in_redactor {
extern Secret token;
}
}
}

namespace in_agents {
namespace in_json_in_text {
extern std::string reply;
}
namespace in_common {
extern const tools::Tool* tool;
namespace in_answer_form {
struct Sales {
    double q1, q2;
};
BOOST_DESCRIBE_STRUCT(Sales, (), (q1, q2))
}
namespace in_ask_for {
using in_answer_form::Sales;
}
namespace in_tool_question {
extern Run<std::remove_const_t<decltype(hello)>> run;
ToolAnswerEvent answer_to(const ToolQuestionEvent&);
}
namespace in_call_operations {
extern ChatRequest request;
extern OnDelta on_delta;
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
namespace in_dialects::in_json_action {
bool is_tool(std::string_view);
}
namespace in_fit_prompt {
extern PromptInput now;
}
}
namespace in_native {
extern ToolAgentOptions options;
}
namespace in_reflect {
extern ReflectOptions options;
}
}

namespace in_view {
extern Run<std::remove_const_t<decltype(react)>> run;
void write(std::string_view);
}
}
