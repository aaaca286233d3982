#include "workflows/driver/models.hpp"
#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "steps/llm/providers.hpp"
#include "steps/llm/scripted.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/scripts.hpp"
#include <algorithm>

namespace weft::driver {
namespace {
constexpr const char* default_openai_model = "openai:gpt-4o-mini";

llm::Script find_script(const std::string& name) {
    return name.find('/') == name.npos ? workflows::bundled_script(name) : llm::Script::from_file(name);
}
std::unique_ptr<llm::ChatModel> make(const std::string& text, const AgentOptions& options,
                                     const llm::Settings& settings) {
    const auto name = llm::parse_model_name(text);
    if (name.provider == llm::Provider::script) return std::make_unique<llm::ScriptedModel>(find_script(name.model));
    llm::ModelOptions model;
    if (!options.base_url.empty()) model.base_url = options.base_url;
    model.stream = !options.whole_replies;
    return llm::make_model(name, settings, std::move(model));
}
/// The one that was used last and can chat: Ollama lists them in this order.
std::optional<std::string> pick(const std::vector<std::string>& models) {
    const auto chats = [](const std::string& name) {
        for (const auto* part : {"embed", "minilm", "bge-", "rerank"})
            if (name.find(part) != name.npos) return false;
        return true;
    };
    const auto found = std::find_if(models.begin(), models.end(), chats);
    return found == models.end() ? std::nullopt : std::optional(*found);
}
net::Url find_ollama(const llm::Settings& settings) {
    try {
        return llm::ollama_address(settings);
    } catch (const Error& error) { throw Error(error.code(), std::string("OLLAMA_HOST: ") + error.what()); }
}
/// A script says whom it is for. To anyone else its replies are nonsense.
void refuse_other_use(const llm::Script& script, std::string_view workflow, const std::string& dialect) {
    const bool other = !script.workflow.empty() && script.workflow != workflow;
    const bool odd = !other && workflow == "react" && !script.dialect.empty() && script.dialect != dialect;
    if (other || odd)
        throw Error(Code::usage, "the script " + script.name + " is for " + script.workflow +
                                     (script.workflow == "react" ? " --dialect " + script.dialect : "") + ", not for " +
                                     std::string(workflow) + (odd ? " --dialect " + dialect : ""));
}
std::string words(std::string_view text) {  // blanks do not count
    std::string out;
    for (const char c : text) {
        if (c != ' ' && c != '\t') out += c;
        else if (!out.empty() && out.back() != ' ') out += ' ';
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}
}

Models::Models(const AgentOptions& options, Engine& engine) : dialect_(options.dialect), parallel_(options.parallel) {
    choose(options, engine);
}

void Models::choose(const AgentOptions& options, Engine& engine) {
    const auto settings = llm::Settings::of_process();
    if (!settings.oddities().empty()) note(settings.oddities());
    if (const auto name = options.model.empty() ? settings.get("WEFT_MODEL") : options.model) {
        chosen_ = make(*name, options, settings);
        return;
    }
    if (!options.base_url.empty())
        throw Error(Code::usage, "--base-url needs to know which model to ask there: add --model "
                                 "PROVIDER:NAME, for example openai:NAME or ollama:NAME");
    if (settings.get("OPENAI_API_KEY")) {
        chosen_ = make(default_openai_model, options, settings);
        return note("a key of OpenAI is set, so " + chosen_->name() + " answers; --model takes another one");
    }
    auto asking = llm::ollama_models(find_ollama(settings));
    const auto there = engine.wait(std::move(asking));
    const auto picked = there ? pick(*there) : std::nullopt;
    if (!picked) return;
    chosen_ = make("ollama:" + *picked, options, settings);
    note("Ollama is there, so " + chosen_->name() + " answers; --model takes another one");
}

llm::ChatModel& Models::answering(std::string_view question, std::string_view workflow) {
    if (chosen_) {
        if (const auto* scripted = dynamic_cast<const llm::ScriptedModel*>(chosen_.get()))
            refuse_other_use(scripted->script(), workflow, dialect_);
        return *chosen_;
    }
    const auto fits = [&](const llm::Script& script) {
        return !parallel_ && script.workflow == workflow && (workflow != "react" || script.dialect == dialect_) &&
               words(script.question) == words(question);
    };
    for (const auto& script : workflows::bundled_scripts()) {
        if (!fits(script)) continue;
        if (samples_.empty())
            note("no model was found, so the bundled script " + script.name +
                 " plays one; the tools and what they observe are real");
        for (const auto& sample : samples_)
            if (sample->script().name == script.name) return *sample;
        return *samples_.emplace_back(std::make_unique<llm::ScriptedModel>(script));
    }
    throw Error(Code::configuration,
                "there is no model to answer this: set OPENAI_API_KEY, or start Ollama and pull a model (ollama pull "
                "llama3.2), or give one with --model; without one only the questions that `weft scripts` lists are "
                "answered, each by the workflow and in the dialect that stand there");
}
}
