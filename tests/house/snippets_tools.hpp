// Declares the names that snippets of the headers in tools/ and workflows/ use, for tests/house/snippets.hpp.
#pragma once

namespace given {
namespace in_tools {
using namespace weft::tools;
double add(double, double), weather(double);
extern std::string name;
struct Letter {
    std::string to;
};
BOOST_DESCRIBE_STRUCT(Letter, (), (to))
std::string send_mail(const Letter&), pay(double amount, const std::string&to);
std::string shell(const std::string& command);
namespace in_question {
extern tools::ToolContext& context;
void use(const std::string&);
}
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
namespace in_catalog {
using namespace weft::catalog;
extern RunResources here;
extern const ProcessResources process;
using storage::RunRow;
extern Store& store;
extern const RunRow row;
extern nlohmann::json data;
extern std::vector<std::string> ids;
extern std::ostream& out;
void note(std::string_view);
namespace in_mcp_servers {
extern tools::Registry registry;
}
namespace in_unknown_fields {
extern const Definition& definition;
extern nlohmann::json input;
}
namespace in_stored_run_options {
extern RunOptions run_options;
extern AgentOptions options;
}
namespace in_models {
extern AgentOptions options;
}
namespace in_agent_settings {
extern AgentOptions options;
}
namespace in_process_resources {
extern AgentOptions options;
extern TopicEvent topic;
}
namespace in_queue_view {
extern storage::Survey survey;
extern std::string file;
void use(std::uint64_t, std::optional<double>);
void write(const std::string& file, const std::string& text);
}
namespace in_worker_info {
extern storage::WorkerRow row;
}
}
namespace in_worker {
using weft::worker::catalog_offers, weft::worker::MetricsFile, weft::worker::Worker;
void note(std::string_view);
namespace in_catalog_offers {
extern Worker worker;
extern const catalog::ProcessResources process;
}
namespace in_metrics_file {
extern telemetry::Metrics metrics;
}
namespace in_worker {
extern catalog::AgentOptions options;
}
}
namespace in_driver {
namespace in_progress_indicator {
extern RunProgressEvent progress;
}
using namespace weft::driver;
extern catalog::AgentOptions options;
extern catalog::RunResources here;
extern const catalog::ProcessResources process;
extern Interrupts interrupts;
extern RunWatcher watcher;
extern const catalog::CatalogEntry& entry;
extern nlohmann::json input;
namespace in_approval {
std::string next_line(const std::string& prompt, const std::string& begun);
extern InputLines lines;
}
namespace in_listen_options {
extern Choices choices;
}
namespace in_run_watcher {
extern RunOptions options;
extern JsonRun run;
extern InputLines lines;
extern QuestionId question;
}
namespace in_follow {
extern RunOptions options;
void on_event(const AnyEvent&);
}
namespace in_command_line {
extern Program program;
extern int argc;
extern char** argv;
extern ExitCode exit;
}
}
}
