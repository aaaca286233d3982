// A model that no option names is reported in one line, once. A key that is set has precedence over a running Ollama.
#include "workflows/catalog/models.hpp"
#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "steps/models/fallback.hpp"
#include "steps/models/http/address.hpp"
#include "steps/models/http/providers.hpp"
#include "steps/models/protocols/ollama.hpp"
#include "steps/models/recording/cache.hpp"
#include "steps/models/recording/recording.hpp"
#include "steps/models/script/scripted.hpp"
#include "workflows/catalog/scripts.hpp"
#include <algorithm>
#include <filesystem>

namespace weft::catalog {
namespace {
std::string keys_of_services() {
    std::vector<std::string> keys;
    for (const auto* protocol : models::protocols())
        if (protocol->service) keys.push_back(protocol->keys[0]);
    return models::one_of(keys);
}
/// The most recently used model that can chat: Ollama lists models in this order.
std::optional<std::string> pick(const std::vector<std::string>& models) {
    const auto chats = [](const std::string& name) {
        for (const auto* part : {"embed", "minilm", "bge-", "rerank"})
            if (name.find(part) != name.npos) return false;
        return true;
    };
    const auto found = std::find_if(models.begin(), models.end(), chats);
    return found == models.end() ? std::nullopt : std::optional(*found);
}
/// Refuses to overwrite a recording, for example when a command is repeated.
void refuse_to_replace(const std::string& recording) {
    std::error_code error;
    const auto size = std::filesystem::file_size(recording, error);
    if (!error && size > 0)
        throw Error(Code::configuration,
                    "--record: the file " + recording + " exists: give another name, or remove it");
}
net::Url find_ollama(const models::Settings& settings) {
    try {
        return models::ollama_address(settings);
    } catch (const Error& error) {
        throw Error(error.code(), std::string(models::ollama_chat.base_variable) + ": " + error.what());
    }
}
/// Refuses a script for another workflow or dialect: its replies would not fit.
void refuse_other_use(const models::Script& script, std::string_view workflow, const std::string& dialect) {
    const bool other = !script.workflow.empty() && script.workflow != workflow;
    const bool odd = !other && workflow == "react" && !script.dialect.empty() && script.dialect != dialect;
    if (!other && !odd) return;
    const auto use = script.workflow.empty() ? std::string(workflow) : script.workflow;
    const auto its_dialect = use == "react" && !script.dialect.empty() ? " --dialect " + script.dialect : "";
    throw Error(Code::usage, "the script " + script.name + " is for " + use + its_dialect + ", not for " +
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

Models::Models(const AgentOptions& options, Engine& engine, OnChoice note, std::shared_ptr<models::ModelQuota> quota)
    : options_(options), note_(std::move(note)), settings_(models::Settings::of_process()), quota_(std::move(quota)) {
    choose(engine);
}

Models::Models(const AgentOptions& options, const Models& other)
    : options_(options),
      note_([](std::string_view) {}),
      settings_(models::Settings::of_process()),
      quota_(other.quota_) {
    if (!other.asked_for_.empty()) chosen_ = with_others(other.asked_for_);
}
bool Models::serves_many() const {
    const auto is_file = [](const std::string& name) { return models::parse_model_name(name).is_file(); };
    return chosen_ && !is_file(asked_for_) && std::ranges::none_of(options_.fallbacks, is_file);
}

std::shared_ptr<models::ChatModel> Models::make(const std::string& text, bool first) {
    const auto name = models::parse_model_name(text);
    if (first && name.is_file() && !options_.base_url.empty())
        throw Error(Code::usage, "--base-url is for a server, and " + text + " is a file: leave it out");
    if (name.file == models::ModelFile::script) {
        auto model = std::make_shared<models::ScriptedModel>(find_script(name.model));
        scripted_.push_back(model.get());
        return model;
    }
    if (name.file == models::ModelFile::replay) {
        if (!options_.record_file.empty())
            throw Error(Code::usage,
                        "--record writes replies of a model, and replay: reads recorded ones: leave one out");
        if (!options_.cache_file.empty())
            throw Error(Code::usage,
                        "--cache keeps replies of a model, and replay: reads recorded ones: leave one out");
        auto model = models::ReplayModel::from_file(name.model, models::known_keys(settings_));
        if (!model->note().empty()) note_(model->note());
        return model;
    }
    models::ModelOptions model;
    if (first && !options_.base_url.empty()) {
        models::check_base(options_.base_url, "--base-url");
        model.base_url = options_.base_url;
    }
    model.stream = !options_.whole_replies;
    model.prompt_cache = !options_.no_prompt_cache;
    model.quota = quota_;
    return models::make_model(name, settings_, std::move(model));
}
/// The model and its fallbacks, each with its cache, behind one recorder: a recording has all replies that a replay
/// needs.
std::shared_ptr<models::ChatModel> Models::with_others(const std::string& name) {
    std::vector<std::shared_ptr<models::ChatModel>> all{make(name, true)};
    for (const auto& other : options_.fallbacks) all.push_back(make(other, false));
    asked_for_ = name;
    name_ = models::parse_model_name(name).text();
    if (!options_.cache_file.empty()) {
        auto cache = std::make_shared<models::CachedModel>(all[0], options_.cache_file, models::known_keys(settings_));
        for (std::size_t i = 1; i < all.size(); ++i) all[i] = std::make_shared<models::CachedModel>(all[i], *cache);
        all[0] = std::move(cache);
    }
    auto model = all[0];
    if (all.size() > 1) model = std::make_shared<models::FallbackModel>(std::move(all));
    if (!options_.record_file.empty()) refuse_to_replace(options_.record_file);
    if (!options_.record_file.empty())
        model = std::make_shared<models::RecordingModel>(std::move(model), options_.record_file,
                                                         models::known_keys(settings_));
    return model;
}
void Models::choose(Engine& engine) {
    for (const auto* sentence : {&settings_.oddities(), &settings_.exposure()})
        if (!sentence->empty()) note_(*sentence);
    if (const auto name = options_.model.empty() ? settings_.get("WEFT_MODEL") : options_.model) {
        chosen_ = with_others(*name);
        return;
    }
    if (!options_.base_url.empty())
        throw Error(Code::usage, "--base-url needs the name of a model: add --model openai:NAME or "
                                 "--model ollama:NAME");
    for (const auto* protocol : models::protocols())
        if (protocol->service && settings_.get(protocol->keys[0])) {
            chosen_ = with_others(models::ModelName{.protocol = protocol, .model = protocol->usual_model}.text());
            return note_(std::string("a key of ") + protocol->service + " is set, so " + chosen_->name() +
                         " answers; --model takes another one");
        }
    auto asking = models::ollama_models(find_ollama(settings_));
    const auto there = engine.wait(std::move(asking));
    const auto picked = there ? pick(*there) : std::nullopt;
    ollama_runs_ = there.has_value();
    if (picked) {
        chosen_ = with_others("ollama:" + *picked);
        return note_("Ollama is running, so " + chosen_->name() + " answers; --model takes another one");
    }
    if (!options_.fallbacks.empty() || !options_.record_file.empty() || !options_.cache_file.empty())
        throw Error(Code::configuration, "no model was found for --record, --cache or --fallback: add "
                                         "--model");
}

models::ChatModel& Models::answering(std::string_view question, std::string_view workflow) {
    if (chosen_) {
        for (const auto* scripted : scripted_) refuse_other_use(scripted->script(), workflow, options_.dialect);
        return *chosen_;
    }
    for (const auto& script : bundled_scripts()) {
        if (!fits(script, workflow) || words(script.question) != words(question)) continue;
        if (samples_.empty())
            note_("no model was found, so the bundled script " + script.name +
                  " replaces it; the tools and their results are real; for a model: " + models::one_of(ways()));
        name_ = "script:" + script.name;
        for (const auto& sample : samples_)
            if (sample->script().name == script.name) return *sample;
        return *samples_.emplace_back(std::make_unique<models::ScriptedModel>(script));
    }
    std::string sentence = "there is no model to answer this: " + models::one_of(ways());
    const auto quoted = [](const std::string& question) { return '"' + question + '"'; };
    if (const auto asked = sample_questions(workflow); !asked.empty())
        sentence += "; without a model, weft answers only " + with_commas(asked, quoted);
    throw Error(Code::configuration, sentence);
}
bool Models::fits(const models::Script& script, std::string_view workflow) const {
    return options_.uses_scripts && !options_.parallel && script.workflow == workflow &&
           (workflow != "react" || script.dialect == options_.dialect);
}
std::vector<std::string> Models::sample_questions(std::string_view workflow) const {
    std::vector<std::string> all;
    for (const auto& script : bundled_scripts())
        if (fits(script, workflow) && std::ranges::find(all, script.question) == all.end())
            all.push_back(script.question);
    return all;
}
std::vector<std::string> Models::ways() const {
    std::vector<std::string> all{"set " + keys_of_services(),
                                 ollama_runs_ ? "load a model into Ollama (ollama pull llama3.2)"
                                              : "start Ollama and load a model (ollama pull llama3.2)",
                                 "name a model by --model"};
    if (options_.uses_scripts) all.push_back("run a scripted example (`weft scripts` lists them)");
    return all;
}
}
