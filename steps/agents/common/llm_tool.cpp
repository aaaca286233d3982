// A cut reply gets a mark, because the asking model would take it for the whole.
#include "steps/agents/common/llm_tool.hpp"
#include "engine/text/text.hpp"
#include "steps/agents/common/answer.hpp"
#include <nlohmann/json.hpp>

namespace weft::agents {
namespace {
constexpr auto words = "Do what you are asked, from what you know. Say it plainly and briefly.";

awaitable<std::string> ask(models::ChatModel& model, models::Sampling sampling, std::string input,
                           ModelContext* asker) {
    if (is_blank(input)) throw tools::ToolError("the input is empty: say what is asked");
    models::ChatRequest request;
    request.messages.push_back(models::instruction(words));
    request.messages.push_back(models::user(std::move(input)));
    request.sampling = sampling;
    models::ChatReply reply;
    if (asker) reply = co_await asker->ask(model, std::move(request));
    else reply = co_await model.chat(request);
    if (reply.finish == models::FinishReason::refused) throw tools::ToolError("the model refuses to reply to this");
    if (const auto lack = lack_of(reply); !lack.empty()) throw tools::ToolError("the model gave no answer: " + lack);
    if (reply.finish == models::FinishReason::length) reply.text += "\n[cut off: longer than the model may write]";
    co_return std::move(reply.text);
}

class LlmTool final : public tools::ContextTool {
public:
    LlmTool(models::ChatModel& model, const models::Sampling& sampling) : model_(model), sampling_(sampling) {}
    const std::string& name() const override { return name_; }
    const std::string& description() const override { return description_; }
    const nlohmann::json& schema() const override { return schema_; }
    using ContextTool::call;
    awaitable<tools::Observation> call(const nlohmann::json& arguments, tools::ToolContext& context) override {
        auto input = arguments.at("input").get<std::string>();
        tools::Observation observation;
        observation.text = co_await ask(model_, sampling_, std::move(input), dynamic_cast<ModelContext*>(&context));
        co_return observation;
    }

private:
    models::ChatModel& model_;
    const models::Sampling sampling_;
    const std::string name_ = "llm_tool";
    const std::string description_ =
        "Answers any input from a language model's general knowledge. For what no other tool can do, and for simple "
        "questions.";
    const nlohmann::json schema_ = {
        {"type", "object"}, {"properties", {{"input", {{"type", "string"}}}}}, {"required", {"input"}}};
};
}

std::shared_ptr<tools::Tool> llm_tool(models::ChatModel& model, models::Sampling sampling) {
    return std::make_shared<LlmTool>(model, sampling);
}
}
