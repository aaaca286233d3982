// Which model answers: --model, else WEFT_MODEL, else a service whose key is set, else an Ollama on this machine, else
// the bundled scripts, which answer their sample questions only.
//
//     Models models(options, engine, note);
//     auto& model = models.answering("How did sales vary?", "react");      // or throws Error{configuration}
// A choice that no option made is reported in one line, once; so are lines of `.env` that cannot be read.
#pragma once
#include "steps/models/script/scripted.hpp"
#include "steps/models/settings.hpp"
#include "workflows/catalog/options.hpp"
#include <memory>

namespace weft {
class Engine;
}
namespace weft::catalog {
class Models {
public:
    /// The options outlive it.
    Models(const AgentOptions&, Engine&, Note);
    /// The same choice again, with scripts and recordings that begin anew. Says nothing.
    Models(const AgentOptions&, const Models&);
    /// Whether one object serves any number of runs at once: neither a script nor a recording does.
    bool serves_many() const;
    models::ChatModel& answering(std::string_view question, std::string_view workflow);
    /// As --model takes it: of the model that was given out last. Empty before that.
    const std::string& name() const { return name_; }

private:
    void choose(Engine&);
    std::shared_ptr<models::ChatModel> make(const std::string& name, bool first);
    std::shared_ptr<models::ChatModel> with_others(const std::string& name);
    const AgentOptions& options_;
    const Note note_;
    const models::Settings settings_;
    std::vector<const models::ScriptedModel*> scripted_;  // among those that answer
    std::shared_ptr<models::ChatModel> chosen_;
    std::string name_;
    std::string asked_for_;  // the name that was chosen; empty: the bundled scripts
    std::vector<std::unique_ptr<models::ScriptedModel>> samples_;  // of questions that had no other model
};
}
