// Metrics of an engine: an observer counts runs, steps, calls of tools and requests to models, and prints the counts in
// Prometheus's text format. The model is scripted, so the program runs anywhere.
#include "engine/any_event.hpp"
#include "engine/engine.hpp"
#include "engine/observer.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/arithmetic.hpp"
#include "workflows/catalog/scripts.hpp"
#include "workflows/react.hpp"
#include <iostream>
#include <map>
#include <mutex>
using namespace weft;

class Metrics : public Observer {
public:
    void run_ended(const RunInfo& run, RunStatus status) noexcept override {
        add("runs", {{"workflow", run.workflow}, {"end", metric_word(status)}});
    }
    void step_ended(const StepInfo& step, bool failed) noexcept override {
        add("steps", {{"step", step.name}, {"ok", failed ? "no" : "yes"}});
    }
    void event_streamed(const RunInfo&, const AnyEvent& event) noexcept override {
        if (auto* seen = event.get_if<agents::ObservationEvent>())
            add("tool_calls", {{"tool", seen->tool}, {"ok", seen->ok ? "yes" : "no"}});
        if (auto* answer = event.get_if<agents::AnswerEvent>())
            add("model_requests", {{"model", answer->model}}, answer->requests);
    }
    std::string text() const {
        std::lock_guard lock(mutex_);
        std::string text;
        for (auto& [counter, count] : counts_) text += counter + ' ' + std::to_string(count) + '\n';
        return text;
    }

private:
    using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;
    void add(const std::string& metric, Labels labels, int by = 1) {
        std::string counter = "weft_" + metric + "_total";
        for (auto& [label, value] : labels) {
            ((counter += counter.ends_with("_total") ? "{" : ",") += label) += "=\"";
            for (const char c : value)  // a model's call may have any name
                if (c == '\n') counter += "\\n";
                else (c == '"' || c == '\\' ? counter += '\\' : counter) += c;
            counter += '"';
        }
        std::lock_guard lock(mutex_);  // its engine may have several loops
        counts_[counter + '}'] += by;
    }
    mutable std::mutex mutex_;
    std::map<std::string, int> counts_;
};

int main() {
    models::ScriptedModel model(catalog::bundled_script("arithmetic"));
    tools::Registry tools;
    for (auto& tool : tools::arithmetic()) tools.add(tool);
    agents::ReactOptions options;
    auto agent = workflows::react.with(model, agents::text_dialect, agents::no_memory(), tools, options);
    Metrics metrics;
    Engine engine({.observer = &metrics});
    engine.wait(engine.start(agent, {.text = model.script().question}).result());
    std::cout << metrics.text();
}
// prints:
// weft_model_requests_total{model="script:arithmetic"} 4
// weft_runs_total{workflow="react",end="stopped"} 1
// weft_steps_total{step="call_tool",ok="yes"} 3
// weft_steps_total{step="handle_llm_input",ok="yes"} 4
// weft_steps_total{step="new_user_message",ok="yes"} 1
// weft_steps_total{step="observe",ok="yes"} 3
// weft_steps_total{step="prepare_chat_history",ok="yes"} 4
// weft_tool_calls_total{tool="add",ok="yes"} 1
// weft_tool_calls_total{tool="divide",ok="yes"} 1
// weft_tool_calls_total{tool="multiply",ok="yes"} 1
