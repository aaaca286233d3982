// What distinguishes the dialects of labelled lines from each other: a table for
// steps/agents/react/dialects/text_parser.hpp.
//
//     TextParser parser(pause_grammar, &tools);
#pragma once
#include <span>
#include <string_view>

namespace weft::agents::inline react_steps {
enum class Label { thought, action, input, answer, observation, pause };
enum class Where {
    anywhere,
    behind_action,  // in any other place its word is text
    alone,          // in capitals on a line of its own, without a colon
};
struct LabelWord {
    std::string_view word;  // in small letters, one blank between two words
    Label label;
    Where where = Where::anywhere;
};

/// The meaning of a reply with neither an action nor an answer.
enum class Unlabelled {
    answer,    // without any label, it is an answer
    fault,     // it cannot be followed
    reminder,  // the model is reminded; the next time in a row it is an answer
};

/// Whom a bare text is for that stands where a JSON object of arguments could stand.
enum class Bare {
    never,  // nobody: it is a mistake
    only,   // a tool's only parameter
    first,  // a tool's only parameter, or the first that it requires
};

struct Grammar {
    std::span<const LabelWord> words;
    std::string_view answer;  // the label of an answer, as the model is told it
    Unlabelled unlabelled = Unlabelled::answer;
    Bare bare = Bare::never;
    bool call_line = false;  // "Action: name: argument" in one line; else the argument has a label of its own
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
    {"input", Label::input, Where::behind_action},
    {"inputs", Label::input, Where::behind_action},
    {"arguments", Label::input, Where::behind_action},
    {"args", Label::input, Where::behind_action},
    {"parameters", Label::input, Where::behind_action},
    {"answer", Label::answer},
    {"final answer", Label::answer},
    {"finalanswer", Label::answer},
    {"observation", Label::observation},
    {"pause", Label::pause, Where::alone},
};
/// All but the last.
inline constexpr std::span<const LabelWord> plain_words(pause_words, std::size(pause_words) - 1);
inline constexpr Grammar react_grammar{.words = plain_words, .answer = "Answer"};
inline constexpr Grammar langchain_grammar{
    .words = plain_words, .answer = "Final Answer", .unlabelled = Unlabelled::fault, .bare = Bare::only};
inline constexpr Grammar pause_grammar{.words = pause_words,
                                       .answer = "Answer",
                                       .unlabelled = Unlabelled::reminder,
                                       .bare = Bare::first,
                                       .call_line = true};
}
