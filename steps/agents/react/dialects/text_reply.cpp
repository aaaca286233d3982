// The second half of the parser of labelled lines: interprets its passages at the end of the reply.
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/react/dialects/call_arguments.hpp"
#include "steps/agents/react/dialects/own_call.hpp"
#include "steps/agents/react/dialects/text_parser.hpp"
#include "tools/registry.hpp"

namespace weft::agents::inline react_steps {
/// Makes the input of an Action with an answer's name the answer.
void TextParser::answer_by_action() {
    using Form = ActionLine::Form;
    decision_ = DecidedKind::answer;
    const bool is_above = gives_nothing(input_.text());
    auto text = is_above ? line_of_action_.arguments : std::string_view(input_.text());
    if (is_above && line_of_action_.form == Form::brackets) text = trimmed(text, "[]");
    if (gives_nothing(text)) return;
    const auto given = is_above && line_of_action_.form == Form::call ? read_call_behind_name(text, "finish", nullptr)
                                                                      : read_arguments(text, BareText::only, nullptr);
    answer_.put(given.ok() ? answer_in(given.json) : std::string(text));
    answer_.end();
}
/// True if the end of a code fence without a beginning follows the object.
bool TextParser::has_stray_fence() const {
    const std::string_view text = has_input_ ? input_.text() : action_.text();
    return !in_fence_ && text.find('{') != text.npos && text.ends_with("```") && text.find("```") + 3 == text.size();
}
Reply TextParser::read() const {
    Reply reply;
    reply.thought = repair_utf8(thought_.text());
    reply.ignored = ignored_;
    if (too_long_) reply.error = "the reply is longer than 4 MB";
    else if (decision_ == DecidedKind::action) read_action(reply);
    else read_rest(reply);
    return reply;
}
void TextParser::read_rest(Reply& reply) const {
    const std::string answer(grammar_.answer);
    const auto article = std::string(answer.starts_with('A') ? "an " : "a ");
    if (decision_ == DecidedKind::stray_input) reply.error = "there is an Action Input without an Action before it";
    else if (decision_ == DecidedKind::answer && answer_.text().empty()) reply.error = "the " + answer + " is empty";
    else if (decision_ == DecidedKind::answer) {
        reply.kind = ReplyKind::answer;
        reply.answer = repair_utf8(answer_.text());
    } else if (!call_error_.empty()) reply.error = call_error_ + ". Write " + form();
    else if (declines_)
        reply.error = "the Action names no tool, and there is no " + answer + ": write " + article + answer +
                      " if no tool is needed";
    else if (thought_.text().empty()) reply.error = "the reply is empty";
    else {
        reply.error = "there is a Thought, but neither an Action nor " + article + answer + " after it";
        reply.unlabelled = grammar_.unlabelled == Unlabelled::reminder;
    }
}
std::string TextParser::form() const {
    return grammar_.call_line ? "\"Action: name: argument\" in one line"
                              : "Action and Action Input on lines of their own";
}
void TextParser::read_action(Reply& reply) const {
    reply.action = name_;
    if (object_ && object_->kind == JsonAction::Kind::broken)
        reply.error = "the JSON object of the action cannot be read: " + object_->error + ". Write " + form();
    else if (object_ && object_->kind == JsonAction::Kind::unknown && action_.text().empty())
        reply.error = "the JSON object is an action, and there is no tool " + excerpt(name_, 80) + ": write " + form() +
                      "; or " + std::string(grammar_.answer) + ": before it, if it is the answer";
    else if (name_.empty()) reply.error = "the Action names no tool";
    if (!reply.error.empty()) return;
    const auto* part = grammar_.call_line ? "argument" : "Action Input";
    auto input = arguments(reply.note);
    if (!input) {
        reply.error =
            "the Action has no Action Input: write it on the line after the Action, {} if the tool needs none";
        return;
    }
    if (!input->ok()) {
        reply.note.clear();
        reply.error = std::string("the ") + part + " cannot be read: " + input->error;
        return;
    }
    if (input->has_rest || has_stray_fence() || (object_ && object_->has_rest))
        reply.note = std::string("the text behind the JSON object of the ") + (object_ ? "action" : part) +
                     " was ignored. Write nothing after that object.";
    reply.kind = ReplyKind::action;
    reply.action_input = std::move(input->json);
}
/// The arguments below the action, else those on its line; empty if there are none.
std::optional<LenientJson> TextParser::arguments(std::string& note) const {
    using Form = ActionLine::Form;
    const auto* tool = tools_ ? tools_->find(name_) : nullptr;
    auto text = grammar_.call_line ? without_pause(input_.text()) : std::string_view(input_.text());
    if (constexpr std::string_view begun = "\nObservation"; text.ends_with(begun))  // cut before its colon
        text = trimmed_end(text.substr(0, text.size() - begun.size()));
    const auto form = line_of_action_.form;
    const bool is_below = has_input_ && !gives_nothing(text);
    std::optional<LenientJson> above;
    if (object_) above = json_arguments(*object_, grammar_.bare, tools_);
    else if (form == Form::next_line && !grammar_.call_line) {
        const bool bare = tool && takes_one_text(*tool) && is_one_input(line_of_action_.arguments);
        if (bare || line_of_action_.arguments.starts_with('{'))
            above = read_action_line(line_of_action_, grammar_.bare, tools_);
    } else if (form == Form::next_line && !line_of_action_.arguments.starts_with('{') &&
               !is_one_input(line_of_action_.arguments.substr(0, line_of_action_.arguments.find('\n')))) {
        above.emplace();
        above->error = "it seems to begin with a label: write " + name_ + ": argument in one line";
    } else if (form != Form::none || (grammar_.call_line && !has_input_))
        above = read_action_line(line_of_action_, grammar_.bare, tools_);
    if (!is_below && above && (above->ok() || !has_input_)) return above;
    if (!has_input_) return std::nullopt;
    if (above && above->ok() && form != Form::next_line && above->json != "{}")
        note = "the arguments on the line of the Action were ignored, for there are others below it.";
    return read_arguments(text, grammar_.bare, tool, name_);
}
}
