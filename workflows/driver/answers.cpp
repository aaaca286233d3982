// At a terminal the driver repeats each field until its value fits; a program has one line, whose mistake ends the run.
#include "workflows/driver/answers.hpp"
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include "engine/json.hpp"
#include "engine/json_run.hpp"
#include "engine/store.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/common/approvals.hpp"
#include "steps/agents/common/tool_question.hpp"
#include "workflows/catalog/answer_types.hpp"
#include "workflows/catalog/unknown_fields.hpp"
#include "workflows/driver/approval.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/tool_form.hpp"
#include "workflows/driver/values.hpp"
#include <algorithm>
#include <iterator>

namespace weft::driver {
namespace {
using nlohmann::json;

/// The source of answers, and the end of the wait for them.
struct AnswerInput {
    InputLines& lines;
    const InputLines::WaitOptions wait;
    const std::function<void()>& before_sending;
    std::optional<std::string> next(const std::string& prompt, const std::string& begun = {}) const {
        auto how = wait;
        how.begun = begun;
        return lines.next(prompt, how);
    }
};
std::string next_line(const AnswerInput& input, const std::string& prompt, std::string_view question,
                      const std::string& begun = {}) {
    auto line = input.next(prompt, begun);
    while (line && !input.lines.terminal() && is_blank(*line)) line = input.next(prompt);
    if (line) return *line;
    throw Error(Code::idle, "the run waits for the answer to " + std::string(question) +
                                ", and standard input has none: write it there, a JSON object in one line");
}
json ask_fields(const EventType& wanted, const AnswerInput& input) {
    json data = json::object();
    const auto form = schema(wanted);
    const auto fields = in_declared_order(wanted, form).at("properties");
    for (const auto& [name, field] : fields.items()) {
        const auto type = field.value("type", "JSON");
        const auto kind = type == "boolean" ? std::string("yes or no") : type;
        const bool optional = field.contains("default");
        const auto prompt = name + " (" + kind + (optional ? ", may be empty" : "") + "): ";
        for (;;) {
            const auto word = next_line(input, prompt, wanted.name);
            if (word.empty() && optional) break;
            if (auto value = read_word(word, type)) {
                data[name] = std::move(*value);
                break;
            }
            complain(name + " takes " + kind);
        }
    }
    return data;
}
json send(JsonRun& run, const AnyEvent& question, const EventType& type, json data, const AnswerInput& input) {
    catalog::refuse_unknown_fields(type, data, "the answer to " + std::string(question.name()));
    input.before_sending();
    run.answer(question.question(), type.name, data);
    return data;
}
/// Sends an answer of the form {"EVENT": {...}}, for a question that several events can answer.
json send_chosen(JsonRun& run, const AnyEvent& question, const std::vector<const EventType*>& answers, const json& data,
                 const AnswerInput& input) {
    if (!data.is_object() || data.size() != 1)
        throw Error(Code::usage, "several events can answer this, so the answer has to be {\"EVENT\": {...}}");
    for (const auto* type : answers)
        if (type->name == data.begin().key()) return send(run, question, *type, data.begin().value(), input);
    run.answer(question.question(), data.begin().key(), data.begin().value());  // throws for the unknown event
    return data;
}
json answer_once(JsonRun& run, const AnyEvent& question, const AnswerInput& input) {
    const auto answers = answers_to(run, question);
    const bool is_call = question.get_if<agents::ToolApprovalRequestEvent>();
    const bool is_form = question.get_if<agents::ToolQuestionEvent>();
    if (answers.size() == 1 && (is_call || is_form)) {
        const auto next = [&](const std::string& prompt, const std::string& begun) {
            return next_line(input, prompt, question.name(), begun);
        };
        const AnswerPrompt asking{next, input.lines.terminal()};
        auto data = is_call ? ask_approval(call_in_question(to_json(question)), asking)
                            : ask_form(form_in_question(to_json(question)), asking);
        return send(run, question, *answers.front(), std::move(data), input);
    }
    if (input.lines.terminal() && answers.size() == 1)
        return send(run, question, *answers.front(), ask_fields(*answers.front(), input), input);
    const auto line = next_line(input, "answer, as JSON: ", question.name());
    const auto data = read_json(line, "the answer to " + std::string(question.name()));
    if (answers.size() != 1) return send_chosen(run, question, answers, data, input);
    return send(run, question, *answers.front(), data, input);
}
}

std::vector<const core::EventType*> answers_to(const JsonRun& run, const AnyEvent& question) {
    for (auto& known : questions(run.definition()))
        if (known.asks->id == question.type().id) return known.answers;
    return {};
}
json answer(JsonRun& run, const AnyEvent& question, InputLines& lines, const InputLines::WaitOptions& wait,
            const std::function<void()>& before_sending) {
    const auto asked = to_json(question);
    if (lines.terminal() && question.get_if<agents::ToolApprovalRequestEvent>())
        tell(shown_call(call_in_question(asked)));
    else if (lines.terminal() && question.get_if<agents::ToolQuestionEvent>())
        tell(shown_form(form_in_question(asked)));
    else
        tell("? " + std::string(question.name()) + ' ' +
             in_declared_order(question).dump(-1, ' ', true, json::error_handler_t::replace) + '\n');
    const AnswerInput input{lines, wait, before_sending};
    for (;;) {
        try {
            return answer_once(run, question, input);
        } catch (const Error& error) {
            const bool is_mistake = error.code() == Code::usage || error.code() == Code::bad_json;
            if (!lines.terminal() || !is_mistake) throw;
            complain(error.what());
        }
    }
}

Inbox::Inbox(const storage::History& history) {
    const catalog::AnswerTypes types(history.run.workflow);
    for (const auto& mail : history.mail) {
        const auto record = journal::read_mail(mail.body);
        if (!record || !record->event || !record->event->is_string()) continue;
        const auto event = record->event->get<std::string>();
        try {
            types.check(history.run.workflow, event, record->data.value_or(json()));
        } catch (const Error&) {
            misfits_.insert(event);
            continue;
        }
        const auto question = record->question.value_or(json());
        if (record->run) continue;  // a child run's: its questions have other ids here
        if (question.is_number_unsigned()) events_[question.get<std::uint64_t>()] = event;
    }
}
bool Inbox::takes(AnyEvent& question) {
    const bool has = events_.contains(std::uint64_t(question.question()));
    if (has) held_.push_back(std::move(question));
    return has;
}
std::vector<AnyEvent> Inbox::refused(const std::string& event) {
    if (const auto known = misfits_.find(event); known != misfits_.end()) {
        misfits_.erase(known);
        return {};
    }
    std::erase_if(events_, [&](const auto& each) { return each.second == event; });
    const auto still = [&](const AnyEvent& each) { return events_.contains(std::uint64_t(each.question())); };
    const auto asked = std::stable_partition(held_.begin(), held_.end(), still);
    std::vector<AnyEvent> again(std::make_move_iterator(asked), std::make_move_iterator(held_.end()));
    held_.erase(asked, held_.end());
    return again;
}
}
