// Reads settings from a `.env` file: NAME=value lines. Pure.
//
//     export OPENAI_API_KEY="sk-..."     # quotes, comments and the word export are understood
//
// Single quotes keep the text as it is; double quotes know the escapes \n \t \" \\ \$. Nothing is ever expanded or
// executed. Malformed lines are skipped and reported by number, never by content, because they may belong to other
// programs.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weft::models {
struct Dotenv {
    std::map<std::string, std::string, std::less<>> values;  // the last value of a repeated name
    std::vector<int> odd_lines;
};
Dotenv parse_dotenv(std::string_view text);
}
