// The driver's standard streams. All text of models, tools and files is written here, neutralised or as JSON in ASCII:
// no control bytes reach a terminal or a pipe.
//
//     say(answer.response);                  // text, to standard output
//     complain("there is no tool x");        // "weft: there is no tool x", to standard error
//
// Standard error may be closed: what goes there is dropped then. Standard output that cannot be written to is an error.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft::driver {
/// Standard output cannot be written to. The sentence is empty if its reader has closed it.
struct OutputError : std::runtime_error {
    using runtime_error::runtime_error;
};

void say(std::string_view text);              // neutralised, and a line break
void say_in_one_line(std::string_view text);  // line breaks become blanks
void say_json(const nlohmann::json&);         // one line of ASCII
void say_trusted(std::string_view text);      // as it is: text of our own
void tell(std::string_view safe);             // standard error, as it is
void complain(std::string_view sentence);     // "weft: " and the sentence, neutralised, in one line
void note(std::string_view sentence);         // the same, for what is no error

std::string ascii(const nlohmann::json&);  // in one line
std::string ordered_ascii(const nlohmann::ordered_json&);
/// As wide as the terminal, or as COLUMNS says; else 80.
std::size_t columns_of_output();
std::string in_one_line(std::string_view text);  // neutralised, with blanks for line breaks

/// Whether standard error is a terminal that wants colours: NO_COLOR and TERM=dumb do not.
bool wants_colour();

/// Ignores SIGPIPE and SIGXFSZ, and puts /dev/null where a standard stream is closed, so that no file of ours takes its
/// number: one that cannot be read, or written to, so that whoever uses the stream notices.
void prepare_streams();
}
