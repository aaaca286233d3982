// Separates reasoning from text if a model sends both in one text: <think> blocks, [THINK], the channels of gpt-oss.
//
//     ThoughtFilter filter(listener);
//     filter.pass(delta);           // each delta, cut anywhere: listener.text(), listener.thought()
//     filter.finish();              // the reply has ended
//
//     part_thoughts(reply);         // the same for a complete reply
//
// Reasoning is a block at the beginning of a reply or of a line, outside of code fences. It is also all text before a
// closing mark without an opening one, because chat templates write the opening mark into the prompt. Such text was
// passed on before, so the listener gets text_was_thought(); after four times a further mark is text. A mark between
// quotes or back-ticks is text, and so is a closing mark at the reply's end behind a block. A block without an end
// takes the rest of the reply. Reasoning comes without blanks around it, with a line break between two blocks; text
// behind it comes without leading blanks. Words that may begin an answer, such as "analysis", open a block only once
// their closing words come; the text until then is taken back. Marks of a template around the reply are removed: those
// of a turn's beginning in front, and at the end those of its end and any <|token|> if nothing or another turn follows.
// Linear.
#pragma once
#include <string>
#include <string_view>

namespace weft::models {
struct ChatReply;
struct CallNote;
class ThoughtFilter {
public:
    struct Listener {
        virtual void text(std::string_view) = 0;
        virtual void thought(std::string_view) = 0;
        virtual void text_was_thought() = 0;  // all text since the last call or the beginning

    protected:
        ~Listener() = default;
    };
    explicit ThoughtFilter(Listener& listener) : listener_(listener) {}
    void pass(std::string_view delta);
    void finish();
    bool any() const { return any_; }  // the text had reasoning
    /// True if some text has been neither passed on nor dropped yet.
    bool holds() const {
        return !held_.empty() || !blanks_.empty() || state_ == State::closed || state_ == State::turned;
    }

private:
    enum class State {
        beginning,  // only blanks and blocks so far
        thought,    // inside a block, until closing_
        text,
        closed,  // behind a closing mark without an opening one: the next text decides
        turned,  // behind the end of a turn, unless more text follows
        end,     // behind the end of the answer's channel: the rest is dropped
    };
    std::size_t step(std::string_view rest, bool last);  // returns the bytes consumed; 0: more text is needed
    std::size_t begin(std::string_view rest, bool last);
    std::size_t think(std::string_view rest, bool last);
    std::size_t read(std::string_view rest, bool last);
    std::size_t close(std::string_view rest, bool last);
    std::size_t turned(std::string_view rest, bool last);
    void open(std::string_view closing);
    void take_back();
    void text(std::string_view);
    void thought(std::string_view);

    Listener& listener_;
    State state_ = State::beginning;
    std::string_view closing_, answer_end_;  // closing marks of the block and of the element with the answer
    std::string mark_;                       // the latest closing mark, or the marks of a turn's end
    std::string held_, blanks_;              // undecided text; blanks before more reasoning or text
    int ticks_ = 0;                          // back-ticks in a row
    int taken_back_ = 0;
    std::ptrdiff_t bare_ = -1;           // index of the words that opened the reply
    char last_ = '\n';                   // last character of the text
    bool any_ = false, opened_ = false;  // opened_: the text has an opening mark
    bool line_is_blank_ = true, fenced_ = false, channels_ = false, strikes_ = false;
    bool has_tokens_ = false, ends_turn_ = false;  // <|tokens|> are text; mark_ ends a turn
    bool told_ = false, told_block_ = false;       // some reasoning was passed; some of this block
};

/// Returns a model's note that its text so far was reasoning.
CallNote reasoned_note(const std::string& model);
/// Moves reasoning from the reply's text to its `reasoning`. Returns false if there is none.
bool part_thoughts(ChatReply&);
}
