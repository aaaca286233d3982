// Completes a command line, by the tables of commands and options. The scripts of `weft completion` ask for it:
//
//     weft complete -- react --model olla              # plain words of zsh and fish; the last one is completed
//     weft complete bash 'ollama:' -- react --mod      # raw words of bash, and what readline keeps of the last
//
// The answer is a line `words`, `files` or `folders`, with the part of the word before the name of a file; then a line
// for each value. Any mistake, and a file or server that does not answer soon, leaves the answer empty. Nothing is
// written anywhere else.
#pragma once
#include "workflows/driver/command_line.hpp"
#include <chrono>
#include <string_view>

namespace weft::driver {
inline constexpr std::string_view complete_word = "complete";
struct CompletedValue {
    std::string value, about;
};
struct CompletedWord {
    enum class Files { none, any, folders } files = Files::none;
    std::string before_file;  // the part of the word before the name of the file
    std::vector<CompletedValue> values;
};
/// The time for an answer: WEFT_COMPLETION_MS, else 300 ms. A server gets an eighth of it.
std::chrono::milliseconds completion_limit();
/// The words after the program's name; the last one is to be completed. May throw.
CompletedWord complete_words(const Program&, const std::vector<std::string>& words);
/// `weft complete` with the words after it.
ExitCode complete(const std::vector<std::string>& arguments) noexcept;
}
