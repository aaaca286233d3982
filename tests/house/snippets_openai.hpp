// Declares the names that snippets of workflows/server/openai_*.hpp use.
#pragma once
#include "workflows/catalog/run_resources.hpp"
#include "workflows/server/openai/answer.hpp"
#include "workflows/server/openai/chat.hpp"
#include "workflows/server/openai/json.hpp"
#include "workflows/server/openai/options.hpp"
#include "workflows/server/openai/request.hpp"
#include "workflows/server/openai/responses.hpp"

namespace given::in_server {
using namespace weft;
using namespace weft::server;
extern const std::vector<OpenaiModel> models;
extern const OpenaiModel& model;
extern OpenaiRequest request;
extern OpenaiHead head;
extern models::Usage usage;
extern nlohmann::json body;
extern const std::string text;
namespace in_answer {
extern JsonRun run;
extern ChatStream stream;
extern std::string out;
}
namespace in_json {
extern std::string out;
std::string event_of(std::string_view);
}
namespace in_models {
extern std::int64_t created;
}
namespace in_options {
extern const OpenaiFields fields;
}
namespace in_reply {
extern std::string run_id;
extern std::int64_t seconds;
}
namespace in_request {
extern const catalog::CatalogEntry& entry;
extern catalog::RunResources here;
extern RunOptions options;
}
}
