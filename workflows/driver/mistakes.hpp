// What is wrong with a command line, in our words: one sentence that names the culprit.
#pragma once
#include <string>

namespace CLI {
class ParseError;
}
namespace weft::driver {
std::string in_our_words(const CLI::ParseError&);
}
