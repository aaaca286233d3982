// Checks all messages and questions of a tool, so that derived classes need not. A token bucket limits the messages, so
// that a talkative tool costs the stream little.
#include "tools/tool_context.hpp"
#include "engine/clock.hpp"
#include "engine/text/utf8.hpp"
#include "tools/tool.hpp"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace weft::tools {
namespace {
constexpr std::size_t longest_told = 500;  // bytes
constexpr double told_at_once = 20, told_in_a_second = 10;
constexpr int most_told_by_a_call = 1000, most_asked_by_a_call = 20;
constexpr std::size_t longest_question = 4000, longest_asker = 200, longest_form = 64u << 10;
void cut_to(std::string& text, std::size_t most) { text = repair_utf8(utf8_cut(text, most)); }
std::optional<double> told_number(double number) {
    return std::isfinite(number) && number >= 0 ? std::optional(number) : std::nullopt;
}
}
ToolContext::ToolContext() : ToolContext(real_clock()) {}
ToolContext::ToolContext(const Clock& clock) : clock_(clock) { begin_counting(); }
void ToolContext::begin_counting() {
    may_tell_ = told_at_once;
    told_ = asked_ = 0;
    told_all_ = false;
    last_told_ = clock_.now();
}
void ToolContext::tell_within_bounds(ProgressReport told) {
    const auto now = clock_.now();
    const auto since = std::chrono::duration<double>(now - last_told_).count();
    last_told_ = now;
    may_tell_ = std::min(told_at_once, may_tell_ + since * told_in_a_second);
    if (told_ >= most_told_by_a_call || may_tell_ < 1) {
        const bool is_all = told.done && told.total && *told.done >= *told.total;
        if (!is_all || std::exchange(told_all_, true)) return;
    }
    may_tell_ = std::max(0.0, may_tell_ - 1);
    ++told_;
    tell(std::move(told));
}
void ToolContext::progress(double done, double total, std::string note) {
    const auto all = told_number(total);
    ProgressReport told{told_number(done), all && *all > 0 ? all : std::nullopt, excerpt(note, longest_told)};
    if (told.done || !told.text.empty()) tell_within_bounds(std::move(told));
}
void ToolContext::note(std::string text) {
    ProgressReport told{{}, {}, excerpt(text, longest_told)};
    if (!told.text.empty()) tell_within_bounds(std::move(told));
}
nlohmann::json ToolContext::values() const { return nlohmann::json::object(); }
awaitable<std::optional<Observation>> ToolContext::at_most_once(awaitable<Observation> work) {
    std::optional<Observation> observation = co_await std::move(work);
    co_return observation;
}
awaitable<ToolAnswer> ToolContext::ask(ToolQuestion question) {
    ToolAnswer answer;
    if (!can_ask()) co_return answer;
    if (question.form.text.size() > longest_form)
        throw ToolError("the question has a form of more than 64 KiB, so it was not asked");
    if (asked_ == most_asked_by_a_call)
        throw ToolError("the call asks more than " + std::to_string(most_asked_by_a_call) +
                        " questions, so it was ended");
    ++asked_;
    cut_to(question.from, longest_asker);
    cut_to(question.message, longest_question);
    cut_to(question.mistake, longest_question);
    answer = co_await put(std::move(question));
    const bool accepts = answer.action == AnswerAction::accept;
    if (!accepts) answer.content.text.clear();
    else if (!nlohmann::json::parse(answer.content.text, nullptr, false).is_object()) answer.content.text = "{}";
    co_return answer;
}
awaitable<ToolAnswer> ToolContext::put(ToolQuestion) {
    ToolAnswer nobody;
    co_return nobody;
}
}
