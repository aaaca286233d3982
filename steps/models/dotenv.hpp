// Settings from a `.env` file: NAME=value lines. Pure.
//
//     export OPENAI_API_KEY="sk-..."     # quotes, comments and the word export are understood
//
// Single quotes take everything as it stands; double quotes know \n \t \" \\ \$. Nothing is ever expanded or run.
// Lines that make no sense are left out and reported by number, never by content: the file may belong to other
// programs too.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weft::models {
struct Dotenv {
    std::map<std::string, std::string, std::less<>> values;  // of a name that is given twice, the last
    std::vector<int> odd_lines;
};
Dotenv parse_dotenv(std::string_view text);
}
