// The context records the start of calls; the tool only asks it to.
#include "tools/at_most_once.hpp"
#include "tools/tool_context.hpp"
#include "tools/wrapper.hpp"

namespace weft::tools {
namespace {
constexpr auto unknown_outcome =
    "Error: this call was interrupted after it had begun, and its result is lost. It may or may not have taken effect, "
    "and it was not repeated. Find out what has happened before you ask for the same again.";

class AtMostOnce final : public ToolWrapper {
public:
    AtMostOnce(std::shared_ptr<Tool> tool, std::function<bool(const nlohmann::json&)> rule)
        : ToolWrapper(std::move(tool)), rule_(std::move(rule)) {}
    awaitable<Observation> call(const nlohmann::json& arguments, ToolContext& context) override {
        return !rule_ || rule_(arguments) ? run_at_most_once(context, run(arguments, context))
                                          : run(arguments, context);
    }

private:
    // A coroutine begins when it is awaited; the tool's own function may begin immediately.
    awaitable<Observation> run(const nlohmann::json& arguments, ToolContext& context) {
        co_return co_await ToolWrapper::call(arguments, context);
    }
    const std::function<bool(const nlohmann::json&)> rule_;  // empty: every call
};
}

awaitable<Observation> run_at_most_once(ToolContext& context, awaitable<Observation> work) {
    auto observation = co_await context.at_most_once(std::move(work));
    if (observation) co_return std::move(*observation);
    Observation unknown;
    unknown.text = unknown_outcome;
    unknown.ok = false;
    co_return unknown;
}
std::shared_ptr<Tool> at_most_once(std::shared_ptr<Tool> tool, std::function<bool(const nlohmann::json&)> rule) {
    return std::make_shared<AtMostOnce>(std::move(tool), std::move(rule));
}
}
