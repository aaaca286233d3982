// Declares the names that snippets of the headers in engine/ use, for tests/house/snippets.hpp.
#pragma once

namespace given {
namespace in_engine {
extern Store& store;
extern const Durable<std::remove_cvref_t<decltype(refund)>> stored;
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
extern const AnyEvent event;
awaitable<int> connect(std::string host);
awaitable<void> serve(asio::ip::tcp::socket&);
awaitable<std::string> ask();
namespace in_all {
struct Weather {};
struct Traffic {};
extern std::string city;
awaitable<Weather> ask_weather(std::string);
awaitable<Traffic> look_at_traffic(std::string);
}
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
namespace in_claim_pauses {
extern storage::ClaimRequest claim;
extern ClaimPauses pauses;
extern Clock& clock;
extern storage::RunRow row;
}
namespace in_context {
struct DeltaEvent {
    std::string text;
};
}
namespace in_durable {
extern const Durable<std::remove_cvref_t<decltype(hello)>> agent;
}
namespace in_hanging_indent {
extern std::string out, name, description;
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
namespace in_json {
struct Placed {
    int count;
} order;
BOOST_DESCRIBE_STRUCT(Placed, (), (count))
}
namespace in_operation {
struct Found {
    int hits;
    std::string text;
};
struct Index {
    std::string name;
    awaitable<Found> find(std::string word);
};
}
namespace in_pool {
extern std::string query;
int read_rows(std::string, std::stop_token);
}
namespace in_trace_context {
extern std::string header;
}
}

namespace in_engine {
extern Code code;
extern std::string name, what_a_server_says;
void refuse(std::string_view name);
void use(std::string_view name);
}
namespace in_json {
namespace in_line {
extern nlohmann::json value;
extern std::string out, stored;
}
namespace in_order {
using namespace json_detail;
extern RefundEvent event;
extern Shape shape;
}
namespace in_shape_of {
using namespace json_detail;
struct Order {
    int count = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (count))
struct OrderEvent {
    int count = 0;
};
}
}

namespace in_durable::in_machine {
using namespace durability;
extern DurableState state;
}
namespace in_core::in_withdrawal {
awaitable<void> ask();
}
namespace in_journal {
using namespace journal;
extern const JournalEntry entry;
extern const storage::History history;
extern const Fits fits;
extern std::int64_t now_us;
template <class T> void use(const T&);
namespace in_format {
extern const TickRecord record;
}
}

namespace in_net {
using net::HttpExchange;
extern ConnectRoute route;
extern Url url;
extern Resolve resolve;
extern AddressCheck check;
extern std::size_t limit, header_limit, body_limit;
void parse(std::string_view);
namespace in_server_connection {
extern std::shared_ptr<HttpServer::State> state;
extern std::string peer;
}
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

namespace in_telemetry {
using namespace telemetry;
extern const OtelVariable variable;
extern std::string text;
extern TracerOptions options;
extern std::vector<std::pair<std::string, std::string>> resource;
void warn(const std::string& sentence);
namespace in_metrics {
double connections();
void answer(int status, std::string_view content_type, const std::string& body);
}
namespace in_observers {
extern Metrics metrics;
extern Tracer tracer;
}
namespace in_tracer {
void serve(Engine&);
}
}
namespace in_engine::in_store_reply {
extern const std::string id;
extern awaitable<void> work;
}
namespace in_schedule {
extern Store& store;
extern const Durable<std::remove_cvref_t<decltype(refund)>> stored;
extern schedule::ScheduledRuns& runs;
extern schedule::ScheduleEvent nightly;
}
}
