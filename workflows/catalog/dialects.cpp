// The table of dialects: a new one is a row here. Two of them change the user's tools: one adds llm_tool, one renames a
// tool to an older name.
#include "workflows/catalog/dialects.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "steps/agents/react/dialects/function_dialect.hpp"
#include "steps/agents/react/dialects/langchain_dialect.hpp"
#include "steps/agents/react/dialects/pause_dialect.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/agents/react/dialects/thinking_dialect.hpp"
#include "tools/alias.hpp"

namespace weft::catalog {
namespace {
using Template = std::optional<std::string>;
using DialectPointer = std::unique_ptr<agents::Dialect>;

template <class Labelled> DialectPointer make_labelled(const tools::Registry& tools, const Template& text) {
    return text ? std::make_unique<Labelled>(tools, *text) : std::make_unique<Labelled>(tools);
}
template <class Plain> DialectPointer make_plain(const tools::Registry&, const Template& text) {
    return text ? std::make_unique<Plain>(*text) : std::make_unique<Plain>();
}
DialectPointer make_function(const tools::Registry& tools, const Template& text) {
    return std::make_unique<agents::FunctionDialect>(tools, std::vector<agents::Example>(),
                                                     text.value_or(agents::FunctionDialect::usual_template()));
}
using Registry = tools::Registry;
using ToolsOf = Registry (*)(const Registry&, models::ChatModel&, const models::Sampling&, bool fallback);
Registry as_given(const Registry& tools, models::ChatModel&, const models::Sampling&, bool) { return tools; }
Registry for_pause(const Registry& tools, models::ChatModel&, const models::Sampling&, bool) {
    return tools::with_names(tools, {{"math_calculator", "calculate"}});
}
struct DialectRow {
    std::string_view name;
    DialectPointer (*make)(const Registry&, const Template&);
    ToolsOf tools = as_given;
    DialectHabits habits = {};
};
constexpr DialectRow known[] = {{"react", make_plain<agents::TextDialect>},
                                {"langchain", make_labelled<agents::LangchainDialect>},
                                {"pause", make_labelled<agents::PauseDialect>, for_pause},
                                {"function-call",
                                 make_function,
                                 agents::function_tools,
                                 {.max_steps = agents::FunctionDialect::usual_steps, .numbers_steps = true}},
                                {"thinking", make_plain<agents::ThinkingDialect>}};

const DialectRow& find(std::string_view name) {
    for (const auto& dialect : known)
        if (dialect.name == name) return dialect;
    throw Error(Code::usage, "there is no dialect \"" + std::string(name) + "\"; there are " +
                                 with_commas(known, &DialectRow::name));
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
DialectPointer make_dialect(std::string_view name, const tools::Registry& tools, const Template& template_text) {
    return find(name).make(tools, template_text);
}
tools::Registry tools_for(std::string_view dialect, const tools::Registry& tools, models::ChatModel& model,
                          const models::Sampling& sampling, bool fallback) {
    return find(dialect).tools(tools, model, sampling, fallback);
}
const DialectHabits& habits_of(std::string_view dialect) { return find(dialect).habits; }
}
