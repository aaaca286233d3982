// The table of dialects. Two of them see other tools than the user gave: one has llm_tool, one an older name.
#include "workflows/dialects.hpp"
#include "engine/error.hpp"
#include "steps/react/function_dialect.hpp"
#include "steps/react/langchain_dialect.hpp"
#include "steps/react/pause_dialect.hpp"
#include "steps/react/text_dialect.hpp"
#include "tools/alias.hpp"

namespace weft::workflows {
namespace {
using Template = std::optional<std::string>;
using Made = std::unique_ptr<steps::Dialect>;

template <class Labelled> Made make_labelled(const tools::Registry& tools, const Template& text) {
    return text ? std::make_unique<Labelled>(tools, *text) : std::make_unique<Labelled>(tools);
}
Made make_text(const tools::Registry&, const Template& text) {
    return text ? std::make_unique<steps::TextDialect>(*text) : std::make_unique<steps::TextDialect>();
}
Made make_function(const tools::Registry& tools, const Template& text) {
    return std::make_unique<steps::FunctionDialect>(tools, std::vector<steps::Example>(),
                                                    text.value_or(steps::FunctionDialect::usual_template()));
}
struct Known {
    std::string_view name;
    Made (*make)(const tools::Registry&, const Template&);
};
constexpr Known known[] = {{"react", make_text},
                           {"langchain", make_labelled<steps::LangchainDialect>},
                           {"pause", make_labelled<steps::PauseDialect>},
                           {"function-call", make_function}};

const Known& find(std::string_view name) {
    std::string names;
    for (const auto& dialect : known) {
        if (dialect.name == name) return dialect;
        (names += names.empty() ? "" : ", ") += dialect.name;
    }
    throw Error(Code::usage, "there is no dialect \"" + std::string(name) + "\"; there are " + names);
}
}

const std::vector<std::string_view>& dialect_names() {
    static const auto names = [] {
        std::vector<std::string_view> all;
        for (const auto& dialect : known) all.push_back(dialect.name);
        return all;
    }();
    return names;
}
void check_dialect(std::string_view name) { find(name); }
Made make_dialect(std::string_view name, const tools::Registry& tools, const Template& template_text) {
    return find(name).make(tools, template_text);
}
tools::Registry tools_for(std::string_view dialect, const tools::Registry& tools, llm::ChatModel& model,
                          const llm::Sampling& sampling, bool fallback) {
    if (dialect == "function-call") return steps::function_tools(tools, model, sampling, fallback);
    if (dialect == "pause") return tools::with_names(tools, {{"math_calculator", "calculate"}});
    return tools;
}
}
