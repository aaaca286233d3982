// A user's own model, memory and tool, which the react agent uses like those of weft.
#include "engine/engine.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "tools/tool.hpp"
#include "workflows/react.hpp"
#include <iostream>
#include <nlohmann/json.hpp>
using namespace weft;

// [model]
class RuleModel final : public models::ChatModel {
public:
    std::string name() const override { return "rules"; }
    bool calls_tools() const override { return false; }  // calls are text
    awaitable<models::ChatReply> chat(const models::ChatRequest& request, const models::OnDelta& on_delta) override {
        const std::string& last = request.messages.back().content;
        const auto seen = last.rfind("Observation: ");
        models::ChatReply reply;
        if (seen == last.npos) reply.text = "Thought: I look.\nAction: stock\nAction Input: {\"item\": \"tea\"}";
        else reply.text = "Thought: I know.\nAnswer: There are " + last.substr(seen + 13);
        if (on_delta) on_delta(reply.text);
        co_return reply;
    }
};
// [/model]

// [memory]
class LastOnly final : public agents::Memory {
public:
    std::vector<models::Message> read(std::string_view) override {
        const std::lock_guard lock(mutex_);
        if (last_.question.empty()) return {};
        return {models::user(last_.question), models::assistant(last_.answer)};
    }
    void append(const std::string&, agents::Exchange exchange) override {
        const std::lock_guard lock(mutex_);
        last_ = std::move(exchange);
    }

private:
    std::mutex mutex_;
    agents::Exchange last_;
};
// [/memory]

// [tool]
class Stock final : public tools::Tool {
public:
    const std::string& name() const override { return name_; }
    const std::string& description() const override { return description_; }
    const nlohmann::json& schema() const override { return schema_; }
    awaitable<tools::Observation> call(const nlohmann::json& arguments) override {  // valid by the schema
        if (arguments["item"] != "tea") throw tools::ToolError("only tea is counted");
        co_return tools::Observation{"12 boxes"};
    }

private:
    std::string name_ = "stock", description_ = "How many boxes of an item there are.";
    nlohmann::json schema_ = {
        {"type", "object"}, {"properties", {{"item", {{"type", "string"}}}}}, {"required", {"item"}}};
};
// [/tool]

int main() {
    // [main]
    RuleModel model;
    LastOnly memory;
    tools::Registry tools;
    tools.add(std::make_shared<Stock>());
    agents::ReactOptions options;
    auto agent = workflows::react.with(model, agents::text_dialect, memory, tools, options);
    Engine engine;
    auto run = engine.start(agent, {.text = "How much tea is there?"});
    std::cout << engine.wait(run.result()).response << '\n' << memory.read("").size() << " messages\n";
    // [/main]
}
// prints:
// There are 12 boxes
// 2 messages
