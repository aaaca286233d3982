// The parser of the dialects of labelled lines; a table (steps/agents/react/dialects/grammar.hpp) has the labels of
// each dialect.
//
//     Thought: what the model thinks            Thought: what the model thinks
//     Action: a tool's name                     Answer: the answer, to the end
//     Action Input: {"its": "arguments"}
//                                               Thought: what the model thinks
//                                               Action: a tool's name: its argument
//                                               PAUSE
//
// Labels count only at the start of a line, with any Markdown around them (steps/agents/react/dialects/line_head.hpp).
// The first Action with a call, or Answer, decides the kind of the reply. An Action that names no tool (None, N/A)
// decides nothing; an Action named Final Answer is the answer. An action may also be a JSON object without labels
// (steps/agents/react/dialects/json_action.hpp). Text after the first action's input is ignored; its actions and
// answers are counted. Text before any label is thought. The dialect gives the meaning of a reply without Action and
// Answer. The text from an `Observation:` on is cut, because only tools make observations. One pass, at most 4 MB.
// steps/agents/react/dialects/action_line.hpp and call_arguments.hpp read the arguments; text after the object of an
// input is ignored with a note (Reply::note). An action without an input takes an object from the next line, or the
// text there if its tool's only parameter is a string.
#pragma once
#include "steps/agents/react/dialects/action_line.hpp"
#include "steps/agents/react/dialects/line_head.hpp"
#include "steps/agents/react/reply.hpp"
#include "steps/agents/text/trimmed_text.hpp"

namespace weft::agents::inline react_steps {
class TextParser final : public ReplyParser {
public:
    /// The grammar and the tools must outlive the parser. Without tools no bare text is an argument.
    explicit TextParser(const Grammar& grammar = react_grammar, const tools::Registry* tools = nullptr)
        : grammar_(grammar), tools_(tools), head_(grammar.words), labelled_(grammar.unlabelled != Unlabelled::answer) {
        thought_.watch_objects();
    }
    void feed(std::string_view delta, const OnPiece& on_piece = {}) override;
    Reply finish(const OnPiece& on_piece = {}) override;
    std::size_t examined() const override { return examined_; }

private:
    enum class Section { thought, action, input, answer, nothing, ignored, cut };  // nothing: after Action: None
    /// The kind of the reply, from its labels so far.
    enum class DecidedKind {
        open,
        action,
        answer_by_action,  // the action's name says that its input is the answer
        answer,
        stray_input,  // an input without an action
    };
    bool is_decided() const { return decision_ != DecidedKind::open && decision_ != DecidedKind::stray_input; }
    std::size_t plain_text(std::string_view delta) const;
    void put(std::string_view text);
    void look(char c, const OnPiece&);
    void put(char c);
    void begin_line();
    void end_aside();
    void put_seen();
    void put_fence();
    bool is_text() const;
    void label(const OnPiece&);
    void begin_action();
    void end_action();
    void take_object();
    bool is_prose() const;
    void decline();
    void find_object(bool before_answer);
    bool take_text_call(std::string_view text);
    void find_text_call();
    std::string form() const;
    void pause(const OnPiece&);
    void enter(Section, const OnPiece&);
    TrimmedText* passage();
    void tell(const OnPiece&);
    void answer_by_action();
    bool has_stray_fence() const;
    Reply read() const;
    void read_rest(Reply&) const;
    void read_action(Reply&) const;
    std::optional<LenientJson> arguments(std::string& note) const;

    const Grammar& grammar_;
    const tools::Registry* const tools_;
    Section section_ = Section::thought;
    TrimmedText thought_, action_, input_, answer_;
    TrimmedText direct_;  // text after an Action that names no tool
    std::string aside_;   // a line in the answer that may be an Action without a tool
    std::size_t aside_value_ = 0;
    ActionLine line_of_action_;
    std::optional<JsonAction> object_;  // the action, if it is a JSON object
    std::string call_error_;            // error of a call in no known form
    std::string name_;                  // the tool's, after its end
    bool named_ = false;                // the name is not streamed yet
    LineHead head_;
    bool in_head_ = true;
    int open_marks_ = 0;  // marks of emphasis that the last label left open
    bool in_label_line_ = false;
    bool labelled_;  // a Thought label came, so thought_ is not an answer without label
    DecidedKind decision_ = DecidedKind::open;
    bool declines_ = false;  // an Action named no tool
    bool has_input_ = false, too_long_ = false;
    bool in_fence_ = false;
    std::string kept_;
    std::size_t line_ = 0;  // the beginning of the current line in kept_
    std::size_t fed_ = 0, examined_ = 0;
    int ignored_ = 0;
};
}
