// The parser of the `react` dialect:
//
//     Thought: what the model thinks            Thought: what the model thinks
//     Action: a tool's name                     Answer: the answer, to the end
//     Action Input: {"its": "arguments"}
//
// Labels count at a line's start only, in any dress (steps/react/line_head.hpp). The first Action or Answer decides
// what the reply is; what follows the first action's input is ignored and counted; text before any label is thought; a
// reply without any label is an answer; everything from an `Observation:` on is cut, for only tools make observations.
// A <think> block before all that is reasoning, in which no label counts (steps/react/think_block.hpp); a reply that
// ends inside of one is an error. One pass, at most 4 MB. The arguments are read by steps/react/lenient_json.hpp.
#pragma once
#include "steps/react/line_head.hpp"
#include "steps/react/passage.hpp"
#include "steps/react/reply.hpp"
#include "steps/react/think_block.hpp"

namespace weft::steps {
class TextParser final : public ReplyParser {
public:
    void feed(std::string_view delta, const OnPiece& on_piece = {}) override;
    Reply finish(const OnPiece& on_piece = {}) override;
    std::size_t examined() const override { return examined_; }

private:
    enum class Section { thought, action, input, answer, ignored, cut };
    void look(char c, const OnPiece&);
    void take(char c, const OnPiece&);
    void end_thinking(const OnPiece&);
    void put(char c);
    void put_seen();
    void put_fence();
    void label(const OnPiece&);
    void enter(Section, const OnPiece&);
    Passage* passage();
    void tell(const OnPiece&);
    Reply read() const;
    void read_action(Reply&) const;

    ThinkBlock think_;
    bool thinks_ = true;   // the reply has not come to its own text yet
    bool parted_ = false;  // what was thought in a block has been told, and so has the line break after it
    Section section_ = Section::thought;
    Passage thought_, action_, input_, answer_;
    std::string name_;  // of the tool, once its line has ended
    LineHead head_;
    bool in_head_ = true;
    int open_marks_ = 0;     // of a label that has just ended
    bool labelled_ = false;  // there has been a Thought, so that thought_ is not an answer without label
    bool acts_ = false, has_input_ = false, answers_ = false, stray_input_ = false, too_long_ = false;
    std::string kept_;
    std::size_t line_ = 0;  // where the present line of kept_ begins
    std::size_t fed_ = 0, examined_ = 0;
    int ignored_ = 0;
};
}
