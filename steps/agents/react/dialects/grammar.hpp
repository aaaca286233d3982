// The differences between the dialects of labelled lines: a table for steps/agents/react/dialects/text_parser.hpp.
//
//     TextParser parser(pause_grammar, &tools);
#pragma once
#include <span>
#include <string_view>

namespace weft::agents::inline react_steps {
enum class Label { thought, action, input, answer, observation, pause };
enum class LabelPlace {
    anywhere,
    behind_action,  // only after an Action; elsewhere the word is text
    alone,          // capitals on a separate line, without a colon
};
struct LabelWord {
    std::string_view word;  // lower case, with one blank between two words
    Label label;
    LabelPlace where = LabelPlace::anywhere;
};

/// The meaning of a reply with neither an action nor an answer.
enum class Unlabelled {
    answer,    // an answer, if there is no label at all
    fault,     // an unusable reply
    reminder,  // the model gets a reminder; the next time in a row the reply is an answer
};

/// The parameter for a bare text in place of a JSON object of arguments.
enum class BareText {
    never,  // none: the text is a mistake
    only,   // the tool's only parameter
    first,  // the tool's only parameter, or its first required one
};

struct Grammar {
    std::span<const LabelWord> words;
    std::string_view answer;  // the label of an answer in messages to the model
    Unlabelled unlabelled = Unlabelled::answer;
    BareText bare = BareText::never;
    bool call_line = false;  // "Action: name: argument" is one line; else the argument has a label of its own
};

inline constexpr LabelWord pause_words[] = {
    {"thought", Label::thought},
    {"thoughts", Label::thought},
    {"action", Label::action},
    {"action name", Label::action},
    {"tool", Label::action},
    {"tool name", Label::action},
    {"action input", Label::input},
    {"actioninput", Label::input},
    {"action inputs", Label::input},
    {"action input is", Label::input},
    {"tool input", Label::input},
    {"toolinput", Label::input},
    {"input", Label::input, LabelPlace::behind_action},
    {"inputs", Label::input, LabelPlace::behind_action},
    {"arguments", Label::input, LabelPlace::behind_action},
    {"args", Label::input, LabelPlace::behind_action},
    {"parameters", Label::input, LabelPlace::behind_action},
    {"answer", Label::answer},
    {"final answer", Label::answer},
    {"finalanswer", Label::answer},
    {"observation", Label::observation},
    {"pause", Label::pause, LabelPlace::alone},
};
/// All words but the last, PAUSE.
inline constexpr std::span<const LabelWord> plain_words(pause_words, std::size(pause_words) - 1);
inline constexpr Grammar react_grammar{.words = plain_words, .answer = "Answer"};
inline constexpr Grammar langchain_grammar{
    .words = plain_words, .answer = "Final Answer", .unlabelled = Unlabelled::fault, .bare = BareText::only};
inline constexpr Grammar pause_grammar{.words = pause_words,
                                       .answer = "Answer",
                                       .unlabelled = Unlabelled::reminder,
                                       .bare = BareText::first,
                                       .call_line = true};
}
