// Reads calls that a model has written as text, because its server did not take them for calls.
//
//     auto read = read_text_calls("<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 1}}</tool_call>", tools);
//     read.calls;     // add {"a":1}; several if the reply has several
//     read.error;     // else a sentence for the model, if the reply has a call that cannot be run; empty: it is text
//
//     reply      {mark | fence | , ; [ ] | label | call}            and nothing else
//     call       object | name [mark] {..} | name(..) | <function=name> {..} | <function=name> element.. |
//                name element..
//     object     has a name and arguments under the keys that models use, or a list of such objects, and nothing else
//                or has a name and just the parameters that its tool takes, or the text of a call under tool_code
//     element    <parameter=name>value</parameter> | <name>value</name> | <arg_key>name</arg_key><arg_value>..
//
// Marks (steps/agents/react/dialects/text_marks.hpp) say nothing themselves. A call is run if the reply consists of
// calls, and each is one of a tool that there is. Without any mark only those are calls that can be nothing else. A
// call of a tool among other words is an error, but not one in back-ticks. The values of elements become what the
// tool's schema says. Pure; each character is looked at a few times; at most 1 MB.
#pragma once
#include "steps/models/message.hpp"
#include "tools/registry.hpp"

namespace weft::agents::inline react_steps {
struct TextCalls {
    std::vector<models::ToolCall> calls;  // the ids are empty; the arguments are JSON text of an object
    std::string error;                    // without the advice that depends on how calls are made
    std::size_t examined = 0;             // characters, so that a test can show that the work is linear
};
TextCalls read_text_calls(std::string_view text, const tools::Registry&);
}
