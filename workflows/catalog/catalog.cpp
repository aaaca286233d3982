// The table of workflows: a new one is a line here.
#include "workflows/catalog/catalog.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "tools/registry.hpp"
#include "tools/sql/database.hpp"
#include "workflows/catalog/entry.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/hello.hpp"
#include "workflows/plain_answer.hpp"
#include "workflows/react.hpp"
#include "workflows/reflect.hpp"
#include "workflows/refund.hpp"
#include "workflows/research.hpp"
#include "workflows/tool_agent.hpp"

namespace weft::catalog {
namespace {
using namespace workflows;
using detail::make_entry;

auto bind_react(RunResources& here, const agents::UserMessageEvent& question) {
    const auto agent = here.agent(question.text);
    return react.with(agent.model, agent.dialect, here.memory(), agent.tools, here.react_options());
}
// Errors in the options are reported before a model is chosen.
auto bind_reflect(RunResources& here, const agents::UserMessageEvent& question) {
    auto& tools = here.process().tools();
    auto& options = here.reflect_options();
    return reflect.with(here.model(question.text, "reflect"), here.memory(), tools, options);
}
auto bind_tool_agent(RunResources& here, const agents::UserMessageEvent& question) {
    auto& tools = here.process().tools();
    auto& options = here.tool_agent_options();
    return tool_agent.with(here.model(question.text, "tool_agent"), here.memory(), tools, options);
}
auto bind_plain(RunResources& here, const agents::UserMessageEvent& question) {
    return plain_answer.with(here.model(question.text, "plain_answer"), here.react_options());
}
const schedule::Schedules& bind_schedule(RunResources& here, const schedule::ScheduleEvent&) {
    return here.process().schedules();
}
std::vector<CatalogEntry> make_entries() {
    return {
        make_entry<hello, [](RunResources&, auto&) { return hello; }>("greets a person by name"),
        make_entry<plain_answer, bind_plain>("a model by itself, to compare an agent with"),
        make_entry<react, bind_react>("an agent that reasons, calls tools and observes, until it can answer"),
        make_entry<reflect, bind_reflect>("an agent that reflects before it acts, and takes hard questions apart"),
        make_entry<tool_agent, bind_tool_agent>("an agent whose model calls tools by itself"),
        make_entry<refund, [](RunResources&, auto&) { return refund; }>(
            "asks a human before a large refund is granted"),
        make_entry<research, [](RunResources& here, auto&) { return research.with(here.process().database()); }>(
            "surveys a database, all tables side by side"),
    };
}
}

const std::vector<CatalogEntry>& entries() {
    static const auto all = make_entries();
    return all;
}
const CatalogEntry& find_workflow(std::string_view name, bool schedules_too) {
    const auto* entry = find_stored_workflow(name);
    if (entry && (schedules_too || entry != &schedule_entry())) return *entry;
    throw Error(Code::usage, "there is no workflow \"" + std::string(name) + "\"; there are " +
                                 with_commas(entries(), &CatalogEntry::name));
}
const CatalogEntry& schedule_entry() {
    static const auto entry = make_entry<schedule::keeping, bind_schedule>("starts runs of a workflow at its times");
    return entry;
}
const CatalogEntry* find_stored_workflow(std::string_view name) {
    for (const auto& entry : entries())
        if (entry.name == name) return &entry;
    return name == schedule_entry().name ? &schedule_entry() : nullptr;
}
}
