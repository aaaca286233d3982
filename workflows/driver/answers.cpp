// At a terminal each field is asked for until it fits; a program has one line, and a mistake in it ends the run.
#include "workflows/driver/answers.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/json_run.hpp"
#include "engine/text.hpp"
#include "steps/agents/common/approvals.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/lines.hpp"
#include "workflows/driver/values.hpp"
#include <algorithm>

namespace weft::driver {
namespace {
using nlohmann::json;

std::string next_line(Lines& lines, const std::string& prompt, std::string_view question) {
    auto line = lines.next(prompt);
    while (line && !lines.terminal() && line->find_first_not_of(" \t") == line->npos) line = lines.next(prompt);
    if (line) return *line;
    throw Error(Code::idle, "the run waits for the answer to " + std::string(question) +
                                ", and standard input has none: write it there, a JSON object in one line");
}
/// What a human means by a word, where this type is wanted. Nothing if it cannot be meant.
std::optional<json> read_word(const std::string& word, const std::string& type) {
    if (type == "string") return word;
    if (type == "boolean")
        for (const auto* pair : {"yes no", "y n", "true false"}) {
            const std::string both = pair;
            const auto blank = both.find(' ');
            if (word == both.substr(0, blank)) return true;
            if (word == both.substr(blank + 1)) return false;
        }
    const auto value = json::parse(word, nullptr, false);
    const bool fits = type == "boolean"   ? false
                      : type == "integer" ? value.is_number_integer()
                      : type == "number"  ? value.is_number()
                                          : !value.is_discarded();
    return fits ? std::optional(value) : std::nullopt;
}
/// What a line says of a call that is to be approved: y, n, n and a reason, or JSON: the answer or the new arguments.
json read_approval(const std::string& line, std::string_view question) {
    const auto word = trimmed(line.substr(0, line.find_first_of(" \t,")));
    const std::string reason(trimmed(std::string_view(line).substr(std::min(word.size() + 1, line.size()))));
    if (word == "y" || word == "yes") return {{"decision", "approve"}};
    if (word == "n" || word == "no") return {{"decision", "reject"}, {"reason", reason}};
    auto data = read_json(line, "the answer to " + std::string(question) + ", where neither y nor n stands,");
    if (data.is_object() && data.contains("decision")) return data;
    return {{"decision", "edit"}, {"arguments", std::move(data)}};
}
json ask_fields(const EventType& wanted, Lines& lines) {
    json data = json::object();
    const auto form = schema(wanted);
    for (const auto& [name, field] : form.at("properties").items()) {
        const auto type = field.value("type", "JSON");
        const auto kind = type == "boolean" ? std::string("yes or no") : type;
        for (bool done = false; !done;) {
            const auto word = next_line(
                lines, name + " (" + kind + (field.contains("default") ? ", may be empty" : "") + "): ", wanted.name);
            done = word.empty() && field.contains("default");
            if (done) break;
            if (auto value = read_word(word, type)) {
                data[name] = std::move(*value);
                done = true;
            } else complain(name + " takes " + kind);
        }
    }
    return data;
}
}

std::vector<const core::EventType*> answers_to(const JsonRun& run, const AnyEvent& question) {
    for (auto& known : questions(run.definition()))
        if (known.asks->id == question.type().id) return known.answers;
    return {};
}
void answer(JsonRun& run, const AnyEvent& question, Lines& lines) {
    tell("? " + std::string(question.name()) + ' ' + ascii(to_json(question)) + '\n');
    const auto answers = answers_to(run, question);
    if (question.get_if<agents::ToolApprovalRequestEvent>()) {
        const auto line = next_line(lines, "may it run? y, n REASON, or other arguments as JSON: ", question.name());
        return run.answer(question.question(), core::type_name<agents::ToolApprovalEvent>,
                          read_approval(line, question.name()));
    }
    if (lines.terminal() && answers.size() == 1) {
        const auto data = ask_fields(*answers.front(), lines);
        return run.answer(question.question(), answers.front()->name, data);
    }
    const auto line = next_line(lines, "answer, as JSON: ", question.name());
    const auto data = read_json(line, "the answer to " + std::string(question.name()));
    if (answers.size() == 1) return run.answer(question.question(), answers.front()->name, data);
    if (!data.is_object() || data.size() != 1)
        throw Error(Code::usage, "several events can answer this, so the answer has to be {\"EVENT\": {...}}");
    run.answer(question.question(), data.begin().key(), data.begin().value());
}
}
