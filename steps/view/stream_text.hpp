// Shows an entry of a reflect run's trace while its text arrives. The layout is that of steps/view/entry_text.hpp, but
// long lines are not wrapped, and the text always begins on the label's line.
//
//     StreamText stream(sub_question);
//     write(stream.begin("REFLECTION", Colour::blue, true)); write(stream.put(piece)); ... write(stream.end());
//
// The beginning of a further line is held back while it may become a label.
#pragma once
#include "steps/view/entry_text.hpp"
#include "steps/view/neutralise.hpp"

namespace weft::view {
class StreamText {
public:
    explicit StreamText(int sub_question) : sub_question_(sub_question) {}
    int sub_question() const { return sub_question_; }
    std::string begin(std::string_view label, Colour, bool coloured) const;
    std::string put(std::string_view piece);
    std::string end();  // the end with its line break
    const std::string& told() const { return told_; }

private:
    std::string lay_out(std::string_view safe);
    std::string release();
    int sub_question_;
    Neutraliser plain_;
    std::string told_;  // unchanged
    std::string line_;  // the beginning of a line, held back
    bool held_ = false;
};
}
