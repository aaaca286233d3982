// Parts reasoning from text where a model sends both in one: <think> blocks, [THINK], the channels of gpt-oss.
//
//     ThoughtFilter filter(listener);
//     filter.pass(delta);           // as often as one comes, cut anywhere: listener.text(), listener.thought()
//     filter.finish();              // the reply has ended
//
//     part_thoughts(reply);         // the same for a reply that is there as a whole
//
// Reasoning is what stands in a block at the beginning of a reply or of a line, outside of a code fence; and all before
// a closing mark that nothing has opened, as chat templates write the opening one into the prompt. Such text was passed
// on already, so the listener hears text_was_thought(). A mark between quotes or back-ticks is text, and so is a
// closing one that is the reply's end behind a block. A block that never closes takes the rest of the reply. Reasoning
// comes without blanks around it, a line break between two blocks; what follows it comes without leading blanks. After
// four closing marks that nothing has opened, a further one is text. Words that may begin an answer, too, such as
// "analysis", open a block only if those come that close it; text until then is taken back. The marks of a template
// around the whole are no text: those of a turn's beginning in front, those of its end and any <|token|> if nothing
// or another turn follows. Linear.
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
        virtual void text_was_thought() = 0;  // all text since the last call, or since the beginning

    protected:
        ~Listener() = default;
    };
    explicit ThoughtFilter(Listener& listener) : listener_(listener) {}
    void pass(std::string_view delta);
    void finish();
    bool any() const { return any_; }  // there was reasoning in the text

private:
    enum class State {
        beginning,  // only blanks and blocks so far
        thought,    // inside of a block, until closing_
        text,
        closed,  // behind a closing mark that nothing opened: what follows tells whether it is one
        turned,  // behind the end of a turn, if nothing follows
        end,     // behind the end of the answer's channel: nothing counts
    };
    std::size_t step(std::string_view rest, bool last);  // how much of it is done with; 0: more has to come
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
    std::string_view closing_, answer_end_;  // of the block; of the element that holds the answer
    std::string mark_;                       // what has just come: a closing mark, or the marks of a turn's end
    std::string held_, blanks_;              // not decided yet; blanks that may be followed by reasoning or text
    int ticks_ = 0;                          // back-ticks in a row
    int taken_back_ = 0;
    std::ptrdiff_t bare_ = -1;           // which words have opened the reply
    char last_ = '\n';                   // of the text
    bool any_ = false, opened_ = false;  // opened_: an opening mark stands in the text
    bool line_is_blank_ = true, fenced_ = false, channels_ = false, strikes_ = false;
    bool has_tokens_ = false, ends_turn_ = false;  // <|tokens|> are a part of the text; one in mark_ ends a turn
    bool told_ = false, told_block_ = false;       // some reasoning; some of this block
};

/// The note of a model when text turns out to be reasoning.
CallNote reasoned_note(const std::string& model);
/// Takes what is reasoning out of the reply's text. False: there is none.
bool part_thoughts(ChatReply&);
}
