// Reads calls that a model has written as text, because its server did not recognise them.
//
//     auto read = read_text_calls("<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 1}}</tool_call>", tools);
//     read.calls;     // add {"a":1}; several if the reply has several
//     read.error;     // else a sentence for the model, if the reply has an unusable call; both empty: a text
//
//     reply      {mark | fence | , ; [ ] | label | call}            without other text
//     call       object | name [mark] {..} | name(..) | <function=name> {..} | <function=name> element.. |
//                name element..
//     object     has only a name and arguments under the keys that models use, or only a list of such objects,
//                or only a name and parameters of its tool, or the text of a call under tool_code
//     element    <parameter=name>value</parameter> | <name>value</name> | <arg_key>name</arg_key><arg_value>..
//
// Marks (steps/agents/react/dialects/text_marks.hpp) are not calls by themselves. The calls run if the reply consists
// only of calls, and all their tools exist. Without a mark, a text counts as a call only if it can be nothing else. A
// call among other words is an error, unless it is in back-ticks. The values of elements get the types of the tool's
// schema. Pure; each character is examined a few times; at most 1 MB.
#pragma once
#include "steps/models/message.hpp"
#include "tools/registry.hpp"

namespace weft::agents::inline react_steps {
struct TextCalls {
    std::vector<models::ToolCall> calls;  // ids are empty; arguments are the JSON text of an object
    std::string error;                    // without advice on the right form of calls
    std::size_t examined = 0;             // number of characters, by which tests check that the time is linear
};
TextCalls read_text_calls(std::string_view text, const tools::Registry&);
}
