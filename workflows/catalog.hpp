// The workflows that the driver knows, by name, with everything in JSON.
//
//     const auto& entry = find_workflow("hello");                      // throws Error{usage} that lists what there is
//     auto run = entry.run(here, {{"text", "World"}}, {});
//     auto greeting = here.engine().wait(run->result());               // {"text": "Hello, World!"}
//
// A workflow is added by one line in workflows/catalog.cpp.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/reducer.hpp"
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace weft {
class AnyEvent;
struct Graph;
struct RunOptions;
namespace driver {
class Setup;
}
}
namespace weft::workflows {
struct Message {
    std::string_view event;
    nlohmann::json schema;
};
struct Question {
    Message asks;
    std::vector<Message> answers;  // any of these
};

class JsonRun {
public:
    virtual ~JsonRun() = default;
    virtual awaitable<std::optional<AnyEvent>> next_event() const = 0;
    virtual awaitable<nlohmann::json> result() const = 0;
    virtual void cancel() = 0;
    /// What the event asks, if it is a question of this workflow's own.
    virtual std::optional<nlohmann::json> read_question(const AnyEvent&) const = 0;
    /// Throws Error{bad_json} for data that does not make such an event.
    virtual void answer(QuestionId, std::string_view event, const nlohmann::json& data) = 0;
};

struct Entry {
    std::string_view name, description;
    bool has_model = false, has_database = false;  // whether its steps use what the surroundings have
    Graph (*graph)();
    Message (*start)();
    Message (*stop)();
    std::vector<Question> (*questions)();
    /// Throws Error{bad_json} for an input that does not make a start event.
    std::unique_ptr<JsonRun> (*run)(driver::Setup&, const nlohmann::json& input, const RunOptions&);
};
const std::vector<Entry>& catalog();
const Entry& find_workflow(std::string_view name);
}
