// The driver's standard streams. All text of models, tools and files is written here, neutralised or as JSON in ASCII:
// no control bytes reach a terminal or a pipe.
//
//     say(answer.response);                  // text, to standard output
//     complain("there is no tool x");        // "weft: there is no tool x", to standard error
//
// If standard error is closed, its text is dropped. If standard output cannot be written to, that is an error.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft::driver {
/// Standard output cannot be written to. The message is empty if the reader has closed the pipe.
struct OutputError : std::runtime_error {
    using runtime_error::runtime_error;
};

void say(std::string_view text);              // neutralised, and a line break
void say_in_one_line(std::string_view text);  // line breaks become blanks
void say_json(const nlohmann::json&);         // one line of ASCII
void say_trusted(std::string_view text);      // unchanged: only for text of the program itself
void tell(std::string_view safe);             // to standard error, unchanged
void complain(std::string_view sentence);     // "weft: " and the sentence, neutralised, in one line
void note(std::string_view sentence);         // the same, for messages that are not errors

std::string ascii(const nlohmann::json&);  // JSON in one line
/// The width of the terminal, or the value of COLUMNS; else 80.
std::size_t columns_of_output();
std::string in_one_line(std::string_view text);  // neutralised, with blanks for line breaks

/// Whether a stream, standard error by default, is a terminal with colours: neither NO_COLOR nor TERM=dumb is set.
bool wants_colour(int stream = 2);

/// Ignores SIGPIPE and SIGXFSZ. Opens /dev/null in place of a closed standard stream, so that no other file gets its
/// number, and in the mode in which each use of the stream fails.
void prepare_streams();
}
