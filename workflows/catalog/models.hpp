// Chooses the model: --model, else WEFT_MODEL, else a service whose key is set, else an Ollama on this machine, else
// the bundled scripts, which answer only their sample questions.
//
//     Models models(options, engine, note);
//     auto& model = models.answering("How did sales vary?", "react");      // or throws Error{configuration}
// Reports once, in one line each, a choice without an option and unreadable lines of `.env`.
#pragma once
#include "steps/models/script/scripted.hpp"
#include "steps/models/settings.hpp"
#include "workflows/catalog/options.hpp"
#include <memory>

namespace weft {
class Engine;
namespace models {
class ModelQuota;
}
}
namespace weft::catalog {
class Models {
public:
    /// The options must outlive it.
    Models(const AgentOptions&, Engine&, OnChoice, std::shared_ptr<models::ModelQuota> = {});
    /// Returns the same choice, with scripts and recordings from their start. Reports nothing.
    Models(const AgentOptions&, const Models&);
    /// True if one object serves concurrent runs: scripts and recordings do not.
    bool serves_many() const;
    models::ChatModel& answering(std::string_view question, std::string_view workflow);
    /// False if only the bundled scripts can answer.
    bool found() const { return chosen_ != nullptr; }
    /// The questions that the bundled scripts answer in place of a model, each once.
    std::vector<std::string> sample_questions(std::string_view workflow) const;
    /// The ways to get a model: Ollama, a key, or a script to look at.
    std::vector<std::string> ways() const;
    /// The last returned model in the form of --model; empty before the first one.
    const std::string& name() const { return name_; }

private:
    void choose(Engine&);
    bool fits(const models::Script&, std::string_view workflow) const;
    std::shared_ptr<models::ChatModel> make(const std::string& name, bool first);
    std::shared_ptr<models::ChatModel> with_others(const std::string& name);
    const AgentOptions& options_;
    const OnChoice note_;
    const models::Settings settings_;
    const std::shared_ptr<models::ModelQuota> quota_;     // null: no store
    std::vector<const models::ScriptedModel*> scripted_;  // the scripted models among the chosen ones
    std::shared_ptr<models::ChatModel> chosen_;
    std::string name_;
    std::string asked_for_;                                        // the chosen name; empty: the bundled scripts
    bool ollama_runs_ = false;                                     // without a model that can chat
    std::vector<std::unique_ptr<models::ScriptedModel>> samples_;  // for questions without another model
};
}
