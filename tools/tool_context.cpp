// What a tool tells is checked here, so that whoever passes it on need not.
#include "tools/tool_context.hpp"
#include "engine/utf8.hpp"
#include <cmath>
#include <nlohmann/json.hpp>

namespace weft::tools {
namespace {
constexpr std::size_t most_told = 500;  // bytes
std::optional<double> told_number(double number) {
    return std::isfinite(number) && number >= 0 ? std::optional(number) : std::nullopt;
}
}
void ToolContext::progress(double done, double total, std::string note) {
    const auto all = told_number(total);
    Told told{told_number(done), all && *all > 0 ? all : std::nullopt, excerpt(note, most_told)};
    if (told.done || !told.text.empty()) tell(std::move(told));
}
void ToolContext::note(std::string text) {
    Told told{{}, {}, excerpt(text, most_told)};
    if (!told.text.empty()) tell(std::move(told));
}
nlohmann::json ToolContext::values() const { return nlohmann::json::object(); }
awaitable<std::optional<Observation>> ToolContext::at_most_once(awaitable<Observation> work) {
    std::optional<Observation> observation = co_await std::move(work);
    co_return observation;
}
awaitable<ToolAnswer> ToolContext::ask(ToolQuestion) {
    ToolAnswer nobody;
    co_return nobody;
}
}
