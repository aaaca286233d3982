// The parser of the dialects of labelled lines; a table (steps/agents/react/dialects/grammar.hpp) says which labels a
// dialect has.
//
//     Thought: what the model thinks            Thought: what the model thinks
//     Action: a tool's name                     Answer: the answer, to the end
//     Action Input: {"its": "arguments"}
//                                               Thought: what the model thinks
//                                               Action: a tool's name: its argument
//                                               PAUSE
//
// Labels count at a line's start only, with any Markdown around them (steps/agents/react/dialects/line_head.hpp). The
// first Action or Answer decides what the reply is; what follows the first action's input is ignored and counted; text
// before any label is thought; what a reply without Action and Answer means is the dialect's to say; everything from an
// `Observation:` on is cut, for only tools make observations. A <think> block before all that is reasoning, in which no
// label counts (steps/agents/common/think_block.hpp); a reply that ends inside of one is an error. One pass, at most 4
// MB. The arguments are read by steps/agents/react/dialects/call_arguments.hpp; text behind the object of an input is
// ignored with a note (Reply::note). An action without an input takes an object from the next line, or the text there
// if its tool takes one text and nothing else.
#pragma once
#include "steps/agents/common/passage.hpp"
#include "steps/agents/common/think_block.hpp"
#include "steps/agents/react/dialects/line_head.hpp"
#include "steps/agents/react/reply.hpp"

namespace weft::tools {
class Registry;
}
namespace weft::agents {
class TextParser final : public ReplyParser {
public:
    /// The grammar and the tools outlive the parser. Without tools no bare text is taken for an argument.
    explicit TextParser(const Grammar& grammar = react_grammar, const tools::Registry* tools = nullptr)
        : grammar_(grammar), tools_(tools), head_(grammar.words), labelled_(grammar.unlabelled != Unlabelled::answer) {}
    void feed(std::string_view delta, const OnPiece& on_piece = {}) override;
    Reply finish(const OnPiece& on_piece = {}) override;
    std::size_t examined() const override { return examined_; }

private:
    enum class Section { thought, action, input, answer, ignored, cut };
    std::size_t plain_text(std::string_view delta) const;
    void put(std::string_view text);
    void look(char c, const OnPiece&);
    void take(char c, const OnPiece&);
    void end_thinking(const OnPiece&);
    void put(char c);
    void put_name(char c);
    void end_name();
    void put_seen();
    void put_fence();
    void label(const OnPiece&);
    void pause(const OnPiece&);
    void enter(Section, const OnPiece&);
    Passage* passage();
    void tell(const OnPiece&);
    void take_next_line();
    bool has_stray_fence() const;
    Reply read() const;
    void read_rest(Reply&) const;
    void read_action(Reply&) const;

    const Grammar& grammar_;
    const tools::Registry* const tools_;
    ThinkBlock think_;
    bool thinks_ = true;   // the reply has not come to its own text yet
    bool parted_ = false;  // what was thought in a block has been told, and so has the line break after it
    Section section_ = Section::thought;
    Passage thought_, action_, input_, answer_;
    std::string called_;  // the name in a line that calls, as far as it has come
    std::string name_;    // of the tool, once it has ended
    bool named_ = false;  // and whether that has been told
    LineHead head_;
    bool in_head_ = true;
    int open_marks_ = 0;  // of a label that has just ended
    int name_marks_ = 0;  // of these, what stands before the name in a line that calls
    bool labelled_;       // there has been a Thought, so that thought_ is not an answer without label
    bool acts_ = false, has_input_ = false, answers_ = false, stray_input_ = false, too_long_ = false;
    bool in_fence_ = false;
    bool next_line_ = false;  // the input stands behind the action's line, without a label
    std::string kept_;
    std::size_t line_ = 0;  // where the present line of kept_ begins
    std::size_t fed_ = 0, examined_ = 0;
    int ignored_ = 0;
};
}
