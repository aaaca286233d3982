// A store and an Ollama are asked only for words that need them. Names from there are untrusted: those with control
// characters are left out, because no shell can show or insert them well.
#include "workflows/driver/completion_values.hpp"
#include "engine/engine.hpp"
#include "engine/graph.hpp"
#include "engine/store/sqlite/glance.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/http/providers.hpp"
#include "steps/models/protocols/protocol.hpp"
#include "steps/models/settings.hpp"
#include "steps/view/neutralise.hpp"
#include "tools/registry.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/dialects.hpp"
#include "workflows/catalog/open_store.hpp"
#include "workflows/catalog/process_resources.hpp"
#include "workflows/catalog/scripts.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include "workflows/driver/terminal/console.hpp"
#include <algorithm>
#include <cstdlib>

namespace weft::driver {
namespace {
using Values = std::vector<CompletedValue>;
constexpr std::size_t most_runs = 200;

template <class Names> Values named(const Names& names) {
    Values values;
    for (const auto& name : names) values.push_back({std::string(name), ""});
    return values;
}
Values workflows() {
    Values values;
    for (const auto& entry : catalog::entries())
        values.push_back({std::string(entry.name), std::string(entry.description)});
    return values;
}
Values tool_names() {
    catalog::AgentOptions options;
    for (const auto& option : tools::tool_options) options.*option.text = "example.org";  // tools that need a text
    const catalog::ProcessResources process(options, [](std::string_view) {});
    Values values;
    for (const auto& tool : process.tools().all()) values.push_back({tool->name(), tool->description()});
    return values;
}
Values commands(const Program& program) {
    Values values;
    for (const auto& command : program.commands) values.push_back({command.name, command.about});
    return values;
}
Values answers_of_questions() {
    Values values;
    for (const auto& entry : catalog::entries())
        for (const auto& question : questions(entry.outline()))
            for (const auto* answer : question.answers)
                if (std::ranges::find(values, answer->name, &CompletedValue::value) == values.end())
                    values.push_back({std::string(answer->name), "an answer in " + std::string(entry.name)});
    return values;
}
Values runs(const std::string& beginning, std::string store) {
    if (store.empty()) store = models::Settings::of_process().get("WEFT_STORE").value_or("");
    if (store.empty() || !catalog::is_store_file(store)) return {};
    const char* home = std::getenv("HOME");
    if (store.starts_with("~/") && home) store.replace(0, 1, home);
    Values values;
    for (auto& run : storage::glance(store, beginning, most_runs))
        values.push_back({std::move(run.id), run.workflow + ", " + run.status});
    return values;
}
Values ollama_names() {
    Engine engine;
    auto asking = models::ollama_models(models::ollama_address(models::Settings::of_process()), completion_limit() / 8);
    Values values;
    for (auto& name : engine.wait(std::move(asking)).value_or(std::vector<std::string>()))
        values.push_back({"ollama:" + name, ""});
    return values;
}
Values model_names(const std::string& beginning) {
    if (beginning.starts_with("ollama:")) return ollama_names();
    Values values;
    for (const auto* protocol : models::protocols()) {
        const auto prefix = std::string(protocol->name) + ':';
        if (protocol->usual_model) values.push_back({prefix + protocol->usual_model, protocol->about});
        else values.push_back({prefix, protocol->about});
    }
    values.push_back({"replay:", "a recording that --record has made"});
    if (!beginning.starts_with("script:")) values.push_back({"script:", "a bundled script, or a file"});
    else
        for (const auto& script : catalog::bundled_scripts())
            values.push_back({"script:" + script.name, script.question});
    return values;
}

/// One line that fits beside its value.
std::string about_in_short(const std::string& about) { return excerpt(in_one_line(about), 100); }
/// Without control characters, and not to be taken for an option.
bool is_offered(const std::string& value) {
    return !value.empty() && value[0] != '-' && is_utf8(value) && view::neutralise(value) == value &&
           value.find_first_of("\t\n") == value.npos;
}
void add(CompletedWord& word, const Values& values, const std::string& before, const std::string& beginning) {
    for (const auto& [value, about] : values)
        if (value.starts_with(beginning) && is_offered(value))
            word.values.push_back({before + value, about_in_short(about)});
}
/// The last name of a list; names that stand before it are not offered again.
void add_to_list(CompletedWord& word, Values values, const std::string& list) {
    const auto at = list.rfind(',') + 1;  // 0 without a comma
    for (const auto& name : split_names(list.substr(0, at)))
        std::erase_if(values, [&](const CompletedValue& value) { return value.value == name; });
    add(word, values, list.substr(0, at), list.substr(at));
}
void add_file(CompletedWord& word, std::string_view before, CompletedWord::Files files = CompletedWord::Files::any) {
    word.files = files;
    word.before_file = before;
}
}

void add_values(CompletedWord& word, std::string_view kind, const std::string& beginning, const CompletedLine& line) {
    const auto offer = [&](const Values& values) { add(word, values, "", beginning); };
    if (kind == "FILE" || kind == "FILE|URL" || kind == "SERVER") add_file(word, "");
    else if (kind == "FOLDER") add_file(word, "", CompletedWord::Files::folders);
    else if (kind.ends_with("|@FILE")) {
        if (beginning.starts_with('@')) add_file(word, "@");
        else offer({{"@", "the name of a file follows"}});
    } else if (kind == "MODEL") {
        if (beginning.starts_with("replay:")) return add_file(word, "replay:");
        if (beginning.starts_with("script:") && beginning.find('/') != beginning.npos) add_file(word, "script:");
        offer(model_names(beginning));
    } else if (kind == "RUN") offer(runs(beginning, line.store));
    else if (kind == "WORKFLOW") offer(workflows());
    else if (kind == "WORKFLOWS") add_to_list(word, workflows(), beginning);
    else if (kind == "TOOL") offer(tool_names());
    else if (kind == "TOOLS") add_to_list(word, tool_names(), beginning);
    else if (kind == "COMMAND") offer(commands(line.program));
    else if (kind == "EVENT") offer(answers_of_questions());
    else if (kind == "STATUS") offer(named(catalog::status_words()));
    else if (kind == "DIALECT") offer(named(catalog::dialect_names()));
    else if (kind == "ACTION") offer(named(std::to_array({"add", "list", "show", "pause", "resume", "run", "remove"})));
    else if (kind == "WHICH") offer(named(std::to_array({"none", "last", "all"})));
    else if (kind == "HOW") offer(named(std::to_array({"skip", "wait", "allow", "cancel"})));
    else if (kind == "AGENT") offer(named(std::to_array({"react", "reflect"})));
    else if (kind == "MODE") offer(named(std::to_array({"ask", "auto", "never"})));
    else if (kind == "FORMAT") offer(named(std::to_array({"mermaid", "dot", "json"})));
    else if (kind == "SHELL") offer(named(std::to_array({"bash", "zsh", "fish"})));
}
}
