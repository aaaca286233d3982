// Which model answers: --model, else WEFT_MODEL, else OpenAI if there is a key, else an Ollama on this machine, else
// the bundled scripts, which answer their sample questions only.
//
//     Models models(options, engine);
//     auto& model = models.answering("How did sales vary?", "react");      // throws Error{configuration} if there is
//     none
//
// What was chosen without being asked for is said in one line, once, and so are lines of `.env` that cannot be read.
#pragma once
#include "steps/llm/scripted.hpp"
#include "workflows/driver/options.hpp"
#include <memory>

namespace weft {
class Engine;
}
namespace weft::driver {
class Models {
public:
    Models(const AgentOptions&, Engine&);
    llm::ChatModel& answering(std::string_view question, std::string_view workflow);

private:
    void choose(const AgentOptions&, Engine&);
    const std::string dialect_;  // of the scripts that may answer
    const bool parallel_;        // no script is written for that
    std::unique_ptr<llm::ChatModel> chosen_;
    std::vector<std::unique_ptr<llm::ScriptedModel>> samples_;  // of questions that had no other model
};
}
