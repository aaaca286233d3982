// Logs a run: one line of JSON per step at level info, whole texts at level debug.
//
//     StepLog log(*logger, run.id(), [&key](std::string_view text) { return key.redact(text); });
//     while (auto event = co_await run.next_event()) log.on(trace.on(*event));
//
//     {"run": "01HX...", "step": 2, "sub_question": 0, "thought": "I add.", "action": "add", "arguments": "{...}",
//      "observation": "3", "ok": true, "seconds": 1.25, "prompt_tokens": 310, "completion_tokens": 25}
// Fields without a value are omitted; an answer, a sub-question, a summary, an error and an event of another workflow
// have their own kinds of lines. At info, texts are cut to 200 bytes. Each entry is one line of ASCII, so no text can
// forge a line. A step is written after its observation, an unfinished one at the end of the run.
//
// LoggedModel writes every request and reply of a model at debug, in full. Neither contains keys; `redact` removes keys
// that a model or server has repeated.
#pragma once
#include "steps/view/entry.hpp"
#include <functional>
#include <map>
#include <span>

namespace spdlog {
class logger;
}
namespace weft::view {
using Redact = std::function<std::string(std::string_view)>;

class StepLog {
public:
    /// The logger must outlive this object.
    StepLog(spdlog::logger&, std::string run, Redact redact = {});
    ~StepLog();
    StepLog(const StepLog&) = delete;
    void on(std::span<const TraceEntry>);

private:
    struct OpenStep {
        TraceEntry thought, action;
        bool thinks = false, acts = false;
    };
    void add(const TraceEntry&);
    void write(const OpenStep&, const TraceEntry* outcome);
    spdlog::logger& logger_;
    const std::string run_;
    const Redact redact_;
    std::map<int, OpenStep> open_;  // indexed by sub-question
};

class LoggedModel final : public models::ChatModel {
public:
    /// Both must outlive this object.
    LoggedModel(models::ChatModel& model, spdlog::logger& logger, Redact redact = {})
        : model_(model), logger_(logger), redact_(std::move(redact)) {}
    using ChatModel::chat;
    std::string name() const override { return model_.name(); }
    bool calls_tools() const override { return model_.calls_tools(); }
    awaitable<models::ChatReply> chat(const models::ChatRequest&, const models::OnDelta&) override;

private:
    models::ChatModel& model_;
    spdlog::logger& logger_;
    const Redact redact_;
};
}
